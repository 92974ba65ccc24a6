package quire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quirelib/quire"
	"github.com/quirelib/quire/httpapi"
	"github.com/quirelib/quire/store/sqlite"
)

// TestCancelAtAnyTime cancels calls of all kinds at moments that nobody chose, in the
// process and from over the network: what they write is there as a whole or not at all,
// and nothing of them stays. That no goroutine does, TestMain looks after.
func TestCancelAtAnyTime(t *testing.T) {
	t.Parallel()
	calls := cancelledCalls
	if testing.Short() {
		calls /= 20
	}
	const callers = 8
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "quire.db"), &sqlite.Options{Synchronous: sqlite.Normal})
	if err != nil {
		t.Fatal(err)
	}
	f := newEngineFixture(t, s, quire.EngineOptions{Chunker: paragraphs{}})
	e := f.add(f.ann, "Read by many callers", "some words")
	var faulty atomic.Int64
	api := httpapi.New(f.Library, f.eng, &httpapi.Options{Authenticate: func(*http.Request) (quire.User, error) {
		return quire.User{ID: f.ann.UserID, TenantID: f.ann.TenantID}, nil
	}})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &statusOf{ResponseWriter: w}
		api.ServeHTTP(seen, r)
		if seen.status == http.StatusInternalServerError {
			faulty.Add(1)
		}
	}))
	defer server.Close()
	client := server.Client()
	over := func(ctx context.Context, method, path, body string) error {
		req, err := http.NewRequestWithContext(ctx, method, server.URL+path, strings.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		res, err := client.Do(req)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			return err
		}
		if res.StatusCode >= 300 {
			return fmt.Errorf("status %d", res.StatusCode)
		}
		return nil
	}
	filters := quire.Filters{TenantID: f.ann.TenantID}
	var came, cut, partial, wrong atomic.Int64
	var wg sync.WaitGroup
	for caller := range callers {
		rng := rand.New(rand.NewPCG(uint64(caller), 10))
		wg.Go(func() {
			for n := range calls / callers {
				ids := []string{fmt.Sprintf("c%d-%d-a", caller, n), fmt.Sprintf("c%d-%d-b", caller, n)}
				pair := make([]quire.ElementalInput, 2)
				for i, id := range ids {
					pair[i] = document("A pair of caller and call "+id, "body of "+id)
					pair[i].ID = id
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.IntN(4000))*time.Microsecond)
				var err error
				writes := false
				switch n % 8 {
				case 0, 1:
					writes = true
					_, err = f.CreateElementals(ctx, f.ann, pair)
				case 2:
					_, err = f.UpdateElemental(ctx, f.ann, e.ID, quire.ElementalPatch{Body: ptr(fmt.Sprint("other words ", n))})
				case 3:
					_, err = f.eng.Ingest(ctx, f.ann.TenantID, quire.IngestRequest{ElementalID: e.ID})
				case 4:
					_, err = f.eng.Search(ctx, quire.SearchRequest{Query: "words", Filters: filters})
				case 5:
					_, err = f.SearchElementals(ctx, f.ann, quire.SearchInput{Text: "caller"})
				case 6:
					err = over(ctx, "POST", "/v1/user/list", fmt.Sprintf(`{"title": "A list of call %d-%d"}`, caller, n))
				case 7:
					err = over(ctx, "GET", "/v1/elemental/"+e.ID, "")
				}
				cancel()
				switch {
				case err == nil:
					came.Add(1)
				case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
					cut.Add(1)
				default:
					wrong.Add(1)
					t.Errorf("kind %d: %v", n%8, err)
				}
				if !writes {
					continue
				}
				there := map[string]quire.ElementalRecord{}
				if err := s.View(t.Context(), func(tx quire.ReadTx) (err error) {
					there, err = tx.Elementals(t.Context(), ids)
					return err
				}); err != nil {
					t.Error(err)
				}
				if want := map[bool]int{true: 2}[err == nil]; len(there) != want {
					partial.Add(1)
					t.Errorf("after %v, %d of 2 are there", err, len(there))
				}
			}
		})
	}
	wg.Wait()
	client.CloseIdleConnections()
	f.settleAll(f.ann)
	f.waitStatus(f.ingest(f.ann, e.ID, ""), quire.JobSucceeded) // no connection is lost, no lock held
	if faulty.Load() > 0 {
		t.Errorf("%d requests were answered with status 500", faulty.Load())
	}
	t.Logf("C10: %d calls, %d cancelled in the middle, %d came through: %d partial, %d with another error, %d answers of status 500",
		came.Load()+cut.Load()+wrong.Load(), cut.Load(), came.Load(), partial.Load(), wrong.Load(), faulty.Load())
}

// statusOf notes the status of an answer.
type statusOf struct {
	http.ResponseWriter
	status int
}

func (s *statusOf) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

func (s *statusOf) Unwrap() http.ResponseWriter { return s.ResponseWriter }
