package httpapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/quirelib/quire"
)

// ownAddresses are used in any case, and alone when ../shared/data is absent. The numbers
// are of nets for documentation, so that who fetches them reaches nobody.
var ownAddresses = []string{
	"http://203.0.113.7/", "https://203.0.113.7:8443/a?b=c#d", "http://[2001:db8::7]/", "https://name.invalid/a", "HTTPS://NAME.INVALID", "https://日本.invalid/é",
	"https://name.invalid/" + strings.Repeat("a", 2048-21), "https://name.invalid/" + strings.Repeat("a", 2048-20), "https://name.invalid/" + strings.Repeat("é", 1014),
	"http://user@name.invalid/", "http://:pass@name.invalid/", "http://@name.invalid/", "http:///a", "http://", "http:", "name.invalid", "/a", "?a", "#a", "//name.invalid/a",
	"https://name.invalid/a b", " https://name.invalid/", "https://name.invalid/\t", "https://name.invalid/\x7f", "https://name.invalid/\u0085", "https://name.invalid/\u2028",
	"https://name.invalid/%zz", "https://name.invalid:port/", "https://[::1", "java\nscript:alert(1)", "jAvAsCrIpT://name.invalid/%0aalert(1)", "mailto:a@name.invalid", "https\u200b://name.invalid/",
}

// addressAccepts says again what the library takes for an address, by means of its own.
func addressAccepts(s string) bool {
	unsafe := func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }
	scheme, rest, _ := strings.Cut(s, "://")
	if scheme = strings.ToLower(scheme); scheme != "http" && scheme != "https" || len(s) > 2048 || !utf8.ValidString(s) || strings.ContainsFunc(s, unsafe) {
		return false
	}
	host := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host = rest[:i]
	}
	_, port, _ := strings.Cut(host[strings.LastIndex(host, "]")+1:], ":")
	return host != "" && !strings.ContainsAny(host, `@\`) && strings.Contains(host, "[") == strings.Contains(host, "]") &&
		strings.Trim(port, "0123456789") == "" && !strings.Contains(rest, "%zz")
}

// TestAddresses puts addresses into all fields that hold one: it is stored as it came, or
// refused with the name of its field.
func TestAddresses(t *testing.T) {
	t.Parallel()
	var shared []struct{ URL string }
	if !readShared(t, "extra/urls.json", &shared) {
		t.Log("../shared/data/extra/urls.json is not there; own addresses only")
	}
	addresses := ownAddresses
	for _, s := range shared {
		addresses = append(addresses, s.URL)
	}
	f := newFixture(t, nil)
	id, list := f.elemental(f.ann, "With an address", ""), f.list(f.ann, "With an address")
	stored, refused := 0, 0
	for i, address := range addresses {
		quoted, err := json.Marshal(address)
		if err != nil {
			t.Fatal(err)
		}
		ok := addressAccepts(address)
		for _, path := range []string{"/v1/user/elemental/" + id, "/v1/user/list/" + list} {
			for field, body := range map[string]string{"video_url": `{"video_url":TEXT}`, "tutorial_steps/0/video_url": `{"tutorial_steps":[{"title":"t","video_url":TEXT}]}`} {
				a := f.do(f.ann.key, "PUT", path, strings.Replace(body, "TEXT", string(quoted), 1))
				if !ok {
					a.want(400).has("errors.0.field", `"`+field+`"`)
					continue
				}
				a.want(200).has("response."+strings.ReplaceAll(field, "/", "."), string(quoted))
			}
		}
		u, err := f.lib.CreateUser(t.Context(), quire.UserInput{ID: fmt.Sprint("user-", i), AvatarURL: address})
		if ok != (err == nil) || ok && u.AvatarURL != address {
			t.Errorf("avatar %q: %q, %v", address, u.AvatarURL, err)
		}
		if ok {
			stored++
		} else {
			refused++
		}
	}
	if stored < 6 || refused < 20 {
		t.Errorf("%d stored, %d refused", stored, refused)
	}
	if t.Failed() {
		return
	}
	t.Logf("F2: %d addresses, %d of them shared, in 5 fields: %d stored as they came, %d refused with their field", len(addresses), len(shared), stored, refused)
}
