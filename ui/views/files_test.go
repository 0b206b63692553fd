package views_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"geodeck/ui/views"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func TestAFileThatIsThereIsNeverOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.json")
	for _, want := range []string{"report.json", "report-2.json", "report-3.json"} {
		got, err := views.WriteNew(path, text(want))
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

func TestAFileThatCannotBeWrittenWholeIsNotThere(t *testing.T) {
	folder := t.TempDir()
	broken := errors.New("broken")
	if _, err := views.WriteNew(filepath.Join(folder, "x"), func(io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestPathsAsPeopleTypeThem(t *testing.T) {
	t.Setenv("HOME", "/home/somebody")
	for typed, want := range map[string]string{
		" ~/a.json ": "/home/somebody/a.json", "b/../c.json": "/here/c.json", "/d.json": "/d.json", "~": "/home/somebody",
	} {
		if got, err := views.ResolvePath(typed, "/here"); err != nil || got != want {
			t.Errorf("%q: %q, error %v; want %q", typed, got, err, want)
		}
	}
}

func TestATextBecomesTheNameOfAFile(t *testing.T) {
	for text, want := range map[string]string{"12.0.0-beta_1": "12.0.0-beta_1", "../a b/c\x1b": "_a_b_c_", "..": ""} {
		if got := views.FileSafe(text); got != want {
			t.Errorf("%q became %q, not %q", text, got, want)
		}
	}
}
