package adminapi_test

import (
	"net/url"
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

// What is kept of a site, and its lock, goes by this address.
func TestAddressesOfOneSiteAreOneAndThoseOfOthersAreNot(t *testing.T) {
	t.Parallel()
	common := func(address string) string {
		t.Helper()
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		return adminapi.CommonAddress(u)
	}
	for _, of := range [][]string{
		{"https://gis.example.com/ctx/admin", "HTTPS://GIS.Example.com.:443/CTX/admin/", "http://gis.example.com:80/ctx/manager", "https://gis.example.com:0443/ctx;v=1/admin/services",
			"https://gis.example.com//x/../ctx/", "https://gis.example.com/%2563tx"},
		{"https://gis.example.com:7443/ctx/admin", "https://gis.example.com:07443/ctx"},
		{"https://gis.example.com/other/admin"},
		{"https://gis.example.com/admin", "https://gis.example.com"},
		{"https://gis2.example.com/ctx/admin"},
		{"https://bücher.example/ctx", "https://xn--bcher-kva.example/ctx/admin"},
		{"https://ho_st.example/ctx", "https://HO_ST.example./ctx"},
		{"https://localhost/ctx", "https://127.0.0.1/ctx", "https://127.8.9.1/ctx", "https://[::1]/ctx", "https://0.0.0.0/ctx", "https://[::]/ctx", "https://LOCALHOST./ctx"},
		{"https://10.0.0.1/ctx", "https://[::ffff:10.0.0.1]/ctx"},
		{"https://[2001:db8::1]/ctx", "https://[2001:DB8:0::1]/ctx"},
		{"https://gis.example.com/100%25/admin", "https://gis.example.com/100%2525"},
	} {
		for _, address := range of {
			if got, want := common(address), common(of[0]); got != want {
				t.Errorf("%s is %s, and not %s", address, got, want)
			}
			for _, another := range []string{"https://gis.example.com/ctx/admin", "https://localhost/ctx", "https://gis.example.com/admin"} {
				if of[0] != another && common(address) == common(another) {
					t.Errorf("%s is that of %s", address, another)
				}
			}
		}
	}
}

// A site may tell the one or the other.
func TestAVersionIsOneOrTheOtherOfItsParts(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][2]string{
		`{"version":"11.5.0","build":"6745"}`: {"11.5.0", "6745"}, `{"version":"11.5.0"}`: {"11.5.0", ""}, `{"build":"6745"}`: {"", "6745"},
		`{"a":{"x":1},"currentVersion":{"version":"12.0.0","build":7286}}`: {"12.0.0", "7286"}, `{"a":{"x":1}}`: {}, `{"version":{"version":""}}`: {},
	} {
		now, err := serve(t, says(200, body)).client(t).Upgrades.Current(t.Context())
		if want == ([2]string{}) {
			wantKind(t, err, adminapi.KindNotJSON)
			continue
		}
		check(t, body, [2]string{now.Version, now.Build}, want, err)
	}
	for body, known := range map[string]bool{`{"currentVersion":"11.5"}`: true, `{"fullVersion":"11.5.0.6745"}`: true, `{"resources":[]}`: true, `{"x":1}`: false} {
		if _, err := serveRoot(t, says(200, body)).client(t).Root(t.Context()); (err == nil) != known {
			t.Errorf("the root %s: %v", body, err)
		}
	}
}

func TestMessagesThatWereLeftOutAreCounted(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "… 1 message is left out: too many to keep.", 12345: "… 12,345 messages are left out: too many to keep."} {
		if m := adminapi.MessagesLeftOut(n, 7); m.Message != want || m.When != 7 || m.LeftOut != n {
			t.Errorf("%+v, want %q", m, want)
		}
	}
}
