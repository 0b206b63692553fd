package journal_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi/journal"
)

const headLine = `{"transcript":1,"opened":"2026-11-20T12:00:00Z","began":1700000000000,"start":"x"}` + "\n"

func put(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAFileThatIsNoTranscriptIsReported(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, words string }{
		"foreign":        {"date,text\n", "damaged"},
		"another object": {`{"hash":"00"}` + "\n", "damaged"},
		"without a time": {`{"transcript":1}` + "\n", "damaged"},
		"no format":      {`{"opened":"2026-11-20T12:00:00Z"}` + "\n", "damaged"},
		"a wrong start":  {`{"transcript":1,"opened":"2026-11-20T12:00:00Z","start":7}` + "\n", "damaged"},
		"zeros":          {"\x00\x00\x00\x00\n", "damaged"},
		"newer":          {`{"transcript":2,"opened":{"at":5}}` + "\n" + `{"new":1}` + "\n", "newer version"},
		"no line":        {strings.Repeat("x", 16<<20), "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			j := open(t, place(t))
			id := transcript(t, j, theRun).ID()
			other := theRun
			other.Began++
			good := transcript(t, j, other).ID()
			put(t, j.TranscriptPath(id), c.content)
			all, err := j.Transcripts()
			wantSentence(t, err, c.words)
			if len(all) != 1 || all[0].ID != good {
				t.Errorf("the others: %+v", all)
			}
			_, _, err = j.ReadTranscript(id)
			wantSentence(t, err, c.words)
			_, err = j.OpenTranscript(theRun)
			wantSentence(t, err, c.words)
			if data, err := os.ReadFile(j.TranscriptPath(id)); err != nil || string(data) != c.content {
				t.Errorf("the file was changed, %v", err)
			}
		})
	}
}

func TestADamagedLineHidesNoOther(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	tr := transcript(t, j, theRun)
	for i := range 3 {
		add(t, tr, journal.TranscriptLine{State: "in_progress", Meaning: "in progress", Messages: numbered(i, i+1)})
	}
	path := j.TranscriptPath(tr.ID())
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for damaged := 1; damaged <= 3; damaged++ {
		lines := bytes.SplitAfter(bytes.Clone(data), []byte("\n"))
		lines[damaged][5] = 0
		put(t, path, string(bytes.Join(lines, nil)))
		summary, told := readBack(t, j, tr.ID())
		if summary.Damaged != 1 || summary.Messages != 2 || len(told) != 2 {
			t.Errorf("line %d: %+v", damaged, summary)
		}
		// The server sends what was damaged again, and it is stored again.
		add(t, transcript(t, open(t, filepath.Dir(j.Folder())), theRun), journal.TranscriptLine{Messages: numbered(0, 4)})
		summary, _ = readBack(t, j, tr.ID())
		if all := list(t, j); summary.Messages != 4 || all[0].Messages != 4 || all[0].State != "in_progress" {
			t.Errorf("line %d: %+v, listed %+v", damaged, summary, all)
		}
	}
}

func TestTheListIgnoresADamagedLastLine(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	tr := transcript(t, j, theRun)
	add(t, tr, journal.TranscriptLine{State: "in_progress", Messages: numbered(0, 2)})
	path := j.TranscriptPath(tr.ID())
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before := list(t, j)[0].Last
	for _, last := range []string{"garbage", "{}", `{"time":5,"soFar":{"messages":7}}`, strings.Repeat("x", 100_000), `{"a":1,"soFar":5}`, `{"a":1,"soFar":{"last":"2026-11-20T12:00:00Z","messages":7}]`, `,"soFar":{"last":"2026-11-20T12:00:00Z","messages":7}` + "\n}"} {
		put(t, path, string(data)+last+"\n")
		if all := list(t, j); len(all) != 1 || all[0].Messages != 2 || all[0].State != "in_progress" || !all[0].Last.Equal(before) {
			t.Errorf("behind %.20s: %+v", last, all)
		}
	}
}

func TestALineReplacesALongerOneThatWasCutOff(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	tr := transcript(t, j, theRun)
	for i := range 3 {
		appendTo(t, j.TranscriptPath(tr.ID()), `{"time":`+strings.Repeat("\x00", 50_000))
		add(t, tr, journal.TranscriptLine{Messages: numbered(2*i, 2*i+1)})
		add(t, tr, journal.TranscriptLine{Messages: numbered(2*i+1, 2*i+2)})
	}
	wantNumbered(t, j, tr.ID(), 6)
}

func TestAMessageCannotForgeTheTotals(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	tr := transcript(t, j, theRun)
	hostile := `","soFar":{"last":"2026-11-20T12:00:00Z","messages":99,"ended":true}}`
	m := numbered(0, 1)
	m[0].Message, m[0].Unknown = hostile, []byte(`{"a":1,"soFar":{"last":"2026-11-20T12:00:00Z","messages":99}}`)
	add(t, tr, journal.TranscriptLine{State: hostile, Meaning: hostile, Messages: m})
	summary, lines := readBack(t, j, tr.ID())
	if all := list(t, j); all[0] != summary || summary.Messages != 1 || summary.Ended || summary.State != hostile {
		t.Errorf("listed %+v, read %+v", all, summary)
	}
	if got := lines[0].Messages[0]; got.Message != hostile || string(got.Unknown) != string(m[0].Unknown) {
		t.Errorf("got %+v", got)
	}
}

func TestATranscriptThatCannotBeWrittenSaysWhy(t *testing.T) {
	t.Parallel()
	folder := place(t)
	j := open(t, folder)
	tr := transcript(t, j, theRun)
	line := journal.TranscriptLine{Messages: numbered(0, 1)}
	add(t, tr, journal.TranscriptLine{}) // only checks
	path := j.TranscriptPath(tr.ID())
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	wantSentence(t, tr.Append(line), "the transcript no longer exists")
	wantSentence(t, tr.Append(journal.TranscriptLine{}), "the transcript no longer exists")
	victim := filepath.Join(t.TempDir(), "victim")
	put(t, victim, headLine)
	if err := os.Symlink(victim, path); err != nil {
		t.Fatal(err)
	}
	wantSentence(t, tr.Append(line), "symbolic link")
	_, err := j.OpenTranscript(theRun)
	wantSentence(t, err, "symbolic link")
	_, _, err = j.ReadTranscript(tr.ID())
	wantSentence(t, err, "symbolic link")
	_, err = j.Transcripts()
	wantSentence(t, err, "symbolic link")
	if data, err := os.ReadFile(victim); err != nil || string(data) != headLine {
		t.Errorf("the file behind the link: %q, %v", data, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	// Created again, it holds what comes from then on.
	transcript(t, j, theRun)
	add(t, tr, line)
	wantNumbered(t, j, tr.ID(), 1)
}

func TestAFolderOfTranscriptsThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	folder := filepath.Join(j.Folder(), "transcripts")
	put(t, folder, "a file")
	_, err := j.OpenTranscript(theRun)
	wantSentence(t, err, "is a file, not a folder")
	_, err = j.Transcripts()
	wantSentence(t, err, "not a folder")
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), folder); err != nil {
		t.Fatal(err)
	}
	_, err = j.OpenTranscript(theRun)
	wantSentence(t, err, "symbolic link")
}

func TestATranscriptThatMayNotBeWrittenIsAnError(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	tr := transcript(t, j, theRun)
	path, words := j.TranscriptPath(tr.ID()), "may not read or write"
	err := os.Chmod(path, 0o400)
	if os.Geteuid() == 0 { // who may write everywhere
		err, words = os.Chown(path, 65534, 65534), "belongs to another user"
	}
	if err != nil {
		t.Fatal(err)
	}
	wantSentence(t, tr.Append(journal.TranscriptLine{Unreachable: "x"}), words)
	_, err = j.OpenTranscript(theRun)
	wantSentence(t, err, words)
}

func TestAnEmptiedTranscriptIsAnError(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	tr := transcript(t, j, theRun)
	add(t, tr, journal.TranscriptLine{Messages: numbered(0, 2)})
	put(t, j.TranscriptPath(tr.ID()), "")
	wantSentence(t, tr.Append(journal.TranscriptLine{Messages: numbered(2, 3)}), "damaged")
	_, _, err := j.ReadTranscript(tr.ID())
	wantSentence(t, err, "no transcript")
	add(t, transcript(t, j, theRun), journal.TranscriptLine{})
	add(t, tr, journal.TranscriptLine{Messages: numbered(0, 3)})
	wantNumbered(t, j, tr.ID(), 3)
}

func TestAClosedJournalHasNoTranscripts(t *testing.T) {
	t.Parallel()
	j, err := journal.OpenThrowaway()
	if err != nil {
		t.Fatal(err)
	}
	tr := transcript(t, j, theRun)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	wantSentence(t, tr.Append(journal.TranscriptLine{Unreachable: "x"}), "closed")
	_, err = j.OpenTranscript(theRun)
	wantSentence(t, err, "closed")
	_, err = j.Transcripts()
	wantSentence(t, err, "closed")
	_, _, err = j.ReadTranscript(tr.ID())
	wantSentence(t, err, "closed")
}

func TestAnIDNamesNoOtherFile(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	tr := transcript(t, j, theRun)
	for _, id := range []string{"", ".", "..", "../actions", "../transcripts/" + tr.ID(), "/etc/passwd", ".x", "a\x00b", "nobody", "\x1b[2J"} {
		_, _, err := j.ReadTranscript(id)
		if err == nil || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: %v", id, err)
		}
		if id == "nobody" {
			wantSentence(t, err, "there is no transcript nobody on this machine")
		}
		if inside := filepath.Dir(j.TranscriptPath(id)); inside != filepath.Join(j.Folder(), "transcripts") {
			t.Errorf("%q leads to %s", id, inside)
		}
	}
}

func TestARestoredTranscriptIsReadAnew(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	tr := transcript(t, j, theRun)
	add(t, tr, journal.TranscriptLine{Messages: numbered(0, 2)})
	path := j.TranscriptPath(tr.ID())
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	add(t, tr, journal.TranscriptLine{Messages: numbered(2, 5)})
	put(t, path, string(before)) // from a copy: shorter now
	add(t, tr, journal.TranscriptLine{Messages: numbered(0, 4)})
	wantNumbered(t, j, tr.ID(), 4)
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	put(t, path, string(before)+strings.Repeat(" ", 100_000)+"\n") // another file, and longer
	add(t, tr, journal.TranscriptLine{Messages: numbered(0, 3)})
	if summary, _ := readBack(t, j, tr.ID()); summary.Messages != 3 {
		t.Errorf("got %+v", summary)
	}
}
