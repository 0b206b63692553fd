package adminapi_test

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// fixed answers every request with one body, without a network.
func fixed(status int, body []byte) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Request: r, Header: http.Header{},
			Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
		}, nil
	}
}

// shortAnswers has every shape of testdata/cases in a few words: the engine makes what it
// finds smaller again and again, which a long seed turns into minutes.
var shortAnswers = []string{
	`{"name":"m","readyReplicas":1,"id":"k","currentState":"STARTED","totalReplicas":1}`,
	`{"status":{"code":3,"scheduleType":"S","stages":[{"duration":"5 millis","lastUpdated":1635285646933,"name":"V","state":"completed"}]}}`,
	`{"error":{"code":400,"message":"required.","details":[]}}`,
	`{"error":{"code":499,"message":"Token Required","messageCode":"GWM_0003","details":["Token Required"]}}`,
	`{"status":"error","messages":["Unauthorized."],"code":499}`,
	`{"success":true}`, `{"isReadOnly":false}`, `{"status":"success"}`, `{"status":"success","item":"if45"}`,
	`{"jobsUrl":"https://a/context/admin/jobs/j08","jobid":"j08","status":"SUBMITTED"}`,
	`{"total":1,"num":9,"start":1,"nextStart":-1,"runs":[{"owner":"s","result":"passed","name":"D","startTime":1699148551031,"id":"p","state":"completed"}]}`,
	`{"userSuites":[{"systemOnly":false,"generalTests":[{"name":"h","description":"O"}],"id":"B","name":"Basic"}]}`,
	`{"updatedtime":1635961542589,"jobid":"j2","endtime":0,"operationURI":"/context/admin/services/F.MapServer/edit","status":"EXECUTING","username":"s"}`,
	`{"jobs":["j47","j63"]}`,
	`{"placementPolicy":[{"deploymentId":"k","podPlacementPolicy":{"tolerations":[],"nodeAffinity":{}}}]}`,
	`{"configuredState":"STARTED","realTimeState":"STARTED"}`,
	`{"isDefault":false,"folders":["System"],"id":"","folderName":"/","services":[{"id":"s","folderName":"","serviceName":"S","type":"MapServer"}]}`,
	`{"token":"t","expires":1763700000000,"ssl":true}`,
	`{"userInputs":[{"seqNum":0,"defaultValue":false,"name":"u","id":"u","type":"Boolean","value":true,"required":true}]}`,
	`{"patches":[],"releases":[]}`, `{"updates":[]}`,
	`{"podPlacementPolicy":{"tolerations":[{"effect":"NoSchedule","key":"u","operator":"Equal","value":"true"}]}}`,
	`{"versionManifestSource":"Esri provided","lastImportedTimestamp":0}`,
	`{"status":{"code":2,"messages":[{"code":2010,"message":"m","when":5}],"state":"in_progress"}}`,
	`{"itemID":"3a","itemName":"F.kmz","date":1597190283335,"committed":true,"contentType":"a/b"}`,
	`{"versions":[{"type":"release","version":"11.4.0","build":"6285","previousVersion":"11.3.0","containers":[{"image":"a:1"}],"id":"r","released":1}]}`,
	`{"versions":[{"type":"patch","releaseBuild":"6745","previousBuild":"6745","build":"6805","id":"p"}]}`,
}

// Whatever a site answers, a call ends with a value or with an error of a kind
// whose text is one clean line without the token.
func FuzzAnswers(f *testing.F) {
	// One call at a time: what takes all of them takes too long to be made smaller.
	for i, body := range shortAnswers {
		f.Add(200, []byte(body), uint8(i))
		f.Add(403, []byte(body), uint8(2*i))
	}
	for i, handler := range []string{
		`<html><title>` + canary, `{"error":"` + canary + `"}`, `{"status":"failed","statusMessage":"{\"message\":\"\u001b[2J\"}"}`,
		`{"jobid":"j","status":"FAILED","error":{"message":{"message":{}}}}`, `{"statusURL":"%zz/.."}`, "\ufeff[", `{"success":"FALSE"}`,
	} {
		f.Add(500, []byte(handler), uint8(i))
		f.Add(302, []byte(handler), uint8(3*i))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte, which uint8) {
		calls := callsTo(t, clientOf(t, status, body))
		calls[int(which)%len(calls)](t, status)
	})
}

// What a site has answered, whole and cut short, ends every call in the same way.
func TestRecordedAnswersEndEveryCallCleanly(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join("testdata", "cases", "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		body := recorded(t, strings.TrimSuffix(filepath.Base(path), ".json"))
		for _, status := range []int{200, 403, 500} {
			answered(t, status, []byte(body))
			answered(t, status, []byte(body[:len(body)/2]))
		}
	}
}

// answered makes every call to a site that answers each with the same.
func answered(t *testing.T, status int, body []byte) {
	for _, call := range callsTo(t, clientOf(t, status, body)) {
		call(t, status)
	}
}

func clientOf(t *testing.T, status int, body []byte) *adminapi.Client {
	c, err := adminapi.New(adminapi.Config{
		Base: "https://gis.example/admin", Transport: fixed(status, body), Clock: &steppedClock{}, Token: adminapi.Token{Value: canary},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// callsTo are all calls, in the same order every time, each with what holds whatever the
// answer is.
func callsTo(t *testing.T, c *adminapi.Client) []func(t *testing.T, status int) {
	calls := []func(*testing.T, int){
		func(t *testing.T, _ int) {
			job, err := c.Jobs.Get(t.Context(), "j")
			wantPlain(t, err)
			if err == nil {
				job.Reasons()
				job.Report()
			}
		},
		func(t *testing.T, status int) {
			_, outcome, err := c.Health.Start(t.Context(), aRun)
			wantPlain(t, err)
			if (outcome == adminapi.OutcomeDone) != (err == nil) || outcome == adminapi.OutcomeDone && (status < 200 || status > 299) {
				t.Errorf("outcome %v, status %d, %v", outcome, status, err)
			}
		},
		func(t *testing.T, _ int) { _, err := c.Health.Suites(t.Context()); wantPlain(t, err) },
		func(t *testing.T, _ int) {
			_, err := c.Health.Reports(t.Context(), adminapi.ReportQuery{})
			wantPlain(t, err)
		},
		func(t *testing.T, _ int) { _, err := c.Root(t.Context()); wantPlain(t, err) },
		func(t *testing.T, _ int) {
			entries, err := c.Upgrades.History(t.Context())
			wantPlain(t, err)
			for _, e := range entries {
				if len(e.Unknown) > 0 && !e.Unknown.IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) {
					t.Errorf("%s", e.Unknown)
				}
			}
		},
	}
	reads, writes := readers(t, c), writers(t, c)
	for _, name := range slices.Sorted(maps.Keys(reads)) {
		calls = append(calls, func(t *testing.T, _ int) { wantPlain(t, reads[name].read()) })
	}
	for _, name := range slices.Sorted(maps.Keys(writes)) {
		calls = append(calls, func(t *testing.T, _ int) {
			outcome, err := writes[name](t)
			wantPlain(t, err)
			if (outcome == adminapi.OutcomeDone) != (err == nil) {
				t.Errorf("outcome %v, %v", outcome, err)
			}
		})
	}
	return calls
}

func wantPlain(t *testing.T, err error) {
	t.Helper()
	var e *adminapi.Error
	switch {
	case err == nil:
		return
	case !errors.As(err, &e) || e.Operation == "":
		t.Fatalf("%T: %v", err, err)
	}
	text := err.Error()
	if strings.IndexFunc(text, unicode.IsControl) >= 0 || strings.Contains(text, canary) || len(text) > 1<<20 {
		t.Errorf("%.300q", text)
	}
}

// shortReport has what a report has, once.
const shortReport = `{"id":"v","result":"failed","suiteStatus":[{"id":"B","criticalTestStatus":[` +
	`{"name":"s","result":"fail","startTime":1699148551031,"endTime":1699148552031}],"generalTestStatus":[]}]}`

// A report decodes to what it says or not at all.
func FuzzDecodeReport(f *testing.F) {
	for _, text := range []string{
		shortReport, `{"result":` + shortReport + `}`, `{}`, `{"id":"v","suiteStatus":7}`, `{"diagnosticHealthReport":` + shortReport + `}`,
		`{"suiteStatus":{"criticalTestStatus":[null,{}]}}`, `{"suiteStatus":[{"startTime":1e400,"endTime":"-9223372036854775809"}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		before := bytes.Clone(body)
		r, err := adminapi.DecodeReport(body)
		if !bytes.Equal(before, body) {
			t.Error("the text was changed")
		}
		if err != nil {
			wantPlain(t, err)
			return
		}
		again, err := adminapi.DecodeReport(r.Raw)
		if err != nil || again.ID != r.ID || again.Result != r.Result || len(again.Suites) != len(r.Suites) {
			t.Errorf("read again: %v\n%+v\n%+v", err, r, again)
		}
		for _, suite := range r.Suites {
			for _, test := range append(suite.Critical, suite.General...) {
				if took, _ := adminapi.Span(test.StartTime, test.EndTime); took < 0 {
					t.Errorf("a test took %v", took)
				}
				if len(test.Raw) == 0 {
					t.Error("a test without its text")
				}
			}
		}
	})
}

// FuzzBase reads an address as people type it. It is refused in a clean sentence that does not
// repeat it, or is one that is read as itself, to this machine or protected, without a
// password.
func FuzzBase(f *testing.F) {
	for _, address := range []string{
		"gis.example", " HTTPS://GIS.example:7443/a%2Fb/admin/?x#y ", "http://localhost./arcgis/manager", "http://[::1%25lo]/x/..//admin/healthCheck",
		"https://jane:" + canary + "@gis.example", "https://gis.example:99999", "ftp://x", "https://%zz" + canary, "//", "https://a/\u202eadmin", "http://127.1", "http://0x7f.1/",
	} {
		f.Add(address, false)
	}
	f.Fuzz(func(t *testing.T, address string, insecure bool) {
		base, notice, err := adminapi.ParseBase(address, insecure)
		if plain.Line(notice) != notice {
			t.Fatalf("%q", notice)
		}
		if err != nil {
			if !errors.Is(err, adminapi.KindInvalid) || plain.Line(err.Error()) != err.Error() || strings.Contains(err.Error(), canary) {
				t.Fatalf("%q", err)
			}
			return
		}
		if base.User != nil || base.RawQuery != "" || base.Fragment != "" || base.Hostname() == "" {
			t.Fatalf("%q became %q", address, base)
		}
		ip := net.ParseIP(base.Hostname())
		if here := strings.TrimSuffix(base.Hostname(), ".") == "localhost" || ip != nil && ip.IsLoopback(); base.Scheme != "https" && !insecure && !here {
			t.Fatalf("%q became %q", address, base)
		}
		again, added, err := adminapi.ParseBase(base.String(), insecure)
		if err != nil || again.String() != base.String() || added != "" && !strings.Contains(added, "/manager") {
			t.Fatalf("%q became %q, and that %v, %q, %v", address, base, again, added, err)
		}
		if _, err := adminapi.New(adminapi.Config{Base: base.String(), Insecure: insecure}); err != nil {
			t.Fatalf("%q: %v", base, err)
		}
	})
}

// FuzzCommonAddress spells an address in another way: it stays the same, and so locked. So does the
// common spelling of a common spelling.
func FuzzCommonAddress(f *testing.F) {
	for i, address := range []string{
		"gis.example/arcgis", "HTTPS://GIS.example.:0443//arcgis/./%61dmin;v=1", "http://[::FFFF:10.0.0.1%25lo]:80/x/../%2e%2e/admin/healthCheck", "https://gis.B\u00dcCHER\u3002example/%25zz%3f%23/admin",
		"https://gis.xn--bcher-kva.example:6443/a%2Fb/manager", "http://0.0.0.0:8080", "https://./%ff/\u0130\u212a/%2541", "https://b\u00fc_cher.example/a;..;/..;b/c", "https://\ufe52/:", "https://x\u00ad.example/%5c",
		"[::0.0.0.1%25o]", "%25", // a zone of this machine; a host that is escaped once more
	} {
		f.Add(address, uint16(i*37))
	}
	common := func(t *testing.T, address string) string {
		base, _, err := adminapi.ParseBase(address, true)
		if err != nil {
			t.Fatalf("%q: %v", address, err)
		}
		return adminapi.CommonAddress(base)
	}
	f.Fuzz(func(t *testing.T, address string, ways uint16) {
		base, _, err := adminapi.ParseBase(address, true)
		if err != nil {
			return
		}
		want := adminapi.CommonAddress(base)
		again, err := url.Parse(want)
		if err != nil || adminapi.CommonAddress(again) != want {
			t.Fatalf("%q is %q, and that %q, %v", address, want, adminapi.CommonAddress(again), err)
		}
		if common(t, base.String()) != want {
			t.Fatalf("%q is %q, its root %q", address, want, common(t, base.String()))
		}
		scheme, host, port, whole := base.Scheme, base.Hostname(), base.Port(), base.EscapedPath()
		if ascii := !strings.ContainsFunc(host, func(r rune) bool { return r > '~' }); ascii && ways&1 != 0 {
			host = strings.ToUpper(host)
		}
		if !strings.Contains(host, ":") && ways&2 != 0 {
			host += "."
		}
		if usual := map[string]string{"http": "80", "https": "443"}; port == usual[scheme] || port == "" {
			port = []string{"", "80", "443", "0443"}[ways>>2&3]
		}
		if ways&16 != 0 {
			scheme = map[string]string{"http": "https", "https": "http"}[scheme]
		}
		if ways&32 != 0 {
			whole = strings.TrimSuffix(whole, "/admin")
		}
		if ways&64 != 0 {
			whole = strings.ReplaceAll(whole, "/", "//./x/..//")
		}
		if ways&128 != 0 {
			whole = strings.NewReplacer("a", "%61", "g", "%67", "i", "%69").Replace(escapesUp(whole))
		}
		if ways&256 != 0 {
			whole += "/"
		}
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		if port != "" {
			host += ":" + port
		}
		if other := (&url.URL{Scheme: scheme, Host: host}).String() + whole; common(t, other) != want {
			t.Fatalf("%q is %q, and %q is %q", address, want, other, common(t, other))
		}
	})
}

// escapesUp writes the escapes of a path in capitals, so that its small letters are its own.
func escapesUp(escaped string) string {
	parts := strings.Split(escaped, "%")
	for i := 1; i < len(parts); i++ {
		parts[i] = strings.ToUpper(parts[i][:2]) + parts[i][2:]
	}
	return strings.Join(parts, "%")
}

// FuzzCertificates reads files of certificates and a key: they are refused in a clean sentence
// without a word of the key, or taken.
func FuzzCertificates(f *testing.F) {
	const certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
	f.Add([]byte(""), []byte(""), []byte(""))
	f.Add([]byte(certificate), []byte(certificate), []byte("-----BEGIN PRIVATE KEY-----\n"+canary+"\n-----END PRIVATE KEY-----\n"))
	f.Add([]byte("-----BEGIN X\x1b[2J-----\n-----END X\x1b[2J-----\n"), []byte(nil), []byte(canary))
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.StartTLS()
	good := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	key, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	server.Close()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good, good, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))
	f.Fuzz(func(t *testing.T, ca, cert, key []byte) {
		transport, err := adminapi.NewTransport(adminapi.TLS{CA: ca, Cert: cert, Key: key})
		switch {
		case err == nil:
			if len(ca) > 0 && transport.TLSClientConfig.RootCAs == nil || len(cert)+len(key) > 0 && len(transport.TLSClientConfig.Certificates) != 1 {
				t.Fatalf("%q, %q and %q are left out", ca, cert, key)
			}
		case plain.Line(err.Error()) != err.Error() || strings.Contains(err.Error(), canary):
			t.Fatalf("%q", err)
		}
	})
}

// FuzzManifest reads the file of a version manifest: it is refused in a clean sentence, or each
// element is there once, byte for byte.
func FuzzManifest(f *testing.F) {
	for _, text := range []string{
		`{"versions":[{"type":" Release ","version":"12.0.0","build":"7286"},{"type":"patch"},7,null,{"version":[]}],"signature":"x"}`,
		`{"releases":[{"version":"\ud800","x":1.50}],"patches":[[{}]]}`, "\ufeff{\"PATCHES\":null}", `{"versions":[{"version":"11`, `[]`, "{}\x1b",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := adminapi.DecodeManifest(data)
		if err != nil {
			if !errors.Is(err, adminapi.KindNotJSON) || plain.Line(err.Error()) != err.Error() {
				t.Fatalf("%q", err)
			}
			return
		}
		for _, u := range slices.Concat(m.Releases, m.Patches) {
			if !bytes.Contains(data, u.Raw) || len(u.Raw) == 0 {
				t.Fatalf("%q is not in %q", u.Raw, data)
			}
			if v, ok := adminapi.ParseVersion(u.Version); ok {
				if again, ok := adminapi.ParseVersion(v.String()); !ok || again != v {
					t.Fatalf("%q is %v, and that %v", u.Version, v, again)
				}
			}
		}
	})
}

// FuzzHeaders answers with any header: a call ends as it does without, in a clean sentence or
// with a value, and no request goes to another machine.
func FuzzHeaders(f *testing.F) {
	for _, h := range [][2]string{
		{"Retry-After", "99999999999999999999"}, {"Retry-After", "Fri, 20 Nov 2026 14:05:00 GMT"}, {"Date", "Mon, 99 Foo 0000 25:61:61 GMT"},
		{"Location", "https://evil.example/admin?token=" + canary}, {"Location", "\x00%zz"}, {"Content-Type", "text/html; charset=\"\x1b"}, {"Content-Encoding", "gzip"},
		{"Www-Authenticate", "Bearer realm=\"" + canary}, {"Content-Length", "-1"}, {"Set-Cookie", "a=b; Domain=evil.example"}, {"Content-Range", "bytes 0-0/9"},
	} {
		for _, status := range []int{200, 302, 307, 401, 429, 503} {
			f.Add(status, h[0], h[1], []byte(`{"isReadOnly":false}`))
		}
	}
	f.Fuzz(func(t *testing.T, status int, name, value string, body []byte) {
		if status < 100 || status > 999 {
			return // net/http reads no other
		}
		asked := 0
		transport := roundTripper(func(r *http.Request) (*http.Response, error) {
			if asked++; r.URL.Host != "gis.example" || asked > 20 {
				t.Errorf("request %d to %s", asked, r.URL)
			}
			answer, err := fixed(status, body)(r)
			answer.Header.Set(name, value)
			return answer, err
		})
		c, err := adminapi.New(adminapi.Config{
			Base: "https://gis.example/admin", Transport: transport, Clock: &steppedClock{}, Token: adminapi.Token{Value: canary},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Mode(t.Context())
		if err != nil && (plain.Line(err.Error()) != err.Error() || strings.Contains(err.Error(), canary)) {
			t.Fatalf("%q", err)
		}
	})
}

// FuzzServicePath reads the name of a service as people type it: it is refused in a clean
// sentence, or its path is read as the same service, and is two or three segments of an address.
func FuzzServicePath(f *testing.F) {
	for _, text := range []string{"SampleWorldCities.MapServer", " /Utilities/Geometry.v2.GPServer ", "/ a.b", "..", "../x.y", "a/b/c.d", "a%2Fb.c", ".x", "x.", "\x1b.y", "\u202e/ü b.c", "//a.b", "./a.b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := adminapi.ParseServicePath(text)
		if err != nil {
			if !errors.Is(err, adminapi.KindInvalid) || plain.Line(err.Error()) != err.Error() {
				t.Fatalf("%q", err)
			}
			return
		}
		if again, err := adminapi.ParseServicePath(s.Path()); err != nil || !reflect.DeepEqual(again, s) {
			t.Fatalf("%q is %+v, and %q %+v, %v", text, s, s.Path(), again, err)
		}
		for segment := range strings.SplitSeq(s.Path(), "/") {
			if segment == "" || segment == "." || segment == ".." || strings.ContainsFunc(segment, unicode.IsControl) {
				t.Fatalf("%q has the segment %q", text, segment)
			}
		}
	})
}

// FuzzSignIn answers a sign-in with any page: it fails in a clean sentence without the
// password, or with a token that goes into a header as it is.
func FuzzSignIn(f *testing.F) {
	for _, page := range []string{
		`{"token":"t","expires":1763700000000,"ssl":true}`, `{"token":" a\r\nX: 1 ","expires":-1}`, `{"token":7}`, `{"token":"` + canary + `"}`, `{"token":"\u2028"}`,
		`{"error":{"code":400,"message":"Invalid username or password ` + canary + `.","details":["\u001b[2J"]}}`, `<html><title>Sign in</title><input value=` + canary + `>`,
		`{"token":"t","expires":"99999999999999999999"}`, `{"TOKEN":"x"}`, "", `{"error":{"code":403}}`,
	} {
		f.Add(200, []byte(page))
	}
	f.Add(302, []byte(""))
	f.Add(400, []byte(`{"token":"t"}`))
	f.Fuzz(func(t *testing.T, status int, page []byte) {
		if status < 100 || status > 999 {
			return // net/http reads no other
		}
		var header []string
		transport := roundTripper(func(r *http.Request) (*http.Response, error) {
			header = append(header, r.Header.Get("Authorization"))
			return fixed(status, page)(r)
		})
		c, err := adminapi.New(adminapi.Config{Base: "https://gis.example/admin", Transport: transport, Clock: &steppedClock{}})
		if err != nil {
			t.Fatal(err)
		}
		token, err := c.Session.SignIn(t.Context(), "jane", canary, time.Hour)
		if err != nil {
			wantPlain(t, err)
			if token.Known() || c.Session.Token().Known() {
				t.Fatalf("%v, and there is a token", err)
			}
			return
		}
		if !token.Known() || strings.Trim(token.Value.Reveal(), " ") == "" {
			t.Fatalf("%q is a sign-in", page)
		}
		_, err = c.Mode(t.Context())
		if last := header[len(header)-1]; last != "" && (last != "Bearer "+c.Session.Token().Value.Reveal() || strings.ContainsFunc(last, unicode.IsControl)) {
			t.Fatalf("%q is sent, %v", last, err)
		}
	})
}
