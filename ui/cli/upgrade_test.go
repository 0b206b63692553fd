package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/cli"
)

const (
	release12  = "rel_11122025_7286"
	licenceTag = "CANARY-7c2e-licence"
	postLine   = "POST /geodeck/admin/system/upgrades/upgrade HTTP"
)

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
			u := newUpgrading(t, scenario)
			r := u.run(t.Context(), "upgrade", "start", release12, "--license", u.licence, "--accept", "health,placement", "--confirm", "12.0.0.7286")
			if r.code != want.code || !strings.Contains(r.err, want.says) {
				t.Errorf("exit code %d, want %d; it says\n%s", r.code, want.code, r.err)
			}
			if n := u.wire.count(postLine); n != 1 {
				t.Errorf("%d posts of the upgrade, want 1", n)
			}
			if record := u.lastWrite(); (record.Outcome == adminapi.OutcomeDone) != (want.code == 0) {
				t.Errorf("the journal says %s: %s", record.Outcome, record.Note)
			}
			u.expectHidden(r)
		})
	}
}

func TestAnEarlierStartOfUnknownOutcomeIsToldAtTheNext(t *testing.T) {
	t.Parallel()
	u := newUpgrading(t, "answer-lost-not-performed")
	start := []string{"upgrade", "start", release12, "--license", u.licence, "--accept", "health,placement", "--confirm", "12.0.0.7286"}
	if r := u.run(t.Context(), start...); strings.Contains(r.err, "an earlier request") {
		t.Errorf("the first start tells of an earlier one:\n%s", r.err)
	}
	r := u.run(t.Context(), start...)
	if r.code != 6 || !strings.Contains(r.err, "an earlier request to start the upgrade (12.0.0.7286) was sent at ") || !strings.Contains(r.err, "nothing was sent") {
		t.Errorf("exit code %d, the second start does not tell of the first:\n%s", r.code, r.err)
	}
	again := append(start, "--again", "12.0.0.7286")
	if r := u.run(t.Context(), again...); r.code != 6 || !strings.Contains(r.err, "on (in 9 min") {
		t.Errorf("too soon: exit code %d, it says\n%s", r.code, r.err)
	}
	if n := u.wire.count(postLine); n != 1 {
		t.Errorf("%d posts of the upgrade, want 1", n)
	}
	if err := u.clock.Sleep(t.Context(), 10*time.Minute); err != nil {
		t.Fatal(err)
	}
	if r := u.run(t.Context(), append(start, "--again", "11.5.0.6805")...); r.code != 2 || !strings.Contains(r.err, `"12.0.0.7286"`) {
		t.Errorf("another version: exit code %d, it says\n%s", r.code, r.err)
	}
	if r := u.run(t.Context(), again...); r.code != 0 || u.wire.count(postLine) != 2 {
		t.Errorf("sent again: exit code %d, %d posts, it says\n%s", r.code, u.wire.count(postLine), r.err)
	}
}

func TestAnUpgradeThatIsInterruptedWhileItIsSentIsNotKnown(t *testing.T) {
	t.Parallel()
	u := newUpgrading(t, "answer-lost-silent")
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	u.wire.onSeen(postLine, interrupt)
	r := u.run(ctx, "upgrade", "start", release12, "--license", u.licence, "--accept", "health,placement", "--confirm", "12.0.0.7286", "-o", "json")
	if r.code != 130 || !strings.Contains(r.err, "whether the upgrade has begun is unknown") {
		t.Errorf("exit code %d, it says\n%s", r.code, r.err)
	}
	if n := u.wire.count(postLine); n != 1 {
		t.Errorf("%d posts of the upgrade, want 1", n)
	}
	u.expectHidden(r)
}

func TestADryRunSendsNothing(t *testing.T) {
	t.Parallel()
	u := newUpgrading(t, "healthy")
	r := u.run(t.Context(), "upgrade", "start", release12, "--license", u.licence, "--dry-run")
	if r.code != 0 || !strings.Contains(r.out, `"value":"(its upload id is filled in automatically)"`) {
		t.Errorf("exit code %d, it says\n%s%s", r.code, r.out, r.err)
	}
	if !strings.Contains(r.err, "warning: Upgrade pods need a node labelled") {
		t.Errorf("it does not say whose pods run where:\n%s", r.err)
	}
	for _, sent := range []string{postLine, "/uploads/upload", licenceTag} {
		if u.wire.count(sent) != 0 {
			t.Errorf("%q was sent", sent)
		}
	}
	u.expectHidden(r)
}

func TestNothingIsUploadedForAnUpgradeThatIsBlocked(t *testing.T) {
	t.Parallel()
	u := newUpgrading(t, "required-patch-first")
	r := u.run(t.Context(), "upgrade", "start", release12, "--license", u.licence, "--accept", "health,placement", "--confirm", "12.0.0.7286")
	if r.code != 4 || !strings.Contains(r.err, "pat_07102025_6820") {
		t.Errorf("exit code %d, it says\n%s", r.code, r.err)
	}
	if u.wire.count(postLine) != 0 || u.wire.count("/uploads/upload") != 0 {
		t.Error("something was sent")
	}
}

func TestALicenceThatIsNoGoodIsRefusedHere(t *testing.T) {
	t.Parallel()
	u := newUpgrading(t, "healthy")
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
		"not JSON":        {file("broken.json", `{"key": `+licenceTag+`}`), "not JSON at line 1"},
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
			r := u.run(t.Context(), "upgrade", "start", release12, "--license", c[0], "--accept", "health,placement", "--confirm", "12.0.0.7286")
			if r.code != 2 || !strings.Contains(r.err, c[1]) {
				t.Errorf("exit code %d, it says\n%s", r.code, r.err)
			}
			u.expectHidden(r)
		})
	}
	if u.wire.count(postLine) != 0 || u.wire.count("/uploads/upload") != 0 {
		t.Error("something was sent")
	}
}

func TestAManifestOfThousandsThatGoesInCirclesIsTakenAndTold(t *testing.T) {
	t.Parallel()
	u := newUpgrading(t, "empty-manifest")
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
	r := u.run(t.Context(), "upgrade", "import-manifest", path)
	if r.code != 0 || !strings.Contains(r.out, "5000 patches") || !strings.Contains(r.err, "contradicts itself") {
		t.Errorf("exit code %d, it says\n%s%s", r.code, r.out, r.err)
	}
	r = u.run(t.Context(), "upgrade", "start", "pat_4999", "--manifest-file", path, "--accept", "health,placement", "--confirm", "11.5.0.11999")
	if r.code != 4 || u.wire.count(postLine) != 0 {
		t.Errorf("exit code %d, it says\n%s", r.code, r.err)
	}
}

// upgrading is a site, the line to it, and what an upgrade needs.
type upgrading struct {
	t       *testing.T
	clock   simulator.Clock
	wire    *wire
	env     map[string]string
	licence string // of 12.0, with the tag in it
}

func newUpgrading(t *testing.T, scenario string) *upgrading {
	t.Helper()
	known, ok := simulator.BuiltIn(scenario)
	if !ok {
		t.Fatalf("there is no scenario %s", scenario)
	}
	clock := simtest.NewSteppedClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	server := newSite(t, simulator.Options{Scenario: known, Clock: clock})
	u := &upgrading{t: t, clock: clock, wire: newWire(t, server.URL()), licence: filepath.Join(t.TempDir(), "licence.json")}
	u.env = map[string]string{
		"GEODECK_URL": u.wire.url, "GEODECK_TOKEN": tokenOf(t, server, 0), "XDG_STATE_HOME": t.TempDir(),
	}
	if err := os.WriteFile(u.licence, []byte(`{"version": "12.0", "key": "`+licenceTag+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return u
}

func (u *upgrading) run(ctx context.Context, args ...string) result {
	var out, errs bytes.Buffer
	code := cli.Run(ctx, args, cli.Process{
		In: strings.NewReader(""), Out: &out, Err: &errs, Clock: u.clock,
		Env: func(name string) string { return u.env[name] },
	})
	return result{code: code, out: out.String(), err: errs.String()}
}

// lastWrite is the newest record in the journal of the site.
func (u *upgrading) lastWrite() journal.Record {
	u.t.Helper()
	site, err := url.Parse(u.wire.url)
	if err != nil {
		u.t.Fatal(err)
	}
	j, err := journal.Open(filepath.Join(u.env["XDG_STATE_HOME"], "geodeck"), journal.SiteOf(site))
	if err != nil {
		u.t.Fatal(err)
	}
	records, err := j.Actions(1)
	if err != nil || len(records) == 0 {
		u.t.Fatalf("%d records, %v", len(records), err)
	}
	return records[0]
}

// expectHidden looks for the licence and the token in what was printed and in
// what was recorded.
func (u *upgrading) expectHidden(r result) {
	u.t.Helper()
	texts := map[string]string{"the standard output": r.out, "standard error": r.err}
	err := filepath.WalkDir(u.env["XDG_STATE_HOME"], func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			var content []byte
			content, err = os.ReadFile(path)
			texts[path] = string(content)
		}
		return err
	})
	if err != nil {
		u.t.Fatal(err)
	}
	for where, text := range texts {
		for _, secret := range []string{licenceTag, u.env["GEODECK_TOKEN"]} {
			if strings.Contains(text, secret) {
				u.t.Errorf("%s holds %s", where, secret)
			}
		}
	}
}

// wire is a line to a site that remembers what was sent over it. It breaks where
// the site breaks it.
type wire struct {
	url string

	mu    sync.Mutex
	lines []*sent
	waits map[string]func()
}

// sent is what one connection carried to the site.
type sent struct {
	wire *wire
	from net.Conn
	data bytes.Buffer
}

func newWire(t *testing.T, site string) *wire {
	t.Helper()
	to, err := url.Parse(site)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{url: "http://" + listener.Addr().String() + to.Path, waits: map[string]func(){}}
	var ends sync.WaitGroup
	t.Cleanup(func() {
		listener.Close()
		w.cut()
		ends.Wait()
	})
	ends.Go(func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			ends.Go(func() { w.carry(from, to.Host) })
		}
	})
	return w
}

func (w *wire) carry(from net.Conn, to string) {
	defer from.Close()
	site, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer site.Close()
	line := &sent{wire: w, from: from}
	w.mu.Lock()
	w.lines = append(w.lines, line)
	w.mu.Unlock()
	go func() {
		_, _ = io.Copy(site, io.TeeReader(from, line))
		site.Close()
	}()
	_, _ = io.Copy(from, site)
}

// cut ends every connection.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range w.lines {
		line.from.Close()
	}
}

// Write remembers what passes.
func (s *sent) Write(p []byte) (int, error) {
	s.wire.mu.Lock()
	defer s.wire.mu.Unlock()
	s.data.Write(p)
	for text, act := range s.wire.waits {
		if bytes.Contains(s.data.Bytes(), []byte(text)) {
			delete(s.wire.waits, text)
			act()
		}
	}
	return len(p), nil
}

// count returns how often a text was sent.
func (w *wire) count(text string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, line := range w.lines {
		n += bytes.Count(line.data.Bytes(), []byte(text))
	}
	return n
}

// onSeen acts once when a text has been sent.
func (w *wire) onSeen(text string, act func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waits[text] = act
}

// TestATranscriptThatLacksMessagesSaysSoWhereItIsListedAndPrinted: also to a script.
func TestATranscriptThatLacksMessagesSaysSoWhereItIsListedAndPrinted(t *testing.T) {
	t.Parallel()
	clock := simtest.NewSteppedClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	server := newSite(t, simulator.Options{Clock: clock})
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
		if r := runInProcess(t, clock, nil, args...); r.code != 0 || !strings.Contains(r.out, c.want) {
			t.Errorf("%s: exit code %d\n%s%s", c.args, r.code, r.out, r.err)
		}
	}
}

// The record of a request tells its end once a command has read that, though nobody has watched.
func TestACommandThatReadsTheEndOfAnUpgradeRecordsIt(t *testing.T) {
	t.Parallel()
	for _, reads := range []string{"upgrade status", "upgrade explain"} {
		clock, env := siteToEdit(t, "patch-fails")
		run := func(line string) result { return runInProcess(t, clock, env, strings.Fields(line)...) }
		if r := run("upgrade start pat_12082025_6805 --accept clock,health,placement --confirm 11.5.0.6805"); r.code != 0 {
			t.Fatalf("%+v", r)
		}
		if r := run("log"); !strings.Contains(r.out, "no end seen yet") {
			t.Errorf("before: %+v", r)
		}
		if err := clock.Sleep(t.Context(), 12*time.Hour); err != nil {
			t.Fatal(err)
		}
		if r := run(reads); r.code != 1 {
			t.Errorf("%s: %+v", reads, r)
		}
		if r := run("log"); !strings.Contains(r.out, "has undone it") || strings.Contains(r.out, "no end seen yet") {
			t.Errorf("after %s: %+v", reads, r)
		}
	}
}
