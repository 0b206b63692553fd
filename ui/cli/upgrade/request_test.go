package upgrade_test

import (
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/uitest/clitest"
)

// field is one field of a request, as it was shown or as it was sent.
type field struct {
	name, value string
	isFile      bool
	file        adminapi.FileSize
}

// sentFields are the fields of a request in their order.
func sentFields(t *testing.T, r *http.Request) (fields []field) {
	t.Helper()
	if parts, err := r.MultipartReader(); err == nil {
		for {
			p, err := parts.NextRawPart()
			if err == io.EOF {
				return fields
			}
			if err != nil {
				t.Fatal(err)
			}
			fields = append(fields, sentPart(t, p))
		}
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	for pair := range strings.SplitSeq(string(body), "&") {
		one, err := url.ParseQuery(pair)
		if err != nil || len(one) != 1 {
			t.Fatal(pair, err)
		}
		for name, values := range one {
			fields = append(fields, field{name: name, value: values[0]})
		}
	}
	return fields
}

func sentPart(t *testing.T, p *multipart.Part) field {
	t.Helper()
	content, err := io.ReadAll(p)
	if err != nil {
		t.Fatal(err)
	}
	f := field{name: p.FormName(), value: string(content)}
	if f.isFile = strings.Contains(p.Header.Get("Content-Disposition"), "; filename="); f.isFile {
		f.file = adminapi.FileSize{Name: p.FileName(), Size: len(content)}
	}
	return f
}

// A dry run names the request that is sent then: method, path, and each field or part, of
// which only the token, the contents of files and ids that do not exist yet are hidden.
func TestADryRunOfAnUpgradeShowsTheRequestThatIsSent(t *testing.T) {
	t.Parallel()
	manifest := `{"versions": [{"id": "pat_new_6900", "name": "First", "type": "patch", "version": "11.5.0", "previousVersion": "11.5.0", ` +
		`"build": "6900", "previousBuild": "6745", "releaseBuild": "6745", "containers": []}], "signature": "x"}`
	for name, c := range map[string]struct {
		scenario, licence string
		path              string // the end of it
		fields, args      string
	}{
		"settings and licence": {"healthy", `{"version": "12.0", "key": "` + clitest.LicenceTag + `"}`, "/upgrade",
			"versionManifest versionManifestFile upgradeSettings f token", "start " + clitest.Release12 + " --license LICENCE --accept health,placement --confirm 12.0.0.7286"},
		"manifest file": {"empty-manifest", "", "/upgrade",
			"versionManifest versionManifestFile upgradeSettings f token", "start pat_new_6900 --manifest-file MANIFEST --accept health,placement --confirm 11.5.0.6900"},
		"licence as a part": {"oldest", `{"version": "10.9.1", "key": "` + clitest.LicenceTag + `"}`, "/upgrade",
			"versionManifest versionManifestFile licenseFile upgradeSettings updateToLatestPatch f token",
			"start rel_18012022_1203 --license LICENCE --latest-patch=true --accept health,placement --confirm 10.9.1.1203"},
		"rollback": {"upgraded", "", "/rollback",
			"f rollbackSettings token versionManifest", "rollback pat_07102025_6820 --accept health,placement,order --confirm 11.5.0.6820"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := clitest.NewUpgrading(t, c.scenario)
			if err := os.WriteFile(u.Licence, []byte(c.licence), 0o600); err != nil {
				t.Fatal(err)
			}
			file := clitest.FileOf(t, "manifest.dat", manifest)
			args := strings.Fields("upgrade " + strings.NewReplacer("LICENCE", u.Licence, "MANIFEST", file).Replace(c.args))
			if strings.Contains(c.args, "MANIFEST") {
				if r := u.Run(t.Context(), "upgrade", "import-manifest", file); r.Code != 0 {
					t.Fatal(r.Err)
				}
			}
			table := u.Run(t.Context(), append(args, "--dry-run")...)
			inJSON := u.Run(t.Context(), append(args[:len(args)-2:len(args)-2], "--dry-run", "-o", "json")...)
			u.ExpectHidden(table)
			u.ExpectHidden(inJSON)
			if sent := u.Wire.Starts(t); len(sent) > 0 {
				t.Fatalf("a dry run sent %s %s", sent[0].Method, sent[0].URL)
			}
			var shown struct {
				Sentence string
				Request  *adminapi.Request
			}
			if err := json.Unmarshal([]byte(inJSON.Out), &shown); err != nil || inJSON.Code != 0 || table.Code != 0 || shown.Sentence == "" || shown.Request == nil {
				t.Fatalf("exit codes %d and %d, %v, it says\n%s%s%s", table.Code, inJSON.Code, err, inJSON.Out, inJSON.Err, table.Err)
			}
			if from, _, _ := strings.Cut(table.Out, "\n"); !strings.HasPrefix(shown.Sentence, strings.Join(strings.Fields(from), " ")[:4]) {
				t.Errorf("%q begins %q", shown.Sentence, from)
			}
			text := "\n\nrequest: " + shown.Request.Method + " " + shown.Request.Path + "\n"
			for _, f := range shown.Request.Fields {
				text += "\n" + f.Name + "\n  " + strings.ReplaceAll(f.Value, "\n", "\n  ") + "\n"
			}
			if text += "\ndry run: nothing was sent\n"; !strings.HasSuffix(table.Out, text) {
				t.Errorf("it prints\n%s\nnot\n%s", table.Out, text)
			}

			if r := u.Run(t.Context(), args...); r.Code != 0 {
				t.Fatalf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
			}
			starts := u.Wire.Starts(t)
			sent := starts[len(starts)-1]
			if shown.Request.Method != sent.Method || shown.Request.Path != sent.URL.EscapedPath() || !strings.HasSuffix(shown.Request.Path, c.path) {
				t.Errorf("sent was %s %s, shown was %s %s", sent.Method, sent.URL.EscapedPath(), shown.Request.Method, shown.Request.Path)
			}
			fields := sentFields(t, sent)
			var names []string
			for _, f := range fields {
				names = append(names, f.name)
			}
			if got := strings.Join(names, " "); got != c.fields || len(shown.Request.Fields) != len(fields) {
				t.Fatalf("sent were %s, shown were %v", got, shown.Request.Fields)
			}
			for i, f := range shown.Request.Fields {
				expectSame(u, f, fields[i])
			}
		})
	}
}

// expectSame compares a field that was shown with the one that was sent, through the masks.
func expectSame(u *clitest.Upgrading, shown adminapi.Field, sent field) {
	u.T.Helper()
	before, after, pending := strings.Cut(shown.Value, upgrade.UploadPending)
	same := shown.Name == sent.name && (shown.File != nil) == sent.isFile
	switch {
	case sent.isFile:
		same = same && *shown.File == sent.file && strings.Contains(shown.Value, sent.file.Name)
	case sent.name == "token":
		same = same && shown.Value == "[secret]" && sent.value == u.Env["GEODECK_TOKEN"]
	case pending:
		id := strings.TrimSuffix(strings.TrimPrefix(sent.value, before), after)
		same = same && sent.value == before+id+after && id != "" && !strings.ContainsAny(id, `"{}`)
	default:
		same = same && shown.Value == sent.value
	}
	if !same {
		u.T.Errorf("shown was %+v (%+v), sent was %+v", shown, shown.File, sent)
	}
}

// A rollback that cannot be is refused by its dry run as well.
func TestADryRunOfARollbackMakesItsChecks(t *testing.T) {
	t.Parallel()
	u := clitest.NewUpgrading(t, "upgraded")
	expect := func(code int, says string, args ...string) {
		t.Helper()
		r := u.Run(t.Context(), append([]string{"upgrade", "rollback"}, args...)...)
		readOnly := slices.Contains(args, "--read-only")
		if r.Code != code || !strings.Contains(r.Out+r.Err, says) || strings.Contains(r.Out, "\nrequest: POST ") != (code == 0 || readOnly) {
			t.Errorf("%v: exit code %d, it says\n%s%s", args, r.Code, r.Out, r.Err)
		}
	}
	expect(2, "the site offers no rollback", "pat_04122025_6835", "--dry-run")
	expect(2, "which is 11.5.0.6825; nothing was sent", "pat_23102025_6825", "--dry-run", "--confirm", "11.5.0")
	expect(0, "caution: Removes 2 patches: 11.5.0.6835, 11.5.0.6825.", "pat_07102025_6820", "--dry-run", "--accept", "health,placement,order")
	expect(4, "read-only; nothing was sent", "pat_23102025_6825", "--dry-run", "--read-only")
	setMode := func(readOnly string) {
		r, err := http.PostForm(u.Wire.URL+"/mode/update", url.Values{"isReadOnly": {readOnly}, "f": {"json"}, "token": {u.Env["GEODECK_TOKEN"]}})
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
	}
	setMode("true")
	r := u.Run(t.Context(), "upgrade", "rollback", "pat_23102025_6825", "--accept", "health,placement", "--confirm", "11.5.0.6825")
	if r.Code != 4 || !strings.Contains(r.Err, "1 finding not accepted; nothing was sent") || !strings.Contains(r.Err, "Read-only mode is on") {
		t.Errorf("in read-only mode: exit code %d, it says\n%s", r.Code, r.Err)
	}
	setMode("false")
	if sent := u.Wire.Starts(t); len(sent) > 0 {
		t.Fatalf("a dry run sent %s %s", sent[0].Method, sent[0].URL)
	}
	if r := u.Run(t.Context(), "upgrade", "rollback", "pat_23102025_6825", "--accept", "health,placement", "--confirm", "11.5.0.6825"); r.Code != 0 {
		t.Fatal(r.Err)
	}
	expect(4, "an upgrade is running", "pat_23102025_6825", "--dry-run")
}

func TestARollbackThatLeadsElsewhereFailsTheCommandAndItsWatch(t *testing.T) {
	t.Parallel()
	const says = "11.5.0.6825 was confirmed, but the site goes from 11.5.0.6835 to 11.5.0.6820"
	for _, c := range []struct {
		means string
		goes  bool
		as    []string
	}{{"beyond", true, nil}, {"toward", false, nil}, {"beyond", true, []string{"-o", "json"}}, {"toward", false, []string{"-o", "json"}}} {
		means, goes := c.means, c.goes
		scenario, _ := simulator.BuiltIn("upgraded")
		scenario.Upgrades.Rollback = means
		clock := simtest.NewSteppedClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
		server := clitest.NewSite(t, simulator.Options{Scenario: scenario, Clock: clock})
		env := map[string]string{"GEODECK_URL": server.URL(), "GEODECK_TOKEN": clitest.TokenOf(t, server, 0), "XDG_STATE_HOME": t.TempDir()}
		code := map[bool]int{true: 1}[goes]
		expect := func(code int, args ...string) {
			t.Helper()
			r := clitest.RunInProcess(t, clock, env, append([]string{"upgrade"}, args...)...)
			if r.Code != code || strings.Contains(r.Out+r.Err, says) != goes {
				t.Errorf("%s: %v: exit code %d, it says\n%s%s", means, args, r.Code, r.Out, r.Err)
			}
		}
		expect(code, append([]string{"rollback", "pat_23102025_6825", "--accept", "health,placement", "--confirm", "11.5.0.6825"}, c.as...)...)
		expect(0, "status")
		expect(code, "explain")
		expect(code, "watch")
	}
}
