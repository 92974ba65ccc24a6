package quire

import (
	"encoding/binary"
	"math"
	"time"
)

// The kinds of records of an archive. See docs/decisions/0015 for what they mean to
// other programs: a change of the types below is a change of the format.
const (
	kindTenant    = "tenant"
	kindCatalogue = "catalogue"
	kindUser      = "user"
	kindGuest     = "guest"
	kindTag       = "tag"
	kindElemental = "elemental"
	kindList      = "list"
	kindMedia     = "media"
	kindMark      = "mark"
	kindComment   = "comment"
	kindRate      = "rate"
	kindItem      = "item"
	kindKnowledge = "knowledge"
	kindChunk     = "chunk"
	kindIngest    = "ingest"
)

// tenantEntry begins an archive.
type tenantEntry struct {
	ID string `json:"id"`
}

// catalogueEntry is what the ids of types, categories and topics stood for.
type catalogueEntry struct {
	Types      []nameEntry `json:"types"`
	Categories []nameEntry `json:"categories"`
	Topics     []nameEntry `json:"topics"`
	ListTypes  []nameEntry `json:"list_types"`
}

type nameEntry struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

type userEntry struct {
	ID        string    `json:"id"`
	Name      string    `json:"name,omitzero"`
	Username  string    `json:"username,omitzero"`
	Email     string    `json:"email,omitzero"`
	AvatarURL string    `json:"avatar_url,omitzero"`
	CreatedAt time.Time `json:"created_at"`
}

// guestEntry names somebody who owns content of the tenant or left something on it
// without being one of its users.
type guestEntry struct {
	ID string `json:"id"`
}

// tagEntry has the fields of a Tag, so that one converts into the other.
type tagEntry struct {
	ID              int64     `json:"id"`
	OwnerID         string    `json:"owner_id"`
	Title           string    `json:"title"`
	Color           string    `json:"color"`
	Description     string    `json:"description,omitzero"`
	ElementalTypeID int       `json:"elemental_type_id"`
	SourceUserID    string    `json:"source_user_id,omitzero"`
	SourceTagID     string    `json:"source_tag_id,omitzero"`
	CreatedAt       time.Time `json:"created_at"`
	UpdatedAt       time.Time `json:"updated_at"`
}

// subjectEntry is what elementals and lists have in common.
type subjectEntry struct {
	OwnerID       string      `json:"owner_id"`
	TypeID        int         `json:"type_id"`
	Title         string      `json:"title"`
	Description   string      `json:"description,omitzero"`
	Visibility    Visibility  `json:"visibility"`
	VideoURL      string      `json:"video_url,omitzero"`
	TutorialSteps []stepEntry `json:"tutorial_steps,omitempty"`
	IsPremium     bool        `json:"is_premium,omitzero"`
	IsFixedPrice  bool        `json:"is_fixed_price,omitzero"`
	Price         *int64      `json:"price,omitzero"`
	PriceOriginal *int64      `json:"price_original,omitzero"`
	KnowledgeBase bool        `json:"is_knowledge_base,omitzero"`
	Template      bool        `json:"is_template,omitzero"`
	System        bool        `json:"is_system,omitzero"`
	TagIDs        []int64     `json:"tag_ids,omitempty"`
	TableID       string      `json:"table_id,omitzero"`
	Sales         int64       `json:"sales,omitzero"` // the other counters follow from what is counted
	Uses          int64       `json:"uses,omitzero"`
	Version       int64       `json:"version"`
	CreatedAt     time.Time   `json:"created_at"`
	UpdatedAt     *time.Time  `json:"updated_at,omitzero"`
}

type stepEntry struct {
	Title       string `json:"title"`
	Description string `json:"description,omitzero"`
	VideoURL    string `json:"video_url,omitzero"`
}

// elementalEntry has the body of the elemental as its blob.
type elementalEntry struct {
	ID string `json:"id"`
	subjectEntry
	CategoryID int    `json:"category_id"`
	TopicIDs   []int  `json:"topic_ids,omitempty"`
	Command    string `json:"command,omitzero"`
	ColumnID   int64  `json:"column_id,omitzero"`
	RowID      int64  `json:"row_id,omitzero"`
}

type listEntry struct {
	ID int64 `json:"id"`
	subjectEntry
	Template         string `json:"template,omitzero"`
	TableOrientation string `json:"table_orientation,omitzero"`
	TableIndex       int64  `json:"table_index,omitzero"`
}

// What follows an elemental or list, up to the next one, is about it.

// mediaEntry has the bytes of the file as its blob, which tell the rest.
type mediaEntry struct {
	ID        int64     `json:"id"`
	Kind      MediaKind `json:"kind"`
	Name      string    `json:"name"`
	Ordinal   int       `json:"ordinal"`
	CreatedAt time.Time `json:"created_at"`
}

type markEntry struct {
	Kind      MarkKind  `json:"kind"`
	UserID    string    `json:"user_id"`
	CreatedAt time.Time `json:"created_at"`
}

type commentEntry struct {
	ReplyTo   int        `json:"reply_to,omitzero"` // the place, from 1, among the comments on this elemental
	UserID    string     `json:"user_id"`
	Message   string     `json:"message"`
	Votes     int64      `json:"votes,omitzero"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt *time.Time `json:"updated_at,omitzero"`
}

type rateEntry struct {
	UserID    string     `json:"user_id"`
	Rating    int        `json:"rating"`
	Message   string     `json:"message,omitzero"`
	Votes     int64      `json:"votes,omitzero"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt *time.Time `json:"updated_at,omitzero"`
}

// itemEntry is a membership in the list before it.
type itemEntry struct {
	ElementalID string    `json:"elemental_id"`
	OrderIndex  int64     `json:"order_index"`
	AddedAt     time.Time `json:"added_at"`
}

// knowledgeEntry is followed by the chunks of an elemental.
type knowledgeEntry struct {
	ElementalID string `json:"elemental_id"`
	Fingerprint string `json:"fingerprint"`
	Dimension   int    `json:"dimension"`
	Chunks      int    `json:"chunks"`
}

// chunkEntry has the vector as its blob, in little-endian 32-bit floats. What else a
// chunk has follows from its elemental.
type chunkEntry struct {
	ItemID  string   `json:"item_id,omitzero"` // "" for the elemental itself
	Ordinal int      `json:"ordinal"`
	Start   int      `json:"start"`
	End     int      `json:"end"`
	Heading []string `json:"heading,omitempty"`
	Hash    string   `json:"hash"`
	Text    string   `json:"text,omitzero"` // of a file; that of other items is in their source text
}

// ingestEntry names an elemental that is to be ingested after the import.
type ingestEntry struct {
	ElementalID string `json:"elemental_id"`
}

func entryOfElemental(e ElementalRecord) elementalEntry {
	return elementalEntry{
		ID: e.ID, CategoryID: e.CategoryID, TopicIDs: e.TopicIDs, Command: e.Command, ColumnID: e.ColumnID, RowID: e.RowID,
		subjectEntry: subjectEntry{
			OwnerID: e.OwnerID, TypeID: e.TypeID, Title: e.Title, Description: e.Description, Visibility: e.Visibility,
			VideoURL: e.VideoURL, TutorialSteps: entriesOfSteps(e.TutorialSteps), IsPremium: e.IsPremium, IsFixedPrice: e.IsFixedPrice,
			Price: e.Price, PriceOriginal: e.PriceOriginal,
			KnowledgeBase: e.Settings.KnowledgeBase, Template: e.Settings.Template, System: e.Settings.System,
			TagIDs: e.TagIDs, TableID: e.TableID, Sales: e.Counters.Sales, Uses: e.Counters.Uses,
			Version: e.Version, CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt,
		},
	}
}

// record is the inverse of entryOfElemental.
func (e elementalEntry) record(tenantID, body string) ElementalRecord {
	return ElementalRecord{
		ID: e.ID, OwnerID: e.OwnerID, TenantID: tenantID, TypeID: e.TypeID, CategoryID: e.CategoryID, TopicIDs: e.TopicIDs,
		Title: e.Title, Description: e.Description, Body: body, Command: e.Command, Visibility: e.Visibility,
		VideoURL: e.VideoURL, TutorialSteps: stepsOfEntries(e.TutorialSteps), IsPremium: e.IsPremium, IsFixedPrice: e.IsFixedPrice,
		Price: e.Price, PriceOriginal: e.PriceOriginal,
		Settings: Settings{KnowledgeBase: e.KnowledgeBase, Template: e.Template, System: e.System},
		TagIDs:   e.TagIDs, ColumnID: e.ColumnID, RowID: e.RowID, TableID: e.TableID,
		Counters: Counters{Sales: e.Sales, Uses: e.Uses},
		Version:  e.Version, CreatedAt: exact(e.CreatedAt), UpdatedAt: exactly(e.UpdatedAt),
	}
}

func entryOfList(l ListRecord) listEntry {
	return listEntry{
		ID: l.ID, Template: l.Template, TableOrientation: l.TableOrientation, TableIndex: l.TableIndex,
		subjectEntry: subjectEntry{
			OwnerID: l.OwnerID, TypeID: l.TypeID, Title: l.Title, Description: l.Description, Visibility: l.Visibility,
			VideoURL: l.VideoURL, TutorialSteps: entriesOfSteps(l.TutorialSteps), IsPremium: l.IsPremium, IsFixedPrice: l.IsFixedPrice,
			Price: l.Price, PriceOriginal: l.PriceOriginal,
			KnowledgeBase: l.Settings.KnowledgeBase, Template: l.Settings.Template, System: l.Settings.System,
			TagIDs: l.TagIDs, TableID: l.TableID, Sales: l.Counters.Sales, Uses: l.Counters.Uses,
			Version: l.Version, CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt,
		},
	}
}

// record is the inverse of entryOfList.
func (l listEntry) record(tenantID string) ListRecord {
	return ListRecord{
		ID: l.ID, OwnerID: l.OwnerID, TenantID: tenantID, TypeID: l.TypeID, Title: l.Title, Description: l.Description,
		Template: l.Template, Visibility: l.Visibility, VideoURL: l.VideoURL, TutorialSteps: stepsOfEntries(l.TutorialSteps),
		IsPremium: l.IsPremium, IsFixedPrice: l.IsFixedPrice, Price: l.Price, PriceOriginal: l.PriceOriginal,
		Settings: Settings{KnowledgeBase: l.KnowledgeBase, Template: l.subjectEntry.Template, System: l.System},
		TagIDs:   l.TagIDs, TableID: l.TableID, TableOrientation: l.TableOrientation, TableIndex: l.TableIndex,
		Counters: Counters{Sales: l.Sales, Uses: l.Uses},
		Version:  l.Version, CreatedAt: exact(l.CreatedAt), UpdatedAt: exactly(l.UpdatedAt),
	}
}

func entriesOfSteps(steps []TutorialStep) []stepEntry {
	var out []stepEntry
	for _, s := range steps {
		out = append(out, stepEntry(s))
	}
	return out
}

func stepsOfEntries(steps []stepEntry) []TutorialStep {
	var out []TutorialStep
	for _, s := range steps {
		out = append(out, TutorialStep(s))
	}
	return out
}

// exact is a time as a Store keeps it.
func exact(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

func exactly(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := exact(*t)
	return &u
}

// packVector and unpackVector turn a vector into bytes and back, bit for bit.
func packVector(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func unpackVector(b []byte) []float32 {
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}
