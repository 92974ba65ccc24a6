package httpapi

import (
	"fmt"
	"net/http/httptest"
	"testing"
)

func BenchmarkTmpPage(b *testing.B) {
	f := newBenchFixture(b)
	h := benchHandler
	i := 0
	for b.Loop() {
		i++
		req := f.request("GET", fmt.Sprintf("/v1/list/%d/items?size=%d&page=%d", f.lists[i%benchLists], benchPage, 1+i%5), "")
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, req)
		if rec.Code != 200 {
			b.Fatal(rec.Body.String())
		}
	}
}
