package operation_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi/operation"
)

func inEditor(t *testing.T, text string) *operation.EditorFile {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	e, err := operation.NewEditorFile("Bäume\x1b[2J/../x.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func named(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func TestTheEditorIsTheOneThatTheUserNamed(t *testing.T) {
	e := inEditor(t, "{}")
	for _, c := range []struct {
		env  map[string]string
		want []string
	}{
		{nil, []string{"vi"}},
		{map[string]string{"EDITOR": "nano"}, []string{"nano"}},
		{map[string]string{"VISUAL": " code  --wait ", "EDITOR": "nano"}, []string{"code", "--wait"}},
		{map[string]string{"EDITOR": `"/opt/my editor/ed" -c 'set ft=json' a\ b ""`}, []string{"/opt/my editor/ed", "-c", "set ft=json", "a b", ""}},
	} {
		cmd, err := e.Command(named(c.env))
		if err != nil || strings.Join(cmd.Args, "|") != strings.Join(append(c.want, e.Path()), "|") {
			t.Errorf("%v: %q, %v", c.env, cmd.Args, err)
		}
	}
	for _, broken := range []string{`ed "x`, `ed \`} {
		if _, err := e.Command(named(map[string]string{"EDITOR": broken})); err == nil || !strings.Contains(err.Error(), "$EDITOR") {
			t.Errorf("%q: error %v", broken, err)
		}
	}
}

// planted puts a program into the current directory, and reports whether it was run.
func planted(t *testing.T, name string) (folder string, ran func() bool) {
	t.Helper()
	folder = t.TempDir()
	mark := filepath.Join(folder, "ran")
	if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\necho > '"+mark+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	return folder, func() bool {
		_, err := os.Stat(mark)
		return err == nil
	}
}

// Whoever can write into a folder must not decide what runs for those who work in it.
func TestAnEditorIsNotTakenFromTheCurrentDirectory(t *testing.T) {
	for _, c := range []struct {
		editor string // in $EDITOR; empty for vi, the default
		name   string // of the program in the current directory
	}{{"", "vi"}, {"planted-editor", "planted-editor"}, {"planted-editor --wait", "planted-editor"}} {
		e := inEditor(t, "{}")
		folder, ran := planted(t, c.name)
		env := named(map[string]string{"EDITOR": c.editor})
		for _, path := range []string{".", "./", ":", ":/none", "/none:", "/none::/none", ".:/none", ""} {
			t.Setenv("PATH", path)
			cmd, err := e.Command(env)
			if err == nil {
				err = cmd.Run()
			}
			if err == nil || ran() {
				t.Fatalf("%q with the path %q: error %v, it was run: %v", c.name, path, err, ran())
			}
		}
		t.Setenv("PATH", folder)
		if cmd, err := e.Command(env); err != nil || cmd.Run() != nil || !ran() {
			t.Errorf("%q is not run from a folder that the path names whole: %v", c.name, err)
		}
	}
}

func TestTheEditorFileIsPrivateAndRemoved(t *testing.T) {
	e := inEditor(t, "{}")
	if strings.ContainsAny(filepath.Base(e.Path()), "\x1b/[") {
		t.Errorf("the name is %q", e.Path())
	}
	for path, mode := range map[string]os.FileMode{e.Path(): 0o600, filepath.Dir(e.Path()): 0o700} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(e.Path())); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestTheEditorFileHasASafeNameWhateverTheServiceIsCalled(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for name, want := range map[string]string{
		"../../x.json": "x.json", "CON.json": "CON.json", "a\nb\x00c\u202e.json": "a-b-c-.json", "-rf *.json": "rf--.json", ".json": "json",
		strings.Repeat("n", 300) + ".MapServer.json": strings.Repeat("n", 100) + ".json",
		strings.Repeat("ä", 300) + ".json":           strings.Repeat("ä", 50) + ".json",
		"":                                           "text",
	} {
		e, err := operation.NewEditorFile(name, []byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if got := filepath.Base(e.Path()); got != want {
			t.Errorf("%.20q became %q, want %q", name, got, want)
		}
		_ = e.Close()
	}
}

func TestTheEditorFileShowsWhatTheEditorDid(t *testing.T) {
	e := inEditor(t, "{}")
	if text, changed, err := e.Text(); err != nil || changed || string(text) != "{}" {
		t.Errorf("not touched: %q, %v, %v", text, changed, err)
	}
	save := func(text string) {
		if err := os.WriteFile(e.Path(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	save(`{"a":1}`)
	if text, changed, err := e.Text(); err != nil || !changed || string(text) != `{"a":1}` {
		t.Errorf("saved: %q, %v, %v", text, changed, err)
	}
	save(" \n")
	if _, _, err := e.Text(); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("emptied: %v", err)
	}
	if err := os.Remove(e.Path()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.Text(); err == nil || !strings.Contains(err.Error(), "removed") {
		t.Errorf("removed: %v", err)
	}
}
