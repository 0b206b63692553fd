package journal_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/plain"
)

// kept is when the snapshots of these tests were read.
var kept = time.Date(2026, 11, 20, 11, 0, 0, 123456789, time.UTC)

func snapshot(t *testing.T, j *journal.Journal, value any) (path string) {
	t.Helper()
	if err := j.SaveSnapshot("reports", kept, 3*time.Second, value); err != nil {
		t.Fatal(err)
	}
	return j.SnapshotPath("reports")
}

func TestASnapshotIsReadWithItsTimes(t *testing.T) {
	t.Parallel()
	folder := place(t)
	j := open(t, folder)
	if _, err := j.Snapshot("reports"); !errors.Is(err, journal.ErrNoSnapshot) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before there is one: %v", err)
	}
	snapshot(t, j, []string{"older"})
	snapshot(t, j, []string{"a\nb", "<c>"})
	s, err := open(t, folder).Snapshot("reports")
	var got []string
	if err == nil {
		err = s.Decode(&got)
	}
	if err != nil || !s.Read.Equal(kept) || s.Ahead != 3*time.Second || strings.Join(got, "|") != "a\nb|<c>" {
		t.Errorf("%v %v %q, %v", s.Read, s.Ahead, got, err)
	}
	if err := s.Decode(new(int)); err == nil {
		t.Error("a list is read as a number")
	}
	if _, err := j.Snapshot("services"); !errors.Is(err, journal.ErrNoSnapshot) {
		t.Errorf("another kind: %v", err)
	}
	wantPrivate(t, folder, 4)
}

func TestADamagedSnapshotIsNotUsed(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	path := snapshot(t, j, map[string]string{"id": "one"})
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, value, _ := bytes.Cut(whole, []byte("\n"))
	for name, content := range map[string]string{
		"empty": "", "cut off": string(whole[:len(whole)-1]), "only a head": string(head) + "\n",
		"another value": string(head) + "\n" + `{"id":"two"}`,
		"made fresh":    strings.Replace(string(whole), "T11:00", "T11:59", 1),
		"another clock": strings.Replace(string(whole), `"aheadMillis":3000`, `"aheadMillis":0`, 1),
		"another kind":  strings.Replace(string(whole), `"reports"`, `"services"`, 1),
		"endless":       string(whole) + strings.Repeat(" ", journal.MaxSnapshot+1<<17),
		"no head":       string(value),
	} {
		put(t, path, content)
		_, err := j.Snapshot("reports")
		wantSentence(t, err, "damaged and is not used")
		if t.Failed() {
			t.Fatal(name)
		}
	}
	if err := j.SaveSnapshot("services", kept, 0, map[string]string{"id": "one"}); err != nil {
		t.Fatal(err)
	}
	put(t, path, contentOf(t, j.SnapshotPath("services")))
	_, err = j.Snapshot("reports")
	wantSentence(t, err, "damaged and is not used") // though it is whole
	snapshot(t, j, "again")
	if _, err := j.Snapshot("reports"); err != nil {
		t.Errorf("the next snapshot: %v", err)
	}
}

func TestASnapshotFromTheFutureIsNotUsed(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	if err := j.SaveSnapshot("reports", newClock().now.Add(time.Hour), 0, 1); err != nil {
		t.Fatal(err)
	}
	_, err := j.Snapshot("reports")
	wantSentence(t, err, "from the future")
}

func TestASnapshotThatIsTooLargeLeavesTheOneBefore(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	snapshot(t, j, "small")
	wantSentence(t, j.SaveSnapshot("reports", kept, 0, strings.Repeat("x", journal.MaxSnapshot)), "larger than 8 MiB")
	s, err := j.Snapshot("reports")
	var got string
	if err == nil {
		err = s.Decode(&got)
	}
	if err != nil || got != "small" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestALinkInThePlaceOfASnapshotIsNotFollowed(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	path := snapshot(t, j, 1)
	victim := filepath.Join(t.TempDir(), "victim")
	whole, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(victim, whole, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{path, filepath.Dir(path)} {
		if err := os.RemoveAll(at); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(victim, at); err != nil {
			t.Fatal(err)
		}
		_, err := j.Snapshot("reports")
		wantSentence(t, err, "symbolic link")
		wantSentence(t, j.SaveSnapshot("reports", kept, 0, 2), "symbolic link")
	}
	if now, err := os.ReadFile(victim); err != nil || !bytes.Equal(now, whole) {
		t.Errorf("the file behind the link: %q, %v", now, err)
	}
}

func TestNothingIsKeptAfterTheJournalIsClosed(t *testing.T) {
	t.Parallel()
	j, err := journal.Open(place(t), site, journal.WithoutSync())
	if err == nil {
		err = j.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := j.SaveSnapshot("reports", kept, 0, 1); err == nil {
		t.Error("saved")
	}
	if _, err := j.Snapshot("reports"); err == nil {
		t.Error("read")
	}
}

// FuzzSnapshot reads the file of a snapshot with any content: what is read is what was saved, with
// its time, or a clean sentence; and the next one is there.
func FuzzSnapshot(f *testing.F) {
	j, err := throwaway()
	if err == nil {
		err = j.SaveSnapshot("reports", kept, 0, map[string]string{"id": "one"})
	}
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = j.Close() })
	path := j.SnapshotPath("reports")
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint16(0), uint8(0), []byte(nil))
	f.Add(uint16(3), uint8(1), []byte("\x1b[2J\x00"))
	f.Add(uint16(len(whole)), uint8(0), []byte("\n{}"))
	f.Add(uint16(0), uint8(255), []byte(`{"kind":"reports","read":"2026-11-20T11:00:00Z","sha256":""}`+"\n1"))
	f.Fuzz(func(t *testing.T, at uint16, cut uint8, with []byte) {
		from := min(int(at), len(whole))
		content := string(whole[:from]) + string(with) + string(whole[min(from+int(cut), len(whole)):])
		put(t, path, content)
		s, err := j.Snapshot("reports")
		switch {
		case err != nil && plain.Line(err.Error()) != err.Error():
			t.Fatalf("%q", err)
		case err != nil && content == string(whole):
			t.Fatal(err)
		case err == nil && !s.Read.Equal(kept):
			t.Fatalf("%q is read as of %v", content, s.Read)
		}
		if err == nil {
			var got map[string]string
			if err := s.Decode(&got); err != nil || got["id"] != "one" {
				t.Fatalf("%q is read as %v, %v", content, got, err)
			}
		}
		if err := j.SaveSnapshot("reports", kept, 0, 2); err != nil {
			t.Fatal(err)
		}
		if _, err := j.Snapshot("reports"); err != nil {
			t.Fatal(err)
		}
	})
}
