package enginetest

import (
	"testing"

	"github.com/quirelib/quire"
	"pgregory.net/rapid"
)

var modelCases = []indexCase{
	{"model", testModel},
}

// What the model chooses from: few values, so that they meet, and few directions,
// so that there are ties.
var (
	modelTenants    = rapid.SampledFrom([]string{"t", "u"})
	modelElementals = rapid.SampledFrom([]string{"a", "b", "c"})
	modelValues     = rapid.SampledFrom([]string{"", "x", "y", "x:y"})
	modelTags       = rapid.SliceOfN(rapid.SampledFrom([]string{"", "1", "2", "3", "n:1"}), 0, 3)
	modelWanted     = rapid.SliceOfN(rapid.SampledFrom([]string{"", "1", "2", "3", "4", "n:1"}), 0, 6)
	modelVectors    = rapid.Map(rapid.SampledFrom([]uint16{0, 1, 3, 7, 0xff, 0xf0f0, 0x5555, 0x8000, 0xffff}), corner)
)

// testModel does random things to the index and the oracle and wants the same
// results: ids, order and scores.
func testModel(t *testing.T, open opener) {
	rapid.Check(t, func(rt *rapid.T) {
		index, oracle := open(t), NewIndex()
		defer func() {
			if err := index.Close(); err != nil {
				rt.Errorf("Close: %v", err)
			}
		}()
		ctx := t.Context()
		same := func(what string, got, want error) {
			if quire.CodeOf(got) != quire.CodeOf(want) {
				rt.Fatalf("%s: error %v, want %v", what, got, want)
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"replace": func(rt *rapid.T) {
				tenant, elemental, chunks := drawChunks(rt)
				same("Replace", index.Replace(ctx, tenant, elemental, chunks), oracle.Replace(ctx, tenant, elemental, chunks))
			},
			"remove": func(rt *rapid.T) {
				tenant, elemental := modelTenants.Draw(rt, "tenant"), modelElementals.Draw(rt, "elemental")
				same("Replace", index.Replace(ctx, tenant, elemental, nil), oracle.Replace(ctx, tenant, elemental, nil))
			},
			"reset": func(rt *rapid.T) {
				if rapid.IntRange(0, 9).Draw(rt, "dice") == 0 {
					same("Reset", index.Reset(ctx), oracle.Reset(ctx))
				}
			},
			"search": func(rt *rapid.T) {
				query, f, limit := modelVectors.Draw(rt, "query"), drawFilters(rt), rapid.IntRange(1, 30).Draw(rt, "limit")
				got, err := index.Search(ctx, query, f, limit)
				want, wantErr := oracle.Search(ctx, query, f, limit)
				same("Search", err, wantErr)
				if diff := diffHits(want, got); diff != "" {
					rt.Fatalf("Search(%+v, limit %d) (-want +got):\n%s", f, limit, diff)
				}
			},
			"": func(rt *rapid.T) {
				got, err := index.Stats(ctx)
				want, wantErr := oracle.Stats(ctx)
				same("Stats", err, wantErr)
				if got != want {
					rt.Fatalf("Stats() = %+v, want %+v", got, want)
				}
			},
		})
	})
}

// drawChunks makes a new content of an elemental, now and then with a vector that
// is refused.
func drawChunks(rt *rapid.T) (tenant, elemental string, chunks []quire.Chunk) {
	tenant, elemental = modelTenants.Draw(rt, "tenant"), modelElementals.Draw(rt, "elemental")
	for n := range rapid.IntRange(0, 12).Draw(rt, "count") {
		c := chunk(int(elemental[0])<<8|n, tenant, elemental, modelVectors.Draw(rt, "vector"))
		c.UserID = modelValues.Draw(rt, "user")
		c.Source = modelValues.Draw(rt, "source")
		c.TypeName = modelValues.Draw(rt, "type")
		c.CategoryName = modelValues.Draw(rt, "category")
		c.TagIDs = modelTags.Draw(rt, "tag ids")
		c.TagNames = modelTags.Draw(rt, "tag names")
		chunks = append(chunks, c)
	}
	if len(chunks) > 0 && rapid.IntRange(0, 9).Draw(rt, "spoil") == 0 {
		at := rapid.IntRange(0, len(chunks)-1).Draw(rt, "at")
		chunks[at].Vector = rapid.SampledFrom([][]float32{nil, make([]float32, dim), append(corner(0), 1)}).Draw(rt, "bad")
	}
	return tenant, elemental, chunks
}

// drawFilters asks mostly for one or two things, so that something is found.
func drawFilters(rt *rapid.T) quire.Filters {
	f := quire.Filters{TenantID: modelTenants.Draw(rt, "tenant")}
	if rapid.Bool().Draw(rt, "all") { // else most searches would find next to nothing
		return f
	}
	for range rapid.IntRange(0, 3).Draw(rt, "conditions") {
		field := fields[rapid.IntRange(0, len(fields)-1).Draw(rt, "field")]
		switch field.name {
		case "ElementalID":
			f.ElementalID = modelElementals.Draw(rt, "elemental")
		case "TagIDs":
			f.TagIDs = modelWanted.Draw(rt, "tag ids")
		case "TagNames":
			f.TagNames = modelWanted.Draw(rt, "tag names")
		default:
			field.want(&f, modelValues.Draw(rt, field.name))
		}
	}
	return f
}
