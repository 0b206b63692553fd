package simulator_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

const outOfBand = "urn:ietf:wg:oauth:2.0:oob"

// portal is an address on the portal's side.
func (s *site) portal(path string) string {
	return strings.TrimSuffix(s.server.URL(), "/admin") + path
}

// origin is the address of a site without its context.
func (s *site) origin() string { return strings.TrimSuffix(s.portal(""), "/geodeck") }

// signInForm asks for a form, and returns what its script holds.
func (s *site) signInForm(params url.Values) map[string]any {
	s.t.Helper()
	got := s.raw(http.MethodGet, s.portal("/sharing/rest/oauth2/authorize?"+params.Encode()), "")
	return scriptOf(s.t, got)
}

// scriptOf reads the JSON of a page as the vendor's package does: it is in the first line
// that has braces, and what a script gives to a variable.
func scriptOf(t *testing.T, got reply) map[string]any {
	t.Helper()
	line := regexp.MustCompile(`\{.*\}`).FindString(got.body)
	script := regexp.MustCompile(`(?s)<script>\s*var oAuthInfo = (\{.*?\});`).FindStringSubmatch(got.body)
	var info map[string]any
	if script == nil || script[1] != line || json.Unmarshal([]byte(line), &info) != nil || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
		t.Fatalf("the page has no such script: %s", got.body)
	}
	return info
}

// exchange asks for a token in a form without f.
func (s *site) exchange(params ...string) reply {
	s.t.Helper()
	form := values(params)
	form.Del("f")
	return s.raw(http.MethodPost, s.portal("/sharing/rest/oauth2/token"), form.Encode(), "Accept", "application/json")
}

func TestThePackageSignsInWithATokenInTheFragment(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "")
	redirect := strings.Replace(s.origin(), "http://", "https://", 1)
	form := s.signInForm(url.Values{
		"response_type": {"token"}, "client_id": {"pythonapi"}, "redirect_uri": {redirect}, "state": {"S1&x"},
		"expiration": {"600"}, "allow_verification": {"false"}, "style": {"dark"}, "locale": {"en-US"},
	})
	post := url.Values{"expiration": {"600"}, "oauth_state": {form["oauth_state"].(string)}, "username": {"admin"}, "password": {password(t, s.server, "admin")}}
	signIn := s.portal("/sharing/oauth2/signin")
	got := s.raw(http.MethodPost, signIn, post.Encode())
	next, fragment, _ := strings.Cut(got.header.Get("Location"), "#")
	fields, err := url.ParseQuery(fragment)
	if got.status != http.StatusFound || next != redirect || err != nil {
		t.Fatalf("signed in: %d, on to %s: %v", got.status, next, err)
	}
	if fields.Get("state") != "S1&x" || fields.Get("expires_in") != "36000" || fields.Get("username") != "admin" {
		t.Errorf("the fragment: %s", fields)
	}
	bearer := "Bearer " + fields.Get("access_token")
	// Everything up to the administrative root, in the order of the package.
	self := s.raw(http.MethodPost, s.portal("/sharing/rest/portals/self"), "f=json", "X-Esri-Authorization", bearer, "Referer", "http")
	self.has("portalDeploymentType", "ArcGISEnterpriseOnKubernetes", "isPortal", true, "portalMode", "singletenant", "portalName", "ArcGIS Enterprise",
		"allSSL", false, "user.username", "admin", "user.role", "org_admin", "currentVersion", "2025.1", "enterpriseVersion", "11.5.0")
	s.raw(http.MethodPost, s.portal("/sharing/rest/community/users/admin"), "f=json", "X-Esri-Authorization", bearer, "Referer", "").has("role", "org_admin", "groups", 0)
	s.raw(http.MethodGet, s.portal("/sharing/rest//community/self?f=json&returnUserLicensedItems=true"), "", "X-Esri-Authorization", bearer).has("username", "admin", "privileges", 7)
	s.raw(http.MethodGet, s.portal("/admin?f=json"), "", "X-Esri-Authorization", bearer).has("fullVersion", "11.5.0.6745")
	s.raw(http.MethodPost, s.portal("/sharing/rest/"), "f=json", "X-Esri-Authorization", bearer).has("currentVersion", "2025.1")
	// The form is used up.
	s.raw(http.MethodPost, signIn, post.Encode()+"&f=json").refused(400, "oauth_state")
}

func TestTheFormTellsAWrongPassword(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "")
	form := s.signInForm(url.Values{"response_type": {"code"}, "client_id": {"pythonapi"}, "redirect_uri": {outOfBand}})
	for range 2 { // each page has a form to try again
		post := url.Values{"oauth_state": {form["oauth_state"].(string)}, "username": {"admin"}, "password": {"guess'\"<"}}
		got := s.raw(http.MethodPost, s.portal("/sharing/oauth2/signin"), post.Encode())
		form = scriptOf(t, got)
		messages, _ := form["messages"].([]any)
		if len(messages) != 1 || messages[0] != "Invalid username or password." || !strings.Contains(got.body, "OAUTH_0015") || got.header.Get("Location") != "" {
			t.Errorf("the page: %s", got.body)
		}
		if strings.Contains(got.body, "guess") {
			t.Error("the page repeats the password")
		}
	}
	post := url.Values{"oauth_state": {form["oauth_state"].(string)}, "username": {"admin"}, "password": {password(t, s.server, "admin")}}
	if got := s.raw(http.MethodPost, s.portal("/sharing/oauth2/signin"), post.Encode()); got.status != http.StatusFound {
		t.Errorf("the right password: %d %s", got.status, got.body)
	}
}

// codeOf signs the administrator in to a form, and reads the code from the title of the
// page that follows.
func (s *site) codeOf(form map[string]any) string {
	s.t.Helper()
	post := url.Values{"oauth_state": {form["oauth_state"].(string)}, "authorize": {"True"}, "username": {"admin"}, "password": {password(s.t, s.server, "admin")}}
	to := s.raw(http.MethodPost, s.portal("/sharing/rest/oauth2/signin"), post.Encode()).header.Get("Location")
	if !strings.Contains(to, "/oauth2/approval") {
		s.t.Fatalf("on to %s", to)
	}
	page := s.raw(http.MethodGet, to, "")
	scriptOf(s.t, page)
	title := regexp.MustCompile(`<title>SUCCESS code=(.*?)</title>`).FindStringSubmatch(page.body)
	if title == nil {
		s.t.Fatalf("no code: %s", page.body)
	}
	return title[1]
}

func TestACodeIsExchangedOnce(t *testing.T) {
	t.Parallel()
	wall := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	s := startOn(t, simulator.Options{Clock: simtest.NewManualClock(noon), Wall: func() time.Time { return wall }}, "")
	ask := url.Values{"response_type": {"code"}, "client_id": {"pythonapi"}, "redirect_uri": {outOfBand}, "expiration": {"20160"}}
	exchange := func(code, redirect string) reply {
		return s.exchange("grant_type", "authorization_code", "client_id", "pythonapi", "code", code, "redirect_uri", redirect, "expiration", "20160")
	}
	code := s.codeOf(s.signInForm(ask))
	got := exchange(code, outOfBand)
	got.has("username", "admin", "expires_in", 1800, "refresh_token_expires_in", 20160*60)
	exchange(code, outOfBand).refused(400, "Invalid code")
	exchange("made-up", outOfBand).refused(400, "Invalid code")
	exchange(s.codeOf(s.signInForm(ask)), "https://elsewhere.example/").refused(400, "redirect_uri")
	s.exchange("grant_type", "authorization_code", "client_id", "arcgispro", "code", s.codeOf(s.signInForm(ask)), "redirect_uri", outOfBand).refused(400, "client_id")

	late := s.codeOf(s.signInForm(ask))
	wall = wall.Add(31 * time.Minute)
	exchange(late, outOfBand).refused(400, "Invalid code")
	mode := func(token string) reply {
		return s.raw(http.MethodGet, s.portal("/admin/mode?f=json"), "", "X-Esri-Authorization", "Bearer "+token)
	}
	mode(got.text("access_token")).refused(498, "expired")
	renewed := s.exchange("grant_type", "refresh_token", "client_id", "pythonapi", "refresh_token", got.text("refresh_token"), "expiration", "20160")
	mode(renewed.text("access_token")).has("isReadOnly", false)
	s.exchange("grant_type", "refresh_token", "client_id", "arcgispro", "refresh_token", got.text("refresh_token")).refused(400, "client_id")
	s.exchange("grant_type", "password", "client_id", "pythonapi").refused(400, "grant_type")
	wall = wall.Add(15 * 24 * time.Hour)
	s.exchange("grant_type", "refresh_token", "client_id", "pythonapi", "refresh_token", got.text("refresh_token")).refused(400, "refresh_token")
}

func TestACodeWithAChallengeNeedsItsVerifier(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "")
	verifier := "0123456789abcdef0123456789abcdef0123456789ab"
	sum := sha256.Sum256([]byte(verifier))
	for _, c := range []struct {
		verifier string
		accepted bool
	}{{verifier, true}, {"another", false}, {"", false}} {
		query := url.Values{
			"client_id": {"arcgisonline"}, "redirect_uri": {s.portal("")}, "response_type": {"code"}, "f": {"json"}, "expiration": {"1440"},
			"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
		}
		form := s.raw(http.MethodGet, s.portal("/sharing/rest/oauth2/authorize?"+query.Encode()), "")
		_, state, _ := strings.Cut(form.body, `"oauth_state":"`)
		state, _, _ = strings.Cut(state, `"`)
		post := url.Values{"oauth_state": {state}, "username": {"admin"}, "password": {password(t, s.server, "admin")}}
		to := s.raw(http.MethodPost, s.portal("/sharing/rest/oauth2/signin"), post.Encode()).header.Get("Location")
		address, code, _ := strings.Cut(to, "?code=")
		if address != s.portal("") {
			t.Fatalf("on to %s", to)
		}
		got := s.exchange("client_id", "arcgisonline", "grant_type", "authorization_code", "redirect_uri", s.portal(""), "code_verifier", c.verifier, "code", code)
		if c.accepted {
			got.has("username", "admin")
		} else {
			got.refused(400, "code_verifier")
		}
	}
}

func TestTheFormIsShownToKnownCallersOnly(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "")
	for _, c := range []struct{ name, value, words string }{
		{"redirect_uri", "https://www.arcgis.com", "Invalid redirect_uri"},
		{"redirect_uri", s.origin() + "@elsewhere.example", "Invalid redirect_uri"},
		{"redirect_uri", s.origin() + "/#x", "Invalid redirect_uri"},
		{"redirect_uri", "javascript://" + strings.TrimPrefix(s.origin(), "http://"), "Invalid redirect_uri"},
		{"client_id", "unknown", "Error: Invalid client_id"},
		{"response_type", "fax", "Invalid response_type"},
		{"expiration", "soon", "Invalid expiration"},
		{"code_challenge", "x", "Invalid code_challenge_method"},
		{"client_id", "", "client_id is required"},
	} {
		query := url.Values{"response_type": {"code"}, "client_id": {"pythonapi"}, "redirect_uri": {outOfBand}}
		query.Set(c.name, c.value)
		got := s.raw(http.MethodGet, s.portal("/sharing/rest/oauth2/authorize?"+query.Encode()), "")
		if !strings.Contains(got.body, c.words) || strings.Contains(got.body, "oauth_state") {
			t.Errorf("%s %s: %s", c.name, c.value, got.body)
		}
	}
	s.raw(http.MethodGet, s.portal("/sharing/rest/oauth2/approval?f=json&code=made-up"), "").contains("Invalid code")
}

func TestThePortalSaysHowToSignIn(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "")
	info := s.raw(http.MethodGet, s.portal("/sharing/rest/info?f=json"), "")
	info.has("authInfo.isTokenBasedSecurity", true, "authInfo.tokenServicesUrl", s.server.TokenURL(), "authInfo.shortLivedTokenValidity", 60)
	self := s.raw(http.MethodGet, s.portal("/sharing/rest/portals/self?f=json"), "")
	self.has("isPortal", true, "user", nil)
	s.raw(http.MethodGet, s.portal("/sharing/rest/portals/"+self.text("id")+"?f=json"), "").has("isPortal", true)
	s.raw(http.MethodGet, s.portal("/sharing/rest/portals/self?f=json&token=bad"), "").refused(498, "Invalid token")
	s.raw(http.MethodGet, s.portal("/sharing/rest/community/self?f=json"), "").refused(499, "Token Required")
	for _, path := range []string{"/info", "/rest/info", "/sharing/rest/info", "/rest/services"} {
		if got := s.raw(http.MethodGet, s.portal(path+"?f=json"), ""); got.header.Get("WWW-Authenticate") != "" {
			t.Errorf("%s asks for %s", path, got.header.Get("WWW-Authenticate"))
		}
	}
}

func TestThePortalIsFoundBehindAProxy(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "")
	behind := []string{"X-Forwarded-Proto", "https", "X-Forwarded-Host", "gis.example.org, inner"}
	s.raw(http.MethodGet, s.portal("/sharing/rest/info?f=json"), "", behind...).
		has("authInfo.tokenServicesUrl", "https://gis.example.org/geodeck/sharing/rest/generateToken", "owningSystemUrl", "https://gis.example.org/geodeck")
	s.raw(http.MethodGet, s.portal("/sharing/rest/portals/self?f=json"), "", behind...).has("portalHostname", "gis.example.org/geodeck", "allSSL", true)
	query := url.Values{"response_type": {"code"}, "client_id": {"pythonapi"}, "redirect_uri": {"https://gis.example.org"}}
	form := scriptOf(t, s.raw(http.MethodGet, s.portal("/sharing/rest/oauth2/authorize?"+query.Encode()), "", behind...))
	post := url.Values{"oauth_state": {form["oauth_state"].(string)}, "username": {"viewer"}, "password": {password(t, s.server, "viewer")}}
	to := s.raw(http.MethodPost, s.portal("/sharing/oauth2/signin"), post.Encode(), behind...).header.Get("Location")
	if !strings.HasPrefix(to, "https://gis.example.org?code=") {
		t.Errorf("on to %s", to)
	}
}

func TestUsersSeeThemselvesAndTheAdministratorAll(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "viewer")
	users := s.portal("/sharing/rest/community/users/")
	s.get(users+"viewer").has("username", "viewer", "fullName", "Viktor Viewer", "firstName", "Viktor", "role", "org_viewer")
	s.get(users+"admin").refused(400, "inaccessible")
	s.signIn("admin")
	s.get(users+"viewer").has("username", "viewer")
	s.get(users+"nobody").has("error.messageCode", "COM_0018")
}
