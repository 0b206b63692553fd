package sweep

import (
	"os"
	"regexp"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/uitest"
)

// outside is the wish for an edit that is made in an editor of the administrator's own. While it
// is open the line drops.
const outside = "an edit in an editor"

// lineDrops are how the program may end then.
var lineDrops = []lineDrop{
	{"the line drops in the editor", func(*run) {}}, // the dashboard ends in order, see [screen.close]
	{"killed in the editor", (*run).kill},
}

type lineDrop struct {
	name string
	end  func(*run)
}

// leftInEditor is the answer that goes on with what an editor has saved.
const leftInEditor = "continue with your editor's text"

// editsOutside edits the definition in an editor, which saves, and loses the line then.
func (c *changing) editsOutside(s *screen) told {
	day, drop := s.run.machine.day, pick(c.m.day.random("drop"), lineDrops)
	if !c.sits(s) {
		return notSent("the editor does not open")
	}
	saved := false
	s.exits, s.saves = false, func() {
		if saved = c.savesLast(s); saved {
			s.typed = c.raw
		}
	}
	s.press("services.editor")
	s.until(time.Minute, func(string) bool { return saved })
	if !saved {
		s.story("no editor")
		return notSent("the editor does not open")
	}
	c.cut = true
	day.meet(drop.name)
	day.log("%s: %s", s.run.name, drop.name)
	drop.end(s.run)
	return notSent(drop.name)
}

// inEditor are the files that editors have open, or had.
var inEditor = regexp.MustCompile(`/drafts/.*\.editor/[^.][^/]*\.json$`)

// idleTime is the value in the text of a definition.
var idleTime = regexp.MustCompile(`("maxIdleTime": )([\d.]+)`)

// hasIdleTime reports whether the text of a definition has a value there; other keys may have it, too.
func hasIdleTime(content []byte, raw string) bool {
	found := idleTime.FindSubmatch(content)
	return found != nil && string(found[2]) == raw
}

// savesLast saves another value in the text that is open in an editor, which is a program of its own, and reports whether
// there is one. A text that was broken is mended.
func (c *changing) savesLast(s *screen) bool {
	path, given := s.run.machine.inEditor()
	if path == "" {
		return false
	}
	c.judgesGiven(s, given)
	if text := c.editor.text; text != "" && !hasIdleTime([]byte(text), c.raw) {
		return s.run.machine.overwrites(path, idleTime.ReplaceAll([]byte(text), []byte("${1}"+c.raw)))
	}
	return false
}

// overwrites lets something other than geodeck write a file of the machine, and reports whether it did.
func (m *machine) overwrites(path string, content []byte) bool {
	f, err := m.disk.Program().Open(path, os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = f.Write(content)
	return err == nil && f.Sync() == nil
}

// offersText checks that what an editor has saved, and nobody has decided about, was offered
// before the definition is shown.
func (s *screen) offersText(raw string) {
	if len(s.run.disk.Hits()) > 0 {
		return // what the disk does not give cannot be offered
	}
	for path, content := range s.run.texts {
		if inEditor.MatchString(path) && hasIdleTime(content, raw) {
			s.wrong("what the editor has saved is not offered")
		}
	}
}

// editor plays the program that gets the terminal. It does not end before the dashboard does, unless it is to.
func (s *screen) editor(msg tea.Msg) {
	if s.saves == nil || s.dead() {
		return
	}
	s.display.lends("an editor gets it")
	s.saves()
	if s.exits {
		s.exits = false
		s.start(func() tea.Msg {
			time.Sleep(atEditor)
			return editorEnd{uitest.ExecEnd(msg, nil)}
		})
	}
}

// editorEnd is what comes of the end of an editor, once the dashboard has the terminal again.
type editorEnd struct{ msg tea.Msg }
