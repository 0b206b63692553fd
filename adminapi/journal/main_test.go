package journal_test

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
)

const (
	site   = "https://gis.example.org/ctx"
	canary = "CANARY-7f3a-do-not-store"
)

// roleVariable makes the test binary another program on the same journal.
const roleVariable = "JOURNAL_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		folder := os.Getenv("JOURNAL_TEST_FOLDER")
		if act, known := transcriptRoles[role]; known {
			os.Exit(act(folder))
		}
		if role == fullDisk {
			os.Exit(fill(folder))
		}
		os.Exit(play(role, folder))
	}
	goleak.VerifyTestMain(m)
}

// fullDisk is the role of a program that can store no more than 5,000 bytes in
// a file. It succeeds if it gets that error before a write.
const fullDisk = "full disk"

// fillable lets no file of this program grow beyond 5,000 bytes.
func fillable() error {
	signal.Ignore(syscall.SIGXFSZ)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 5000, Max: 5000})
}

func fill(folder string) int {
	if err := fillable(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	j, err := journal.Open(folder, site)
	for i := uint64(0); err == nil && i < 1000; i++ {
		err = j.BeforeWrite(write(i, nil))
	}
	if err == nil || !strings.Contains(err.Error(), "file size limit") {
		fmt.Fprintln(os.Stderr, "told:", err)
		return 1
	}
	return 0
}

// play writes into a journal as another program would, and prints each write.
func play(role, folder string) int {
	j, err := journal.Open(folder, site)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	count, _ := strconv.Atoi(role)
	for i := 0; count == 0 || i < count; i++ { // without a number, until killed
		w := write(uint64(i), nil)
		if err := j.BeforeWrite(w); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(i)
		j.AfterWrite(w, adminapi.OutcomeDone, nil)
		if _, err := j.SaveDraft("both", "one", map[string]string{"text": strings.Repeat("x", i)}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}

func program(t *testing.T, role, folder string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleVariable+"="+role, "JOURNAL_TEST_FOLDER="+folder)
	cmd.Stderr = os.Stderr
	return cmd
}

// startProgram starts a program and returns the lines that it prints.
func startProgram(t *testing.T, role, folder string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	p := program(t, role, folder)
	out, err := p.StdoutPipe()
	if err == nil {
		err = p.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return p, bufio.NewScanner(out)
}

// runTwice runs a program twice at the same time.
func runTwice(t *testing.T, role, folder string) {
	t.Helper()
	programs := []*exec.Cmd{program(t, role, folder), program(t, role, folder)}
	for _, p := range programs {
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range programs {
		if err := p.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// tickingClock is a second later at each call.
type tickingClock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *tickingClock {
	return &tickingClock{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
}

func (c *tickingClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Second)
	return c.now
}

func (c *tickingClock) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// place returns a folder for journals that is not there yet.
func place(t *testing.T) string { return filepath.Join(t.TempDir(), "state", "geodeck") }

func open(t *testing.T, folder string) *journal.Journal {
	t.Helper()
	j, err := journal.Open(folder, site, journal.WithClock(newClock()), journal.WithoutSync())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

func write(id uint64, fields url.Values) adminapi.Write {
	return adminapi.Write{
		ID: id, Operation: "start the upgrade", Path: "/ctx/admin/system/upgrades/upgrade", Fields: fields,
		Sent: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
	}
}

func begin(t *testing.T, j *journal.Journal, w adminapi.Write) {
	t.Helper()
	if err := j.BeforeWrite(w); err != nil {
		t.Fatal(err)
	}
}

func actions(t *testing.T, j *journal.Journal) []journal.Record {
	t.Helper()
	records, err := j.Actions(0)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func wantIntact(t *testing.T, j *journal.Journal) {
	t.Helper()
	if v, err := j.Verify(); err != nil || len(v.Faults) > 0 {
		t.Fatalf("the log is broken at %+v, error %v", v.Faults, err)
	}
}

func logOf(j *journal.Journal) string { return filepath.Join(j.Folder(), "actions.jsonl") }

// onDisk returns everything that is stored below folder, names included.
func onDisk(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		all.WriteString(name + "\n" + string(data) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func wantSentence(t *testing.T, err error, words string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), words) {
		t.Fatalf("got %v, want a sentence with %q", err, words)
	}
}
