package journal_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi/journal"
)

func TestALongReadingBecomesLinesOfModerateLength(t *testing.T) {
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

func TestAMessageIsKeptWhateverHangsOnIt(t *testing.T) {
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
