package cli

import (
	"os"
	"testing"

	"geodeck/adminapi/journal"
	"geodeck/theme"
)

func TestWithoutAStateFolderNothingIsKeptOfTerminals(t *testing.T) {
	t.Chdir(t.TempDir())
	b := backgrounds{disk: journal.SystemFiles{}, kind: "x"}
	b.keep(theme.Light)
	if files, err := os.ReadDir("."); err != nil || len(files) > 0 {
		t.Errorf("%v, %v", files, err)
	}
	if err := os.WriteFile(backgroundsFile, []byte("light x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if kept, _ := b.read(); kept != theme.Unknown {
		t.Errorf("%v was read from the working folder", kept)
	}
}
