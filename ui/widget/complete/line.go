package complete

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// Line completes a text from words or from the files of a folder. The zero value completes
// nothing.
type Line struct {
	List
	words func() []views.Choice
	files func(dir string) []views.Choice // of a folder, as they are typed
	read  []views.Choice                  // of the folder that was read last
	dir   string                          // that folder, as it is typed
	turn  int                             // counts the commands: only the newest counts
}

// Words completes from what is known.
func Words(known func() []views.Choice) *Line { return &Line{words: known} }

// Files completes paths that begin at folder, where they are not absolute. Files have one
// of the extensions, in lower case without dot; none for any.
func Files(folder string, extensions ...string) *Line {
	return &Line{files: func(dir string) []views.Choice { return filesIn(dir, folder, extensions) }}
}

// Completes reports whether there is something to complete from.
func (l *Line) Completes() bool { return l != nil && (l.words != nil || l.files != nil) }

// OfFiles reports whether the line takes a path.
func (l *Line) OfFiles() bool { return l != nil && l.files != nil }

// Typed takes the text after a change. A folder is read by tab only: what was read stays
// while its name stands.
func (l *Line) Typed(text string) {
	l.turn++
	switch {
	case l.words != nil:
		l.Offer(text, Matching(l.words(), text, false))
	case l.files != nil && l.read != nil && dirOf(text) == l.dir:
		l.Offer(text, slices.DeleteFunc(slices.Clone(l.read), func(c views.Choice) bool {
			return !strings.HasPrefix(c.Text, text) || text == l.dir && c.Shown[0] == '.' // hidden ones only where the dot is typed
		}))
	default:
		l.Offer(text, nil)
	}
}

// Tab completes the text. A folder is read first, by a command that returns a [Listed].
func (l *Line) Tab(text string) (string, Step, tea.Cmd) {
	if text == "~" && l.files != nil {
		l.Typed("~/")
		return "~/", Taken, nil
	}
	if l.files != nil && !l.chosen && !l.turning {
		return text, Nothing, l.list(text, true)
	}
	text, step := l.tab(text)
	return text, step, nil
}

func (l *Line) tab(text string) (string, Step) {
	l.typed = text
	c, step := l.List.Tab()
	if step == Part || step == Taken {
		l.Typed(c.Text)
	}
	return c.Text, step
}

// Move goes to another candidate; where there is none yet, the folder is read.
func (l *Line) Move(text string, by int) tea.Cmd {
	if l.files != nil && l.Len() == 0 {
		return l.list(text, false)
	}
	l.Choose(by)
	return nil
}

// Listed is what was found in a folder.
type Listed struct {
	line  *Line
	turn  int
	typed string
	read  []views.Choice
	tab   bool // else an arrow
}

func (l *Line) list(text string, tab bool) tea.Cmd {
	l.turn++
	turn := l.turn
	return func() tea.Msg { return Listed{l, turn, text, l.files(dirOf(text)), tab} }
}

// ByTab reports whether tab was pressed, else an arrow.
func (r Listed) ByTab() bool { return r.tab }

// Read offers what was found, and reports whether it is for this line and text.
func (l *Line) Read(r Listed, text string) bool {
	if r.line != l || r.turn != l.turn || r.typed != text {
		return false
	}
	l.read, l.dir = r.read, dirOf(text)
	l.Typed(text)
	return true
}

// Listed takes what was found, unless it is for another line or an earlier text.
func (l *Line) Listed(r Listed, text string) (string, Step, bool) {
	shown := l.Len() > 0
	if !l.Read(r, text) {
		return text, Nothing, false
	}
	if !r.tab {
		l.Choose(1)
		return text, Next, true
	}
	completed, step := l.tab(text)
	if step == Next && !shown { // what there is to go to is shown first
		l.Offer(text, l.choices)
		return text, Part, true
	}
	return completed, step, true
}

// dirOf returns what is typed of the folder, with its /.
func dirOf(text string) string { return text[:strings.LastIndex(text, "/")+1] }

// maxListed bounds how many entries of a folder are read.
const maxListed = 10_000

// filesIn returns the files of a folder as they are typed; folders end in /.
func filesIn(dir, folder string, extensions []string) []views.Choice {
	found := []views.Choice{}
	whole, err := views.ResolvePath(dir, folder)
	if err != nil {
		return found
	}
	file, err := os.Open(whole)
	if err != nil {
		return found
	}
	defer file.Close()
	entries, _ := file.ReadDir(maxListed) // what can be read helps
	for _, entry := range entries {
		name, isFolder := entry.Name(), entry.IsDir()
		if entry.Type()&os.ModeSymlink != 0 {
			info, err := os.Stat(filepath.Join(whole, name))
			isFolder = err == nil && info.IsDir()
		}
		switch extension := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), ".")); {
		case isFolder:
			name += "/"
		case len(extensions) > 0 && !slices.Contains(extensions, extension):
			continue
		}
		found = append(found, views.Choice{Text: dir + name, Shown: name})
	}
	slices.SortStableFunc(found, func(a, b views.Choice) int { return strings.Compare(a.Text, b.Text) })
	return found
}
