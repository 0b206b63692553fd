// Package jsonview shows a JSON value to be read: indented, coloured, folding,
// with a filter. Numbers, order and repeated names stay as they were written.
//
// Start at [View]; it is a list of package rows whose rows are lines.
package jsonview

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/plain"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// View shows one value: it is a list of its lines.
type View struct {
	*rows.List[int]
	inks          rows.Inks
	table         []views.Command
	width, height int
}

// New returns a view without a value.
func New(t *theme.Theme) *View {
	v := &View{List: rows.New[int](t), inks: rows.NewInks(t)}
	v.table = slices.Concat(v.Moves(), v.Filters(), v.Folds())
	return v
}

// Set shows a value. What is no JSON is shown as the text it is.
func (v *View) Set(value []byte) {
	v.List.Set(&source{lines: Lines(value), inks: &v.inks})
	v.GoTop()
}

// Replace shows the value of another view, which a command has laid out: that takes time
// where the value is large. The size stays that of this view.
func (v *View) Replace(other *View) {
	other.List.SetSize(v.width, v.height)
	*v.List = *other.List
}

// SetSize gives the view its cells.
func (v *View) SetSize(width, height int) {
	v.width, v.height = width, height
	v.List.SetSize(width, height)
}

// Commands are the rows of a value that is read: moves, filter and folds. They stay the same.
func (v *View) Commands() []views.Command { return v.table }

// Line is the line that the cursor is on, counted from 0.
func (v *View) Line() int {
	line, _ := v.Key()
	return line
}

// Lines returns a value in lines, indented by two spaces. What is no JSON comes
// as the lines it has.
func Lines(value []byte) []string {
	indented, err := jsontext.AppendFormat(nil, value,
		jsontext.Multiline(true), jsontext.WithIndent("  "), jsontext.SpaceAfterColon(true),
		jsontext.PreserveRawStrings(true), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return strings.Split(plain.Text(string(value)), "\n")
	}
	return strings.Split(strings.TrimRight(string(indented), "\n"), "\n")
}

// source is the lines as rows. What an opening line holds, its closing bracket included,
// are its children.
type source struct {
	lines []string
	inks  *rows.Inks
}

func (s *source) Len() int      { return len(s.lines) }
func (s *source) Key(i int) int { return i }

func (s *source) Depth(i int) int {
	line := s.lines[i]
	indent := 0
	for indent < len(line) && line[indent] == ' ' {
		indent++
	}
	depth := indent / 2
	if indent < len(line) && (line[indent] == '}' || line[indent] == ']') && i > 0 {
		depth++
	}
	return depth
}

func (s *source) Matches(i int, has func(string) bool) bool { return has(s.lines[i]) }
func (s *source) Version(int) uint64                        { return 0 }

func (s *source) Draw(i int, look rows.Look) string {
	drawn := paint(s.inks, plain.Clip(s.lines[i], look.Width+1))
	if look.Folded {
		drawn += s.inks.Muted.On(s.inks.Glyphs.Ellipsis) + paint(s.inks, s.closing(i))
	}
	return drawn
}

// closing returns the bracket that ends what line i opens, with the comma that may follow it.
func (s *source) closing(i int) string {
	last := i
	for last+1 < len(s.lines) && s.Depth(last+1) > s.Depth(i) {
		last++
	}
	return strings.TrimSpace(s.lines[last])
}

// paint colours one line of indented JSON. It knows no more than a line: where
// it cannot follow, the rest stays as it is.
func paint(k *rows.Inks, line string) string {
	var b strings.Builder
	b.Grow(len(line) + 64)
	for len(line) > 0 {
		n := token(line)
		b.WriteString(inkOf(k, line, n).On(line[:n]))
		line = line[n:]
	}
	return b.String()
}

// inkOf chooses the colour of the first n bytes of line.
func inkOf(k *rows.Inks, line string, n int) rows.Ink {
	switch c := line[0]; {
	case c == '"' && strings.HasPrefix(line[n:], ":"):
		return k.JSONKey
	case c == '"':
		return k.JSONString
	case c == '-' || '0' <= c && c <= '9':
		return k.JSONNumber
	case 'a' <= c && c <= 'z':
		return k.JSONWord
	}
	return rows.Ink{}
}

// token returns the length of the first token of line: a string with its
// quotes, a run of letters and digits, or a run of anything else.
func token(line string) int {
	if line[0] == '"' {
		return stringEnd(line)
	}
	wordy := isWordy(line[0])
	n := 1
	for n < len(line) && line[n] != '"' && isWordy(line[n]) == wordy {
		n++
	}
	return n
}

func stringEnd(line string) int {
	for i := 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(line)
}

func isWordy(c byte) bool {
	return c == '-' || c == '+' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
