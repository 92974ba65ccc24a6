package storetest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/quirelib/quire"
)

var cancelCases = []testCase{
	{"reads", cancelReads},
	{"writes", cancelWrites},
	{"iterations", cancelIterations},
}

// readOf returns a call of a reader with one argument.
func readOf[A, R any](method func(quire.ReadTx, context.Context, A) (R, error), arg A) func(context.Context, quire.ReadTx) error {
	return func(ctx context.Context, tx quire.ReadTx) error {
		_, err := method(tx, ctx, arg)
		return err
	}
}

// pageOf returns a call of a reader of pages.
func pageOf[Q, R any](method func(quire.ReadTx, context.Context, Q) (R, int, error), q Q) func(context.Context, quire.ReadTx) error {
	return func(ctx context.Context, tx quire.ReadTx) error {
		_, _, err := method(tx, ctx, q)
		return err
	}
}

// writeOf returns a call of a writer with one argument.
func writeOf[A any](method func(quire.Tx, context.Context, A) error, arg A) func(context.Context, quire.Tx) error {
	return func(ctx context.Context, tx quire.Tx) error { return method(tx, ctx, arg) }
}

// reads calls every method of ReadTx on what seed wrote.
var reads = map[string]func(ctx context.Context, tx quire.ReadTx) error{
	"Meta":             readOf(quire.ReadTx.Meta, "one"),
	"User":             readOf(quire.ReadTx.User, "u1"),
	"Users":            readOf(quire.ReadTx.Users, []string{"u1"}),
	"UserKey":          readOf(quire.ReadTx.UserKey, sampleKey("k1", "u1").Hash),
	"KeyByHash":        readOf(quire.ReadTx.KeyByHash, sampleKey("k1", "u1").Hash),
	"KeysOf":           readOf(quire.ReadTx.KeysOf, "u1"),
	"Tag":              readOf(quire.ReadTx.Tag, 1),
	"Tags":             readOf(quire.ReadTx.Tags, []int64{1}),
	"TagSizes":         readOf(quire.ReadTx.TagSizes, []int64{1}),
	"TagsOf":           readOf(quire.ReadTx.TagsOf, "u1"),
	"Elemental":        readOf(quire.ReadTx.Elemental, "e1"),
	"Elementals":       readOf(quire.ReadTx.Elementals, []string{"e1"}),
	"ElementalSizes":   readOf(quire.ReadTx.ElementalSizes, []string{"e1"}),
	"ElementalByTitle": readOf(elementalTitled, titled{"u1", quire.TypeDocument, "Title of e1"}),
	"SearchElementals": pageOf(quire.ReadTx.SearchElementals, quire.ElementalSearch{Text: words("word"), Viewer: anyone, Limit: 5}),
	"NewestElementals": pageOf(quire.ReadTx.NewestElementals, quire.ElementalQuery{OwnerID: "u1", TypeID: quire.TypeDocument, Limit: 5}),
	"ElementalsOf":     readOf(ownedElementals, "u1"),
	"List":             readOf(quire.ReadTx.List, 1),
	"Lists":            readOf(quire.ReadTx.Lists, []int64{1}),
	"ListSizes":        readOf(quire.ReadTx.ListSizes, []int64{1}),
	"FindLists":        pageOf(quire.ReadTx.FindLists, quire.ListSearch{Text: new(words("list")), Viewer: anyone, Limit: 5}),
	"SearchLists":      pageOf(quire.ReadTx.SearchLists, quire.ListSearch{Text: new(words("list")), Viewer: anyone, Limit: 5}),
	"SearchLists all":  pageOf(quire.ReadTx.SearchLists, quire.ListSearch{Viewer: anyone, Limit: 5}),
	"ListItems":        pageOf(quire.ReadTx.ListItems, quire.ItemQuery{ListID: 1, Viewer: anyone, Order: quire.OrderIndex, Limit: 5}),
	"Items":            readOf(quire.ReadTx.Items, 1),
	"Job":              readOf(jobByKey, jobKey{"t1", "j1"}),
	"Jobs":             pageOf(quire.ReadTx.Jobs, quire.JobQuery{TenantID: "t1", Limit: 5}),
	"CountJobs":        readOf(countJobs, struct{}{}),
	"NextJob":          readOf(nextJob, struct{}{}),
	"Chunks":           readOf(quire.ReadTx.Chunks, []string{sampleChunk("e1", 0).ID}),
	"ChunksOf":         readOf(quire.ReadTx.ChunksOf, "e1"),
	"AllChunks":        readOf(allChunks, struct{}{}),
	"AllVectors":       readOf(allVectors, struct{}{}),
	"MatchChunks":      readOf(quire.ReadTx.MatchChunks, quire.Filters{TenantID: "tenant"}),
	"CountChunks":      readOf(countChunks, struct{}{}),
	"Tenants":          readOf(tenantIDs, struct{}{}),
	"TagIDsOf":         readOf(quire.ReadTx.TagIDsOf, "u1"),
	"TenantsOf":        readOf(tenantsOf, upTo{"u1", 2}),
	"OwnersIn":         readOf(ownersIn, upTo{"tenant of u1", 2}),
	"TenantUsers":      readOf(tenantUsers, "tenant of u1"),
	"TenantElementals": readOf(tenantElementals, "tenant of u1"),
	"TenantLists":      readOf(tenantLists, "tenant of u1"),
	"PlainChunks":      readOf(plainChunks, "nothing"),
	"MissingVectors":   readOf(missingVectors, vectorsQuery{"embedder-2", []string{"hash 0", "nothing"}}),
	"VectorLengths":    readOf(quire.ReadTx.VectorLengths, "embedder-2"),
	"Drafts":           readOf(draftsOf, draftsQuery{"e1", "embedder-1"}),
	"Cells":            readOf(quire.ReadTx.Cells, "a table"),
	"CellTexts":        readOf(quire.ReadTx.CellTexts, "a table"),
	"TableLists":       readOf(quire.ReadTx.TableLists, "a table"),
	"Media":            readOf(quire.ReadTx.Media, 1),
	"MediaOf":          readOf(quire.ReadTx.MediaOf, []quire.MediaOwner{ofElemental("e1"), ofList(1)}),
	"MediaData":        readOf(quire.ReadTx.MediaData, 1),
	"Marks":            readOf(userMarks, marksQuery{"u1", []quire.Subject{onElemental("e1"), onList(1)}}),
	"Comment":          readOf(firstComment, "e1"),
	"Comments":         readOf(allComments, "e1"),
	"Rates":            readOf(allRates, onElemental("e1")),
	"Receipt":          readOf(receiptByKey, receiptKey{"u1", "r", "k1"}),
	"ReceiptSize":      readOf(receiptSize, receiptKey{"u1", "r", "k1"}),
	"LastMarks": func(ctx context.Context, tx quire.ReadTx) error {
		_, err := tx.LastMarks(ctx, onElemental("e1"), quire.MarkUpvote, 5)
		return err
	},
	"ElementalsWithoutBody": func(ctx context.Context, tx quire.ReadTx) error {
		_, err := tx.ElementalsWithoutBody(ctx, []string{"e1"})
		return err
	},
	"Tagged": func(ctx context.Context, tx quire.ReadTx) error {
		_, _, err := tx.Tagged(ctx, 11)
		return err
	},
	"CountItems": func(ctx context.Context, tx quire.ReadTx) error {
		_, err := tx.CountItems(ctx, []int64{1}, anyone)
		return err
	},
	"OrphanJobs": func(ctx context.Context, tx quire.ReadTx) error {
		_, err := tx.OrphanJobs(ctx, epoch, 1)
		return err
	},
	"ActiveJobs": func(ctx context.Context, tx quire.ReadTx) error {
		_, err := tx.ActiveJobs(ctx, "t1", "")
		return err
	},
}

// writes calls every method of Tx that ReadTx has not.
var writes = map[string]func(ctx context.Context, tx quire.Tx) error{
	"PutUser":         writeOf(quire.Tx.PutUser, sampleUser("u3")),
	"PutKey":          writeOf(quire.Tx.PutKey, sampleKey("k3", "u1")),
	"PutTag":          writeOf(quire.Tx.PutTag, sampleTag(3, "u1")),
	"DeleteTag":       writeOf(quire.Tx.DeleteTag, 1),
	"DeleteElemental": writeOf(quire.Tx.DeleteElemental, "e1"),
	"DeleteList":      writeOf(quire.Tx.DeleteList, 1),
	"PutItem":         writeOf(quire.Tx.PutItem, sampleItem(2, "e1", 1)),
	"PutJob":          writeOf(quire.Tx.PutJob, sampleJob("t1", "j3", "e1")),
	"PutMeta":         func(ctx context.Context, tx quire.Tx) error { return tx.PutMeta(ctx, "one", nil) },
	"DeleteItem":      func(ctx context.Context, tx quire.Tx) error { return tx.DeleteItem(ctx, 1, "e1") },
	"PutElementalText": func(ctx context.Context, tx quire.Tx) error {
		return tx.PutElementalText(ctx, "e1", quire.IndexedText{Title: "other words"})
	},
	"TagChunks": func(ctx context.Context, tx quire.Tx) error {
		return tx.TagChunks(ctx, "e1", []string{"7"}, []string{"seven"})
	},
	"ReplaceChunks": func(ctx context.Context, tx quire.Tx) error { return tx.ReplaceChunks(ctx, "e1", nil) },
	"PutVectors":    func(ctx context.Context, tx quire.Tx) error { return tx.PutVectors(ctx, "embedder-2", kept(3)) },
	"PutDrafts":     func(ctx context.Context, tx quire.Tx) error { return tx.PutDrafts(ctx, "e1", "embedder-1", kept(3)) },
	"DeleteDrafts":  writeOf(quire.Tx.DeleteDrafts, "e1"),
	"DeleteVectors": func(ctx context.Context, tx quire.Tx) error { return tx.DeleteVectors(ctx) },
	"AdoptVectors": func(ctx context.Context, tx quire.Tx) error {
		_, err := tx.AdoptVectors(ctx, "embedder-2")
		return err
	},
	"PutElemental": func(ctx context.Context, tx quire.Tx) error {
		return tx.PutElemental(ctx, sampleElemental("e3", "u1"), quire.IndexedText{Title: "word"})
	},
	"PutList": func(ctx context.Context, tx quire.Tx) error {
		return tx.PutList(ctx, plainList(3, "u1"), quire.IndexedText{Title: "list"})
	},
	"DeleteMedia":    writeOf(quire.Tx.DeleteMedia, 1),
	"PutReceipt":     writeOf(quire.Tx.PutReceipt, sampleReceipt("u1", "r", "k9")),
	"ShowTable":      func(ctx context.Context, tx quire.Tx) error { return tx.ShowTable(ctx, "a table", quire.Public, epoch) },
	"ClearTable":     writeOf(quire.Tx.ClearTable, "a table"),
	"DeleteJob":      func(ctx context.Context, tx quire.Tx) error { return tx.DeleteJob(ctx, "t1", "j1") },
	"TrimReceipts":   func(ctx context.Context, tx quire.Tx) error { return tx.TrimReceipts(ctx, "u1", 0) },
	"DeleteReceipts": writeOf(quire.Tx.DeleteReceipts, at(1_000_000)),
	"PutMedia": func(ctx context.Context, tx quire.Tx) error {
		return tx.PutMedia(ctx, sampleMedia(9, ofElemental("e1")), dataOf(9))
	},
	"PutCounters": func(ctx context.Context, tx quire.Tx) error {
		return tx.PutCounters(ctx, onElemental("e1"), quire.Counters{})
	},
	"PutMark": func(ctx context.Context, tx quire.Tx) error {
		_, err := tx.PutMark(ctx, sampleMark(onElemental("e1"), "u9"))
		return err
	},
	"DeleteMark": func(ctx context.Context, tx quire.Tx) error {
		_, err := tx.DeleteMark(ctx, onElemental("e1"), "u1", quire.MarkUpvote)
		return err
	},
	"PutComment": func(ctx context.Context, tx quire.Tx) error {
		_, err := tx.PutComment(ctx, sampleComment("e1", 0))
		return err
	},
	"DeleteComment": func(ctx context.Context, tx quire.Tx) error {
		c, err := firstComment(tx, context.WithoutCancel(ctx), "e1")
		if err != nil {
			return err
		}
		_, err = tx.DeleteComment(ctx, c.ID)
		return err
	},
	"PutRate": func(ctx context.Context, tx quire.Tx) error {
		_, _, err := tx.PutRate(ctx, sampleRate(onElemental("e1"), "u9"))
		return err
	},
	"ClaimJob": func(ctx context.Context, tx quire.Tx) error {
		_, err := tx.ClaimJob(ctx, at(5), "worker", at(50))
		return err
	},
}

// cancelled returns a context that is over.
func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// cancelReads calls each reader, which works, with a context that is over.
func cancelReads(t *testing.T, s *store) {
	s.update(seed)
	for name, read := range reads {
		s.view(func(ctx context.Context, tx quire.ReadTx) error {
			if err := read(ctx, tx); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if err := read(cancelled(t), tx); !errors.Is(err, context.Canceled) {
				t.Errorf("%s with a cancelled context: got error %v, want context.Canceled", name, err)
			}
			return nil
		})
	}
}

// cancelWrites calls each writer with a context that is over, in a transaction
// that goes on.
func cancelWrites(t *testing.T, s *store) {
	s.update(seed)
	before := readAll(s)
	for name, write := range writes {
		s.update(func(_ context.Context, tx quire.Tx) error {
			if err := write(cancelled(t), tx); !errors.Is(err, context.Canceled) {
				t.Errorf("%s with a cancelled context: got error %v, want context.Canceled", name, err)
			}
			return nil
		})
	}
	equal(t, "contents", readAll(s), before)
	for name, write := range writes { // they do work otherwise
		err := s.Update(t.Context(), func(tx quire.Tx) error {
			if err := write(t.Context(), tx); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return errStop
		})
		if err != errStop {
			t.Errorf("Update: %v", err)
		}
	}
}

// cancelIterations cancels the context in the middle of an iteration. What the
// consumer gets is either all, because it was read already, or ends with the
// context's error.
func cancelIterations(t *testing.T, s *store) {
	n := scale(800)
	var es []quire.ElementalRecord
	var cs []quire.Chunk
	for i := range n {
		es = append(es, bareElemental(fmt.Sprint("e", i), "u1"))
		cs = append(cs, sampleChunk("e", i))
	}
	putElementals(s, es...)
	putChunks(s, "e", cs...)
	s.view(func(_ context.Context, tx quire.ReadTx) error {
		ctx, cancel := context.WithCancel(t.Context())
		checkCancelled(t, "ElementalsOf", tx.ElementalsOf(ctx, "u1"), cancel, n)
		ctx, cancel = context.WithCancel(t.Context())
		checkCancelled(t, "TenantElementals", tx.TenantElementals(ctx, "u1"), cancel, n)
		ctx, cancel = context.WithCancel(t.Context())
		checkCancelled(t, "AllChunks", tx.AllChunks(ctx), cancel, n)
		ctx, cancel = context.WithCancel(t.Context())
		checkCancelled(t, "AllVectors", tx.AllVectors(ctx), cancel, n)
		return nil
	})
}

func checkCancelled[T any](t *testing.T, name string, seq iter.Seq2[T, error], cancel func(), n int) {
	t.Helper()
	seen := 0
	var last error
	for _, err := range seq {
		if last != nil {
			t.Errorf("%s goes on after an error", name)
		}
		if last = err; err != nil {
			continue
		}
		if seen++; seen == 3 {
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) && !(last == nil && seen == n) {
		t.Errorf("%s after its context was cancelled: %d of %d seen, last error %v", name, seen, n, last)
	}
}
