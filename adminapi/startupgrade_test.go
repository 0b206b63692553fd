package adminapi_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/secrets"
)

const (
	licenceCanary = "CANARY-licence-71f3a9"
	licenceCode   = "ECP123456789"
	begun         = `{"status":{"state":"in_progress","code":1,"messages":[{"code":2010,"message":"from 10.9.1 to 11.0","when":1700000000000}]}}`
)

var (
	aFile     = adminapi.Part{FileName: "a.json", Content: []byte("{}")}
	anUpgrade = []adminapi.Part{
		{Name: "versionManifest", Content: []byte(`{"id":"rel_1"}`)},
		{Name: "versionManifestFile", File: true},
		{Name: "licenseFile", FileName: `site "A" licence.json`, File: true, Secret: true, Content: []byte(`{"code":"` + licenceCode + `","signature":"` + licenceCanary + `"}`)},
		{Name: "upgradeSettings", Content: []byte("{}")},
		{Name: "updateToLatestPatch", Content: []byte("true")},
	}
)

// wirePart is one part as it stands on the wire.
type wirePart struct{ Disposition, Type, Content string }

func wireParts(t *testing.T, r *http.Request) []wirePart {
	t.Helper()
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		t.Errorf("content type %q, %v", r.Header.Get("Content-Type"), err)
		return nil
	}
	var parts []wirePart
	for in := multipart.NewReader(r.Body, params["boundary"]); ; {
		p, err := in.NextRawPart()
		if errors.Is(err, io.EOF) {
			return parts
		}
		if err != nil {
			t.Error(err)
			return parts
		}
		content, err := io.ReadAll(p)
		if err != nil {
			t.Error(err)
		}
		parts = append(parts, wirePart{p.Header.Get("Content-Disposition"), p.Header.Get("Content-Type"), string(content)})
	}
}

func TestAnUpgradeIsSentPartByPart(t *testing.T) {
	t.Parallel()
	var got []wirePart
	n := &notebook{}
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.String() != "/ctx/admin/system/upgrades/upgrade" || r.Header.Get("Authorization") != "" || r.ContentLength <= 0 {
			t.Errorf("%s, length %d", r.URL, r.ContentLength)
		}
		got = wireParts(t, r)
		says(200, begun)(w, r)
	})
	status, outcome, err := s.client(t, func(c *adminapi.Config) { c.Observer = n }).Upgrades.Start(t.Context(), anUpgrade)
	check(t, "outcome", outcome, adminapi.OutcomeDone, err)
	check(t, "status", []any{status.Running(), status.Messages[0].Code}, []any{true, 2010}, nil)
	field := func(name, content string) wirePart {
		return wirePart{`form-data; name="` + name + `"`, "", content}
	}
	check(t, "parts", got, []wirePart{
		field("versionManifest", `{"id":"rel_1"}`),
		{`form-data; name="versionManifestFile"; filename=""`, "application/octet-stream", ""},
		{`form-data; name="licenseFile"; filename="site %22A%22 licence.json"`, "application/json", string(anUpgrade[2].Content)},
		field("upgradeSettings", "{}"),
		field("updateToLatestPatch", "true"),
		field("f", "pjson"),
		field("token", canary),
	}, nil)
	check(t, "observed", n.seen[0].Fields, map[string][]string{
		"versionManifest": {`{"id":"rel_1"}`}, "versionManifestFile": {"file, 0 bytes"},
		"licenseFile":     {fmt.Sprintf(`file site "A" licence.json, %d bytes`, len(anUpgrade[2].Content))},
		"upgradeSettings": {"{}"}, "updateToLatestPatch": {"true"},
	}, nil)
}

// An upgrade arrives once at the most, whatever the server does.
func TestAnUpgradeIsPostedOnceHoweverItsAnswerIsLost(t *testing.T) {
	t.Parallel()
	cases := []evidence{
		{"accepted", reply(200, begun), adminapi.OutcomeDone, 0, ""},
		{"accepted, the status bare", reply(200, `{"state":"IN_PROGRESS","code":"1"}`), adminapi.OutcomeDone, 0, ""},
		{"closed before the headers", breakOff(""), adminapi.OutcomeUnknown, adminapi.KindUnreachable, ""},
		{"closed after the headers", breakOff("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n"), adminapi.OutcomeUnknown, adminapi.KindUnreachable, ""},
		{"closed in mid-body", breakOff("HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n" + begun), adminapi.OutcomeUnknown, adminapi.KindUnreachable, ""},
		{"never answered", keepSilent, adminapi.OutcomeUnknown, adminapi.KindUnreachable, ""},
		{"502 page", reply(502, "<html><title>Bad Gateway</title></html>"), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"503", reply(503, ""), adminapi.OutcomeUnknown, adminapi.KindServer, ""},
		{"504", reply(504, ""), adminapi.OutcomeUnknown, adminapi.KindServer, ""},
		{"empty", reply(200, ""), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"success without a status", reply(200, `{"status":"success"}`), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"the end of another upgrade", reply(200, recorded(t, "upgrades_resource_success_PARTIAL")), adminapi.OutcomeUnknown, adminapi.KindServer, ""},
		{"no upgrade", reply(200, recorded(t, "upgrades_resource_no_upgrade")), adminapi.OutcomeUnknown, adminapi.KindServer, ""},
		{"failed at once", reply(200, `{"status":{"state":"failed","code":2,"messages":[]}}`), adminapi.OutcomeUnknown, adminapi.KindServer, ""},
		{"refused", reply(200, recorded(t, "error_400_portal")), adminapi.OutcomeRefused, adminapi.KindInvalid, ""},
		{"no privilege", reply(200, recorded(t, "error_403_portal")), adminapi.OutcomeRefused, adminapi.KindPrivilege, ""},
		{"token refused", reply(200, recorded(t, "error_498_portal")), adminapi.OutcomeRefused, adminapi.KindSignIn, ""},
		{"somebody else's runs", reply(409, `{"error":{"code":409,"message":"an upgrade is running"}}`), adminapi.OutcomeRefused, adminapi.KindBusy, ""},
		{"too large", reply(413, ""), adminapi.OutcomeRefused, adminapi.KindTooLarge, ""},
	}
	wantOutcomes(t, cases, func(ctx context.Context, c *adminapi.Client) (string, adminapi.Outcome, error) {
		_, outcome, err := c.Upgrades.Start(ctx, anUpgrade)
		return "", outcome, err
	})
}

func TestAReusedConnectionThatIsClosedPostsAnUpgradeOnce(t *testing.T) {
	t.Parallel()
	for via, transport := range transports(t) {
		t.Run(via, func(t *testing.T) {
			s := rawServe(t, func(x exchange) bool {
				if x.nth == 1 && x.req.Method == http.MethodGet {
					x.reply(200, `{"jobs":[]}`)
					return true
				}
				if x.nth == 1 {
					x.reply(200, begun)
				}
				return false
			})
			client := newClient(t, s.base(), transport)
			if _, err := client.Jobs.IDs(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := adminapi.OutcomeDone // on a connection of its own
			if via == "caller's, own type" {
				want = adminapi.OutcomeUnknown
			}
			if _, outcome, err := client.Upgrades.Start(t.Context(), anUpgrade); outcome != want {
				t.Errorf("outcome %v (%v), want %v", outcome, err, want)
			}
			if n := s.posts.Load(); n != 1 {
				t.Errorf("%d requests arrived, want 1", n)
			}
		})
	}
}

// The connection breaks while the parts are on their way.
func TestAnUpgradeWhoseConnectionBreaksIsNotSentAgain(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 10)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		_, _ = io.CopyN(io.Discard, r.Body, 1000)
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		conn.Close()
	})
	large := append(anUpgrade[:1:1], adminapi.Part{Name: "versionManifestFile", File: true, FileName: "m.dat", Content: make([]byte, 16<<20)})
	_, outcome, err := s.client(t).Upgrades.Start(t.Context(), large)
	wantKind(t, err, adminapi.KindUnreachable)
	check(t, "outcome", outcome, adminapi.OutcomeUnknown, nil)
	check(t, "arrived", len(arrived), 1, nil)
}

func TestInvalidPartsAreNotSent(t *testing.T) {
	t.Parallel()
	s := rawServe(t, func(exchange) bool { return false })
	c := newClient(t, s.base())
	for name, parts := range map[string][]adminapi.Part{
		"none":          nil,
		"no name":       {{Content: []byte("a")}},
		"broken name":   {{Name: "a\r\nb"}},
		"broken file":   {{Name: "a", File: true, FileName: "a\x1b[2J"}},
		"a second f":    {{Name: "f", Content: []byte("html")}},
		"another token": {{Name: "token", Content: []byte("x")}},
	} {
		_, outcome, err := c.Upgrades.Start(t.Context(), parts)
		wantKind(t, err, adminapi.KindInvalid)
		check(t, name, outcome, adminapi.OutcomeNotSent, nil)
	}
	for _, id := range []string{"", "..", "a\x00", "\xff"} {
		_, outcome, err := c.Upgrades.Rollback(t.Context(), id)
		wantKind(t, err, adminapi.KindInvalid)
		check(t, "rollback", outcome, adminapi.OutcomeNotSent, nil)
		_, err = c.Upgrades.Settings(t.Context(), id)
		wantKind(t, err, adminapi.KindInvalid)
	}
	for _, file := range []adminapi.Part{{}, {FileName: "a"}, {Content: []byte("a")}} {
		outcome, err := c.Upgrades.ImportManifest(t.Context(), file)
		wantKind(t, err, adminapi.KindInvalid)
		check(t, "import", outcome, adminapi.OutcomeNotSent, nil)
		_, outcome, err = c.Uploads.Send(t.Context(), file, "", nil)
		wantKind(t, err, adminapi.KindInvalid)
		check(t, "upload", outcome, adminapi.OutcomeNotSent, nil)
	}
	check(t, "requests", s.posts.Load(), 0, nil)
}

// A server that complains of a licence may quote it, in whole or in part.
func TestALicenceIsInNoErrorAndNoWrite(t *testing.T) {
	t.Parallel()
	licence := string(anUpgrade[2].Content)
	for name, answer := range map[string]string{
		"whole":     `{"error":{"code":400,"message":` + mustJSON(t, "bad licence: "+licence) + `}}`,
		"a value":   `{"error":{"code":400,"message":"the signature ` + licenceCanary + ` is wrong"}}`,
		"a code":    `{"error":{"code":400,"message":"wrong","details":["code ` + licenceCode + `"]}}`,
		"a part":    `{"status":"error","messages":["near ` + licenceCanary[2:20] + `"]}`,
		"plain":     "oops " + licence,
		"the state": `{"status":{"state":` + mustJSON(t, licence) + `,"messages":[{"message":` + mustJSON(t, licence) + `}]}}`,
		"token":     `{"error":{"code":400,"message":"` + canary + ` ` + licenceCanary + `"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			n := &notebook{}
			status := http.StatusOK
			if name == "plain" {
				status = http.StatusInternalServerError
			}
			c := serve(t, says(status, answer)).client(t, func(c *adminapi.Config) { c.Observer = n })
			_, _, err := c.Upgrades.Start(t.Context(), anUpgrade)
			e := &adminapi.Error{}
			if !errors.As(err, &e) {
				t.Fatal(err)
			}
			shown := fmt.Sprintf("%v %+v %#v %q %v %v", err, *e, *e, e.Details, n.lines, n.seen)
			for _, secret := range []string{licenceCanary, licenceCanary[2:20], licenceCode, canary} {
				if strings.Contains(shown, secret) {
					t.Errorf("%q in %s", secret, shown)
				}
			}
		})
	}
}

func TestTextThatALicenceContainsByChanceIsNotMasked(t *testing.T) {
	t.Parallel()
	part := adminapi.Part{Name: "licenseFile", FileName: "l.json", File: true, Secret: true,
		Content: []byte(`{"product":"ArcGIS Ent","version":"11.0","until":"2026-12-31"}`)}
	c := serve(t, says(200, `{"error":{"code":400,"message":"version 11.0 of ArcGIS Ent ended on 2026-12-31"}}`)).client(t)
	_, _, err := c.Upgrades.Start(t.Context(), []adminapi.Part{part})
	if e := wantKind(t, err, adminapi.KindInvalid); e.Message != "version 11.0 of ArcGIS Ent ended on 2026-12-31" {
		t.Error(e)
	}
}

func TestAPatchIsRolledBackOnce(t *testing.T) {
	t.Parallel()
	var forms []map[string][]string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.String() != "/ctx/admin/system/upgrades/rollback" || r.Method != http.MethodPost {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		_ = r.ParseForm()
		forms = append(forms, r.PostForm)
		says(200, begun)(w, r)
	})
	status, outcome, err := s.client(t).Upgrades.Rollback(t.Context(), `pat_"1"`)
	check(t, "rollback", []any{status.Running(), outcome}, []any{true, adminapi.OutcomeDone}, err)
	check(t, "form", forms, []map[string][]string{{
		"versionManifest": {`{"id":"pat_\"1\""}`}, "rollbackSettings": {"{}"}, "f": {"json"}, "token": {canary},
	}}, nil)
}

// A secret that is no file is sent, and stands nowhere else. Of a file that is none a trace has the checksum.
func TestASecretFieldIsInNoRecordNoPreviewAndNoTrace(t *testing.T) {
	t.Parallel()
	const pin = "CANARY-pin-of-a-field"
	parts := []adminapi.Part{
		{Name: "unlock", Secret: true, Content: []byte(pin)},
		{Name: "notes", FileName: "notes.txt", File: true, Content: []byte("CANARY-notes")},
		{Name: "licenseFile", FileName: "l.json", File: true, Secret: true, Content: anUpgrade[2].Content},
		{Name: "updateToLatestPatch", Content: []byte("true")},
	}
	var sent []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for _, part := range wireParts(t, r) {
			sent = append(sent, part.Content)
		}
		says(200, begun)(w, r)
	})
	n, x := &notebook{}, &traced{}
	c := s.client(t, func(c *adminapi.Config) { c.Observer, c.Token = n, adminapi.Token{} }, x.config)
	preview, err := c.Preview(t.Context(), adminapi.UpgradeWith(parts))
	_, outcome, failed := c.Upgrades.Start(t.Context(), parts)
	check(t, "outcome", outcome, adminapi.OutcomeDone, errors.Join(err, failed))
	check(t, "sent, without a token", sent, []string{pin, "CANARY-notes", string(anUpgrade[2].Content), "true", "pjson"}, nil)
	check(t, "traced", x.last().Fields, map[string][]string{
		"unlock": {secrets.Mask}, "updateToLatestPatch": {"true"}, "f": {"pjson"},
		"notes":       {fmt.Sprintf("file notes.txt, 12 bytes, sha256 %x", sha256.Sum256([]byte("CANARY-notes")))},
		"licenseFile": {fmt.Sprintf("file l.json, %d bytes", len(anUpgrade[2].Content))},
	}, nil)
	for what, shown := range map[string]string{"record": fmt.Sprint(n.seen), "preview": fmt.Sprint(preview), "trace": strings.Join(x.lines, "")} {
		if strings.Contains(shown, "CANARY") {
			t.Errorf("%s: %s", what, shown)
		}
	}
}
