package httpapi

import (
	"crypto/sha256"
	"fmt"
	"math"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Rate is how often a caller may ask.
type Rate struct {
	// PerMinute is how many requests a minute there may be in the long run. 0: any number.
	PerMinute int
	// Burst is how many of them may come at once, after a pause. Default: PerMinute.
	Burst int
}

// rateLimiter is a token bucket for each caller.
type rateLimiter struct {
	rate Rate

	mu    sync.Mutex
	of    map[caller]*rate.Limiter
	swept time.Time // when the full buckets were last thrown away
}

// caller is who a limit is for: a user, and the key it came with where that is known.
type caller [sha256.Size]byte

func newRateLimiter(r Rate) *rateLimiter {
	return &rateLimiter{rate: r, of: make(map[caller]*rate.Limiter)}
}

// admit takes a token, or says how long it is until there is one.
func (l *rateLimiter) admit(who caller, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.bucket(who, now).ReserveN(now, 1)
	if wait = taken.DelayFrom(now); wait > 0 {
		taken.CancelAt(now)
	}
	return wait
}

// wait says how long it is until there is a token, and takes none.
func (l *rateLimiter) wait(who caller, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	missing := 1 - l.bucket(who, now).TokensAt(now)
	return max(0, time.Duration(missing*float64(time.Minute)/float64(l.rate.PerMinute)))
}

// take takes a token that need not be there yet: the next one is later then.
func (l *rateLimiter) take(who caller, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bucket(who, now).ReserveN(now, 1)
}

// bucket returns the bucket of a caller; mu is held.
func (l *rateLimiter) bucket(who caller, now time.Time) *rate.Limiter {
	l.sweep(now)
	bucket := l.of[who]
	if bucket == nil {
		bucket = rate.NewLimiter(rate.Limit(float64(l.rate.PerMinute)/60), l.rate.Burst)
		l.of[who] = bucket
	}
	return bucket
}

// sweep throws away the buckets that are full again: a new one is the same. It looks as
// often as an empty one takes to fill.
func (l *rateLimiter) sweep(now time.Time) {
	if now.Sub(l.swept) < time.Duration(float64(time.Minute)*float64(l.rate.Burst)/float64(l.rate.PerMinute)) {
		return
	}
	l.swept = now
	for who, bucket := range l.of {
		if bucket.TokensAt(now) >= float64(l.rate.Burst) {
			delete(l.of, who)
		}
	}
}

// limitRate refuses a request that comes too soon.
func (c *call) limitRate() error {
	if c.s.rates == nil {
		return nil
	}
	wait := c.s.rates.admit(c.caller(), time.Now())
	if wait == 0 {
		return nil
	}
	seconds := int(math.Ceil(wait.Seconds()))
	return &problem{status: http.StatusTooManyRequests, retryAfter: seconds,
		message: fmt.Sprintf("too many requests: %d a minute are allowed; try again in %d s", c.s.opts.Rate.PerMinute, seconds)}
}

// caller returns who the request counts for.
func (c *call) caller() caller {
	who := c.user.TenantID + "\x00" + c.user.ID
	if c.s.keyed { // else the header may be anything
		who += "\x00" + c.r.Header.Get("X-Api-Key")
	}
	return sha256.Sum256([]byte(who))
}

// streamCount counts the streams that each caller has open.
type streamCount struct {
	limit int // 0: any number

	mu   sync.Mutex
	open map[caller]int
}

// enter counts a stream until leave is called, unless the caller has too many.
func (s *streamCount) enter(who caller) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limit > 0 && s.open[who] >= s.limit {
		return nil, &problem{status: http.StatusTooManyRequests, retryAfter: 1,
			message: fmt.Sprintf("too many streams: %d at a time are allowed; wait for one to end or close it", s.limit)}
	}
	if s.open == nil {
		s.open = make(map[caller]int)
	}
	s.open[who]++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open[who]--; s.open[who] == 0 {
			delete(s.open, who)
		}
	}), nil
}

// check returns a Rate with its default, or what is wrong with it.
func (r Rate) check(option string) (Rate, error) {
	if r.PerMinute < 0 || r.Burst < 0 || r.Burst > 0 && r.PerMinute == 0 {
		return r, fmt.Errorf("httpapi: Options.%s is %+v: neither may be negative, and a Burst needs PerMinute", option, r)
	}
	if r.Burst == 0 {
		r.Burst = r.PerMinute
	}
	return r, nil
}
