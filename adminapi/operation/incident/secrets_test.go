package incident_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
)

// TestNoSecretThatASiteRepeatsIsShownOrStored: in what is shown of a run, in what is kept
// of it, and in what is given away of it.
func TestNoSecretThatASiteRepeatsIsShownOrStored(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	old := p.Client.Session.Token().Value.Reveal()
	p.SignInAgain(t)
	secrets := []string{old, p.Client.Session.Token().Value.Reveal(), p.User.Password}
	var messages []adminapi.UpgradeMessage
	for _, secret := range secrets {
		forms := operationtest.Echoes(secret)
		if secret == p.User.Password {
			forms = forms[:len(forms)-2] // a part of it may be a word
		}
		for _, echo := range forms {
			quoted, _ := json.Marshal(echo)
			messages = append(messages, adminapi.UpgradeMessage{
				Code: 2038, When: adminapi.Millis(operationtest.Start.UnixMilli() + int64(len(messages)) + 1), Message: "it was called with <" + echo + ">",
				Unknown: []byte(`{"caller":` + string(quoted) + `}`),
			})
		}
	}
	messages = append(messages, adminapi.UpgradeMessage{Code: 2010, When: adminapi.Millis(operationtest.Start.UnixMilli()), Message: "from 11.5.0.6745 to 11.5.0.6805 by " + secrets[1]})
	told, err := json.Marshal(messages)
	if err != nil {
		t.Fatal(err)
	}
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":` + string(told) + `}`)
	snapshot := operationtest.Polled(t, p, watching.NewWatch(p.Site, nil), 2)
	if snapshot.Log.Len() != len(messages) || snapshot.Progress.To != "11.5.0.6805" {
		t.Errorf("%d of %d messages, to %q", snapshot.Log.Len(), len(messages), snapshot.Progress.To)
	}
	evidence, err := incident.GatherEvidence(t.Context(), p.Site, "", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets {
		for i := range snapshot.Log.Len() {
			operationtest.WantNoTrace(t, "a message", snapshot.Log.At(i).Message+string(snapshot.Log.At(i).Unknown), secret)
		}
		for name, content := range operationtest.Unpacked(t, evidence) {
			operationtest.WantNoTrace(t, name, content, secret)
		}
		_ = filepath.Walk(p.Memory.Journal.Folder(), func(path string, info os.FileInfo, err error) error {
			if err == nil && info.Mode().IsRegular() {
				content, _ := os.ReadFile(path)
				operationtest.WantNoTrace(t, path, string(content), secret)
			}
			return err
		})
	}
}

// TestEvidenceOfAnOldTranscriptHoldsNoSecret: what an earlier version has kept is
// masked where it is given away.
func TestEvidenceOfAnOldTranscriptHoldsNoSecret(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	token := p.Client.Session.Token().Value.Reveal()
	transcript, err := p.Memory.Journal.OpenTranscript(journal.TranscriptRun{Began: adminapi.Millis(operationtest.Start.UnixMilli()), Start: "x"})
	if err != nil {
		t.Fatal(err)
	}
	message := adminapi.UpgradeMessage{Code: 2010, When: adminapi.Millis(operationtest.Start.UnixMilli()), Message: "from 1.0 to 2.0 by \"" + token + "\""}
	if err := transcript.Append(journal.TranscriptLine{State: "in_progress", Messages: []journal.TranscriptMessage{{UpgradeMessage: message, Nth: 1}}}); err != nil {
		t.Fatal(err)
	}
	evidence, err := incident.GatherEvidence(t.Context(), p.Site, "", transcript.ID())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range operationtest.Unpacked(t, evidence) {
		operationtest.WantNoTrace(t, name, content, token)
		if name == "transcript.jsonl" && !strings.Contains(content, `by \"[secret]\"`) {
			t.Errorf("%s: %s", name, content)
		}
	}
}

func TestNoSecretInAMessageGetsIntoTheEvidence(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	p.ReportsRun(0, "")
	kept := operationtest.Polled(t, p, watching.NewWatch(p.Site, nil), 1).Transcript
	for _, id := range []string{"", kept} {
		evidence, err := incident.GatherEvidence(t.Context(), p.Site, "", id)
		if err != nil {
			t.Fatal(err)
		}
		files := operationtest.Unpacked(t, evidence)
		if n := strings.Count(files["messages.jsonl"], "\n"); n != 2 {
			t.Errorf("%d messages", n)
		}
		for name, content := range files {
			if strings.Contains(content, operationtest.Canary) {
				t.Errorf("%s holds a secret", name)
			}
		}
	}
}

func TestTheEvidenceHoldsNoCharacterThatATerminalObeys(t *testing.T) {
	t.Parallel()
	const obeyed = "\u009b\u202e\u2028\u2066"
	p := operationtest.WithJournal(t, "healthy")
	p.ReportsRun(0, "")
	kept := operationtest.Polled(t, p, watching.NewWatch(p.Site, nil), 1).Transcript
	path := p.Memory.Journal.TranscriptPath(kept)
	content, err := os.ReadFile(path)
	if err == nil { // as an older version would have written it
		err = os.WriteFile(path, bytes.ReplaceAll(content, []byte(`"state":"`), []byte(`"state":"`+obeyed)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	evidence, err := incident.GatherEvidence(t.Context(), p.Site, "", kept)
	if err != nil {
		t.Fatal(err)
	}
	files := operationtest.Unpacked(t, evidence)
	if !strings.Contains(files["transcript.jsonl"], `\u009b\u202e\u2028\u2066`) {
		t.Errorf("the transcript is %q", files["transcript.jsonl"])
	}
	for name, content := range files {
		if strings.ContainsAny(content, obeyed) {
			t.Errorf("%s holds %q", name, content)
		}
	}
}
