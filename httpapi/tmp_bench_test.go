package httpapi

import (
	"fmt"
	"net/http/httptest"
	"syscall"
	"testing"
)

func BenchmarkTmpPage(b *testing.B) {
	f := newBenchFixture(b)
	h := benchHandler
	i := 0
	var r0, r1 syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r0)
	for b.Loop() {
		i++
		req := f.request("GET", fmt.Sprintf("/v1/list/%d/items?size=%d&page=%d", f.lists[i%benchLists], benchPage, 1+i%5), "")
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, req)
		if rec.Code != 200 {
			b.Fatal(rec.Body.String())
		}
	}
	syscall.Getrusage(syscall.RUSAGE_SELF, &r1)
	cpu := func(r syscall.Rusage) float64 { return float64(r.Utime.Nano()+r.Stime.Nano()) / 1000 }
	b.ReportMetric((cpu(r1)-cpu(r0))/float64(i), "cpu-us/op")
}
