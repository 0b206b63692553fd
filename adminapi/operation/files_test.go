package operation_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"geodeck/adminapi/operation"
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
