package httpapi

import "net/http"

// validateToken answers with the user of the key.
func (s *server) validateToken(c *call) error {
	return c.respond(http.StatusOK, userOf(c.user))
}

// healthJSON is the answer of the two cheap health routes.
type healthJSON struct {
	Status string `json:"status"`
}

// upOrDown is the status of a part, and that of an answer about it.
func upOrDown(up bool) (string, int) {
	if up {
		return "UP", http.StatusOK
	}
	return "DOWN", http.StatusServiceUnavailable
}

func (s *server) contentHealth(c *call) error {
	word, status := upOrDown(s.lib.Healthy(c.r.Context()) == nil)
	return c.sendJSON(status, healthJSON{word})
}

func (s *server) health(c *call) error {
	word, status := upOrDown(s.eng.Healthy(c.r.Context()) == nil)
	return c.sendJSON(status, healthJSON{word})
}

// healthDetailed reports on each part of the engine: status, latency, its counts.
func (s *server) healthDetailed(c *call) error {
	h := s.eng.Health(c.r.Context())
	components := make(map[string]map[string]any, len(h.Components))
	for name, part := range h.Components {
		word, _ := upOrDown(part.Up)
		out := map[string]any{"status": word, "latency_ms": float64(part.Latency.Microseconds()) / 1000}
		for key, n := range part.Counts {
			out[key] = n
		}
		if part.Name != "" {
			out["name"] = part.Name
		}
		components[name] = out
	}
	word, status := upOrDown(h.Up)
	return c.sendJSON(status, map[string]any{
		"status": word, "version": s.opts.Version, "uptime_seconds": int64(h.Uptime.Seconds()), "components": components,
	})
}
