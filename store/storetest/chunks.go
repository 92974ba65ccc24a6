package storetest

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/quirelib/quire"
)

var chunkCases = []testCase{
	{"missing", chunksMissing},
	{"round trip", chunkRoundTrip},
	{"awkward text", chunkText},
	{"vectors bit for bit", chunkVectors},
	{"copied", chunkCopied},
	{"replace", chunksReplace},
	{"tags", chunksTagged},
	{"replace at random", chunksReplaceRandom},
	{"order", chunksOrder},
	{"many ids", chunkMany},
	{"all", chunksAll},
	{"all, stopped and nested", chunksAllNested},
	{"match each field", chunksMatchFields},
	{"match at random", chunksMatchRandom},
}

func putChunks(s *store, elementalID string, chunks ...quire.Chunk) {
	s.tb.Helper()
	s.update(func(ctx context.Context, tx quire.Tx) error { return tx.ReplaceChunks(ctx, elementalID, chunks) })
}

// allChunks collects AllChunks.
func allChunks(tx quire.ReadTx, ctx context.Context, _ struct{}) ([]quire.Chunk, error) {
	return collect(tx.AllChunks(ctx))
}

// allVectors collects AllVectors.
func allVectors(tx quire.ReadTx, ctx context.Context, _ struct{}) ([]quire.Chunk, error) {
	return collect(tx.AllVectors(ctx))
}

func collect(chunks iter.Seq2[quire.Chunk, error]) ([]quire.Chunk, error) {
	var cs []quire.Chunk
	for c, err := range chunks {
		if err != nil {
			return nil, err
		}
		cs = append(cs, c)
	}
	return cs, nil
}

func countChunks(tx quire.ReadTx, ctx context.Context, _ struct{}) (int, error) {
	return tx.CountChunks(ctx)
}

func chunksMissing(t *testing.T, s *store) {
	equal(t, "Chunks of no ids", get(s, quire.ReadTx.Chunks, nil), nil)
	equal(t, "Chunks of unknown ids", get(s, quire.ReadTx.Chunks, []string{"nothing"}), nil)
	equal(t, "ChunksOf", get(s, quire.ReadTx.ChunksOf, "nothing"), nil)
	equal(t, "AllChunks", get(s, allChunks, struct{}{}), nil)
	equal(t, "AllVectors", get(s, allVectors, struct{}{}), nil)
	equal(t, "MatchChunks", get(s, quire.ReadTx.MatchChunks, quire.Filters{TenantID: "tenant"}), nil)
	equal(t, "CountChunks", get(s, countChunks, struct{}{}), 0)
	putChunks(s, "nothing")
}

func withoutVector(c quire.Chunk) quire.Chunk {
	c.Vector = nil
	return c
}

func chunkRoundTrip(t *testing.T, s *store) {
	full := sampleChunk("e1", 3)
	bare := quire.Chunk{ID: "bare", TenantID: "tenant", ElementalID: "e2"}
	putChunks(s, "e1", full)
	putChunks(s, "e2", bare)
	equal(t, "ChunksOf", get(s, quire.ReadTx.ChunksOf, "e1"), []quire.Chunk{full})
	equal(t, "ChunksOf with empty fields", get(s, quire.ReadTx.ChunksOf, "e2"), []quire.Chunk{bare})
	equal(t, "Chunks", get(s, quire.ReadTx.Chunks, []string{"bare", "nothing", full.ID, full.ID}),
		map[string]quire.Chunk{"bare": bare, full.ID: withoutVector(full)})
	equal(t, "CountChunks", get(s, countChunks, struct{}{}), 2)
}

func chunkText(t *testing.T, s *store) {
	for name, text := range awkward {
		c := quire.Chunk{
			ID: text, TenantID: text, UserID: text, ElementalID: text, ColumnID: text, ItemID: text, Source: text,
			TypeName: text, CategoryName: text, TagIDs: []string{text, ""}, TagNames: []string{"", text},
			Title: text, Heading: []string{text, "", text}, Text: text, Hash: text, Fingerprint: text, Vector: []float32{1},
		}
		putChunks(s, text, c)
		equal(t, name, get(s, quire.ReadTx.ChunksOf, text), []quire.Chunk{c})
		f := quire.Filters{TenantID: text, ElementalID: text, UserID: text, TagIDs: []string{text}, TagNames: []string{text}, Source: text, TypeName: text, CategoryName: text}
		equal(t, name+" matched", get(s, quire.ReadTx.MatchChunks, f), []quire.ChunkRef{{ID: text, ElementalID: text}})
	}
}

func chunkVectors(t *testing.T, s *store) {
	rng := rand.New(rand.NewPCG(5, 6))
	random := make([]float32, 1536)
	for i := range random {
		random[i] = float32(rng.NormFloat64())
	}
	for i, want := range [][]float32{
		{0, float32(math.Copysign(0, -1)), 1, -1, math.SmallestNonzeroFloat32, math.MaxFloat32, 1.0 / 3, 1e-38},
		{1},
		random,
	} {
		id := fmt.Sprint("e", i)
		c := sampleChunk(id, 0)
		c.Vector = want
		putChunks(s, id, c)
		got := get(s, quire.ReadTx.ChunksOf, id)[0].Vector
		if !slices.EqualFunc(got, want, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
			t.Errorf("vector of %d numbers came back changed, with %d", len(want), len(got))
		}
	}
}

func chunkCopied(t *testing.T, s *store) {
	want := sampleChunk("e", 1)
	spoil := func(c quire.Chunk) {
		c.TagIDs[0], c.TagNames[0], c.Heading[0] = "spoilt", "spoilt", "spoilt"
		if len(c.Vector) > 0 {
			c.Vector[0] = 99
		}
	}
	in := []quire.Chunk{sampleChunk("e", 1)}
	putChunks(s, "e", in...)
	spoil(in[0])
	got := get(s, quire.ReadTx.ChunksOf, "e")
	equal(t, "after a change on the way in", got, []quire.Chunk{want})
	spoil(got[0])
	byID := get(s, quire.ReadTx.Chunks, []string{want.ID})
	equal(t, "after a change of what ChunksOf returned", byID[want.ID], withoutVector(want))
	spoil(byID[want.ID])
	all := get(s, allChunks, struct{}{})
	equal(t, "after a change of what Chunks returned", all, []quire.Chunk{want})
	spoil(all[0])
	equal(t, "after a change of what AllChunks returned", get(s, quire.ReadTx.ChunksOf, "e"), []quire.Chunk{want})
}

func chunksReplace(t *testing.T, s *store) {
	other := sampleChunk("other", 0)
	putChunks(s, "other", other)
	putChunks(s, "e", sampleChunk("e", 0), sampleChunk("e", 1), sampleChunk("e", 2))
	kept := sampleChunk("e", 1) // an id that is there already, with other content
	kept.Text, kept.Vector, kept.TagNames, kept.Ordinal = "changed", []float32{1}, nil, 0
	added := sampleChunk("e", 7)
	putChunks(s, "e", kept, added)
	equal(t, "ChunksOf", get(s, quire.ReadTx.ChunksOf, "e"), []quire.Chunk{kept, added})
	equal(t, "Chunks", get(s, quire.ReadTx.Chunks, []string{sampleChunk("e", 0).ID, kept.ID}), map[string]quire.Chunk{kept.ID: withoutVector(kept)})
	equal(t, "CountChunks", get(s, countChunks, struct{}{}), 3)
	equal(t, "matched by a tag that is gone", get(s, quire.ReadTx.MatchChunks, quire.Filters{TenantID: "tenant", ElementalID: "e", TagNames: []string{"twelve"}}),
		[]quire.ChunkRef{{ID: added.ID, ElementalID: "e"}})
	putChunks(s, "e")
	equal(t, "ChunksOf after none", get(s, quire.ReadTx.ChunksOf, "e"), nil)
	equal(t, "the other", get(s, quire.ReadTx.ChunksOf, "other"), []quire.Chunk{other})
	equal(t, "CountChunks after none", get(s, countChunks, struct{}{}), 1)
}

// chunksTagged changes the tags of all chunks of an elemental.
func chunksTagged(t *testing.T, s *store) {
	a, b, other := sampleChunk("e1", 0), sampleChunk("e1", 1), sampleChunk("e2", 0)
	a.TagIDs, a.TagNames = []string{"1", "2"}, []string{"boats", "harbour"}
	b.TagIDs, b.TagNames = nil, nil
	other.TagIDs, other.TagNames = []string{"1"}, []string{"boats"}
	putChunks(s, "e1", a, b)
	putChunks(s, "e2", other)
	tag := func(elementalID string, ids, names []string) {
		s.update(func(ctx context.Context, tx quire.Tx) error { return tx.TagChunks(ctx, elementalID, ids, names) })
	}
	match := func(f quire.Filters) (ids []string) {
		f.TenantID = a.TenantID
		for _, ref := range get(s, quire.ReadTx.MatchChunks, f) {
			ids = append(ids, ref.ID)
		}
		return ids
	}
	tag("nothing", []string{"1"}, []string{"boats"})
	for _, tags := range [][2][]string{{{"1", "3"}, {"boats", "rain"}}, {{"1", "3"}, {"ships", "rain"}}, {nil, nil}, {{"4"}, {"dup"}}} {
		ids, names := slices.Clone(tags[0]), slices.Clone(tags[1])
		tag("e1", ids, names)
		a.TagIDs, a.TagNames, b.TagIDs, b.TagNames = tags[0], tags[1], tags[0], tags[1]
		if len(ids) > 0 {
			ids[0], names[0] = "spoilt", "spoilt"
		}
		equal(t, "ChunksOf", get(s, quire.ReadTx.ChunksOf, "e1"), []quire.Chunk{a, b})
		equal(t, "ChunksOf another", get(s, quire.ReadTx.ChunksOf, "e2"), []quire.Chunk{other})
		for _, f := range []quire.Filters{{TagIDs: []string{"1"}}, {TagIDs: []string{"2"}}, {TagIDs: []string{"3"}}, {TagIDs: []string{"4"}},
			{TagNames: []string{"boats"}}, {TagNames: []string{"ships"}}, {TagNames: []string{"harbour"}}, {TagNames: []string{"dup"}}} {
			var want []string
			for _, c := range []quire.Chunk{a, b, other} {
				f.TenantID = c.TenantID
				if f.Match(&c) {
					want = append(want, c.ID)
				}
			}
			equal(t, fmt.Sprintf("match %v %v", f.TagIDs, f.TagNames), match(f), want)
		}
	}
}

// chunksReplaceRandom replaces the chunks of an elemental by others that are like them in
// part: passages inserted, left out and moved, with texts that repeat, and changes of what
// is not text. It compares with what was written last, as a store in memory keeps it.
func chunksReplaceRandom(t *testing.T, s *store) {
	rng := rand.New(rand.NewPCG(11, 12))
	other := sampleChunk("other", 0)
	putChunks(s, "other", other)
	var texts []int
	tags, model := []string{"1"}, "embedder-1"
	rounds, written := scale(150), 0
	for round := range rounds {
		switch kind := rng.IntN(8); {
		case kind == 0:
			texts = nil
		case kind == 1 && len(texts) > 0: // the first goes: all ordinals shift
			texts = texts[1:]
		case kind == 2 && len(texts) > 0:
			texts[rng.IntN(len(texts))] = rng.IntN(12)
		case kind == 3:
			tags = []string{fmt.Sprint(rng.IntN(3)), fmt.Sprint(rng.IntN(3))}
		case kind == 4:
			model = fmt.Sprint("embedder-", rng.IntN(2))
		default: // somewhere in the middle; a text may be there already
			texts = slices.Insert(texts, rng.IntN(len(texts)+1), rng.IntN(12))
		}
		var want []quire.Chunk
		var refs []quire.ChunkRef
		for i, text := range texts {
			c := sampleChunk("e", i)
			if round%3 == 0 {
				c.Title = "another title"
			}
			c.TagIDs, c.TagNames = tags, []string{"name " + tags[0]}
			c.Text, c.Hash, c.Fingerprint = fmt.Sprint("text ", text), fmt.Sprint("hash ", text), model
			c.Vector = []float32{float32(text), float32(len(model)), float32(model[len(model)-1])}
			want, refs = append(want, c), append(refs, quire.ChunkRef{ID: c.ID, ElementalID: "e"})
		}
		written += len(want)
		putChunks(s, "e", want...)
		what := fmt.Sprint("round ", round)
		equal(t, what, get(s, quire.ReadTx.ChunksOf, "e"), want)
		slices.SortFunc(refs, func(a, b quire.ChunkRef) int { return strings.Compare(a.ID, b.ID) })
		for n := range 3 {
			tag := fmt.Sprint(n)
			found := refs
			if !slices.Contains(tags, tag) {
				found = nil
			}
			equal(t, what+" by tag "+tag, get(s, quire.ReadTx.MatchChunks, quire.Filters{TenantID: "tenant", ElementalID: "e", TagIDs: []string{tag}}), found)
			equal(t, what+" by name "+tag, len(get(s, quire.ReadTx.MatchChunks, quire.Filters{TenantID: "tenant", ElementalID: "e", TagNames: []string{"name " + tag}})),
				map[bool]int{true: len(refs)}[tags[0] == tag])
		}
		equal(t, what+", the other", get(s, quire.ReadTx.ChunksOf, "other"), []quire.Chunk{other})
	}
	t.Logf("%d replacements with %d chunks", rounds, written)
}

func chunksOrder(t *testing.T, s *store) {
	var want []quire.Chunk
	for i, k := range []struct {
		source, item string
		ordinal      int
	}{
		{"Document", "z", 0}, {"document", "e", 0}, {"document", "e", 2}, {"document", "e", 10},
		{"elemental", "A", 5}, {"elemental", "a", 1}, {"elemental", "a", 9}, {"file", "", 3}, {"file", "0", 0},
	} {
		c := sampleChunk("e", k.ordinal)
		c.ID, c.Source, c.ItemID = fmt.Sprint("c", 9-i), k.source, k.item
		want = append(want, c)
	}
	shuffled := slices.Clone(want)
	rand.New(rand.NewPCG(7, 8)).Shuffle(len(want), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	putChunks(s, "e", shuffled...)
	equal(t, "ChunksOf", get(s, quire.ReadTx.ChunksOf, "e"), want)
}

func chunkMany(t *testing.T, s *store) {
	ids, exist := manyIDs(1_500, "chunk")
	want := map[string]quire.Chunk{}
	var cs []quire.Chunk
	for i, id := range exist {
		c := sampleChunk("e", i)
		c.ID = id
		cs = append(cs, c)
		want[id] = withoutVector(c)
	}
	putChunks(s, "e", cs...)
	equal(t, "Chunks", get(s, quire.ReadTx.Chunks, ids), want)
	equal(t, "ChunksOf", get(s, quire.ReadTx.ChunksOf, "e"), cs)
}

func chunksAll(t *testing.T, s *store) {
	want := map[string]quire.Chunk{}
	for i := range scale(200) {
		elementalID := fmt.Sprint("e", i*7%31, "-", i)
		var cs []quire.Chunk
		for n := range i % 5 {
			c := sampleChunk(elementalID, n)
			c.TenantID = fmt.Sprint("t", (i+n)%3)
			cs = append(cs, c)
			want[c.ID] = c
		}
		putChunks(s, elementalID, cs...)
	}
	got := map[string]quire.Chunk{}
	done := map[string]bool{} // elementals that were left behind
	last := ""
	for _, c := range get(s, allChunks, struct{}{}) {
		if c.ElementalID != last {
			done[last] = true
			last = c.ElementalID
			if done[last] {
				t.Errorf("chunks of %s come in two places", last)
			}
		}
		got[c.ID] = c
	}
	equal(t, "AllChunks", got, want)
	var vectors, chunks []quire.Chunk
	for _, c := range get(s, allVectors, struct{}{}) {
		vectors = append(vectors, vectorPart(c))
	}
	for _, c := range get(s, allChunks, struct{}{}) {
		chunks = append(chunks, vectorPart(c))
	}
	equal(t, "AllVectors", vectors, chunks)
	equal(t, "CountChunks", get(s, countChunks, struct{}{}), len(want))
}

// vectorPart is what AllVectors has to return of a chunk.
func vectorPart(c quire.Chunk) quire.Chunk {
	return quire.Chunk{ID: c.ID, TenantID: c.TenantID, UserID: c.UserID, ElementalID: c.ElementalID, Source: c.Source, TypeName: c.TypeName,
		CategoryName: c.CategoryName, TagIDs: c.TagIDs, TagNames: c.TagNames, Fingerprint: c.Fingerprint, Vector: c.Vector}
}

// chunksAllNested reads inside of an iteration, stops it and goes on reading.
func chunksAllNested(t *testing.T, s *store) {
	for i := range 20 {
		id := fmt.Sprint("e", i)
		putChunks(s, id, sampleChunk(id, 0), sampleChunk(id, 1))
	}
	seen := 0
	s.view(func(ctx context.Context, tx quire.ReadTx) error {
		for c, err := range tx.AllChunks(ctx) {
			if err != nil {
				return err
			}
			same, err := tx.ChunksOf(ctx, c.ElementalID)
			if err != nil {
				return err
			}
			if len(same) != 2 {
				return fmt.Errorf("ChunksOf(%s) inside of AllChunks: %d chunks, want 2", c.ElementalID, len(same))
			}
			if seen++; seen == 5 {
				break
			}
		}
		_, err := tx.CountChunks(ctx)
		return err
	})
	equal(t, "seen", seen, 5)
}

// chunksMatchFields checks each filter alone.
func chunksMatchFields(t *testing.T, s *store) {
	a, b := sampleChunk("a", 0), sampleChunk("b", 0)
	b.UserID, b.Source, b.TypeName, b.CategoryName = "user 2", "file", "Prompt", "Code"
	b.TagIDs, b.TagNames = []string{"2", "1"}, []string{"TWELVE", "12"}
	c := sampleChunk("c", 0)
	c.TenantID, c.TagIDs, c.TagNames = "another", nil, nil
	for _, chunk := range []quire.Chunk{b, c, a} {
		putChunks(s, chunk.ElementalID, chunk)
	}
	for name, f := range map[string]struct {
		quire.Filters
		want string
	}{
		"tenant":               {quire.Filters{}, "ab"},
		"another tenant":       {quire.Filters{TenantID: "another"}, "c"},
		"unknown tenant":       {quire.Filters{TenantID: "Tenant"}, ""},
		"elemental":            {quire.Filters{ElementalID: "b"}, "b"},
		"another's elemental":  {quire.Filters{ElementalID: "c"}, ""},
		"user":                 {quire.Filters{UserID: "user 2"}, "b"},
		"source":               {quire.Filters{Source: "document"}, "a"},
		"type":                 {quire.Filters{TypeName: "Document"}, "a"},
		"category":             {quire.Filters{CategoryName: "Code"}, "b"},
		"category in capitals": {quire.Filters{CategoryName: "CODE"}, ""},
		"tag id":               {quire.Filters{TagIDs: []string{"11"}}, "a"},
		"part of a tag id":     {quire.Filters{TagIDs: []string{"1"}}, "b"},
		"any of the tag ids":   {quire.Filters{TagIDs: []string{"404", "2", "12"}}, "ab"},
		"unknown tag id":       {quire.Filters{TagIDs: []string{"404"}}, ""},
		"tag name":             {quire.Filters{TagNames: []string{"twelve"}}, "a"},
		"odd tag name":         {quire.Filters{TagNames: []string{`eleven, and "more"`}}, "a"},
		"part of a tag name":   {quire.Filters{TagNames: []string{"eleven"}}, ""},
		"id as name":           {quire.Filters{TagNames: []string{"12"}}, "b"},
		"no tags":              {quire.Filters{TagIDs: []string{}, TagNames: []string{}}, "ab"},
		"empty tag":            {quire.Filters{TagIDs: []string{""}}, ""},
		"tag id and name":      {quire.Filters{TagIDs: []string{"12", "1"}, TagNames: []string{"TWELVE"}}, "b"},
		"and":                  {quire.Filters{UserID: "user 2", Source: "document"}, ""},
	} {
		if f.TenantID == "" {
			f.TenantID = "tenant"
		}
		var got []string
		for _, ref := range get(s, quire.ReadTx.MatchChunks, f.Filters) {
			got = append(got, ref.ElementalID)
		}
		equal(t, name, strings.Join(got, ""), f.want)
	}
}

// chunksMatchRandom compares MatchChunks with Filters.Match over all chunks.
func chunksMatchRandom(t *testing.T, s *store) {
	rng := rand.New(rand.NewPCG(9, 10))
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	some := func(most int, from ...string) (picked []string) {
		for range rng.IntN(most + 1) {
			picked = append(picked, pick(from...))
		}
		return picked
	}
	var chunks []quire.Chunk
	for i := range 80 {
		elementalID := fmt.Sprint("e", i)
		var cs []quire.Chunk
		for n := range 1 + rng.IntN(4) {
			c := sampleChunk(elementalID, n)
			c.ID = fmt.Sprint("c", rng.IntN(1000), "-", i, "-", n)
			c.TenantID, c.UserID = pick("t", "T", "t2"), pick("u1", "u2", "")
			c.Source, c.TypeName, c.CategoryName = pick("document", "file"), pick("Prompt", "prompt"), pick("Text", "Code", "")
			c.TagIDs, c.TagNames = some(3, "1", "2", "12", "21", ""), some(3, "a", "b", "a,b", "A", "")
			cs = append(cs, c)
		}
		putChunks(s, elementalID, cs...)
		chunks = append(chunks, cs...)
	}
	slices.SortFunc(chunks, func(a, b quire.Chunk) int {
		return strings.Compare(a.ElementalID+"\x00"+a.ID, b.ElementalID+"\x00"+b.ID)
	})
	queries, found := scale(400), 0
	for range queries {
		f := quire.Filters{
			TenantID: pick("t", "T", "t2", "t3"), ElementalID: pick("", "", "", "e1", "e2"), UserID: pick("", "", "u1", "u2"),
			TagIDs: some(2, "1", "2", "12", "3", ""), TagNames: some(2, "a", "b", "a,b", "c", ""),
			Source: pick("", "document", "file"), TypeName: pick("", "", "Prompt", "prompt"), CategoryName: pick("", "", "Text", "Code"),
		}
		var want []quire.ChunkRef
		for i := range chunks {
			if f.Match(&chunks[i]) {
				want = append(want, quire.ChunkRef{ID: chunks[i].ID, ElementalID: chunks[i].ElementalID})
			}
		}
		found += len(want)
		equal(t, fmt.Sprintf("%+v", f), get(s, quire.ReadTx.MatchChunks, f), want)
	}
	t.Logf("%d random filters, %d matches in %d chunks", queries, found, len(chunks))
}
