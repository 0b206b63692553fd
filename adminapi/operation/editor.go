package operation

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/program"
)

// EditorFile is an edit in a private file of the state folder, for the editor of the user: what
// the editor saves is offered by the next program, whatever becomes of this one.
type EditorFile struct {
	*journal.Text
	given EditDraft
	line  int // that the editor opens at, from 1
}

// OpenEditor writes the text of an edit to a new file, set out in lines, which opens at a path, or
// where the text is broken. Its caller closes it
// once the draft with what was edited is on disk, or where the user has given that up.
func (s Memory) OpenEditor(t editing.Target, edit EditDraft, at document.Path) (*EditorFile, error) {
	err := errNoJournal
	if s.Journal != nil {
		name := t.Service.Name + "." + t.Service.Type
		if t.Part == editing.Placement {
			name += ".placement"
		}
		var text *journal.Text
		lines := InLines(edit.Edited)
		text, err = s.Journal.OpenText(t.Part.Kind(), t.Service.Path(), fileName(name+".json"), lines, edit.onDisk())
		if err == nil {
			return &EditorFile{text, edit, lineOf(lines, at)}, nil
		}
	}
	return nil, fmt.Errorf("the file to edit could not be created: %w", err)
}

// lineOf is the line of a text that has what is at a path, or else what is around it; of a broken text
// the line of the fault.
func lineOf(text []byte, at document.Path) int {
	d, err := document.Parse(text)
	if fault, broken := errors.AsType[*document.SyntaxError](err); broken {
		return fault.Line
	} else if err != nil {
		return 1
	}
	n, found := d.Find(at)
	for ; !found; n, found = d.Find(at) {
		at = at.Parent()
	}
	start, _ := n.Span()
	line, _ := d.Position(start)
	return line
}

// InLines is a text as people edit it: a document on a single line is set out in many.
func InLines(text string) []byte {
	if !severalLines(text) {
		if d, err := document.Parse([]byte(text)); err == nil {
			text = d.Root().Subtree() + "\n"
		}
	}
	return []byte(text)
}

func severalLines(text string) bool { return strings.Contains(strings.TrimSpace(text), "\n") }

// savedOutside is an edit after an editor has saved a text of it. Where the edit was on a single
// line it still is: the lines for the editor are no change to send.
func (e EditDraft) savedOutside(text []byte) EditDraft {
	saved := EditDraft{Base: e.Base, Edited: string(text), Before: e.Before}
	before, err := document.Parse([]byte(e.Edited))
	switch {
	case err != nil:
		before, err = document.Parse([]byte(cmp.Or(e.Before, e.Base)))
	case e.Edited == e.Base:
		saved.Before = ""
	default:
		saved.Before = e.Edited
	}
	typed, broken := document.Parse(text)
	if err != nil || broken != nil || severalLines(before.Text()) {
		return saved
	}
	if same, err := before.Apply(document.Diff(before, typed)); err == nil && len(document.Diff(same, typed)) == 0 {
		saved.Edited = same.Text()
	}
	return saved
}

// MaxFileName is how long a name becomes in bytes, its ending not counted; file systems allow
// 255 for all of it.
const MaxFileName = 100

// fileName makes a name with an ending safe for editors, shells and file systems.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name)
	ending := filepath.Ext(name)
	name = strings.TrimSuffix(name, ending)
	name = strings.ToValidUTF8(name[:min(len(name), MaxFileName)], "")
	return cmp.Or(strings.TrimLeft(name+ending, ".-"), "text")
}

// Command returns the editor of the user on the file.
func (e *EditorFile) Command(env func(string) string) (*exec.Cmd, error) {
	return EditorOn(e.Path(), e.line, env)
}

// EditorOn returns the editor of the user on a file, from $VISUAL or $EDITOR, else vi. It
// is run without a shell, but its line is split like one of a shell. It gets our environment
// without GEODECK_*, and the line to open at where it is known how to say that.
func EditorOn(path string, line int, env func(string) string) (*exec.Cmd, error) {
	words := []string{"vi"}
	for _, name := range []string{"VISUAL", "EDITOR"} {
		text := strings.TrimSpace(env(name))
		if text == "" {
			continue
		}
		var err error
		if words, err = program.Words(text); err != nil {
			return nil, fmt.Errorf("$%s %w", name, err)
		}
		break
	}
	cmd := exec.Command(words[0], append(words[1:], place(filepath.Base(words[0]), path, line)...)...)
	cmd.Env = program.Environment()
	return cmd, nil
}

// Missing says that the editor is not on this machine, nil where it is.
func Missing(editor *exec.Cmd) error {
	if _, err := exec.LookPath(editor.Path); !errors.Is(err, exec.ErrNotFound) && !errors.Is(err, fs.ErrNotExist) {
		return nil // whatever else is wrong is said when it runs
	}
	return errors.New(plain.Line(editor.Args[0]) + " is not installed; set EDITOR or VISUAL")
}

// NeedsTerminal reports whether an editor is known to wait for a person at a terminal.
func NeedsTerminal(cmd *exec.Cmd) bool {
	return slices.Contains([]string{"vi", "vim", "nvim", "nano", "micro", "hx", "helix"}, filepath.Base(cmd.Args[0]))
}

// place is how an editor is told the file and the line; the first one needs no word.
func place(editor, path string, line int) []string {
	there := path + ":" + strconv.Itoa(line)
	switch {
	case line <= 1:
	case slices.Contains([]string{"vi", "vim", "nvim", "nano", "emacs", "emacsclient", "micro"}, editor):
		return []string{"+" + strconv.Itoa(line), path}
	case editor == "hx" || editor == "helix":
		return []string{there}
	case editor == "code":
		return []string{"-g", there}
	}
	return []string{path}
}

// Edit returns the edit with what the editor has saved, and whether that differs from what it
// was given. A file that is missing or empty is an error, and is removed like one that was not
// changed; what cannot be read is an error that names the file, which stays.
func (e *EditorFile) Edit() (edit EditDraft, changed bool, err error) {
	text, changed, err := e.Read()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = errors.New("the editor removed the file; nothing was changed")
	case err != nil:
		return EditDraft{}, false, fmt.Errorf("the file that the editor saved cannot be read: %w", err)
	case len(bytes.TrimSpace(text)) == 0:
		err = errors.New("the editor saved an empty file; nothing was changed")
	case changed:
		return e.given.savedOutside(text), true, nil
	}
	_ = e.Close() // it holds nothing
	return EditDraft{}, false, err
}

// Close removes the file, with all others that the editor has left beside it.
func (e *EditorFile) Close() error { return e.Remove() }
