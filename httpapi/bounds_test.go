package httpapi

import (
	"strings"
	"testing"
)

// An answer to a body with very many faults stays small, and a batch over the
// limit is refused as a whole, whatever its payloads are.
func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	f := newEngineFixture(t, nil)
	many := "[" + strings.Repeat("0,", 50_000) + "0]"
	for path, body := range map[string]string{
		"/v1/user/elementals": many,
		"/v1/user/list":       `{"title":"A list","item_ids":` + many + `}`,
	} {
		a := f.do(f.ann.key, "POST", path, body).want(400)
		if len(a.body) > 50_000 {
			t.Errorf("%s answers %d bytes", path, len(a.body))
		}
	}
	good := strings.Repeat(`{"title":"A title that is valid","type_id":3},`, 900)
	f.do(f.ann.key, "POST", "/v1/user/elementals", "["+good+strings.Repeat("0,", 199)+"0]").want(400)
	f.do(f.ann.key, "GET", "/v1/elementals?search=valid", "").want(200).has("meta.total", "0")
}
