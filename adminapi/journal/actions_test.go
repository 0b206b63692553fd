package journal_test

import (
	"errors"
	"net/url"
	"os"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
)

func TestEveryWriteIsThereWithItsOutcome(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	begin(t, j, write(1, url.Values{"id": {"U1"}}))
	j.AfterWrite(write(1, nil), adminapi.OutcomeDone, nil)
	begin(t, j, write(2, nil))
	j.AfterWrite(write(2, nil), adminapi.OutcomeRefused, &adminapi.Error{Kind: adminapi.KindBusy, Operation: "start the upgrade", Message: "one\nis \x1b[31mrunning"})
	records := actions(t, j)
	if len(records) != 2 {
		t.Fatalf("got %d records", len(records))
	}
	newest, oldest := records[0], records[1]
	if newest.Outcome != adminapi.OutcomeRefused || newest.ErrorKind != "busy" || newest.Message != "cannot start the upgrade: one is running" || newest.Explicit {
		t.Errorf("refused write: %+v", newest)
	}
	if oldest.Outcome != adminapi.OutcomeDone || oldest.Fields.Get("id") != "U1" || oldest.Path != write(1, nil).Path || oldest.Pending() {
		t.Errorf("write that was done: %+v", oldest)
	}
	if !oldest.Finished.After(oldest.Time) || !newest.Time.After(oldest.Finished) {
		t.Errorf("times are not those of the clock: %+v", records)
	}
	if one, err := j.Actions(1); err != nil || len(one) != 1 || one[0].ID != newest.ID {
		t.Errorf("with a limit of one: %v, %v", one, err)
	}
	if both, err := j.Actions(3); err != nil || len(both) != 2 {
		t.Errorf("with a limit of three: %v, %v", both, err)
	}
	wantIntact(t, j)
}

func TestAWriteWithoutAnOutcomeIsPendingAtTheNextStart(t *testing.T) {
	t.Parallel()
	folder := place(t)
	before := open(t, folder)
	begin(t, before, write(1, nil))
	j := open(t, folder)
	begin(t, j, write(1, nil)) // the same number, from another client
	j.AfterWrite(write(1, nil), adminapi.OutcomeDone, nil)
	pending, err := j.Pending()
	if err != nil || len(pending) != 1 || pending[0].Outcome != adminapi.OutcomeUnknown {
		t.Fatalf("got %+v, %v", pending, err)
	}
	if err := j.Resolve(pending[0].ID, adminapi.OutcomeDone, "the upgrade runs"); err != nil {
		t.Fatal(err)
	}
	if pending, err := j.Pending(); err != nil || len(pending) != 0 {
		t.Fatalf("still pending: %+v, %v", pending, err)
	}
	if got := actions(t, j)[1]; got.Outcome != adminapi.OutcomeDone || got.Note != "the upgrade runs" {
		t.Errorf("resolved write: %+v", got)
	}
	wantSentence(t, j.Resolve(pending[0].ID, adminapi.OutcomeRefused, "no"), "known already")
	wantSentence(t, j.Resolve("nobody-1", adminapi.OutcomeDone, "no"), "has no write")
	wantIntact(t, j)
}

func TestALineCutOffByACrashHarmsNothing(t *testing.T) {
	t.Parallel()
	for _, rest := range []string{`{"hash":"00`, "\x00\x00\x00\x00", strings.Repeat("x", 100_000)} {
		j := open(t, place(t))
		begin(t, j, write(1, nil))
		appendTo(t, logOf(j), rest)
		if got := actions(t, j); len(got) != 1 {
			t.Fatalf("got %d records", len(got))
		}
		wantIntact(t, j)
		j.AfterWrite(write(1, nil), adminapi.OutcomeDone, nil)
		if got := actions(t, j); len(got) != 1 || got[0].Pending() || j.Problem() != nil {
			t.Fatalf("after the next line: %+v, %v", got, j.Problem())
		}
		wantIntact(t, j)
	}
}

func TestNoSecretReachesTheDisk(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	settings := `{"licenseFile":"` + canary + `","admin":{"password":"` + canary + `2"}}`
	licence := "licence of " + canary
	fields := url.Values{
		"token": {canary}, "adminPassword": {canary}, "client_secret": {canary}, "keystorePassphrase": {canary},
		"upgradeSettings": {settings}, "licenseFile": {licence}, "service": {`{"a":"` + canary + `"}`},
		"long": {strings.Repeat(canary, 20)}, "location": {"https://host/x?token=" + canary + "&f=json"},
		"small": {`{"apiKey": "` + canary + `"}`}, "broken": {"a\xffb"}, "id": {"U1"},
		"passcode": {canary}, "x-api-key": {canary}, "accountKey": {canary}, "assertion": {canary}, "pwd": {canary},
		"versionManifestFile": {"file, 0 bytes"}, "licence": {"file 12.0.json, 420 bytes"},
		"address": {"https://jane:" + canary + "@host/"}, "escaped": {`{\"passcode\":\"` + canary + `\"}`}, "query": {"?sig=" + canary},
	}
	w := write(1, fields)
	begin(t, j, w)
	j.AfterWrite(w, adminapi.OutcomeRefused, errors.New("bad settings "+settings+"; bad file "+canary+"; token="+canary+" Bearer "+canary+"; Authorization: Basic "+canary+" {\"passcode\": \"of "+canary))
	if err := j.Resolve(actions(t, j)[0].ID, adminapi.OutcomeDone, "x"); err == nil {
		t.Error("a refused write was resolved")
	}
	stored := onDisk(t, j.Folder())
	if strings.Contains(stored, canary) {
		t.Errorf("a secret is on disk:\n%s", stored)
	}
	got := actions(t, j)[0]
	if got.Fields.Get("id") != "U1" || got.Fields.Get("token") != "[secret]" {
		t.Errorf("fields: %v", got.Fields)
	}
	if got.Fields.Get("versionManifestFile") != "file, 0 bytes" || got.Fields.Get("licence") != "file 12.0.json, 420 bytes" {
		t.Errorf("files are not described: %v", got.Fields)
	}
	for _, name := range []string{"upgradeSettings", "licenseFile", "service", "long"} {
		if value := got.Fields.Get(name); !strings.HasPrefix(value, "sha256:") || !strings.HasSuffix(value, "bytes)") {
			t.Errorf("%s stands as %q", name, value)
		}
	}
	if len(got.Fields) != len(fields) {
		t.Errorf("names are lost: %v", got.Fields)
	}
}

func TestAnErrorThatRepeatsAPartOfASecretIsMasked(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	fields := url.Values{"upgradeSettings": {`{"users":[{"password":"Pa55w"}],"volumesConfig":{"size":"small"},"input":{"value":"0123456789-abcdefghijklmnop"},"licenseFile":"ECP-4711"}`}}
	for part, want := range map[string]string{
		"Pa55w": "[secret] is refused", "0123456789-abcdefghijklmnop": "[secret] is refused", "small": "small is refused",
		"ECP-4711": "[secret] is refused",
	} {
		begin(t, j, write(1, fields))
		j.AfterWrite(write(1, fields), adminapi.OutcomeRefused, errors.New(part+" is refused"))
		if got := actions(t, j)[0].Message; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// What is masked says nothing to who looks for the cause: so no more is than has to be.
func TestAnErrorIsMaskedWhereItRepeatsASecretAndNowhereElse(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	for _, c := range []struct {
		fields    url.Values
		err, want string
	}{
		{url.Values{"token": {"kestrel77"}}, "the user of kestrel77 is unknown", "the user of [secret] is unknown"},
		{url.Values{"token": {"kestrel", "kestrel-and-more"}}, "kestrel-and-more is unknown", "[secret] is unknown"},
		{url.Values{"token": {""}, "adminPassword": {"ab"}}, "able is unknown", "able is unknown"},
		{url.Values{"runName": {"nightly"}}, "nightly runs already", "nightly runs already"},
		{url.Values{"upgradeSettings": {`{"value":"exactly-24-bytes-of-text"}`}}, "exactly-24-bytes-of-text is refused", "[secret] is refused"},
		{url.Values{"upgradeSettings": {`{"value":"only-23-bytes-of-a-text"}`}}, "only-23-bytes-of-a-text is refused", "only-23-bytes-of-a-text is refused"},
	} {
		begin(t, j, write(1, c.fields))
		j.AfterWrite(write(1, c.fields), adminapi.OutcomeRefused, errors.New(c.err))
		if got := actions(t, j)[0].Message; got != c.want {
			t.Errorf("of %v it says %q, not %q", c.fields, got, c.want)
		}
	}
}

// It is masked before it is brought to one line, and before it is cut.
func TestAnErrorThatRepeatsASecretOfSeveralLinesIsMasked(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	const secret = "first of it\n\tsecond of it\n"
	fields := url.Values{"licenseFile": {secret}}
	for _, before := range []string{"", strings.Repeat("x", 4<<10-8)} {
		begin(t, j, write(1, fields))
		j.AfterWrite(write(1, fields), adminapi.OutcomeRefused, errors.New(before+secret+"is refused"))
		if got := actions(t, j)[0].Message; !strings.HasPrefix(got, before[:len(before)/2]) || strings.Contains(got, "of it") || strings.Contains(got, "first") {
			t.Errorf("behind %d bytes it says %q", len(before), got)
		}
	}
}

func TestWhatCannotBeRecordedIsAnErrorBeforeItIsSent(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	if err := os.Mkdir(logOf(j), 0o700); err != nil {
		t.Fatal(err)
	}
	wantSentence(t, j.BeforeWrite(write(1, nil)), "is a folder, not a file")
	j.AfterWrite(write(1, nil), adminapi.OutcomeNotSent, errors.New("it cannot be recorded"))
	wantSentence(t, j.Problem(), "is a folder, not a file")
	if err := os.Remove(logOf(j)); err != nil {
		t.Fatal(err)
	}
	// Writes go on as soon as the log can be written again.
	j.AfterWrite(write(2, nil), adminapi.OutcomeNotSent, errors.New("it cannot be recorded"))
	got := actions(t, j)
	if len(got) != 1 || got[0].Outcome != adminapi.OutcomeNotSent || got[0].ErrorKind != "" || got[0].Operation != "start the upgrade" || got[0].Path != write(2, nil).Path || j.Problem() != nil {
		t.Errorf("got %+v, %v", got, j.Problem())
	}
}

func TestWritesOfTwoClientsAreNotConfused(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	same := write(1, nil)
	j.AfterWrite(same, adminapi.OutcomeNotSent, errors.New("it was never begun"))
	begin(t, j, same)
	begin(t, j, same)
	j.AfterWrite(same, adminapi.OutcomeDone, nil)
	if pending, err := j.Pending(); err != nil || len(pending) != 1 {
		t.Fatalf("one of two has ended: %+v, %v", pending, err)
	}
	j.AfterWrite(same, adminapi.OutcomeDone, nil)
	if pending, err := j.Pending(); err != nil || len(pending) != 0 {
		t.Fatalf("both have ended: %+v, %v", pending, err)
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// An outcome that somebody has changed counts for none: the write is as open as without it.
func TestAnOutcomeThatWasChangedSinceIsUnknown(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	begin(t, j, write(1, nil))
	j.AfterWrite(write(1, nil), adminapi.OutcomeRefused, nil)
	log, err := os.ReadFile(logOf(j))
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(log), `"outcome":"refused"`, `"outcome":"done"`, 1)
	if err := os.WriteFile(logOf(j), []byte(changed), 0o600); err != nil || changed == string(log) {
		t.Fatal(err, string(log))
	}
	if got := actions(t, j); len(got) != 1 || got[0].Outcome != adminapi.OutcomeUnknown || !got[0].Pending() {
		t.Errorf("%+v", got)
	}
}

// A line that begins a write is never taken for one of another write, whose outcome is known.
func TestAWriteWhoseLineNamesAnotherIsUnknown(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	threeWrites(t, j)
	all := actions(t, j)
	second, first := all[1].ID, all[2].ID
	lines := strings.SplitAfter(contentOf(t, logOf(j)), "\n")
	lines[2] = strings.Replace(lines[2], second, first, 1)
	put(t, logOf(j), strings.Join(append(lines[:3:3], lines[4:]...), "")) // and its outcome is gone
	all = actions(t, j)
	if len(all) != 3 || !all[1].Damaged() || !all[1].Open() || !all[1].Time.Equal(all[2].Finished) || all[2].Outcome != adminapi.OutcomeDone {
		t.Errorf("%+v", all)
	}
	if open, err := j.OpenRecords(adminapi.TargetSite); err != nil || len(open) != 1 {
		t.Errorf("open are %+v, %v", open, err)
	}
}

// What was sent is in no doubt where its outcome came, and its age is never later than that.
func TestAWriteWhoseFirstLineIsDamagedKeepsItsOutcome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil   func(line string) string
		known   bool // the id is left, so the outcome counts
		alone   bool // nothing was sent later
		pending bool
	}{
		"its id is left":             {spoil: func(line string) string { return strings.Replace(line, "/ctx/admin", "/CTX/admin", 1) }, known: true},
		"its id is left, alone":      {spoil: func(line string) string { return strings.Replace(line, "/ctx/admin", "/CTX/admin", 1) }, known: true, alone: true},
		"its id is left, no outcome": {spoil: func(line string) string { return strings.Replace(line, "/ctx/admin", "/CTX/admin", 1) }, known: true, pending: true},
		"nothing is left":            {spoil: func(string) string { return "\x00" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := open(t, place(t))
			w := write(1, nil)
			w.Kind, w.Target = adminapi.WriteUpgrade, adminapi.TargetSite
			claim, err := j.Claim(w.Target, "12.0.0.7286")
			if err != nil {
				t.Fatal(err)
			}
			begin(t, j, w)
			if !c.pending {
				j.AfterWrite(w, adminapi.OutcomeDone, nil)
			}
			claim.Release()
			if !c.alone {
				begin(t, j, write(2, nil))
				j.AfterWrite(write(2, nil), adminapi.OutcomeDone, nil)
			}
			before := actions(t, j)
			lines := strings.SplitAfter(contentOf(t, logOf(j)), "\n")
			lines[0] = c.spoil(strings.TrimSuffix(lines[0], "\n")) + "\n"
			put(t, logOf(j), strings.Join(lines, ""))
			all := actions(t, j)
			if known := len(all) == len(before); known != c.known {
				t.Fatalf("%+v", all)
			}
			first, was := all[len(all)-1], before[len(before)-1]
			if !c.known {
				if later := all[len(all)-2]; !first.Open() || !first.Time.Equal(later.Time) || first.Time.IsZero() || later.Outcome != adminapi.OutcomeDone {
					t.Errorf("%+v", all)
				}
				return
			}
			if first.ID != was.ID || first.Outcome != was.Outcome || first.Open() != c.pending || first.Time.Before(was.Time) {
				t.Errorf("%+v was %+v", first, was)
			}
			if c.pending && (first.Target != journal.AnyTarget || !first.Time.Equal(all[0].Time)) || !c.pending && (!first.Time.Equal(was.Finished) || first.Target != w.Target || first.Kind != w.Kind) {
				t.Errorf("%+v was %+v", first, was)
			}
		})
	}
}

func TestABlankLineIsNoWrite(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	threeWrites(t, j)
	put(t, logOf(j), contentOf(t, logOf(j))+" \t\n\n")
	if open, err := j.OpenRecords(""); err != nil || len(open) != 0 || len(actions(t, j)) != 3 {
		t.Errorf("%+v, %v", open, err)
	}
}

func TestTheLinesOfARecordAreItsOwn(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	begin(t, j, write(1, nil))
	j.AfterWrite(write(1, nil), adminapi.OutcomeDone, nil)
	first := actions(t, j)[0].ID
	begin(t, j, write(2, url.Values{"runName": {"again as " + first}}))
	begin(t, j, write(3, nil))
	if lines, err := j.RecordLines(first); err != nil || len(lines) != 2 || lines[0].Number != 1 || lines[1].Number != 2 {
		t.Errorf("of one that another names: %+v, %v", lines, err)
	}
	all := strings.SplitAfter(contentOf(t, logOf(j)), "\n")
	all[3] = "\x00" + all[3][200:]
	put(t, logOf(j), strings.Join(all, ""))
	damaged := actions(t, j)[0].ID
	if lines, err := j.RecordLines(damaged); err != nil || len(lines) != 1 || lines[0].Number != 4 || lines[0].Intact || string(lines[0].JSON)+"\n" != all[3] {
		t.Errorf("of the damaged %s: %+v, %v", damaged, lines, err)
	}
}
