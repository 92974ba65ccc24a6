package quire

// jobsChanged tells workers and waiters that jobs were added or changed, and stops
// running attempts whose jobs were cancelled.
func (e *Engine) jobsChanged(cancelled []jobKey) {}
