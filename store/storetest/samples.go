package storetest

import (
	"fmt"
	"time"

	"github.com/quirelib/quire"
)

// epoch is the moment that the sample records count from; its last digits show
// whether microseconds are kept.
var epoch = time.Date(2024, time.March, 5, 7, 8, 9, 123456000, time.UTC)

// at returns the moment n minutes after the epoch.
func at(n int) time.Time { return epoch.Add(time.Duration(n) * time.Minute) }

// awkward are texts that a careless encoding, collation or quoting changes.
var awkward = map[string]string{
	"emoji with joiners":   "👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪",
	"decomposed":           "Cafe\u0301 a\u030a",
	"composed":             "Café å",
	"right to left":        "שלום \u202eabc\u202c مرحبا",
	"line ends":            "one\r\ntwo\rthree\n\u2028four\x0b",
	"outer blanks":         " \t padded \n ",
	"quotes":               `it's "quoted" \ and % _ ? ; -- /* */ :name @x $1`,
	"byte order mark":      "\ufeffbom\ufffd\u200b",
	"highest code points":  "\U0010fffd\U000e0001\uffff",
	"control characters":   "\x01\x02\x1b[31m\x7f\u0085",
	"looks like a number":  "007",
	"looks like a null":    "NULL",
	"looks like a blob":    "x'00'",
	"ideographs and kana":  "日本語テキスト 中文",
	"not a decimal string": "1e309",
}

func sampleUser(id string) quire.User {
	return quire.User{
		ID:        id,
		TenantID:  "tenant of " + id,
		Name:      "Name of " + id,
		Username:  "username-" + id,
		Email:     id + "@example.org",
		AvatarURL: "https://example.org/" + id + ".png",
		CreatedAt: at(1),
	}
}

func sampleKey(id, userID string) quire.Key {
	return quire.Key{
		ID:         id,
		UserID:     userID,
		Name:       "Key " + id,
		Hash:       "hash of " + id,
		Prefix:     "qk_" + id,
		CreatedAt:  at(2),
		LastUsedAt: new(at(3)),
		ExpiresAt:  new(at(4)),
		RevokedAt:  new(at(5)),
	}
}

func sampleTag(id int64, ownerID string) quire.Tag {
	return quire.Tag{
		ID:              id,
		OwnerID:         ownerID,
		Title:           fmt.Sprintf("Tag %d", id),
		Color:           "#a1b2c3",
		Description:     "what it is for",
		ElementalTypeID: quire.TypePrompt,
		SourceUserID:    "another user",
		SourceTagID:     "another tag",
		CreatedAt:       at(6),
		UpdatedAt:       at(7),
	}
}

func sampleElemental(id, ownerID string) quire.ElementalRecord {
	return quire.ElementalRecord{
		ID:          id,
		OwnerID:     ownerID,
		TenantID:    "tenant of " + ownerID,
		TypeID:      quire.TypeDocument,
		CategoryID:  quire.CategoryText,
		TopicIDs:    []int{7, 3, 5},
		Title:       "Title of " + id,
		Description: "Description of " + id,
		Body:        "# Body of " + id + "\r\n\r\nText.",
		Command:     "/" + id,
		Visibility:  quire.Public,
		VideoURL:    "https://example.org/video",
		TutorialSteps: []quire.TutorialStep{
			{Title: "First", Description: "Do this", VideoURL: "https://example.org/1"},
			{Title: "Second"},
		},
		IsPremium:     true,
		IsFixedPrice:  true,
		Price:         new(int64(1 << 60)),
		PriceOriginal: new(int64(0)),
		Settings:      quire.Settings{KnowledgeBase: true, Template: true, System: true},
		TagIDs:        []int64{1<<53 - 1, 12, 11},
		ColumnID:      1<<53 - 1,
		RowID:         31,
		TableID:       "a table",
		Counters:      sampleCounters(1 << 40),
		Version:       1 << 40,
		CreatedAt:     at(8),
		UpdatedAt:     new(at(9)),
	}
}

func sampleList(id int64, ownerID string) quire.ListRecord {
	return quire.ListRecord{
		ID:          id,
		OwnerID:     ownerID,
		TenantID:    "tenant of " + ownerID,
		TypeID:      3,
		Title:       fmt.Sprintf("List %d", id),
		Description: "what it is about",
		Template:    "{{title}}\r\n{{items}}",
		Visibility:  quire.Public,
		VideoURL:    "https://example.org/video",
		TutorialSteps: []quire.TutorialStep{
			{Title: "First", Description: "Do this", VideoURL: "https://example.org/1"},
		},
		IsPremium:        true,
		IsFixedPrice:     true,
		Price:            new(int64(0)),
		PriceOriginal:    new(int64(1 << 60)),
		Settings:         quire.Settings{KnowledgeBase: true, Template: true, System: true},
		TagIDs:           []int64{22, 21, 1<<53 - 1},
		TableID:          "a table",
		TableOrientation: "column",
		TableIndex:       1 << 40,
		Counters:         sampleCounters(2 << 40),
		Version:          3,
		CreatedAt:        at(10),
		UpdatedAt:        new(at(11)),
	}
}

// plainList is a list that searches show: no column or row of a table.
func plainList(id int64, ownerID string) quire.ListRecord {
	l := sampleList(id, ownerID)
	l.TableID, l.TableOrientation, l.TableIndex = "", "", 0
	return l
}

func sampleItem(listID int64, elementalID string, index int64) quire.ListItem {
	return quire.ListItem{ListID: listID, ElementalID: elementalID, OrderIndex: index, AddedAt: at(12)}
}

// sampleJob is a final job with every field set.
func sampleJob(tenantID, id, elementalID string) quire.Job {
	return quire.Job{
		ID:          id,
		TenantID:    tenantID,
		ElementalID: elementalID,
		Status:      quire.JobFailed,
		Stage:       "embed",
		Done:        3,
		Total:       8,
		Attempts:    2,
		Error:       "why it failed",
		Problems:    []quire.JobProblem{{ItemID: "9", Name: "a \"b\".pdf", Reason: "is empty"}, {ItemID: "10"}},
		CreatedAt:   at(13),
		StartedAt:   new(at(14)),
		FinishedAt:  new(at(15)),
		Seq:         1,
		RunAfter:    at(16),
		LeaseOwner:  "worker",
		LeaseUntil:  at(17),
	}
}

// queuedJob is a job that waits to be claimed from runAfter on.
func queuedJob(tenantID, id, elementalID string, runAfter time.Time) quire.Job {
	return quire.Job{
		ID: id, TenantID: tenantID, ElementalID: elementalID,
		Status: quire.JobQueued, Stage: "queued", CreatedAt: epoch, RunAfter: runAfter,
	}
}

func sampleChunk(elementalID string, ordinal int) quire.Chunk {
	return quire.Chunk{
		ID:           fmt.Sprintf("chunk %s %d", elementalID, ordinal),
		TenantID:     "tenant",
		UserID:       "user",
		ElementalID:  elementalID,
		ColumnID:     "a column",
		ItemID:       elementalID,
		Source:       "document",
		TypeName:     "Document",
		CategoryName: "Text",
		TagIDs:       []string{"12", "11"},
		TagNames:     []string{"twelve", "eleven, and \"more\""},
		Title:        "Title of " + elementalID,
		Heading:      []string{"Chapter", "", "Section"},
		Text:         fmt.Sprintf("Passage %d.\r\n", ordinal),
		Start:        10 * ordinal,
		End:          10*ordinal + 12,
		Ordinal:      ordinal,
		Hash:         fmt.Sprintf("hash %d", ordinal),
		Fingerprint:  "embedder-1",
		Vector:       []float32{0.6, -0.8, float32(ordinal)},
	}
}
