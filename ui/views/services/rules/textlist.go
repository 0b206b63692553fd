package rules

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// paragraph is a text of a panel: it is wrapped, and chosen as a whole.
type paragraph struct {
	sign    string // before the first line, one cell; may be empty
	ink     rows.Ink
	text    string
	more    string // below the text, muted
	heading bool
	copied  string // what y copies; empty where there is nothing
	what    string // what that is
	about   func() // goes to the rule that it is about; nil for none
}

// textKey is a line of a paragraph.
type textKey struct{ paragraph, line int }

// textList is paragraphs as rows.
type textList struct {
	*state
	host       host
	list       *rows.List[textKey]
	paragraphs []paragraph
	made       textsMade
	// make returns the paragraphs of a version, which is what they are made of.
	make func() (version textVersion, paragraphs func() []paragraph)
}

// textVersion names what texts are made of.
type textVersion struct {
	judged         question
	revision, item int
	note, sentence string
}

// textsMade names what the rows were made of.
type textsMade struct {
	textVersion
	width int
}

func newTextList(t *theme.Theme, s *state, h host) *textList {
	return &textList{state: s, host: h, list: rows.New[textKey](t)}
}

// refresh shows the paragraphs, unless those of that version are shown at that width
// already.
func (t *textList) refresh(width int) {
	version, paragraphs := t.make()
	if now := (textsMade{version, width}); now != t.made {
		t.made = now
		t.paragraphs = paragraphs()
		t.list.Set(newTextSource(&t.inks, t.paragraphs, width))
	}
}

// chosen returns the paragraph under the cursor, an empty one where there is none.
func (t *textList) chosen() paragraph {
	key, ok := t.list.Key()
	if !ok || key.paragraph >= len(t.paragraphs) {
		return paragraph{}
	}
	return t.paragraphs[key.paragraph]
}

func (t *textList) copied() (text, what string)     { return t.chosen().copied, t.chosen().what }
func (t *textList) enter() (hint string, do func()) { return "go to the rule", t.chosen().about }
func (t *textList) setFocused(on bool)              { t.list.SetFocused(on) }
func (t *textList) setSize(width, height int)       { t.list.SetSize(width, height) }
func (t *textList) view() string                    { return t.list.View() }
func (t *textList) typing() bool                    { return t.list.Typing() }
func (t *textList) take(key tea.KeyMsg)             { t.list.Type(key) }
func (t *textList) filter() string                  { return t.list.Filter() }
func (t *textList) setFilter(text string)           { t.list.SetFilter(text) }
func (t *textList) position() string                { return t.list.Position() }

func (t *textList) rows() []views.Command {
	return slices.Concat(t.list.Moves(), t.list.Filters(), arrows(t.host.leavePanel, nil))
}

// textSource is the lines of paragraphs.
type textSource struct {
	k          *inks
	paragraphs []paragraph
	keys       []textKey
	lines      []string
}

// textMargin is what the cursor and the sign take before a line, in cells, and one more:
// wrapping counts a hyphen at the end of a line too late.
const textMargin = 5

func newTextSource(k *inks, paragraphs []paragraph, width int) *textSource {
	s := &textSource{k: k, paragraphs: paragraphs}
	for i := range paragraphs {
		p := &paragraphs[i]
		if p.heading && i > 0 {
			s.add(i, "")
		}
		for n, line := range views.Wrap(p.text, width-textMargin) {
			sign := "  "
			if n == 0 && p.sign != "" {
				sign = p.ink.On(p.sign) + " "
			}
			s.add(i, sign+p.ink.On(line))
		}
		if p.more == "" {
			continue
		}
		for _, line := range views.Wrap(p.more, width-textMargin) {
			s.add(i, "  "+k.Muted.On(line))
		}
	}
	return s
}

func (s *textSource) add(paragraph int, line string) {
	n := 0
	if last := len(s.keys) - 1; last >= 0 && s.keys[last].paragraph == paragraph {
		n = s.keys[last].line + 1
	}
	s.keys = append(s.keys, textKey{paragraph, n})
	s.lines = append(s.lines, line)
}

// Len is the number of lines.
func (s *textSource) Len() int { return len(s.lines) }

// Key tells lines apart.
func (s *textSource) Key(i int) textKey { return s.keys[i] }

// Depth is that of a list.
func (s *textSource) Depth(int) int { return 0 }

// Version never changes: other texts are another source.
func (s *textSource) Version(int) uint64 { return 0 }

// Matches looks at the whole of a paragraph.
func (s *textSource) Matches(i int, has func(text string) bool) bool {
	p := &s.paragraphs[s.keys[i].paragraph]
	return has(p.text) || has(p.more)
}

// Draw draws a line.
func (s *textSource) Draw(i int, _ rows.Look) string { return s.lines[i] }
