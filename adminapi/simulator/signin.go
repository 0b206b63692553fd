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
)

// The privileges, in the words of the API's own table.
const (
	privSecurity  = "Security and infrastructure"
	privServers   = "Servers"
	privUpdate    = "Update"
	privDelete    = "Delete"
	privPublisher = "Publisher"
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
		return slices.Contains(a.Privileges, p)
	})
}

// accounts is the area of who can sign in, and of the tokens they hold.
type accounts struct {
	world   *world
	users   []*account
	issued  map[string]token
	maxLife time.Duration // of a token
}

func newAccounts(w *world) *accounts {
	specs := []UserSpec{
		{Username: "admin", FullName: "Ada Administrator", Role: "org_admin", Privileges: allPrivileges},
		{Username: "operator", FullName: "Olli Operator", Role: "operator", Privileges: []string{privSecurity}},
		{Username: "servers", FullName: "Sara Servers", Role: "servers", Privileges: []string{privServers}},
		{Username: "publisher", FullName: "Pia Publisher", Role: "org_publisher", Privileges: []string{privPublisher, privUpdate, privDelete}},
		{Username: "viewer", FullName: "Viktor Viewer", Role: "org_viewer"},
	}
	a := &accounts{world: w, issued: map[string]token{}, maxLife: cmp.Or(w.scenario.TokenLife.Duration, maxTokenLife)}
	for _, spec := range append(specs, w.scenario.Users...) {
		a.users = append(a.users, newAccount(spec, w.random("password "+spec.Username)))
	}
	if w.scenario.HostileText {
		a.users[0].fullName = hostile("Ada", 1)
	}
	return a
}

func newAccount(spec UserSpec, r *rand.Rand) *account {
	a := &account{fullName: spec.FullName, role: spec.Role}
	a.User = User{Username: spec.Username, Password: newPassword(r), Privileges: slices.Clone(spec.Privileges)}
	if a.Privileges == nil {
		a.Privileges = []string{}
	}
	if a.fullName == "" {
		a.fullName = spec.Username
	}
	if a.role == "" {
		a.role = "org_user"
	}
	return a
}

// newPassword is easy to read aloud and to type in any shell.
func newPassword(r *rand.Rand) string {
	words := []string{"amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "harbor", "island", "juniper",
		"kelp", "lagoon", "meadow", "north", "ocean", "prairie", "quartz", "ridge", "summit", "tundra"}
	return words[r.IntN(len(words))] + "-" + words[r.IntN(len(words))] + "-" + string(idLetters[26+r.IntN(10)]) + string(idLetters[26+r.IntN(10)])
}

func (a *accounts) list() []User {
	list := make([]User, 0, len(a.users))
	for _, account := range a.users {
		user := account.User
		user.Privileges = slices.Clone(user.Privileges)
		list = append(list, user)
	}
	return list
}

func (a *accounts) find(name string) *account {
	i := slices.IndexFunc(a.users, func(user *account) bool { return user.Username == name })
	if i < 0 {
		return nil
	}
	return a.users[i]
}

func (a *accounts) routes() []route {
	return []route{
		{method: http.MethodPost, path: sharingRoot + "/generateToken", name: "Generate token", handle: a.generateToken, public: true},
		{method: http.MethodGet, path: sharingRoot + "/community/self", name: "Self", handle: a.self},
	}
}

type tokenBody struct {
	Token   string `json:"token"`
	Expires int64  `json:"expires"`
	SSL     bool   `json:"ssl"`
}

func (a *accounts) generateToken(q *request) (answer, error) {
	name, err := q.required("username")
	if err != nil {
		return answer{}, err
	}
	password, err := q.required("password")
	if err != nil {
		return answer{}, err
	}
	tok, err := q.tokenBinding()
	if err != nil {
		return answer{}, err
	}
	minutes, err := q.positive("expiration", int(defaultTokenLife/time.Minute))
	if err != nil {
		return answer{}, err
	}
	tok.user = a.find(name)
	if tok.user == nil || tok.user.Password != password {
		return answer{}, invalid("Unable to generate token.", "Invalid username or password.")
	}
	life := time.Duration(min(minutes, int(maxTokenLife/time.Minute))) * time.Minute
	text, expires := a.issue(tok, a.world.wall(), life)
	return answer{body: tokenBody{Token: text, Expires: millis(expires), SSL: false}}, nil
}

// tokenBinding reads to which caller the token shall be bound.
func (q *request) tokenBinding() (token, error) {
	switch client := q.params.Get("client"); client {
	case "", "referer":
		referer, err := q.required("referer")
		return token{referer: referer}, err
	case "ip":
		ip, err := q.required("ip")
		return token{ip: ip}, err
	case "requestip":
		return token{ip: remoteIP(q.http)}, nil
	default:
		return token{}, invalid("a parameter has a value that is not allowed",
			"client is "+strconv.Quote(client)+"; allowed: referer, ip, requestip")
	}
}

type selfBody struct {
	Username   string   `json:"username"`
	FullName   string   `json:"fullName"`
	Role       string   `json:"role"`
	Privileges []string `json:"privileges"`
}

func (a *accounts) self(q *request) (answer, error) {
	words := []string{"portal:user:viewOrgItems"}
	for _, p := range q.user.Privileges {
		words = append(words, portalWords[p]...)
	}
	slices.Sort(words)
	return answer{body: selfBody{q.user.Username, q.user.fullName, q.user.role, words}}, nil
}

// How long a token lives: on the wall's time, since the people and programs
// that hold it live there.
const (
	defaultTokenLife = 60 * time.Minute
	maxTokenLife     = 15 * 24 * time.Hour
)

// token is a sign-in that is good for a while and for one caller.
type token struct {
	user    *account
	expires time.Time
	referer string // the Referer that must come with it; empty: none
	ip      string // the address it must come from; empty: any
}

// issue makes a token. Its text does not follow from the seed, unless a test wants
// that: it opens the site to everyone who can reach loopback.
func (a *accounts) issue(tok token, now time.Time, life time.Duration) (string, time.Time) {
	for text, old := range a.issued {
		if !old.expires.After(now) {
			delete(a.issued, text)
		}
	}
	var secret [48]byte
	if _, err := io.ReadFull(a.world.secrets, secret[:]); err != nil {
		panic("there is nothing to make tokens of: " + err.Error())
	}
	text := base64.RawURLEncoding.EncodeToString(secret[:])
	tok.expires = now.Add(min(life, a.maxLife))
	a.issued[text] = tok
	return text, tok.expires
}

// expireAll ends every token that was issued so far.
func (a *accounts) expireAll() {
	for text, tok := range a.issued {
		tok.expires = time.Time{}
		a.issued[text] = tok
	}
}

// check finds who sends a request.
func (a *accounts) check(r *http.Request, now time.Time) (*account, error) {
	text := tokenOf(r)
	if text == "" {
		return nil, tokenMissing()
	}
	tok, ok := a.issued[text]
	switch {
	case !ok:
		return nil, tokenInvalid("The token is not known here.")
	case !tok.expires.After(now):
		return nil, tokenInvalid("The token has expired.")
	case tok.referer != "" && !strings.HasPrefix(r.Referer(), tok.referer):
		return nil, tokenInvalid("The token was issued for another referer.")
	case tok.ip != "" && tok.ip != remoteIP(r):
		return nil, tokenInvalid("The token was issued for another address.")
	}
	return tok.user, nil
}

// tokenOf reads the token from the form, the header or, on GET only, the URL.
func tokenOf(r *http.Request) string {
	if text := r.PostForm.Get("token"); text != "" {
		return text
	}
	if r.MultipartForm != nil && len(r.MultipartForm.Value["token"]) > 0 {
		return r.MultipartForm.Value["token"][0]
	}
	if scheme, text, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(text)
	}
	if r.Method == http.MethodGet {
		return r.URL.Query().Get("token")
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
