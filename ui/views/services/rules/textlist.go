package rules

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

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
	finding int    // the number of the finding that it is; zero for none
}

// textKey is a line of a paragraph.
type textKey struct{ paragraph, line int }

// textList is paragraphs as rows.
type textList struct {
	b          *Builder
	list       *rows.List[textKey]
	paragraphs []paragraph
	made       textsMade
}

// textsMade names what the rows were made of.
type textsMade struct {
	of    any
	width int
}

func newTextList(b *Builder) *textList {
	return &textList{b: b, list: rows.New[textKey](b.theme)}
}

// set shows paragraphs, unless those of that version are shown at that width already.
func (t *textList) set(paragraphs func() []paragraph, version any, width int) {
	if now := (textsMade{version, width}); now != t.made {
		t.made = now
		t.paragraphs = paragraphs()
		t.list.Set(newTextSource(&t.b.inks, t.paragraphs, width))
	}
}

// chosen returns the paragraph under the cursor.
func (t *textList) chosen() (int, bool) {
	key, ok := t.list.Key()
	return key.paragraph, ok
}

func (t *textList) refresh(int)               {}
func (t *textList) setSize(width, height int) { t.list.SetSize(width, height) }
func (t *textList) view() string              { return t.list.View() }
func (t *textList) typing() bool              { return t.list.Typing() }
func (t *textList) take(key tea.KeyMsg)       { t.list.Type(key) }
func (t *textList) filter() string            { return t.list.Filter() }
func (t *textList) setFilter(text string)     { t.list.SetFilter(text) }
func (t *textList) position() string          { return t.list.Position() }

func (t *textList) rows() []views.Command {
	return slices.Concat(t.list.Moves(), t.list.Filters(), arrows(t.b.leavePanel, nil))
}

// arrows are the rows of a tree that lead out of a panel, and open what it shows.
func arrows(left, right func()) (list []views.Command) {
	for _, row := range rows.Folds() {
		switch {
		case row.ID == rows.Fold:
			row.Run = do(left)
		case row.ID == rows.Unfold && right != nil:
			row.Run = do(right)
		default:
			continue
		}
		list = append(list, row)
	}
	return list
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
