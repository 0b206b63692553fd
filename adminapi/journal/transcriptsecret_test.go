package journal_test

import (
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
)

func TestATranscriptHoldsNoSecret(t *testing.T) {
	t.Parallel()
	folder := place(t)
	j := open(t, folder)
	start := "Started with token=" + canary
	tr := transcript(t, j, journal.TranscriptRun{Began: 5, Start: start, From: "password=" + canary})
	messages := numbered(0, 6)
	messages[0].Message = "cannot ask https://gis.example.org/ctx?token=" + canary + "&f=json"
	messages[1].Message = `{"adminPassword":"` + canary + `","count":2}`
	messages[2].Message = "Authorization: Bearer " + canary
	messages[3].Unknown = []byte(`{"url":"https://x?a=1&token=` + canary + `","count":12345678901234567890}`)
	messages[4].Unknown = []byte(`{"more":[{"api_key":"` + canary + `","passwords":["` + canary + `","` + canary + `"],"note":"n"}]}`)
	messages[5].Unknown = []byte(`{"text":"say \"token=` + canary + `\" twice","secret":12}`)
	line := journal.TranscriptLine{
		State: "token=" + canary, Meaning: "secret=" + canary, Unreachable: "the answer to ?token=" + canary + " was HTML", Messages: messages,
	}
	add(t, tr, line)
	add(t, tr, line) // masked messages are known again
	if strings.Contains(onDisk(t, folder), canary) {
		t.Error("the canary is on disk")
	}
	summary, lines := readBack(t, j, tr.ID())
	got := lines[0].Messages
	if summary.Messages != 6 || got[1].Message != `{"adminPassword":"[secret]","count":2}` {
		t.Errorf("got %+v, %q", summary, got[1].Message)
	}
	for i, want := range map[int]string{
		3: `{"url":"https://x?a=1&token=[secret]","count":12345678901234567890}`,
		4: `{"more":[{"api_key":"[secret]","passwords":["[secret]","[secret]"],"note":"n"}]}`,
		5: `{"text":"say \"token=[secret]\" twice","secret":"[secret]"}`,
	} {
		if string(got[i].Unknown) != want {
			t.Errorf("members: %s, want %s", got[i].Unknown, want)
		}
	}
	for _, of := range []journal.TranscriptRun{{Began: 5, Start: start}, summary.TranscriptRun} {
		if again := transcript(t, j, of); again.ID() != tr.ID() {
			t.Errorf("the run of %q has another transcript", of.Start)
		}
	}
}

// Messages that only speak of secrets must come back as they were told: a watch
// that goes on knows them by their text.
func TestOrdinaryMessagesAreKeptToTheLetter(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	tr := transcript(t, j, theRun)
	ordinary := []string{
		"The upgrade process from version 11.4 to 11.5 has started.",
		"Updated 17 of 62 deployments, 00:12:45.",
		`{"relational":{"status":"success","from":"15.4","to":"16.2"},"object":{"status":"pending","port":5432}}`,
		"The token service (sharing) was restarted; tokens stay valid.",
		"The secret arcgis-db-credentials was renewed: password rotation is not needed.",
		"Das Passwort des Datenbankbenutzers bleibt unverändert; API-Schlüssel: 3.",
		"replicas=3 image=registry.example.org/arcgis/portal:11.5.0.7001",
		"Private keys in the keystore: 4 = all.",
		"アップグレードを開始しました。", "",
	}
	var messages []journal.TranscriptMessage
	for _, text := range ordinary {
		m := adminapi.UpgradeMessage{Code: 2038, When: 1, Message: text, Unknown: []byte(`{"kind":"secret","names":["token","password"]}`)}
		messages = append(messages, journal.TranscriptMessage{UpgradeMessage: m, Nth: 1})
	}
	add(t, tr, journal.TranscriptLine{Messages: messages})
	_, lines := readBack(t, j, tr.ID())
	for i, m := range lines[0].Messages {
		if m.Message != ordinary[i] || string(m.Unknown) != string(messages[i].Unknown) {
			t.Errorf("%q came back as %q with %s", ordinary[i], m.Message, m.Unknown)
		}
	}
}

func TestASecretIsMaskedHoweverItsNameIsWritten(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"token=", "TOKEN=", "to\u212aen=", "Api_Key=", "apikey=", "my-client.ſecret=", "DB_PASSWORD=", "dbPassphrase=", "credentials=",
		`{"privateKey":0,"Paſsword":"`, `"PassPhrase" : "`, `"api_key":"`, "Authorization: BEARER ", "bearer\t",
	} {
		got := journal.Storable(adminapi.UpgradeMessage{Message: "x " + name + canary + " y"})
		if strings.Contains(got.Message, canary) {
			t.Errorf("%q: %s", name, got.Message)
		}
		if again := journal.Storable(got); again.Message != got.Message {
			t.Errorf("%q is not stable: %q, then %q", name, got.Message, again.Message)
		}
	}
}
