package operation_test

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/operation/watching"
)

// echoes are the ways in which a site may repeat a secret: none is a pattern that
// distinguishes it from other words.
func echoes(secret string) []string {
	var unseen, numbers strings.Builder
	for _, r := range secret {
		unseen.WriteString(string(r) + "\u200b\x07\u202e")
		fmt.Fprintf(&numbers, "&#%d;", r)
	}
	return []string{
		secret, strings.ToUpper(secret), strings.ToLower(secret), url.QueryEscape(secret), url.PathEscape(secret),
		html.EscapeString(secret), unseen.String(), numbers.String(), secret[:len(secret)/2], secret[len(secret)/3:],
	}
}

// wantNoTrace fails where a text holds eight characters in a row of a secret.
func wantNoTrace(t *testing.T, name, text, secret string) {
	t.Helper()
	text, secret = strings.ToLower(text), strings.ToLower(secret)
	text = strings.NewReplacer("\u200b", "", "\x07", "", `\u0007`, "", "\u202e", "").Replace(text)
	forms := []string{text, html.UnescapeString(text)}
	if decoded, err := url.QueryUnescape(text); err == nil {
		forms = append(forms, decoded)
	}
	for _, form := range forms {
		for at := range len(secret) - 7 {
			if i := strings.Index(form, secret[at:at+8]); i >= 0 {
				t.Errorf("%s holds %q: %.100q", name, secret[at:at+8], form[max(0, i-20):])
				return
			}
		}
	}
}

// TestNoSecretThatASiteRepeatsIsShownOrStored: in what is shown of a run, in what is kept
// of it, and in what is given away of it.
func TestNoSecretThatASiteRepeatsIsShownOrStored(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "healthy")
	old := p.Client.Session.Token().Value.Reveal()
	p.signInAgain(t)
	secrets := []string{old, p.Client.Session.Token().Value.Reveal(), p.user.Password}
	var messages []adminapi.UpgradeMessage
	for _, secret := range secrets {
		forms := echoes(secret)
		if secret == p.user.Password {
			forms = forms[:len(forms)-2] // a part of it may be a word
		}
		for _, echo := range forms {
			quoted, _ := json.Marshal(echo)
			messages = append(messages, adminapi.UpgradeMessage{
				Code: 2038, When: adminapi.Millis(start.UnixMilli() + int64(len(messages)) + 1), Message: "it was called with <" + echo + ">",
				Unknown: []byte(`{"caller":` + string(quoted) + `}`),
			})
		}
	}
	messages = append(messages, adminapi.UpgradeMessage{Code: 2010, When: adminapi.Millis(start.UnixMilli()), Message: "from 11.5.0.6745 to 11.5.0.6805 by " + secrets[1]})
	told, err := json.Marshal(messages)
	if err != nil {
		t.Fatal(err)
	}
	p.reports(`{"state":"in_progress","code":1,"messages":` + string(told) + `}`)
	snapshot := polled(t, p, watching.NewWatch(p.Site, nil), 2)
	if snapshot.Log.Len() != len(messages) || snapshot.Progress.To != "11.5.0.6805" {
		t.Errorf("%d of %d messages, to %q", snapshot.Log.Len(), len(messages), snapshot.Progress.To)
	}
	evidence, err := incident.GatherEvidence(t.Context(), p.Site, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets {
		for i := range snapshot.Log.Len() {
			wantNoTrace(t, "a message", snapshot.Log.At(i).Message+string(snapshot.Log.At(i).Unknown), secret)
		}
		for name, content := range unpacked(t, evidence) {
			wantNoTrace(t, name, content, secret)
		}
		_ = filepath.Walk(p.Memory.Journal.Folder(), func(path string, info os.FileInfo, err error) error {
			if err == nil && info.Mode().IsRegular() {
				content, _ := os.ReadFile(path)
				wantNoTrace(t, path, string(content), secret)
			}
			return err
		})
	}
}

// TestEvidenceOfAnOldTranscriptHoldsNoSecret: what an earlier version has kept is
// masked where it is given away.
func TestEvidenceOfAnOldTranscriptHoldsNoSecret(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "healthy")
	token := p.Client.Session.Token().Value.Reveal()
	transcript, err := p.Memory.Journal.OpenTranscript(journal.TranscriptRun{Began: adminapi.Millis(start.UnixMilli()), Start: "x"})
	if err != nil {
		t.Fatal(err)
	}
	message := adminapi.UpgradeMessage{Code: 2010, When: adminapi.Millis(start.UnixMilli()), Message: "from 1.0 to 2.0 by \"" + token + "\""}
	if err := transcript.Append(journal.TranscriptLine{State: "in_progress", Messages: []journal.TranscriptMessage{{UpgradeMessage: message, Nth: 1}}}); err != nil {
		t.Fatal(err)
	}
	evidence, err := incident.GatherEvidence(t.Context(), p.Site, transcript.ID())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range unpacked(t, evidence) {
		wantNoTrace(t, name, content, token)
		if name == "transcript.jsonl" && !strings.Contains(content, `by \"[secret]\"`) {
			t.Errorf("%s: %s", name, content)
		}
	}
}

// TestTheReasonsOfAJobHoldNoSecret: also where it failed long after it was sent.
func TestTheReasonsOfAJobHoldNoSecret(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "healthy")
	token := p.Client.Session.Token().Value.Reveal()
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.Contains(r.URL.Path, "/jobs/") {
			pass()
			return
		}
		quoted, _ := json.Marshal(echoes(token))
		_, _ = io.WriteString(w, `{"jobid":"j","status":"FAILED","messages":`+string(quoted)+`,"result":{"error":{"details":`+string(quoted)+`}}}`)
	})
	_, err := p.WaitJob(t.Context(), "j", func(polling.Step[adminapi.Job]) {})
	if err == nil {
		t.Fatal("no error")
	}
	wantNoTrace(t, "the error", err.Error(), token)
}
