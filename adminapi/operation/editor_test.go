package operation_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
)

// inEditor opens a definition for an editor, with a folder for temporary files that has to stay
// empty.
func inEditor(t *testing.T, text string) *operation.EditorFile {
	t.Helper()
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Cleanup(func() {
		if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
			t.Errorf("in the temporary folder are %v, %v", left, err)
		}
	})
	a, _ := twoPrograms(t)
	return opened(t, a, adminapi.ServiceRef{Name: "Bäume\x1b[2J/../x", Type: "MapServer"}, operation.EditDraft{Base: text, Edited: text})
}

func opened(t *testing.T, s operation.Site, service adminapi.ServiceRef, edit operation.EditDraft) *operation.EditorFile {
	t.Helper()
	e, err := s.Memory.OpenEditor(editing.DefinitionOf(service), edit, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// saves has the editor save a text.
func saves(t *testing.T, e *operation.EditorFile, text string) {
	t.Helper()
	if err := os.WriteFile(e.Path(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
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

// B18: the editor opens at the value, or at the fault, where it is known how to say that.
func TestTheEditorOpensAtTheLine(t *testing.T) {
	lines := "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": 2\n  }\n}"
	for _, c := range []struct {
		text, editor string
		at           document.Path
		want         string // FILE is its path
	}{
		{lines, "vi", "b.c", "vi +4 FILE"},
		{lines, "/usr/bin/nvim -n", "b.c", "/usr/bin/nvim -n +4 FILE"},
		{lines, "emacsclient -c", "b", "emacsclient -c +3 FILE"},
		{lines, "micro", "b.gone[2]", "micro +3 FILE"},
		{lines, "hx", "b.c", "hx FILE:4"},
		{lines, "code --wait", "b.c", "code --wait -g FILE:4"},
		{lines, "ed", "b.c", "ed FILE"},
		{lines, "nano", "", "nano FILE"},
		{`{"a": "` + strings.Repeat("1", 60) + `", "b": {"c": 2}}`, "vim", "b.c", "vim +4 FILE"}, // set out in lines
		{"{\n  \"a\": 1,\n  \"b\" 2\n}", "nano", "a", "nano +3 FILE"},
	} {
		a, _ := twoPrograms(t)
		e, err := a.Memory.OpenEditor(editing.DefinitionOf(operationtest.Cities), operation.EditDraft{Base: "{}", Edited: c.text}, c.at)
		if err != nil {
			t.Fatal(err)
		}
		cmd, err := e.Command(named(map[string]string{"EDITOR": c.editor}))
		if got := strings.ReplaceAll(strings.Join(cmd.Args, " "), e.Path(), "FILE"); err != nil || got != c.want {
			t.Errorf("%s at %s: %q, %v, want %q", c.editor, c.at, got, err, c.want)
		}
	}
}

// inEditors names what editors have left that is in no draft.
func inEditors(s operation.Site) (names []string) {
	for _, e := range s.Memory.LeftEdits() {
		if e.Draft.Outside {
			names = append(names, e.Target.String())
		}
	}
	return names
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
	t.Parallel()
	a, _ := twoPrograms(t)
	for name, want := range map[string]string{
		"../../x": "x.T.json", "CON": "CON.T.json", "a\nb\x00c\u202e": "a-b-c-.T.json", "-rf *": "rf--.T.json", "": "T.json",
		strings.Repeat("n", 300): strings.Repeat("n", 100) + ".json",
		strings.Repeat("ä", 300): strings.Repeat("ä", 50) + ".json",
	} {
		e := opened(t, a, adminapi.ServiceRef{Name: name, Type: "T"}, operation.EditDraft{Base: "{}", Edited: "{}"})
		if got := filepath.Base(e.Path()); got != want {
			t.Errorf("%.20q became %q, want %q", name, got, want)
		}
	}
}

func TestTheEditorFileShowsWhatTheEditorDid(t *testing.T) {
	const given = "{\n  \"a\": 0\n}"
	for name, c := range map[string]struct {
		does func(*operation.EditorFile)
		want string // the edit, else the error
	}{
		"nothing":   {func(*operation.EditorFile) {}, ""},
		"a change":  {func(e *operation.EditorFile) { saves(t, e, `{"a":1}`) }, `{"a":1}`},
		"no JSON":   {func(e *operation.EditorFile) { saves(t, e, "{\"a\":\xff") }, "{\"a\":\xff"},
		"emptied":   {func(e *operation.EditorFile) { saves(t, e, " \n") }, "empty"},
		"removed":   {func(e *operation.EditorFile) { _ = os.Remove(e.Path()) }, "removed"},
		"a link":    {func(e *operation.EditorFile) { _ = os.Remove(e.Path()); _ = os.Symlink("/etc/hosts", e.Path()) }, "link"},
		"too large": {func(e *operation.EditorFile) { _ = os.Truncate(e.Path(), 64<<20+1) }, "64 MiB"},
	} {
		e := inEditor(t, given)
		c.does(e)
		edit, changed, err := e.Edit()
		switch {
		case changed && (err != nil || edit.Edited != c.want || edit.Base != given):
			t.Errorf("%s: %+v, %v", name, edit, err)
		case !changed && err == nil && c.want != "", err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		stays := changed || name == "a link" || name == "too large"
		if _, gone := os.Lstat(e.Path()); stays != (gone == nil) || err != nil && stays && !strings.Contains(err.Error(), e.Path()) {
			t.Errorf("%s: the file stays: %v, told %v", name, gone, err)
		}
	}
}

func TestWithoutAJournalNoEditorIsGivenAFile(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	if _, err := (operation.Memory{}).OpenEditor(editing.DefinitionOf(operationtest.Cities), operation.EditDraft{Base: "{}", Edited: "{}"}, ""); err == nil {
		t.Error("there is a file")
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// What an editor has saved of a definition on one line is a change of that line.
func TestWhatAnEditorHasSavedIsAnEditOfTheNextProgram(t *testing.T) {
	t.Parallel()
	target := editing.DefinitionOf(operationtest.Cities)
	const base, edited = `{"a":1,"b":[1,2]}`, `{"a":2,"b":[1,2]}`
	for name, c := range map[string]struct{ text, want string }{
		"a change": {"{\n  \"a\": 3,\n  \"b\": [1, 2]\n}\n", `{"a":3,"b":[1,2]}`},
		"broken":   {`{"a":`, `{"a":`},
		"no UTF-8": {"{\"a\":\"\xff\"}", "{\"a\":\"\xff\"}"},
	} {
		a, b := twoPrograms(t)
		draft := operation.EditDraft{Base: base, Edited: edited}
		if _, err := a.Memory.SaveEditDraft(target, draft); err != nil {
			t.Fatal(err)
		}
		e := opened(t, a, operationtest.Cities, draft)
		saves(t, e, c.text)
		if kept, err := b.Memory.SavedEdits(target); err != nil || len(kept) != 1 || kept[0].Outside || len(inEditors(b)) > 0 {
			t.Errorf("%s: of an editor that is open the next sees %+v, %v", name, kept, err)
		}
		if err := a.Memory.Journal.Close(); err != nil {
			t.Fatal(err)
		}
		want := operation.EditDraft{Base: base, Edited: c.want, Before: edited}
		kept, err := b.Memory.SavedEdits(target)
		if err != nil || len(kept) != 2 || kept[0].Edit != want || !kept[0].Outside || kept[1].Edit != draft {
			t.Fatalf("%s: offered are %+v, %v", name, kept, err)
		}
		if names := inEditors(b); len(names) != 1 || names[0] != target.String() {
			t.Errorf("%s: named are %q", name, names)
		}
		taken, err := b.Memory.TakeOverEdit(kept[0].Draft)
		if err != nil || taken.Edit != want {
			t.Errorf("%s: taken over is %+v, %v", name, taken, err)
		}
		if kept, err := b.Memory.SavedEdits(target); err != nil || len(kept) != 1 || kept[0].Edit != want || kept[0].Outside || len(inEditors(b)) > 0 {
			t.Errorf("%s: left are %+v, %v", name, kept, err)
		}
		if _, err := os.Lstat(filepath.Dir(e.Path())); !os.IsNotExist(err) {
			t.Errorf("%s: the file stays: %v", name, err)
		}
	}
}

func TestATextThatWasBrokenGoesBackToOneLineOnceItIsMended(t *testing.T) {
	t.Parallel()
	a, _ := twoPrograms(t)
	const base = `{"a":1,"b":[1,2]}`
	given := operation.EditDraft{Base: base, Edited: base}
	for _, step := range []struct{ text, want string }{
		{"{\n  \"a\": 3,,\n  \"b\": [1, 2]\n}\n", "{\n  \"a\": 3,,\n  \"b\": [1, 2]\n}\n"},
		{"{\n  \"a\": 3,\n  \"b\": [1, 2]\n}\n", `{"a":3,"b":[1,2]}`},
	} {
		e := opened(t, a, operationtest.Cities, given)
		saves(t, e, step.text)
		edit, _, err := e.Edit()
		if err != nil || edit.Edited != step.want || edit.Before != "" {
			t.Errorf("the edit is %+v, %v", edit, err)
		}
		given = edit
	}
}

// Who discards a broken text has again what was saved right before it, not what was first.
func TestBeforeABrokenTextStandsWhatWasSavedLast(t *testing.T) {
	t.Parallel()
	a, _ := twoPrograms(t)
	const base, broken = `{"a":1}`, `{"a":`
	given := operation.EditDraft{Base: base, Edited: base}
	for _, step := range []struct{ text, before string }{
		{`{"a":2}`, ""}, {`{"a":3}`, `{"a":2}`}, {broken, `{"a":3}`}, {broken + "{", `{"a":3}`},
	} {
		e := opened(t, a, operationtest.Cities, given)
		saves(t, e, step.text)
		edit, _, err := e.Edit()
		if err != nil || edit.Edited != step.text || edit.Before != step.before {
			t.Errorf("after %s the edit is %+v, %v", step.text, edit, err)
		}
		given = edit
	}
}

// A program may be killed when its draft is on disk, and the file has not gone yet.
func TestATextThatIsADraftAlreadyIsNotOfferedTwice(t *testing.T) {
	t.Parallel()
	a, b := twoPrograms(t)
	e := opened(t, a, operationtest.Cities, operation.EditDraft{Base: `{"a":1}`, Edited: `{"a":1}`})
	saves(t, e, `{"a":2}`)
	edit, _, err := e.Edit()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Memory.SaveEditDraft(editing.DefinitionOf(operationtest.Cities), edit); err != nil {
		t.Fatal(err)
	}
	if err := a.Memory.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	if names := inEditors(b); len(names) > 0 {
		t.Errorf("named are %q, which are in a draft", names)
	}
	for range 2 {
		if kept, err := b.Memory.SavedEdits(editing.DefinitionOf(operationtest.Cities)); err != nil || len(kept) != 1 || kept[0].Outside || kept[0].Edit != edit {
			t.Errorf("offered are %+v, %v", kept, err)
		}
	}
	if _, err := os.Lstat(e.Path()); !os.IsNotExist(err) {
		t.Errorf("the file stays: %v", err)
	}
}
