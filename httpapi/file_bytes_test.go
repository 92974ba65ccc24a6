package httpapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestFileBytes sends files as arrays of numbers: each byte comes back, as a number again, and
// what is no byte is refused by its place.
func TestFileBytes(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	numbers := strings.ReplaceAll(fmt.Sprint(all), " ", ",")
	with := func(buffer string) string {
		return `[{"title":"An elemental with a file","type_id":3,"template":"x","files":[{"file_name":"a.bin","file_buffer":` + buffer + `}]}]`
	}
	returned := 0
	for _, buffer := range []string{`{"type":"Buffer","data":` + numbers + `}`, numbers} {
		a := f.do(f.ann.key, "POST", "/v1/user/elementals", with(buffer)).want(201)
		path := strings.TrimPrefix(a.str("response.0.files.0.url"), "https://quire.example")
		var file struct {
			Response struct{ Data []int }
		}
		body := f.do(f.ann.key, "GET", path, "", "Accept", "application/json").want(200).body
		if err := json.Unmarshal([]byte(body), &file); err != nil {
			t.Fatal(err)
		}
		if len(file.Response.Data) != len(all) {
			t.Fatalf("%d numbers came back: %s", len(file.Response.Data), body)
		}
		for i, n := range file.Response.Data {
			if n != i {
				t.Errorf("byte %d came back as %d", i, n)
			}
			returned++
		}
	}
	before := f.snapshot()
	bad := []string{"256", "-1", "1.5", "null", `"7"`, "1e1", "true", "[7]", "{}", "99999999999999999999", "1.0", "-0.5"}
	for _, n := range bad {
		a := f.do(f.ann.key, "POST", "/v1/user/elementals", with(`{"type":"Buffer","data":[0,1,2,3,4,5,6,`+n+`,8]}`)).want(400)
		a.has("errors.0.index", "0", "errors.0.errors.0.field", `"files/0/file_buffer/data/7"`)
	}
	for _, buffer := range []string{`{"data":"AAEC"}`, `{"data":{}}`, `{"data":null}`, `{}`, `5`, `"AAE"`, `true`, `[[1]]`} {
		f.do(f.ann.key, "POST", "/v1/user/elementals", with(buffer)).want(400)
		bad = append(bad, buffer)
	}
	if f.snapshot() != before {
		t.Error("something in the store changed")
	}
	if t.Failed() {
		return
	}
	t.Logf("B9: %d bytes as numbers came back as numbers, %d of %d files that hold something else refused", returned, len(bad), len(bad))
}
