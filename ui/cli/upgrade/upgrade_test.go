package upgrade_test

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest/clitest"
)

// TestMain makes this test binary the program itself where a test starts geodeck as a process.
func TestMain(m *testing.M) { clitest.Main(m) }

func TestAnUpgradeWhoseAnswerIsLostIsPostedOnce(t *testing.T) {
	t.Parallel()
	for scenario, want := range map[string]struct {
		code int
		says string
	}{
		"healthy":                    {0, "sending the upgrade"},
		"answer-lost-before-headers": {0, "only the answer was lost"},
		"answer-lost-after-headers":  {0, "only the answer was lost"},
		"answer-lost-mid-body":       {0, "only the answer was lost"},
		"answer-lost-502":            {0, "only the answer was lost"},
		"answer-lost-not-performed":  {6, "the outcome is unknown"},
	} {
		t.Run(scenario, func(t *testing.T) {
			u := clitest.NewUpgrading(t, scenario)
			r := u.Run(t.Context(), "upgrade", "start", clitest.Release12, "--license", u.Licence, "--accept", "health,placement", "--confirm", "12.0.0.7286")
			if r.Code != want.code || !strings.Contains(r.Err, want.says) {
				t.Errorf("exit code %d, want %d; it says\n%s", r.Code, want.code, r.Err)
			}
			if n := u.Wire.Count(clitest.PostLine); n != 1 {
				t.Errorf("%d posts of the upgrade, want 1", n)
			}
			if record := u.LastWrite(); (record.Outcome == adminapi.OutcomeDone) != (want.code == 0) {
				t.Errorf("the journal says %s: %s", record.Outcome, record.Note)
			}
			u.ExpectHidden(r)
		})
	}
}

// What is found after a lost answer may have ended by then: outcome and verdict say how.
func TestAStartThatIsFoundToHaveEndedIsPrintedSo(t *testing.T) {
	t.Parallel()
	for scenario, want := range map[string]struct {
		code    int
		printed string
	}{
		"healthy":     {0, `,"outcome":"done","verdict":"succeeded","status":{"state":"success",`},
		"patch-fails": {1, `,"outcome":"failed","verdict":"rolled back","status":{"state":"failed",`},
	} {
		u := clitest.NewUpgrading(t, scenario)
		u.Through(func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/upgrades/upgrade") {
				return false
			}
			clitest.Forward(httptest.NewRecorder(), r, u.Wire.URL)
			_ = u.Clock.Sleep(r.Context(), 12*time.Hour)
			panic(http.ErrAbortHandler)
		})
		args := strings.Fields("upgrade start pat_12082025_6805 --accept clock,health,placement --confirm 11.5.0.6805 -o jsonl")
		if r := u.Run(t.Context(), args...); r.Code != want.code || !strings.Contains(r.Out, want.printed) {
			t.Errorf("%s: exit code %d, want %d; it prints\n%s%s", scenario, r.Code, want.code, r.Out, r.Err)
		}
	}
}

func TestAnEarlierStartOfUnknownOutcomeIsToldAtTheNext(t *testing.T) {
	t.Parallel()
	u := clitest.NewUpgrading(t, "answer-lost-not-performed")
	start := []string{"upgrade", "start", clitest.Release12, "--license", u.Licence, "--accept", "health,placement", "--confirm", "12.0.0.7286"}
	if r := u.Run(t.Context(), start...); strings.Contains(r.Err, "an earlier request") {
		t.Errorf("the first start tells of an earlier one:\n%s", r.Err)
	}
	r := u.Run(t.Context(), start...)
	if r.Code != 6 || !strings.Contains(r.Err, "an earlier request to start the upgrade (12.0.0.7286) was sent at ") || !strings.Contains(r.Err, "nothing was sent") {
		t.Errorf("exit code %d, the second start does not tell of the first:\n%s", r.Code, r.Err)
	}
	if r := u.Run(t.Context(), "upgrade", "explain"); r.Code != 1 || !strings.Contains(r.Out, "Outcome unknown: start the upgrade (12.0.0.7286)") {
		t.Errorf("it is explained: exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
	again := append(start, "--again", "12.0.0.7286")
	if r := u.Run(t.Context(), again...); r.Code != 6 || !strings.Contains(r.Err, "on (in 9 min") {
		t.Errorf("too soon: exit code %d, it says\n%s", r.Code, r.Err)
	}
	if n := u.Wire.Count(clitest.PostLine); n != 1 {
		t.Errorf("%d posts of the upgrade, want 1", n)
	}
	if err := u.Clock.Sleep(t.Context(), 10*time.Minute); err != nil {
		t.Fatal(err)
	}
	if r := u.Run(t.Context(), append(start, "--again", "11.5.0.6805")...); r.Code != 2 || !strings.Contains(r.Err, `"12.0.0.7286"`) {
		t.Errorf("another version: exit code %d, it says\n%s", r.Code, r.Err)
	}
	if r := u.Run(t.Context(), again...); r.Code != 0 || u.Wire.Count(clitest.PostLine) != 2 {
		t.Errorf("sent again: exit code %d, %d posts, it says\n%s", r.Code, u.Wire.Count(clitest.PostLine), r.Err)
	}
}

func TestAnUpgradeThatIsInterruptedWhileItIsSentIsNotKnown(t *testing.T) {
	t.Parallel()
	u := clitest.NewUpgrading(t, "answer-lost-silent")
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	u.Wire.OnSeen(clitest.PostLine, interrupt)
	r := u.Run(ctx, "upgrade", "start", clitest.Release12, "--license", u.Licence, "--accept", "health,placement", "--confirm", "12.0.0.7286", "-o", "json")
	if r.Code != 130 || !strings.Contains(r.Err, "whether the upgrade has begun is unknown") {
		t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
	}
	if n := u.Wire.Count(clitest.PostLine); n != 1 {
		t.Errorf("%d posts of the upgrade, want 1", n)
	}
	u.ExpectHidden(r)
}

func TestADryRunSendsNothing(t *testing.T) {
	t.Parallel()
	u := clitest.NewUpgrading(t, "healthy")
	r := u.Run(t.Context(), "upgrade", "start", clitest.Release12, "--license", u.Licence, "--accept", "health,placement", "--dry-run")
	if r.Code != 0 || !strings.Contains(r.Out, `"value":"(its upload id is filled in automatically)"`) {
		t.Errorf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
	if !strings.Contains(r.Err, "caution: Upgrade pods need a node labelled") {
		t.Errorf("it does not say whose pods run where:\n%s", r.Err)
	}
	for _, sent := range []string{clitest.PostLine, "/uploads/upload", clitest.LicenceTag} {
		if u.Wire.Count(sent) != 0 {
			t.Errorf("%q was sent", sent)
		}
	}
	u.ExpectHidden(r)
}

func TestTheRecordAndTheEvidenceSayWhatWasAcceptedByItsWord(t *testing.T) {
	t.Parallel()
	u := clitest.NewUpgrading(t, "healthy")
	if r := u.Run(t.Context(), "upgrade", "start", clitest.Release12, "--license", u.Licence, "--accept", "health,placement,order", "--confirm", "12.0.0.7286", "--reason", "CHG-123"); r.Code != 0 {
		t.Fatal(r.Err)
	}
	const said = "Upgrade pods need a node labelled"
	id := u.LastWrite().ID
	if r := u.Run(t.Context(), "log", id); r.Code != 0 || !strings.Contains(r.Out, "placement: "+said) || strings.Contains(r.Out, "order: ") {
		t.Errorf("exit code %d, the log says\n%s%s", r.Code, r.Out, r.Err)
	}
	if r := u.Run(t.Context(), "log", id, "-o", "json"); !strings.Contains(r.Out, `"word": "placement"`) {
		t.Errorf("as JSON it says\n%s%s", r.Out, r.Err)
	}
	if r := u.Run(t.Context(), "log", "--verify"); r.Code != 0 {
		t.Errorf("exit code %d, the check says\n%s%s", r.Code, r.Out, r.Err)
	}
	path := filepath.Join(t.TempDir(), "evidence.zip")
	if r := u.Run(t.Context(), "upgrade", "evidence", "--out", path); r.Code != 0 {
		t.Fatal(r.Err)
	}
	evidence, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer evidence.Close()
	summary, err := fs.ReadFile(evidence, "summary.md")
	if err != nil || !strings.Contains(string(summary), "## Reason of the start\n\nCHG-123\n\n## Accepted before the start") || !strings.Contains(string(summary), "- placement: "+said) {
		t.Errorf("the evidence says\n%s%v", summary, err)
	}
}

func TestNothingIsUploadedForAnUpgradeThatIsBlocked(t *testing.T) {
	t.Parallel()
	u := clitest.NewUpgrading(t, "required-patch-first")
	r := u.Run(t.Context(), "upgrade", "start", clitest.Release12, "--license", u.Licence, "--accept", "health,placement", "--confirm", "12.0.0.7286")
	if r.Code != 4 || !strings.Contains(r.Err, "pat_07102025_6820") {
		t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
	}
	if u.Wire.Count(clitest.PostLine) != 0 || u.Wire.Count("/uploads/upload") != 0 {
		t.Error("something was sent")
	}
}

func TestALicenceThatIsNoGoodIsRefusedHere(t *testing.T) {
	t.Parallel()
	u := clitest.NewUpgrading(t, "healthy")
	folder := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	large := file("large.json", "{}")
	if err := os.Truncate(large, 200<<20); err != nil {
		t.Fatal(err)
	}
	cases := map[string][2]string{
		"a folder":        {folder, "is a folder"},
		"missing":         {filepath.Join(folder, "none.json"), "there is no file"},
		"200 MB":          {large, "has 200.0 MiB"},
		"not JSON":        {file("broken.json", `{"key": `+clitest.LicenceTag+`}`), "not JSON at line 1"},
		"empty":           {file("empty.json", ""), "is empty"},
		"its extension":   {file("licence.ecp", "{}"), "must end in .json"},
		"a device":        {os.DevNull, "not a regular file"},
		"may not be read": {file("unreadable.json", "{}"), "may not be read"},
	}
	if err := os.Chmod(cases["may not be read"][0], 0); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		delete(cases, "may not be read") // of root nothing is kept
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := u.Run(t.Context(), "upgrade", "start", clitest.Release12, "--license", c[0], "--accept", "health,placement", "--confirm", "12.0.0.7286")
			if r.Code != 2 || !strings.Contains(r.Err, c[1]) {
				t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
			}
			u.ExpectHidden(r)
		})
	}
	if u.Wire.Count(clitest.PostLine) != 0 || u.Wire.Count("/uploads/upload") != 0 {
		t.Error("something was sent")
	}
}

// A16: before anything is uploaded, the version that the file names is compared with the target.
func TestALicenceOfAnotherVersionHasToBeAcceptedBeforeItIsUploaded(t *testing.T) {
	t.Parallel()
	u := clitest.NewUpgrading(t, "healthy")
	path := filepath.Join(t.TempDir(), "licence.json")
	if err := os.WriteFile(path, simtest.Licence("11.5"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := u.Run(t.Context(), "upgrade", "start", clitest.Release12, "--license", path, "--accept", "health,placement", "--confirm", "12.0.0.7286")
	if r.Code != 4 || !strings.Contains(r.Err, "--accept licence  danger: The licence is for 11.5, not for 12.0.0.7286.") || u.Wire.Count("/uploads/upload") != 0 {
		t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
	}
	// A dry run judges it as the plan and the start do, and a refusal in JSON names operation and findings.
	start := []string{"upgrade", "start", clitest.Release12, "--license", path}
	if r := u.Run(t.Context(), append(start, "--dry-run")...); r.Code != 4 || !strings.Contains(r.Err, "--accept licence  danger: The licence is for 11.5, not for 12.0.0.7286.") {
		t.Errorf("exit code %d, the dry run says\n%s", r.Code, r.Err)
	}
	var dry, plan struct{ Checks []map[string]string }
	var judged struct {
		Sentence              string
		Accepted, NotAccepted []string
		Blocked               bool
	}
	if r := u.Run(t.Context(), append(start, "--dry-run", "-o", "json")...); json.Unmarshal([]byte(r.Out), &dry) != nil {
		t.Fatal(r.Out)
	}
	// What was given is said as the review says it, and a script sees that the start itself would be refused.
	r = u.Run(t.Context(), append(start, "--dry-run", "--accept", "health,placement", "-o", "json")...)
	if err := json.Unmarshal([]byte(r.Out), &judged); err != nil || !strings.Contains(judged.Sentence, "Licence: licence.json (") ||
		!strings.Contains(judged.Sentence, " bytes), for 11.5.") || !slices.Equal(judged.NotAccepted, []string{"licence"}) ||
		!slices.Equal(judged.Accepted, []string{"health", "placement"}) || judged.Blocked {
		t.Errorf("%v: %s", err, r.Out)
	}
	if r := u.Run(t.Context(), append(start, "--dry-run", "--accept", "health,placement")...); r.Code != 4 ||
		!strings.Contains(r.Err, "1 finding not accepted; nothing was sent") || strings.Contains(r.Out, "A new licence is needed") {
		t.Errorf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
	if r := u.Run(t.Context(), "upgrade", "plan", clitest.Release12, "--license", path, "-o", "json"); json.Unmarshal([]byte(r.Out), &plan) != nil {
		t.Fatal(r.Out)
	}
	if !reflect.DeepEqual(dry, plan) || len(plan.Checks) != 12 {
		t.Errorf("the dry run judges\n%v\nthe plan\n%v", dry, plan)
	}
	var refused struct {
		Error struct {
			Operation string
			Details   []string
			Findings  []map[string]string
		}
	}
	r = u.Run(t.Context(), append(start, "--accept", "health,placement", "--confirm", "12.0.0.7286", "-o", "json")...)
	line := r.Err[strings.Index(r.Err, `{"schemaVersion":1,"error"`):]
	if err := json.Unmarshal([]byte(line), &refused); err != nil || refused.Error.Operation != "start the upgrade to 12.0.0.7286" || len(refused.Error.Details) != 1 ||
		len(refused.Error.Findings) != 1 || refused.Error.Findings[0]["accept"] != "licence" || refused.Error.Findings[0]["strength"] != "danger" {
		t.Errorf("%v: %s", err, r.Err)
	}
}

func TestAManifestOfThousandsThatGoesInCirclesIsTakenAndTold(t *testing.T) {
	t.Parallel()
	u := clitest.NewUpgrading(t, "empty-manifest")
	path := filepath.Join(t.TempDir(), "manifest.dat")
	var versions []string
	for i := range 5000 {
		versions = append(versions, fmt.Sprintf(`{"id": "pat_%d", "type": "patch", "version": "11.5.0", "build": "%d", "previousBuild": "%d", "releaseBuild": "6745"}`,
			i, 7000+i, 7000+(i+1)%5000))
	}
	content := `{"versions": [` + strings.Join(versions, ",") + `], "signature": "x"}`
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	r := u.Run(t.Context(), "upgrade", "import-manifest", path)
	if r.Code != 0 || !strings.Contains(r.Out, "5000 patches") || !strings.Contains(r.Err, "contradicts itself") {
		t.Errorf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
	r = u.Run(t.Context(), "upgrade", "start", "pat_4999", "--manifest-file", path, "--accept", "health,placement", "--confirm", "11.5.0.11999")
	if r.Code != 4 || u.Wire.Count(clitest.PostLine) != 0 {
		t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
	}
}

// TestATranscriptThatLacksMessagesSaysSoWhereItIsListedAndPrinted: also to a script.
func TestATranscriptThatLacksMessagesSaysSoWhereItIsListedAndPrinted(t *testing.T) {
	t.Parallel()
	clock := simtest.NewSteppedClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	server := clitest.NewSite(t, simulator.Options{Clock: clock})
	base, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	j, err := journal.Open(state, journal.SiteOf(base), journal.WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	began := adminapi.Millis(clock.Now().UnixMilli())
	transcript, err := j.OpenTranscript(journal.TranscriptRun{Began: began, Start: "from 11.4 to 11.5"})
	if err != nil {
		t.Fatal(err)
	}
	line := journal.TranscriptLine{State: "success", Code: 3, Meaning: "succeeded", Ended: true}
	for _, m := range []adminapi.UpgradeMessage{
		{Code: 2010, Message: "from 11.4 to 11.5", When: began}, adminapi.MessagesLeftOut(1234, began+1), {Code: 2038, Message: "the newest", When: began + 2},
	} {
		line.Messages = append(line.Messages, journal.TranscriptMessage{UpgradeMessage: m, Nth: 1})
	}
	if err := transcript.Append(line); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"upgrade transcripts", "2, 1234 left out"},
		{"upgrade transcripts -o json", `"messagesLeftOut": 1234`},
		{"upgrade transcripts " + transcript.ID(), "1,234 messages are left out: too many to keep."},
		{"upgrade transcripts -o jsonl " + transcript.ID(), "1,234 messages are left out"},
	} {
		args := append(strings.Fields(c.args), "--url", server.URL(), "--state-dir", state)
		if r := clitest.RunInProcess(t, clock, nil, args...); r.Code != 0 || !strings.Contains(r.Out, c.want) {
			t.Errorf("%s: exit code %d\n%s%s", c.args, r.Code, r.Out, r.Err)
		}
	}
}

// The record of a request tells its end once a command has read that, though nobody has watched.
func TestACommandThatReadsTheEndOfAnUpgradeRecordsIt(t *testing.T) {
	t.Parallel()
	for _, reads := range []string{"upgrade status", "upgrade explain"} {
		clock, env := clitest.SiteToEdit(t, "patch-fails")
		run := func(line string) clitest.Result { return clitest.RunInProcess(t, clock, env, strings.Fields(line)...) }
		if r := run("upgrade start pat_12082025_6805 --accept clock,health,placement --confirm 11.5.0.6805"); r.Code != 0 {
			t.Fatalf("%+v", r)
		}
		if r := run("log"); !strings.Contains(r.Out, "no end seen yet") {
			t.Errorf("before: %+v", r)
		}
		if err := clock.Sleep(t.Context(), 12*time.Hour); err != nil {
			t.Fatal(err)
		}
		if r := run(reads); r.Code != 1 {
			t.Errorf("%s: %+v", reads, r)
		}
		if r := run("log"); !strings.Contains(r.Out, "has undone it") || strings.Contains(r.Out, "no end seen yet") {
			t.Errorf("after %s: %+v", reads, r)
		}
	}
}

// stoppingClock is one whose pauses end as those of a program that is stopped, after some.
type stoppingClock struct {
	simulator.Clock
	left int
}

func (c *stoppingClock) Sleep(ctx context.Context, d time.Duration) error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return c.Clock.Sleep(ctx, d)
}

// Who watches an upgrade of their own again is told what came since, and nothing twice.
func TestAWatchOfOnesOwnUpgradeGoesOnWhereItEnded(t *testing.T) {
	t.Parallel()
	clock, env := clitest.SiteToEdit(t, "healthy")
	run := func(line string) clitest.Result { return clitest.RunInProcess(t, clock, env, strings.Fields(line)...) }
	messages := func(r clitest.Result) (lines []string) {
		for line := range strings.Lines(r.Out) {
			if _, message, is := strings.Cut(line, `"code":`); is && strings.Contains(line, `"raw"`) { // the address differs
				lines = append(lines, message)
			}
		}
		return lines
	}
	if r := run("upgrade start pat_12082025_6805 --accept clock,health,placement --confirm 11.5.0.6805"); r.Code != 0 {
		t.Fatalf("%+v", r)
	}
	first := clitest.RunInProcess(t, &stoppingClock{clock, 60}, env, "upgrade", "watch", "-o", "jsonl")
	if err := clock.Sleep(t.Context(), 10*time.Minute); err != nil {
		t.Fatal(err)
	}
	second := run("upgrade watch -o jsonl")
	if first.Code == 0 || second.Code != 0 || len(messages(first)) == 0 {
		t.Fatalf("exit codes %d and %d; %d messages\n%s", first.Code, second.Code, len(messages(first)), first.Err+second.Err)
	}
	clock, env = clitest.SiteToEdit(t, "healthy") // the same again, in one go
	run("upgrade start pat_12082025_6805 --accept clock,health,placement --confirm 11.5.0.6805")
	told, want := append(messages(first), messages(second)...), messages(run("upgrade watch -o jsonl"))
	if !slices.Equal(told, want) {
		t.Errorf("two watches have told %d messages, and one tells %d:\n%s", len(told), len(want), strings.Join(told, ""))
	}
	clock, env = clitest.SiteToEdit(t, "healthy") // and once more, with all of it again
	run("upgrade start pat_12082025_6805 --accept clock,health,placement --confirm 11.5.0.6805")
	clitest.RunInProcess(t, &stoppingClock{clock, 60}, env, "upgrade", "watch", "-o", "jsonl")
	if told := messages(run("upgrade watch --from-start -o jsonl")); len(told) <= len(want) || !slices.Equal(told[len(told)-len(want):], want) {
		t.Errorf("from the start a watch that goes on tells %d messages, one without %d:\n%s", len(told), len(want), strings.Join(told, ""))
	}
}
