package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"geodeck/adminapi"
	"geodeck/ui/cli/session"
)

func TestAStackIsKeptWhereTheStateFolderCannotBe(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	set, given := pflag.NewFlagSet("", pflag.ContinueOnError), &session.Flags{}
	if given.Register(set); set.Parse([]string{"--state-dir", file}) != nil {
		t.Fatal("there is no flag for the state folder")
	}
	of := session.New(session.Options{Flags: given, Clock: adminapi.SystemClock{}})
	sentence := (&Exits{Session: of}).keepStacks("SIGQUIT", []byte("goroutine 7 [running]:"))
	found, err := filepath.Glob(filepath.Join(folder, "geodeck-crash-*.txt"))
	if err != nil || len(found) != 1 {
		t.Fatalf("files %v, %v", found, err)
	}
	content, err := os.ReadFile(found[0])
	if err != nil || !strings.Contains(sentence, found[0]) || !strings.Contains(string(content), "goroutine 7") {
		t.Errorf("%q, %q, %v", sentence, content, err)
	}
}
