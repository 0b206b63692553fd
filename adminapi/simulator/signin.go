package simulator

import (
	"cmp"
	"encoding/base64"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi"
)

// The privileges, in the words of the API's own table.
const (
	privSecurity  = "Security and infrastructure"
	privServers   = "Servers"
	privUpdate    = "Update"
	privDelete    = "Delete"
	privPublisher = "Publisher"

	// Not a privilege: the role alone may see the deployments.
	roleAdministrator = "of the default administrator"
)

// portalWords is how the portal side names the same privileges.
var portalWords = map[string][]string{
	privSecurity:  {"portal:admin:manageSecurity"},
	privServers:   {"portal:admin:manageServers"},
	privUpdate:    {"portal:admin:updateItems"},
	privDelete:    {"portal:admin:deleteItems"},
	privPublisher: {"portal:publisher:publishFeatures", "portal:publisher:publishServerServices"},
}

var allPrivileges = []string{privSecurity, privServers, privUpdate, privDelete, privPublisher}

// account is one user of the site.
type account struct {
	User
	fullName string
	role     string
}

// hasAny reports whether the user may do what needs one of the privileges.
func (a *account) hasAny(privileges []string) bool {
	return len(privileges) == 0 || slices.ContainsFunc(privileges, func(p string) bool {
		return slices.Contains(a.Privileges, p) || p == roleAdministrator && a.role == "org_admin"
	})
}

// accounts is the area of who can sign in, and of the tokens they hold.
type accounts struct {
	*world
	users   []*account
	issued  map[string]token
	maxLife time.Duration // of a token
}

// Administrator is the name of the first user of every world, who has all privileges.
const Administrator = "admin"

// defaultUsers are those of every world.
var defaultUsers = []UserSpec{
	{Username: Administrator, FullName: "Ada Administrator", Role: "org_admin", Privileges: allPrivileges},
	{Username: "operator", FullName: "Olli Operator", Role: "operator", Privileges: []string{privSecurity}},
	{Username: "servers", FullName: "Sara Servers", Role: "servers", Privileges: []string{privServers}},
	{Username: "publisher", FullName: "Pia Publisher", Role: "org_publisher", Privileges: []string{privPublisher, privUpdate, privDelete}},
	{Username: "updater", FullName: "Uma Updater", Role: "updater", Privileges: []string{privUpdate}},
	{Username: "deleter", FullName: "Dana Deleter", Role: "deleter", Privileges: []string{privDelete}},
	{Username: "author", FullName: "Anna Author", Role: "org_publisher", Privileges: []string{privPublisher}},
	{Username: "viewer", FullName: "Viktor Viewer", Role: "org_viewer"},
}

// newAccounts makes the users. signedIn is a token that the administrator holds already.
func newAccounts(w *world, signedIn adminapi.Token) *accounts {
	a := &accounts{world: w, issued: map[string]token{}, maxLife: cmp.Or(w.scenario.TokenLife.Duration, maxTokenLife)}
	for _, spec := range slices.Concat(defaultUsers, w.scenario.Users) {
		user := User{spec.Username, newPassword(w.random("password " + spec.Username)), append([]string{}, spec.Privileges...)}
		a.users = append(a.users, &account{user, cmp.Or(spec.FullName, spec.Username), cmp.Or(spec.Role, "org_user")})
	}
	if w.scenario.HostileText {
		a.users[0].fullName = hostile("Ada", 1)
	}
	if signedIn.Known() {
		a.issued[signedIn.Value.Reveal()] = token{user: a.users[0], expires: signedIn.Expires.Time()}
	}
	return a
}

// newPassword is easy to read aloud and to type in any shell.
func newPassword(r *rand.Rand) string {
	words := []string{"amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "harbor", "island", "juniper",
		"kelp", "lagoon", "meadow", "north", "ocean", "prairie", "quartz", "ridge", "summit", "tundra"}
	return words[r.IntN(len(words))] + "-" + words[r.IntN(len(words))] + "-" + string(idLetters[26+r.IntN(10)]) + string(idLetters[26+r.IntN(10)])
}

func (a *accounts) routes() []*route {
	return []*route{portal(http.MethodPost, "/generateToken", "Generate token", a.generateToken)}
}

func (a *accounts) generateToken(q *request) any {
	q.params = q.http.PostForm // addresses end in the logs of proxies
	name, password := q.required("username"), q.required("password")
	tok := q.tokenBinding()
	minutes := q.positive("expiration", int(defaultTokenLife/time.Minute))
	if q.err != nil {
		return q.err
	}
	if tok.user = a.byPassword(name, password); tok.user == nil {
		return invalid("Unable to generate token.", "Invalid username or password.")
	}
	life := time.Duration(min(minutes, int(maxTokenLife/time.Minute))) * time.Minute
	text, expires := a.issue(tok, a.wall(), life)
	return object{"token": text, "expires": millis(expires), "ssl": false}
}

// byPassword returns the user of a name and a password, nil where there is none.
func (a *accounts) byPassword(name, password string) *account {
	return find(a.users, func(u *account) bool { return u.Username == name && u.Password == password })
}

// tokenBinding reads which caller the token is for.
func (q *request) tokenBinding() (tok token) {
	switch client := q.params.Get("client"); client {
	case "", "referer":
		tok.referer = q.required("referer")
	case "ip":
		tok.ip = q.required("ip")
	case "requestip":
		tok.ip = remoteIP(q.http)
	default:
		q.refuse(notAllowed("client is " + strconv.Quote(client) + "; allowed: referer, ip, requestip"))
	}
	return tok
}

// How long a token lives, in the wall's time: people and programs that hold one do
// not follow the world's clock.
const (
	defaultTokenLife = 60 * time.Minute
	maxTokenLife     = 15 * 24 * time.Hour
)

// token is a sign-in, valid for a while and for one caller.
type token struct {
	user    *account
	expires time.Time
	referer string // a Referer that comes with it must be this one; empty: any
	ip      string // the address it must come from; empty: any
}

// issue makes a token, and forgets those that have expired.
func (a *accounts) issue(tok token, now time.Time, life time.Duration) (string, time.Time) {
	for text, old := range a.issued {
		if !old.expires.After(now) {
			delete(a.issued, text)
		}
	}
	text := tokenText(a.secrets)
	tok.expires = now.Add(min(life, a.maxLife))
	a.issued[text] = tok
	return text, tok.expires
}

// tokenText makes the text of a token. It does not follow from the seed, unless a test
// wants that: whoever could guess it could sign in from this machine.
func tokenText(secrets io.Reader) string {
	var secret [48]byte
	if _, err := io.ReadFull(secrets, secret[:]); err != nil {
		panic("no randomness for tokens: " + err.Error())
	}
	return base64.RawURLEncoding.EncodeToString(secret[:])
}

// check returns who sends a request.
func (a *accounts) check(r *http.Request, now time.Time) (*account, error) {
	text := tokenOf(r)
	if text == "" {
		return nil, &refusal{code: 499, message: "Token Required", messageCode: "GWM_0003", details: []string{"Token Required"}}
	}
	tok, ok := a.issued[text]
	why := ""
	switch {
	case !ok:
		why = "The token is not known here."
	case !tok.expires.After(now):
		why = "The token has expired."
	case tok.referer != "" && r.Referer() != "" && !isBelow(r.Referer(), tok.referer):
		why = "The token was issued for another referer."
	case tok.ip != "" && tok.ip != remoteIP(r):
		why = "The token was issued for another address."
	default:
		return tok.user, nil
	}
	return nil, &refusal{code: 498, message: "Invalid token.", details: []string{why}}
}

// isBelow reports whether an address is another one, or continues it by a port or a path.
func isBelow(address, other string) bool {
	rest, ok := strings.CutPrefix(address, other)
	return ok && (rest == "" || strings.HasSuffix(other, "/") || strings.ContainsAny(rest[:1], "/?#:"))
}

// tokenOf reads the token from the first place that holds one, and looks at no other: the
// form, the query, X-Esri-Authorization, Authorization. The third is there for sites where
// the fourth belongs to a proxy, so what is no Bearer token is passed over.
func tokenOf(r *http.Request) string {
	for _, text := range r.Form["token"] {
		if text != "" {
			return text
		}
	}
	for _, name := range []string{"X-Esri-Authorization", "Authorization"} {
		for _, value := range r.Header.Values(name) {
			scheme, text, _ := strings.Cut(value, " ")
			if text = strings.TrimSpace(text); text != "" && strings.EqualFold(scheme, "Bearer") {
				return text
			}
		}
	}
	return ""
}

func remoteIP(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
