package adminapi_test

import (
	"strings"
	"testing"

	"geodeck/adminapi"
)

func TestAddressesAsPeopleTypeThem(t *testing.T) {
	t.Parallel()
	cases := []struct {
		typed, base, notice string
	}{
		{"https://gis.example/ctx/admin", "https://gis.example/ctx/admin", ""},
		{"  https://gis.example/ctx/admin/ \n", "https://gis.example/ctx/admin", ""},
		{"HTTPS://GIS.Example:6443/ctx/admin//", "https://gis.example:6443/ctx/admin", ""},
		{"https://gis.example/ctx", "https://gis.example/ctx/admin", "/admin was added"},
		{"https://gis.example", "https://gis.example/admin", "/admin was added"},
		{"gis.example/ctx/admin", "https://gis.example/ctx/admin", "https:// was added"},
		{"localhost:7443/ctx", "https://localhost:7443/ctx/admin", "https:// was added"},
		{"https://gis.example/ctx/admin?f=html#top", "https://gis.example/ctx/admin", "ignored"},
		{"https://gis.example/ctx/admin#top", "https://gis.example/ctx/admin", "ignored"},
		{"https://gis.example/ctx/admin?", "https://gis.example/ctx/admin", "ignored"},
		{"https://gis.example/ctx/admin/jobs", "https://gis.example/ctx/admin/jobs", ""},
		{"https://gis.example/ctx/manager/", "https://gis.example/ctx/manager", "/manager"},
		{"https://gis.example/administration", "https://gis.example/administration/admin", "/admin was added"},
		{"https://gis.example/a%2Fb/admin", "https://gis.example/a%2Fb/admin", ""},
		{"http://127.0.0.1:8080/ctx/admin", "http://127.0.0.1:8080/ctx/admin", ""},
		{"http://127.9.9.9/admin", "http://127.9.9.9/admin", ""},
		{"http://[::1]:80/admin", "http://[::1]:80/admin", ""},
		{"http://LocalHost/admin", "http://localhost/admin", ""},
	}
	for _, c := range cases {
		base, notice, err := adminapi.ParseBase(c.typed, false)
		if err != nil || base.String() != c.base {
			t.Errorf("%q: got %v, %v, want %s", c.typed, base, err, c.base)
		}
		if (notice == "") != (c.notice == "") || !strings.Contains(notice, c.notice) {
			t.Errorf("%q: notice %q, want %q", c.typed, notice, c.notice)
		}
	}
}

func TestAddressesThatAreRefusedSayWhy(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"":                                 "no address",
		"https://":                         "no host",
		"https:///admin":                   "no host",
		"https://:443/admin":               "no host",
		"ftp://gis.example/admin":          "https://",
		"file:///etc/passwd":               "https://",
		"https://CANARY:pw@gis.example/":   "user name",
		"https://CANARY@gis.example/":      "user name",
		"http://gis.example/admin":         "http sends the token",
		"http://127.0.0.1.example/admin":   "http sends the token",
		"http://localhost.example/admin":   "http sends the token",
		"http://0.0.0.0/admin":             "http sends the token",
		"https://gis.example:70000/admin":  "port",
		"https://gis.example:0/admin":      "port",
		"https://gis.example:CANARY/admin": "is not valid",
		"https://gis example/admin":        "is not valid",
		"https://gis.example/\x1b[2Jadmin": "is not valid",
		"https://gis.example/%zzCANARY":    "is not valid",
	}
	for typed, sentence := range cases {
		base, _, err := adminapi.ParseBase(typed, false)
		if err == nil {
			t.Errorf("%q became %v", typed, base)
			continue
		}
		wantKind(t, err, adminapi.KindInvalid)
		if !strings.Contains(err.Error(), sentence) || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%q: %v", typed, err)
		}
		if _, err := adminapi.New(adminapi.Config{Base: typed}); err == nil {
			t.Errorf("a client took %q", typed)
		}
	}
	if _, _, err := adminapi.ParseBase("http://gis.example/admin", true); err != nil {
		t.Errorf("insecure: %v", err)
	}
}

func TestThePortalIsNextToTheAdministrativeRoot(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/ctx/admin", "/ctx/", "/ctx/admin/jobs", "/ctx/manager"} {
		s := answering(t, map[string]string{"/ctx/sharing/rest/community/self": `{"username":"siteadmin","privileges":["portal:admin:manageServers"]}`})
		self, err := newClient(t, s.URL+path).Session.Self(t.Context())
		check(t, path, self.Username, "siteadmin", err)
	}
}

// An id is one segment of a path whatever it is made of.
func TestIDsStayWithinTheirSegment(t *testing.T) {
	t.Parallel()
	var paths []string
	s := rawServe(t, func(x exchange) bool {
		paths = append(paths, x.req.RequestURI)
		x.reply(200, `{"jobid":"j","status":"COMPLETED"}`)
		return true
	})
	c := newClient(t, s.base())
	for _, id := range []string{"../mode/update", "a/b", "a?f=html", "a#b", "a%2e%2e", "ä b", "//evil.example"} {
		if _, err := c.Jobs.Get(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	want := []string{"..%2Fmode%2Fupdate", "a%2Fb", "a%3Ff=html", "a%23b", "a%252e%252e", "%C3%A4%20b", "%2F%2Fevil.example"}
	for i := range want {
		want[i] = "/ctx/admin/jobs/" + want[i] + "?f=json"
	}
	check(t, "paths", paths, want, nil)
}

func TestOnlyHTTPToAnotherMachineIsInsecure(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]bool{
		"https://gis.example/admin": false, "http://gis.example/admin": true, "http://localhost/admin": false, "https://127.0.0.1/admin": false,
	} {
		c := newClient(t, base, func(c *adminapi.Config) { c.Insecure = true })
		check(t, base, c.Insecure(), want, nil)
	}
}
