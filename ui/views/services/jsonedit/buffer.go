package jsonedit

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"geodeck/adminapi/document"
	"geodeck/ui/views"
	"geodeck/ui/views/services/edits"
)

// buffer is a text that is typed: rows of characters and a cursor among them.
type buffer struct {
	rows     [][]rune
	row, col int
	single   bool // one row only: line breaks and tabs become spaces
	bytes    int
	changes  int // grows with each change of the text
	strokes  edits.History[stroke]
}

func newBuffer(text string, single bool) buffer {
	b := buffer{single: single, bytes: len(text)}
	for line := range strings.SplitSeq(text, "\n") {
		b.rows = append(b.rows, []rune(line))
	}
	return b
}

// String returns the text.
func (b *buffer) String() string {
	var text strings.Builder
	text.Grow(b.bytes)
	for i, row := range b.rows {
		if i > 0 {
			text.WriteByte('\n')
		}
		for _, r := range row {
			text.WriteRune(r)
		}
	}
	return text.String()
}

// insert puts a text at the cursor. It reports whether there was room: a text beyond
// what a document may have is not taken in part.
func (b *buffer) insert(text string) bool {
	text = sane(text, b.single)
	if b.bytes+len(text) > document.MaxSize {
		return false
	}
	if text != "" {
		b.note(b.row, b.col, "", text)
		b.put(text)
	}
	return true
}

// put is insert for a text that has room, and that is no stroke of its own.
func (b *buffer) put(text string) {
	b.bytes += len(text)
	lines := strings.Split(text, "\n")
	if len(lines) == 1 {
		typed := []rune(text)
		b.rows[b.row] = slices.Insert(b.rows[b.row], b.col, typed...)
		b.col += len(typed)
		return
	}
	tail := slices.Clone(b.rows[b.row][b.col:])
	b.rows[b.row] = append(b.rows[b.row][:b.col], []rune(lines[0])...)
	more := make([][]rune, 0, len(lines)-1)
	for _, line := range lines[1:] {
		more = append(more, []rune(line))
	}
	b.rows = slices.Insert(b.rows, b.row+1, more...)
	b.row += len(more)
	b.col = len(b.rows[b.row])
	b.rows[b.row] = append(b.rows[b.row], tail...)
}

// sane keeps of typed or pasted text what a document can hold.
func sane(text string, single bool) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	return strings.Map(func(r rune) rune {
		switch {
		case single && (r == '\n' || r == '\t'):
			return ' '
		case r == '\n' || r == '\t':
			return r
		case r == utf8.RuneError || unicode.IsControl(r):
			return -1
		}
		return r
	}, text)
}

// bufferRows are the keys that move the cursor and delete text. page returns the number of
// rows on the screen; after follows each key, with whether the text has changed.
func bufferRows(of func() *buffer, page func() int, after func(changed bool)) []views.Command {
	row := func(id, help string, run func(*buffer), keys ...string) views.Command {
		return edits.Row("cursor."+id, "", help, func() {
			b := of()
			before := b.changes
			run(b)
			after(b.changes != before)
		}, keys...)
	}
	undo := row("undo", "Undo typing. Most terminals send it for ctrl+/ too.", (*buffer).undo, "ctrl+_")
	undo.Hint = views.HintIf(func() bool { return of().strokes.Undoable() }, "undo")
	begin, end := func(b *buffer) { b.col = 0 }, func(b *buffer) { b.col = len(b.rows[b.row]) }
	return views.Grouped(cursorGroup, []views.Command{
		row("left", "A character left.", (*buffer).left, "left", "ctrl+b"),
		row("right", "A character right.", (*buffer).right, "right", "ctrl+f"),
		row("begin", "The beginning of the line.", begin, "home", "ctrl+a"),
		row("end", "The end of the line.", end, "end", "ctrl+e"),
		row("up", "A line up.", func(b *buffer) { b.down(-1) }, "up"),
		row("down", "A line down.", func(b *buffer) { b.down(1) }, "down"),
		row("page-up", "A page up.", func(b *buffer) { b.down(-page()) }, "pgup"),
		row("page-down", "A page down.", func(b *buffer) { b.down(page()) }, "pgdown"),
		row("top", "The beginning of the text.", func(b *buffer) { b.row, b.col = 0, 0 }, "ctrl+home"),
		row("bottom", "The end of the text.", func(b *buffer) { b.down(len(b.rows)); end(b) }, "ctrl+end"),
		row("back", "Delete the character before the cursor.", removing((*buffer).left), "backspace"),
		row("delete", "Delete the character under the cursor.", removing((*buffer).right), "delete", "ctrl+d"),
		row("delete-before", "Delete the text of the line before the cursor.", removing(begin), "ctrl+u"),
		row("delete-behind", "Delete the rest of the line.", removing(end), "ctrl+k"),
		row("delete-word", "Delete the word before the cursor.", removing((*buffer).word), "ctrl+w"),
		undo,
		row("redo", "Redo typing.", (*buffer).redo, "ctrl+r"),
	})
}

// removing returns a function that deletes the text between the cursor and where move takes it.
func removing(move func(*buffer)) func(*buffer) {
	return func(b *buffer) {
		line, col := b.row, b.col
		move(b)
		if old := b.remove(line, col); old != "" {
			b.note(b.row, b.col, old, "")
		}
	}
}

// remove deletes the text between a place and the cursor, and returns it.
func (b *buffer) remove(row, col int) string {
	toRow, toCol := b.row, b.col
	if toRow < row || toRow == row && toCol < col {
		row, col, toRow, toCol = toRow, toCol, row, col
	}
	var removed strings.Builder
	for i := row; i <= toRow; i++ {
		from, to := 0, len(b.rows[i])
		if i == row {
			from = col
		} else {
			removed.WriteByte('\n')
		}
		if i == toRow {
			to = toCol
		}
		removed.WriteString(string(b.rows[i][from:to]))
	}
	b.rows[row] = append(b.rows[row][:col], b.rows[toRow][toCol:]...)
	b.rows = slices.Delete(b.rows, row+1, toRow+1)
	b.row, b.col, b.bytes = row, col, b.bytes-removed.Len()
	return removed.String()
}

func (b *buffer) left() {
	switch {
	case b.col > 0:
		b.col--
	case b.row > 0:
		b.row--
		b.col = len(b.rows[b.row])
	}
}

func (b *buffer) right() {
	switch {
	case b.col < len(b.rows[b.row]):
		b.col++
	case b.row < len(b.rows)-1:
		b.row, b.col = b.row+1, 0
	}
}

func (b *buffer) down(by int) {
	b.row = max(0, min(b.row+by, len(b.rows)-1))
	b.col = min(b.col, len(b.rows[b.row]))
}

// word moves to the beginning of the word before the cursor.
func (b *buffer) word() {
	line := b.rows[b.row]
	for b.col > 0 && unicode.IsSpace(line[b.col-1]) {
		b.col--
	}
	for b.col > 0 && !unicode.IsSpace(line[b.col-1]) {
		b.col--
	}
}

// window draws the row of the cursor in a number of cells, with what is around the
// cursor in sight.
func (b *buffer) window(k *inks, cells int) string {
	return edits.Window(&k.Inks, b.rows[b.row], b.leftmost(k, cells), b.col, cells)
}

// leftmost is the first character that is drawn so that the cursor is in sight.
func (b *buffer) leftmost(k *inks, cells int) int {
	return edits.Leftmost(&k.Inks, b.rows[b.row], b.col, cells)
}
