package journal_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
)

var theRun = journal.TranscriptRun{
	Began: 1_700_000_000_000, Start: "The upgrade from 11.4 to 11.5 has started.", From: "11.4", To: "11.5", Here: true,
}

func transcript(t testing.TB, j *journal.Journal, of journal.TranscriptRun) *journal.Transcript {
	t.Helper()
	opened, err := j.OpenTranscript(of)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func add(t testing.TB, to *journal.Transcript, line journal.TranscriptLine) {
	t.Helper()
	if err := to.Append(line); err != nil {
		t.Fatal(err)
	}
}

func readBack(t testing.TB, j *journal.Journal, id string) (journal.TranscriptSummary, []journal.TranscriptLine) {
	t.Helper()
	summary, lines, err := j.ReadTranscript(id)
	if err != nil {
		t.Fatal(err)
	}
	return summary, lines
}

// numbered returns messages that all differ.
func numbered(from, to int) []journal.TranscriptMessage {
	messages := make([]journal.TranscriptMessage, 0, to-from)
	for i := from; i < to; i++ {
		m := adminapi.UpgradeMessage{Code: 2038, Message: fmt.Sprintf("The deployment arcgis-component-%d is updated.", i), When: adminapi.Millis(1_700_000_000_000 + 10*i)}
		messages = append(messages, journal.TranscriptMessage{UpgradeMessage: m, Nth: 1})
	}
	return messages
}

func texts(lines []journal.TranscriptLine) (all []string) {
	for _, line := range lines {
		for _, m := range line.Messages {
			all = append(all, fmt.Sprintf("%d %d %s %d", m.Code, m.When, m.Message, m.Nth))
		}
	}
	return all
}

func list(t testing.TB, j *journal.Journal) []journal.TranscriptSummary {
	t.Helper()
	all, err := j.Transcripts()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestATranscriptGivesBackWhatWasKept(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	tr := transcript(t, j, theRun)
	told := numbered(0, 3)
	told[1].Unknown = []byte(`{"nth":7,"severity":"info","more":{"code":1}}`)
	told[2] = told[0]
	told[2].Nth, told[2].Among = 2, 3
	lines := []journal.TranscriptLine{
		{State: "in_progress", Code: 1, Meaning: "in progress", Ahead: -90 * time.Minute, Messages: told},
		{Unreachable: "the connection was refused"},
		{Back: true, Messages: numbered(3, 5)},
		{State: "success", Code: 3, Meaning: "success", Ended: true, Messages: numbered(5, 6)},
	}
	for _, line := range lines {
		add(t, tr, line)
	}
	summary, back := readBack(t, open(t, strings.TrimSuffix(j.Folder(), "/"+lastPart(j.Folder()))), tr.ID())
	for i := range back {
		if back[i].Time.IsZero() {
			t.Errorf("line %d has no time", i)
		}
		back[i].Time = time.Time{}
	}
	if got, want := fmt.Sprintf("%+v", back), fmt.Sprintf("%+v", lines); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if summary.TranscriptRun != theRun || summary.Messages != 6 || summary.State != "success" || !summary.Ended || summary.Damaged != 0 || summary.Ahead != -90*time.Minute {
		t.Errorf("summary: %+v", summary)
	}
	if all := list(t, j); len(all) != 1 || all[0] != summary {
		t.Errorf("listed as %+v, read as %+v", all, summary)
	}
}

func lastPart(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

func TestAMessageOfTwoWritersIsStoredOnce(t *testing.T) {
	t.Parallel()
	folder := place(t)
	a, b := open(t, folder), open(t, folder)
	first, second := transcript(t, a, theRun), transcript(t, b, theRun)
	add(t, first, journal.TranscriptLine{State: "in_progress", Meaning: "in progress", Messages: numbered(0, 2000)})
	add(t, second, journal.TranscriptLine{Messages: numbered(1000, 3000)})
	add(t, first, journal.TranscriptLine{Messages: numbered(2500, 3001)})
	summary, lines := readBack(t, a, first.ID())
	if want := texts([]journal.TranscriptLine{{Messages: numbered(0, 3001)}}); !slices.Equal(texts(lines), want) {
		t.Errorf("%d messages came back", len(texts(lines)))
	}
	if all := list(t, b); len(all) != 1 || all[0] != summary || summary.Messages != 3001 {
		t.Errorf("listed %+v, read %+v", all, summary)
	}
}

func TestARunIsOursIfAnyWriterHasStartedIt(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	theirs := theRun
	theirs.Here = false
	tr := transcript(t, j, theirs)
	add(t, tr, journal.TranscriptLine{State: "in_progress", Messages: numbered(0, 1)})
	add(t, transcript(t, j, theRun), journal.TranscriptLine{Messages: numbered(1, 2)})
	add(t, tr, journal.TranscriptLine{Messages: numbered(2, 3)})
	if summary, _ := readBack(t, j, tr.ID()); !summary.Here || list(t, j)[0] != summary {
		t.Errorf("read %+v, listed %+v", summary, list(t, j))
	}
}

// Of a run that nothing was told of yet it is known whose it is, and since when it is watched.
func TestATranscriptWithoutALineSaysWhatIsKnown(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	ours := theRun
	ours.Record = "AAAAAAAA-1"
	tr := transcript(t, j, ours)
	summary, lines := readBack(t, j, tr.ID())
	if len(lines) != 0 || summary.TranscriptRun != ours || summary.Opened.IsZero() || !summary.Last.Equal(summary.Opened) || summary.Messages != 0 {
		t.Errorf("%+v", summary)
	}
	if all := list(t, j); len(all) != 1 || all[0] != summary {
		t.Errorf("listed as %+v, read as %+v", all, summary)
	}
	add(t, tr, journal.TranscriptLine{State: "in_progress"})
	if later, _ := readBack(t, j, tr.ID()); !later.Opened.Equal(summary.Opened) || !later.Last.After(later.Opened) || later.TranscriptRun != ours {
		t.Errorf("%+v", later)
	}
}

// That the site answers again, that it was silent, and that the run has ended is news without any message.
func TestEveryNewsOfARunIsKept(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	tr := transcript(t, j, theRun)
	news := []journal.TranscriptLine{
		{Unreachable: "the connection was refused"}, {Back: true}, {Stalled: theRun.Began}, {Ahead: time.Minute}, {Code: 2}, {Meaning: "in progress"}, {Ended: true},
	}
	for _, line := range append(news, journal.TranscriptLine{}) {
		add(t, tr, line)
	}
	summary, back := readBack(t, j, tr.ID())
	for i := range back {
		back[i].Time = time.Time{}
	}
	if got, want := fmt.Sprintf("%+v", back), fmt.Sprintf("%+v", news); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !summary.Ended || summary.Ahead != time.Minute || summary.Meaning != "in progress" {
		t.Errorf("%+v", summary)
	}
}

// A run is known by either: the first message may have come without its text, or by a clock that is not known.
func TestRunsThatDifferInOneThingHaveTranscriptsOfTheirOwn(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	runs := []journal.TranscriptRun{{Began: 1}, {Began: 2}, {Start: "one"}, {Start: "two"}, {Began: 1, Start: "one"}, {}}
	found := map[string]bool{}
	for range 2 {
		for _, run := range runs {
			tr := transcript(t, j, run)
			add(t, tr, journal.TranscriptLine{State: "in_progress"})
			found[tr.ID()] = true
		}
	}
	if len(found) != len(runs) {
		t.Errorf("%d runs have %d transcripts", len(runs), len(found))
	}
}

func TestAnUnidentifiedRunHasATranscript(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	before := transcript(t, j, theRun)
	add(t, before, journal.TranscriptLine{Ended: true})
	untold := transcript(t, j, journal.TranscriptRun{})
	add(t, untold, journal.TranscriptLine{State: "in_progress", Meaning: "in progress"})
	if again := transcript(t, j, list(t, j)[0].TranscriptRun); again.ID() != untold.ID() {
		t.Errorf("opened again it is %s, not %s", again.ID(), untold.ID())
	}
	add(t, untold, journal.TranscriptLine{State: "success", Meaning: "success", Ended: true})
	add(t, untold, journal.TranscriptLine{Unreachable: "it restarts"}) // its end stays seen
	later := transcript(t, j, journal.TranscriptRun{})
	if later.ID() == untold.ID() {
		t.Error("a run is taken for one that has ended")
	}
	told := transcript(t, j, journal.TranscriptRun{Began: theRun.Began + 1, Start: "start"})
	if all := list(t, j); !slices.Equal(ids(all), []string{told.ID(), later.ID(), untold.ID(), before.ID()}) {
		t.Errorf("order: %+v", all)
	}
	if next := transcript(t, j, journal.TranscriptRun{}); next.ID() == later.ID() {
		t.Error("a later run is taken for the one before")
	}
}

func ids(all []journal.TranscriptSummary) (names []string) {
	for _, s := range all {
		names = append(names, s.ID)
	}
	return names
}

func TestATranscriptCutAtEveryByteHarmsNothing(t *testing.T) {
	t.Parallel()
	folder := place(t)
	j := open(t, folder)
	tr := transcript(t, j, theRun)
	add(t, tr, journal.TranscriptLine{State: "in_progress", Meaning: "in progress", Messages: numbered(0, 2)})
	add(t, tr, journal.TranscriptLine{State: "success", Meaning: "success", Ended: true, Messages: numbered(2, 3)})
	path := j.TranscriptPath(tr.ID())
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := open(t, folder)
	for size := range len(whole) {
		if err := os.WriteFile(path, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		kept := strings.Count(string(whole[:size]), "\n")
		wantCut(t, j, tr.ID(), kept)
		again := transcript(t, other, theRun) // a writer that has seen nothing yet
		add(t, again, journal.TranscriptLine{Messages: numbered(0, 4)})
		summary, lines := readBack(t, j, tr.ID())
		if summary.Messages != 4 || len(texts(lines)) != 4 || summary.Damaged != 0 {
			t.Fatalf("cut at %d: %+v", size, summary)
		}
		if all := list(t, j); len(all) != 1 || all[0] != summary {
			t.Fatalf("cut at %d: listed %+v, read %+v", size, all, summary)
		}
	}
}

// wantCut checks a transcript of which only the first lines are whole.
func wantCut(t *testing.T, j *journal.Journal, id string, whole int) {
	t.Helper()
	all := list(t, j)
	if whole == 0 {
		if len(all) != 0 {
			t.Fatalf("listed without a head: %+v", all)
		}
		return
	}
	summary, lines := readBack(t, j, id)
	if len(lines) != whole-1 || len(all) != 1 || all[0] != summary || summary.Messages != []int{0, 2, 3}[whole-1] {
		t.Fatalf("with %d whole lines: %+v, listed %+v", whole, summary, all)
	}
}

func TestALongListOfMessagesBecomesSeveralLines(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	tr := transcript(t, j, theRun)
	messages := numbered(0, 12_000)
	messages[7].Message = strings.Repeat("\x01", 3<<20) // each six bytes in the file
	messages[8].Unknown = []byte(`{"trace":"` + strings.Repeat("x", 500<<10) + `"}`)
	messages[9].Unknown = []byte(`{"trace":"` + strings.Repeat("x", 20<<20) + `"}`)
	messages[10].Message = strings.Repeat("\x01", 500<<10)
	messages[10].Unknown = []byte(`{"token":[1` + strings.Repeat(",1", 250<<10) + `]}`) // each masked
	add(t, tr, journal.TranscriptLine{State: "success", Back: true, Ended: true, Messages: messages})
	summary, lines := readBack(t, j, tr.ID())
	if summary.Messages != len(messages) || len(texts(lines)) != len(messages) || summary.Damaged != 0 {
		t.Fatalf("got %+v", summary)
	}
	if len(lines) < 12 || !lines[0].Back || lines[0].Ended || !lines[len(lines)-1].Ended {
		t.Errorf("%d lines, first %v, last %v", len(lines), lines[0].Back, lines[len(lines)-1].Ended)
	}
	if got := longest(t, j.TranscriptPath(tr.ID())); got > 14<<20 {
		t.Errorf("a line has %d bytes", got)
	}
	if got := lines[0].Messages; len(got[7].Message) > 512<<10 || !strings.HasSuffix(got[7].Message, "…") {
		t.Errorf("the long text came back with %d bytes", len(got[7].Message))
	}
	before, _ := os.Stat(j.TranscriptPath(tr.ID()))
	again := transcript(t, open(t, filepath.Dir(j.Folder())), theRun)
	add(t, again, journal.TranscriptLine{Messages: messages})
	if after, _ := os.Stat(j.TranscriptPath(tr.ID())); after.Size() != before.Size() {
		t.Error("what was shortened is kept again")
	}
}

func longest(t *testing.T, path string) (most int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		most = max(most, len(lines.Bytes()))
	}
	if lines.Err() != nil {
		t.Fatal(lines.Err())
	}
	return most
}

// Together they are longer than any line may be.
func TestAListOfLongMessagesBecomesSeveralLines(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	tr := transcript(t, j, theRun)
	messages := numbered(0, 36)
	for i := range messages {
		messages[i].Message = fmt.Sprintf("%02d", i) + strings.Repeat("x", 512<<10-2) // the longest that is not cut
	}
	add(t, tr, journal.TranscriptLine{Messages: messages})
	_, lines := readBack(t, j, tr.ID())
	if got, want := texts(lines), texts([]journal.TranscriptLine{{Messages: messages}}); !slices.Equal(got, want) {
		t.Errorf("%d messages came back", len(got))
	}
	if len(lines) < 10 || longest(t, j.TranscriptPath(tr.ID())) > 4<<20 {
		t.Errorf("they are in %d lines", len(lines))
	}
}

// The newest run is offered first, whenever its transcript was opened; of one time that which was opened last.
func TestTranscriptsAreInTheOrderOfTheirRuns(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	if all := list(t, j); len(all) != 0 {
		t.Errorf("before there is one: %+v", all)
	}
	var want []string
	for _, run := range []journal.TranscriptRun{
		{Began: 5000, Start: "five"}, {Began: 3000, Start: "three a"}, {Began: 3000, Start: "three b"}, {Began: 3000, Start: "three c"}, {Began: 3000, Start: "three d"},
		{Began: 4000, Start: "four"},
	} {
		want = append(want, transcript(t, j, run).ID())
	}
	want = []string{want[0], want[5], want[4], want[3], want[2], want[1]}
	if got := ids(list(t, j)); !slices.Equal(got, want) {
		t.Errorf("they are %q, not %q", got, want)
	}
}

func TestAMessageIsStoredWhateverItsMembers(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	tr := transcript(t, j, theRun)
	messages := numbered(0, 5)
	messages[0].Unknown = []byte(`{"a":1,"a":2,"message":"mine"}`) // names twice
	messages[1].Unknown = []byte("{\"a\":\"\xff\"}")
	messages[2].Unknown = []byte(`[1]`)
	messages[3].Unknown = []byte(`{"a":`)
	messages[4].Message, messages[4].Nth = "broken \xff\xfe UTF-8\nand \u2028 lines", 0
	add(t, tr, journal.TranscriptLine{Messages: messages})
	_, lines := readBack(t, j, tr.ID())
	got := lines[0].Messages
	if len(got) != 5 || string(got[0].Unknown) != `{"a":1,"a":2}` || got[4].Nth != 1 || got[4].Message != "broken \uFFFD UTF-8\nand \u2028 lines" {
		t.Errorf("got %v", got)
	}
}

func TestNobodyElseCanReadATranscript(t *testing.T) {
	t.Parallel()
	folder := place(t)
	j := open(t, folder)
	tr := transcript(t, j, theRun)
	if err := os.Chmod(filepath.Dir(j.TranscriptPath(tr.ID())), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(j.TranscriptPath(tr.ID()), 0o644); err != nil {
		t.Fatal(err)
	}
	add(t, transcript(t, j, theRun), journal.TranscriptLine{Unreachable: "x"})
	wantPrivate(t, folder, 5)
}

func TestATranscriptHoldsNoSecret(t *testing.T) {
	t.Parallel()
	folder := place(t)
	j := open(t, folder)
	start := "Started with token=" + canary
	tr := transcript(t, j, journal.TranscriptRun{Began: 5, Start: start, From: "password=" + canary})
	messages := numbered(0, 8)
	messages[0].Message = "cannot ask https://gis.example.org/ctx?token=" + canary + "&f=json"
	messages[1].Message = `{"adminPassword":"` + canary + `","count":2}`
	messages[2].Message = "Authorization: Bearer " + canary
	messages[3].Unknown = []byte(`{"url":"https://x?a=1&token=` + canary + `","count":12345678901234567890}`)
	messages[4].Unknown = []byte(`{"more":[{"api_key":"` + canary + `","passwords":["` + canary + `","` + canary + `"],"note":"n"}]}`)
	messages[5].Unknown = []byte(`{"text":"say \"token=` + canary + `\" twice","secret":12}`)
	messages[6].Message = "the store https://jane:" + canary + `@host/ refuses {\"password\":\"` + canary + `\"}`
	messages[7].Unknown = []byte(`{"credentials":{"user":"jane","value":"` + canary + `"},"settings":[{"value":"` + canary + `","id":"dbPassword"}]}`)
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
	if summary.Messages != 8 || got[1].Message != `{"adminPassword":"[secret]","count":2}` {
		t.Errorf("got %+v, %q", summary, got[1].Message)
	}
	for i, want := range map[int]string{
		3: `{"url":"https://x?a=1&token=[secret]","count":12345678901234567890}`,
		4: `{"more":[{"api_key":"[secret]","passwords":["[secret]","[secret]"],"note":"n"}]}`,
		5: `{"text":"say \"token=[secret]\" twice","secret":"[secret]"}`,
		7: `{"credentials":{"user":"[secret]","value":"[secret]"},"settings":[{"value":"[secret]","id":"dbPassword"}]}`,
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
func TestOrdinaryMessagesAreStoredUnchanged(t *testing.T) {
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

// What is compared with what was told before is as it was stored then: also where masks make a text longer.
func TestATextThatWasStoredStaysAsItIs(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	tr := transcript(t, j, theRun)
	add(t, tr, journal.TranscriptLine{State: strings.Repeat("pwd=a ", 650)})
	_, lines := readBack(t, j, tr.ID())
	stored := lines[0].State
	add(t, tr, journal.TranscriptLine{State: stored})
	if _, lines = readBack(t, j, tr.ID()); lines[1].State != stored || len(stored) > 4<<10 || !strings.HasPrefix(stored, "pwd=[secret] pwd=") {
		t.Errorf("%d bytes are stored as %d", len(stored), len(lines[1].State))
	}
}

func TestOtherFilesBesideTranscriptsAreNone(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	tr := transcript(t, j, theRun)
	for _, name := range []string{"README", ".jsonl", ".x.jsonl", "began.txt"} {
		put(t, filepath.Join(filepath.Dir(j.TranscriptPath(tr.ID())), name), "no transcript\n")
	}
	if all := list(t, j); len(all) != 1 || all[0].ID != tr.ID() {
		t.Errorf("listed are %+v", all)
	}
	if v, err := j.Verify(); err != nil || v.Unread != nil {
		t.Errorf("%+v, %v", v, err)
	}
}
