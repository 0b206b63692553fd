package watching_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/secrets"
)

// takesPassword makes a password of the test's the one that the administrator has at the site.
func takesPassword(p *operationtest.Platform, password string) {
	real := p.User.Password
	p.User.Password = password
	p.Intercept(func(_ http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/generateToken") && r.ParseForm() == nil {
			switch form := r.PostForm; form.Get("password") {
			case password:
				form.Set("password", real)
			case real:
				form.Set("password", "no longer "+real)
			}
			body := r.PostForm.Encode()
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		}
		pass()
	})
}

// wantRefused signs in with a password that the site does not take.
func wantRefused(t *testing.T, p *operationtest.Platform, password secrets.Secret) {
	t.Helper()
	_, err := p.Client.Session.SignIn(t.Context(), p.User.Username, password, time.Hour)
	operationtest.WantResult(t, adminapi.OutcomeDone, adminapi.KindSignIn)(nil, operation.ResultOfRead(err))
}

// toldOf is what a user sees and gives away of a run: the header, the log, the transcript and
// the files of the evidence that the site has written.
func toldOf(t *testing.T, p *operationtest.Platform, snapshot watching.Snapshot) map[string]string {
	t.Helper()
	state := watching.NewStateReader(p.Site).Read(t.Context(), watching.State{}, watching.Refresh{Site: true})
	if state.Reach.Err != nil || state.Self.Err != nil {
		t.Fatal(state.Reach.Err, state.Self.Err)
	}
	evidence, err := incident.GatherEvidence(t.Context(), p.Site, "", "")
	if err != nil {
		t.Fatal(err)
	}
	texts := operationtest.Unpacked(t, evidence)
	delete(texts, "request.json") // its token is a mask
	texts["header"] = state.Self.Value.Username + " " + state.Version.Value.FullVersion
	for i := range snapshot.Log.Len() {
		texts["log"] += snapshot.Log.At(i).Message + "\n"
	}
	content, err := os.ReadFile(p.Memory.Journal.TranscriptPath(snapshot.Transcript))
	if err != nil {
		t.Fatal(err)
	}
	texts["transcript on disk"] = string(content)
	return texts
}

// wantNoMask fails where a word of the site is masked.
func wantNoMask(t *testing.T, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		if at := strings.Index(text, "[secret]"); at >= 0 {
			t.Errorf("%s: %.200q", name, text[max(0, at-80):])
		}
	}
	if !strings.HasPrefix(texts["header"], "admin ") || !strings.Contains(texts["log"], "arcgis-enterprise-admin-api") || !strings.Contains(texts["containers.csv"], "ENTERPRISE_ADMIN_API") {
		t.Errorf("header %q, log %.300q", texts["header"], texts["log"])
	}
}

func TestAWrongPasswordThatIsAWordMasksNothing(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	for _, wrong := range []secrets.Secret{"admin", "health", "ENTERPRISE", "component", "enterprise-admin-api"} {
		wantRefused(t, p, wrong)
	}
	p.SignInAgain(t)
	wantNoMask(t, toldOf(t, p, operationtest.Polled(t, p, watching.NewWatch(p.Site, run), 100)))
}

func TestAShortPasswordThatIsAWordMasksNoNameAndNoKeptMessage(t *testing.T) {
	t.Parallel()
	for _, right := range []string{"admin", "portal", "11.5.0", "upgrade"} {
		p, run := operationtest.Started(t)
		takesPassword(p, right)
		p.SignInAgain(t)
		wantNoMask(t, toldOf(t, p, operationtest.Polled(t, p, watching.NewWatch(p.Site, run), 100)))
	}
}

func TestATokenThatIsRefusedIsForgottenOnceTheSiteTakesAnother(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	good := p.Client.Session.Token()
	for _, wrong := range []secrets.Secret{"administrator", "enterprise-admin-api", "component"} {
		p.Client.Session.SetToken(adminapi.Token{Value: wrong})
		_, err := p.Client.Root(t.Context())
		operationtest.WantResult(t, adminapi.OutcomeDone, adminapi.KindSignIn)(nil, operation.ResultOfRead(err))
		if text := p.Client.Secrets().Text("it is "+wrong.Reveal(), secrets.Anywhere); text != "it is [secret]" {
			t.Errorf("while it is in use: %q", text)
		}
	}
	p.Client.Session.SetToken(good)
	wantNoMask(t, toldOf(t, p, operationtest.Polled(t, p, watching.NewWatch(p.Site, run), 100)))
}

var firstMessage = fmt.Sprintf(`{"code":2010,"message":"from 11.5.0.6745 to 11.5.0.6805","when":%d}`, operationtest.Start.UnixMilli())

// telling makes the site report messages of a run, a text each.
func telling(p *operationtest.Platform, texts ...string) {
	messages := []string{firstMessage}
	for i, text := range texts {
		quoted, _ := json.Marshal(text)
		messages = append(messages, fmt.Sprintf(`{"code":2038,"when":%d,"message":%s,"caller":%s}`, operationtest.Start.UnixMilli()+int64(i/2), quoted, quoted))
	}
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + strings.Join(messages, ",") + `]}`)
}

func TestAPasswordThatTheSiteRepeatsIsMaskedWholeAndNothingElse(t *testing.T) {
	t.Parallel()
	const password = "Kestrel&2026/x"
	p := operationtest.WithJournal(t, "healthy")
	takesPassword(p, password)
	p.SignInAgain(t)
	quoted, _ := json.Marshal(password)
	telling(
		p, "called with "+password+".", strings.ToUpper(password), "in a URL: ?p="+url.QueryEscape(password)+"&q=1", "in JSON: "+string(quoted), "&lt;"+strings.ReplaceAll(password, "&", "&amp;")+"&gt;",
		"the Kestrel&2026 is part of it", "yKestrel&2026/x and Kestrel&2026/xy are other words")
	texts := toldOf(t, p, operationtest.Polled(t, p, watching.NewWatch(p.Site, nil), 1))
	for name, text := range texts {
		for _, form := range []string{password, strings.ToLower(password), url.QueryEscape(password), "KESTREL"} {
			if text = strings.ReplaceAll(strings.ReplaceAll(text, "y"+password, ""), password+"y", ""); strings.Contains(text, form) {
				t.Errorf("%s holds %q: %s", name, form, text)
			}
		}
	}
	want := []string{"called with [secret].", "[secret]", "?p=[secret]&q=1", `"[secret]"`, "&lt;[secret]&gt;", "the Kestrel&2026 is part", "yKestrel&2026/x and Kestrel&2026/xy are"}
	for _, text := range want {
		if !strings.Contains(texts["log"], text) {
			t.Errorf("%q is not in\n%s", text, texts["log"])
		}
	}
}

// messagesOnDisk counts the messages of a transcript, as they are read and as they are listed.
func messagesOnDisk(t *testing.T, p *operationtest.Platform, id string) (read, listed int) {
	t.Helper()
	summary, lines, err := p.Memory.Journal.ReadTranscript(id)
	runs, listErr := p.Memory.WatchedRuns()
	if err != nil || listErr != nil || len(runs) != 1 {
		t.Fatal(err, listErr, len(runs))
	}
	for _, line := range lines {
		read += len(line.Messages)
	}
	if read != summary.Messages {
		t.Errorf("%d messages, the summary has %d", read, summary.Messages)
	}
	return read, runs[0].Messages
}

// The password is changed to a text of the log while the run is watched: what was told before
// stands unmasked in the log and on disk, and comes masked from then on.
func TestNoMessageCountsTwiceWhenAPasswordIsLearned(t *testing.T) {
	t.Parallel()
	const password = "DEPLOYMENT-7719"
	p := operationtest.WithJournal(t, "healthy")
	texts := []string{"begins " + password, "ends " + password, password, "another", "begins " + password, "ends other"}
	telling(p, texts...)
	watch := watching.NewWatch(p.Site, nil)
	operationtest.Polled(t, p, watch, 1)
	takesPassword(p, password)
	p.SignInAgain(t)
	texts = append(texts, "later "+password)
	telling(p, texts...)
	want := len(texts) + 1
	resumed := watching.NewWatch(p.Site, nil)
	snapshot := operationtest.Polled(t, p, watch, 2)
	resumed.Resume(snapshot.Transcript)
	replay, err := watching.Replay(p.Site, snapshot.Transcript)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]watching.Snapshot{"goes on": snapshot, "replay": replay, "resumed": operationtest.Polled(t, p, resumed, 2), "again": operationtest.Polled(t, p, watching.NewWatch(p.Site, nil), 2)} {
		if s.Log.Len() != want || s.Progress.Messages != want || s.Transcript != snapshot.Transcript {
			t.Errorf("%s: %d messages, the site has %d", name, s.Log.Len(), want)
		}
		for i := range s.Log.Len() {
			if m := s.Log.At(i); name != "goes on" && strings.Contains(m.Message+string(m.Unknown), password) {
				t.Errorf("%s: %q holds the password", name, m.Message)
			}
		}
	}
	if read, listed := messagesOnDisk(t, p, snapshot.Transcript); read != want || listed != want {
		t.Errorf("%d messages on disk, %d in the list, the site has %d", read, listed, want)
	}
	for _, id := range []string{"", snapshot.Transcript} {
		evidence, err := incident.GatherEvidence(t.Context(), p.Site, "", id)
		if err != nil {
			t.Fatal(err)
		}
		files := operationtest.Unpacked(t, evidence)
		if n := strings.Count(files["messages.jsonl"], "\n"); n != want {
			t.Errorf("%d messages in the evidence of %q, the site has %d:\n%s", n, id, want, files["messages.jsonl"])
		}
		for name, content := range files {
			if strings.Contains(content, password) {
				t.Errorf("%s of %q holds the password", name, id)
			}
		}
	}
}

// A transcript of an earlier version has both copies of a message.
func TestATranscriptWithBothCopiesOfAMessageHasItOnce(t *testing.T) {
	t.Parallel()
	for name, copies := range map[string][]string{
		"masked last":  {"ENTERPRISE_admin_API begins", "one admin of two", "one user of two", "ENTERPRISE_[secret]_API begins", "one [secret] of two", "one [secret] of two"},
		"masked first": {"ENTERPRISE_[secret]_API begins", "one [secret] of two", "one [secret] of two", "ENTERPRISE_admin_API begins", "one admin of two", "one user of two"},
	} {
		p := operationtest.WithJournal(t, "healthy")
		began := adminapi.Millis(operationtest.Start.UnixMilli())
		transcript, err := p.Memory.Journal.OpenTranscript(journal.TranscriptRun{Began: began, Start: "from 11.5.0.6745 to 11.5.0.6805", From: "11.5.0.6745", To: "11.5.0.6805"})
		if err != nil {
			t.Fatal(err)
		}
		first := journal.TranscriptMessage{UpgradeMessage: adminapi.UpgradeMessage{Code: 2010, When: began, Message: "from 11.5.0.6745 to 11.5.0.6805"}, Nth: 1}
		path, sofar := p.Memory.Journal.TranscriptPath(transcript.ID()), 0
		for i, texts := range [][]string{nil, copies[:3], copies[3:]} {
			written := []journal.TranscriptMessage{first}[:max(0, 1-i)]
			nth := map[string]int{}
			for _, text := range texts {
				nth[text]++
				written = append(written, journal.TranscriptMessage{UpgradeMessage: adminapi.UpgradeMessage{Code: 2038, When: began + 1, Message: text}, Nth: nth[text]})
			}
			sofar += len(written)
			if err := appendTo(path, onDiskForm(operationtest.Start.Add(time.Duration(i)*time.Minute), written, sofar)); err != nil {
				t.Fatal(err)
			}
		}
		evidence, err := incident.GatherEvidence(t.Context(), p.Site, "", transcript.ID())
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(operationtest.Unpacked(t, evidence)["messages.jsonl"], "\n"); n != 4 {
			t.Errorf("%s: %d messages, want 4", name, n)
		}
		if read, _ := messagesOnDisk(t, p, transcript.ID()); read != 4 {
			t.Errorf("%s: %d messages are read, want 4", name, read)
		}
		p.ReportsStatus(fmt.Sprintf(`{"state":"in_progress","code":1,"messages":[%[1]s,{"code":2038,"when":%[2]d,"message":"ENTERPRISE_admin_API begins"},{"code":2038,"when":%[2]d,"message":"one admin of two"},{"code":2038,"when":%[2]d,"message":"one user of two"}]}`, firstMessage, began+1))
		if s := operationtest.Polled(t, p, watching.NewWatch(p.Site, nil), 2); s.Log.Len() != 4 || s.Transcript != transcript.ID() {
			t.Errorf("%s: %d messages in the watch, want 4", name, s.Log.Len())
		}
		if read, listed := messagesOnDisk(t, p, transcript.ID()); read != 4 || listed != 4 {
			t.Errorf("%s: %d messages are read and %d listed after the watch, want 4", name, read, listed)
		}
	}
}

// onDiskForm is a line of a transcript, after which it has so many messages.
func onDiskForm(at time.Time, messages []journal.TranscriptMessage, sofar int) []byte {
	stored := []map[string]any{}
	for _, m := range messages {
		s := map[string]any{"message": map[string]any{"code": m.Code, "when": int64(m.When), "message": m.Message}}
		if m.Nth > 1 {
			s["nth"] = m.Nth
		}
		stored = append(stored, s)
	}
	line, _ := json.Marshal(map[string]any{"time": at, "state": "in_progress", "code": 1, "meaning": "in progress", "messages": stored, "soFar": map[string]any{"last": at, "messages": sofar}}, json.Deterministic(true))
	return line
}

func appendTo(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
