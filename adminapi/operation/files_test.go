package operation_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade"
)

func writes(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func TestAFileThatIsThereIsNeverOverwritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "report.json")
	for _, want := range []string{"report.json", "report-2.json", "report-3.json"} {
		got, err := operation.WriteNew(path, writes(want))
		if err != nil || filepath.Base(got) != want {
			t.Fatalf("wrote %q, error %v; want %q", got, err, want)
		}
		content, err := os.ReadFile(got)
		if err != nil || string(content) != want {
			t.Errorf("%s holds %q, error %v", want, content, err)
		}
		if info, err := os.Stat(got); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, error %v", want, info.Mode(), err)
		}
	}
}

// Neither what a link in the place of an export leads to nor the mask of new files matters.
func TestAnExportIsPrivateUnderAnyUmaskAndFollowsNoLink(t *testing.T) {
	folder := t.TempDir()
	victim := filepath.Join(folder, "victim")
	if err := os.WriteFile(victim, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, plant := range map[string]func(path string) error{
		"hard link":     func(path string) error { return os.Link(victim, path) },
		"symbolic link": func(path string) error { return os.Symlink(victim, path) },
		"dangling link": func(path string) error { return os.Symlink(victim+"-to-be", path) },
	} {
		for _, umask := range []int{0o000, 0o022, 0o077} {
			path := filepath.Join(t.TempDir(), "report.json")
			if err := plant(path); err != nil {
				t.Fatal(err)
			}
			before := syscall.Umask(umask)
			written, err := operation.WriteNew(path, writes("new"))
			syscall.Umask(before)
			if err != nil || filepath.Base(written) != "report-2.json" {
				t.Fatalf("%s, umask %03o: %q, %v", name, umask, written, err)
			}
			if info, err := os.Lstat(written); err != nil || info.Mode() != 0o600 {
				t.Errorf("%s, umask %03o: %v, %v", name, umask, info.Mode(), err)
			}
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
	if content, err := os.ReadFile(victim); err != nil || string(content) != "mine" {
		t.Errorf("the file behind the links: %q, %v", content, err)
	}
}

func TestAFileThatCannotBeWrittenWholeIsRemoved(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	broken := errors.New("broken")
	if _, err := operation.WriteNew(filepath.Join(folder, "x"), func(io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// The folder of temporary files is cleaned up as well: half an export is nobody's.
func TestNothingIsLeftOfAFileThatCannotBeWrittenWhole(t *testing.T) {
	folder, temporary := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	broken := errors.New("broken")
	if _, err := operation.WriteNew(filepath.Join(folder, "x"), func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of it")
		return broken
	}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	for _, at := range []string{folder, temporary} {
		if left, err := os.ReadDir(at); err != nil || len(left) != 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

// Where a file was written is said so that it is found from any folder.
func TestTheNameOfAFileThatWasWrittenIsWhole(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(t.TempDir(), "report.json")
	path, err := filepath.Rel(here, want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := operation.WriteNew(path, writes("x")); err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if got := operation.WholePath(path); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAReportFileIsReadWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for content, want := range map[string]string{
		`{"id":"r1","name":"nightly","result":"passed","suiteStatus":[]}`: "nightly",
		`{"id":"r1","name":"nightly","result":"passed","suiteStatus":[`:   "",
		`{"versions":[]}`: "",
		"":                "",
	} {
		path, err := operation.WriteText(filepath.Join(folder, "report.json"), content)
		if err != nil {
			t.Fatal(err)
		}
		report, err := operation.ReadReportFile(path)
		if report.Name != want || (err == nil) != (want != "") || err != nil && !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%q: report %q, %v", content, report.Name, err)
		}
	}
}

func TestFilesThatCannotAnswerASetting(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	large := filepath.Join(folder, "large.json")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 200<<20); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(folder, "broken.json")
	if err := os.WriteFile(broken, []byte(`{"key": "canary-licence"`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, filepath.Join(folder, "missing.json"), large, broken} {
		err := operation.Site{}.CheckAnswer(path, upgrade.LicenceField()).Err
		if err == nil {
			t.Errorf("%s was taken", path)
			continue
		}
		if strings.Contains(err.Error(), "canary") {
			t.Errorf("the error shows content: %v", err)
		}
	}
}

func TestAPipeIsRefusedAndNotWaitedFor(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "licence.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (operation.Site{}).CheckAnswer(pipe, upgrade.LicenceField()).Err; err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("error %v", err)
	}
}

func TestWhyAFileCannotBeReadIsSaidInWords(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	large := filepath.Join(folder, "large.json")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 65<<20); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{large: large + " is larger than 64 MiB", folder: folder + " is a folder, not a report", large + "-2": "there is no file " + large + "-2"} {
		if _, err := operation.ReadReportFile(path); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for of, want := range map[error]string{
		&fs.PathError{Op: "open", Path: "/x", Err: syscall.EACCES}: "you may not read /x",
		&fs.PathError{Op: "read", Path: "/x", Err: syscall.EISDIR}: "/x is a folder, not a file",
		&fs.PathError{Op: "open", Path: "/x", Err: syscall.EIO}:    "/x cannot be read: input/output error",
	} {
		if err := operation.PlainPathError("/x", of); err.Error() != want || !errors.Is(err, of) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
