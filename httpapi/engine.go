package httpapi

import (
	"context"
	"fmt"
	"net/http"

	"github.com/quirelib/quire"
)

func (s *server) ingest(c *call) error {
	b := readEngineBody(c, "elemental_id", "trace_id")
	req := quire.IngestRequest{ElementalID: b.text("elemental_id", asID)}
	if trace := read(b.object, "trace_id", asID).ptr(); trace != nil {
		if req.TraceID = *trace; req.TraceID == "" {
			b.refuse("trace_id must have 1 to 200 characters; leave it out for a new one")
		}
	}
	if err := b.err(); err != nil {
		return err
	}
	job, err := s.eng.Ingest(c.r.Context(), c.user.TenantID, req)
	if err != nil {
		return err
	}
	return c.sendJSON(http.StatusAccepted, doneJSON{
		Status:  "accepted",
		Message: "Ingestion started for " + job.ElementalID,
		Data:    ingestedJSON{JobID: job.ID, ElementalID: job.ElementalID},
	})
}

func (s *server) deleteIngested(c *call) error {
	done, err := s.eng.DeleteElemental(c.r.Context(), c.user.TenantID, c.params["id"])
	if err != nil {
		return err
	}
	return c.respondDeleted(done)
}

func (s *server) deleteChunks(c *call) error {
	b := readEngineBody(c, "filters")
	filters := b.filters()
	if err := b.err(); err != nil {
		return err
	}
	if err := s.mayActFor(c, filters); err != nil {
		return err
	}
	done, err := s.eng.Delete(c.r.Context(), filters)
	if err != nil {
		return err
	}
	return c.respondDeleted(done)
}

func (c *call) respondDeleted(done quire.DeleteResult) error {
	return c.sendJSON(http.StatusOK, doneJSON{
		Status:  "success",
		Message: fmt.Sprintf("Deleted %d chunks of %d elementals", done.Chunks, done.Elementals),
		Data:    deletedJSON{Chunks: done.Chunks, Elementals: done.Elementals},
	})
}

func (s *server) search(c *call) error {
	b := readEngineBody(c, "query", "filters", "limit", "mode")
	req := quire.SearchRequest{Query: b.text("query", asString), Limit: b.limit(), Mode: b.mode(), Filters: b.filters()}
	if err := b.err(); err != nil {
		return err
	}
	if err := s.mayActFor(c, req.Filters); err != nil {
		return err
	}
	if err := c.holdHits(req.Limit); err != nil {
		return err
	}
	hits, err := s.eng.Search(c.r.Context(), req)
	if err != nil {
		return err
	}
	if err := c.hold(hitsCost(hits)); err != nil {
		return err
	}
	return c.sendJSON(http.StatusOK, searchJSON{Items: mapAll(hits, hitOf), TotalFound: len(hits)})
}

// chatRequest reads the body that both chat routes take. Of a server that is about to stop it
// takes none, before memory is waited for and the LLM is asked.
func (s *server) chatRequest(c *call) (quire.ChatRequest, error) {
	if err := s.refuseLate(); err != nil {
		return quire.ChatRequest{}, err
	}
	b := readEngineBody(c, "query", "filters", "limit", "mode", "history")
	req := quire.ChatRequest{Query: b.text("query", asString), Limit: b.limit(), Mode: b.mode(), Filters: b.filters(), History: b.history()}
	if err := b.err(); err != nil {
		return req, err
	}
	if err := s.mayActFor(c, req.Filters); err != nil {
		return req, err
	}
	return req, c.holdChat(req)
}

func (s *server) chat(c *call) error {
	req, err := s.chatRequest(c)
	if err != nil {
		return err
	}
	var answer quire.ChatResponse
	if err := s.untilStopping(c.r.Context(), func(ctx context.Context) (err error) {
		answer, err = s.eng.Chat(ctx, req)
		return err
	}); err != nil {
		return err
	}
	if err := c.hold(hitsCost(answer.Sources)); err != nil {
		return err
	}
	return c.sendJSON(http.StatusOK, chatJSON{Answer: answer.Answer, Sources: mapAll(answer.Sources, sourceOf)})
}

func (s *server) jobs(c *call) error {
	q := c.query()
	page := q.page()
	elementalID, given := q.text("elemental_id")
	if given && elementalID == "" {
		q.wrong("elemental_id", "must not be empty; leave it out for the jobs of all elementals")
	}
	if err := q.err(); err != nil {
		return err
	}
	found, err := s.eng.Jobs(c.r.Context(), c.user.TenantID, elementalID, page)
	if err != nil {
		return err
	}
	if err := c.hold(jobsCost(found.Items)); err != nil {
		return err
	}
	return c.sendJSON(http.StatusOK, jobsJSON{Jobs: mapAll(found.Items, jobOf), Total: found.Total})
}

func (s *server) job(c *call) error {
	j, err := s.eng.Job(c.r.Context(), c.user.TenantID, c.params["job_id"])
	if err != nil {
		return err
	}
	return c.sendJSON(http.StatusOK, jobOf(j))
}

func (s *server) cancelJob(c *call) error {
	j, err := s.eng.CancelJob(c.r.Context(), c.user.TenantID, c.params["job_id"])
	if err != nil {
		return err
	}
	return c.sendJSON(http.StatusOK, jobOf(j))
}
