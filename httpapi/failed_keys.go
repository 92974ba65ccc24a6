package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/quirelib/quire"
)

// maxGoodKeys is how many keys that were good are remembered.
const maxGoodKeys = 10_000

// failedKeys counts the wrong API keys that come from each address. A key that was good
// since the handler was made is never held up by the wrong ones of others: it is looked
// up whatever came from its address.
type failedKeys struct {
	rates *rateLimiter // of addresses

	mu   sync.Mutex
	good map[caller]bool
}

func newFailedKeys(r Rate) *failedKeys {
	return &failedKeys{rates: newRateLimiter(r), good: make(map[caller]bool)}
}

// wait says how long it is until an address may try a key; 0 if it may.
func (f *failedKeys) wait(address string, key caller, now time.Time) time.Duration {
	f.mu.Lock()
	good := f.good[key]
	f.mu.Unlock()
	if good {
		return 0
	}
	return f.rates.wait(sha256.Sum256([]byte(address)), now)
}

// note remembers how the look-up of a key ended. Wrong ones that were on their way at the
// same time all count, so that their number gains nothing.
func (f *failedKeys) note(address string, key caller, wrong bool, now time.Time) {
	if wrong {
		f.rates.take(sha256.Sum256([]byte(address)), now)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if wrong {
		delete(f.good, key)
		return
	}
	if f.good[key] {
		return
	}
	for other := range f.good { // any of them makes room
		if len(f.good) < maxGoodKeys {
			break
		}
		delete(f.good, other)
	}
	f.good[key] = true
}

// authenticateKey is Options.Authenticate with a count of wrong keys, and a record of each
// in the log. A request without a key tries none.
func (c *call) authenticateKey() (quire.User, error) {
	secret := c.r.Header.Get("X-Api-Key")
	if !c.s.keyed || secret == "" {
		return c.s.opts.Authenticate(c.r)
	}
	key, address := caller(sha256.Sum256([]byte(secret))), c.s.opts.ClientAddress(c.r)
	if c.s.failed != nil {
		if wait := c.s.failed.wait(address, key, time.Now()); wait > 0 {
			return quire.User{}, tooManyWrongKeys(wait)
		}
	}
	u, err := c.s.opts.Authenticate(c.r)
	wrong := errors.Is(err, quire.ErrUnauthenticated)
	if c.s.failed != nil && (wrong || err == nil) {
		c.s.failed.note(address, key, wrong, time.Now())
	}
	if wrong {
		// Four bytes tell whether it was the same key again, and are no help in finding it.
		c.s.opts.Logger.WarnContext(c.r.Context(), "httpapi: an API key was refused", "request_id", c.requestID,
			"method", c.r.Method, "route", c.route.pattern, "address", printable(address), "key_sha256", hex.EncodeToString(key[:4]))
	}
	return u, err
}

// printable is an address for the log: what a header says may be anything.
func printable(address string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, address[:min(len(address), 64)])
}

func tooManyWrongKeys(wait time.Duration) error {
	seconds := int(math.Ceil(wait.Seconds()))
	return &problem{status: http.StatusTooManyRequests, retryAfter: seconds,
		message: fmt.Sprintf("too many wrong API keys came from this address; try again in %d s", seconds)}
}

// remoteAddress is where the connection of a request comes from, without the port; of
// IPv6 the network of 64 bits that one host has to itself.
func remoteAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	address, err := netip.ParseAddr(host)
	if err != nil || address.Unmap().Is4() {
		return host
	}
	return netip.PrefixFrom(address.WithZone(""), 64).Masked().String()
}
