package progress

import (
	"errors"
	"io"
	"slices"
	"strings"

	"geodeck/adminapi/internal/jsonx"

	"github.com/go-json-experiment/json/jsontext"
)

// Table is JSON of a message as rows: of an array of objects, or of an object of
// objects, whose names are the first column then, without a title. The table may be
// one level down, the only one among the members of an object.
type Table struct {
	Before  string // text in front of the JSON
	Columns []string
	Rows    [][]string // a cell for each column, empty where a row has none; texts as the server sent them
}

// Limits of a table. What is beyond them is shown as the text that it is.
const (
	maxTableText    = 1 << 20
	maxTableColumns = 100
	maxTableRows    = 10_000
	maxTableTries   = 16 // brackets in the text before the JSON
)

// TableIn reads the table in a text. ok is false where there is no whole JSON in
// it, or JSON that is no table, or one beyond all measure. Of a value within a
// value the JSON is the cell.
func TableIn(text string) (t Table, ok bool) {
	before, value, found := JSONIn(text)
	if !found {
		return Table{}, false
	}
	t, ok = tableOf(value)
	t.Before = strings.TrimSpace(before)
	return t, ok
}

// JSONIn returns the object or array that a text ends in, but for the end of a
// sentence, and the text in front of it. ok is false where there is none that is
// whole, or one beyond all measure; of one that was cut no part is taken for it.
func JSONIn(text string) (before string, value jsontext.Value, ok bool) {
	if len(text) > maxTableText {
		return text, nil, false
	}
	for at, tries := 0, 0; tries < maxTableTries; tries++ {
		next := strings.IndexAny(text[at:], "{[")
		if next < 0 {
			break
		}
		at += next
		end, err := valueEnd(text[at:])
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return text, nil, false
		case err != nil:
			at++
		case strings.Trim(text[at+end:], " \t\r\n.;,") != "":
			at += end
		default:
			return text[:at], jsontext.Value(text[at : at+end]), true
		}
	}
	return text, nil, false
}

// valueEnd is where the JSON ends that a text begins with.
func valueEnd(text string) (int, error) {
	d := jsontext.NewDecoder(strings.NewReader(text), jsonx.AsWritten)
	err := d.SkipValue()
	return int(d.InputOffset()), err
}

// tableOf reads a table that may be one level down.
func tableOf(value jsontext.Value) (Table, bool) {
	if value.Kind() == '[' {
		return flatTable(value)
	}
	members := 0
	var inner []Table
	for member := range jsonx.Children(value) {
		members++
		if t, ok := flatTable(member.Value); ok {
			inner = append(inner, t)
		}
	}
	if t, ok := flatTable(value); ok && (members > 1 || len(inner) == 0) {
		return t, true
	}
	if len(inner) != 1 {
		return Table{}, false
	}
	return inner[0], true
}

// flatTable reads an array of objects or an object of objects.
func flatTable(value jsontext.Value) (Table, bool) {
	rows := slices.Collect(jsonx.Children(value))
	if len(rows) == 0 || len(rows) > maxTableRows {
		return Table{}, false
	}
	t := Table{Rows: make([][]string, 0, len(rows))}
	if value.Kind() == '{' {
		t.Columns = []string{""}
	}
	column := map[string]int{}
	for _, row := range rows {
		if row.Value.Kind() != '{' || len(t.Columns) > maxTableColumns {
			return Table{}, false
		}
		t.Rows = append(t.Rows, t.cells(row, column))
	}
	for i, cells := range t.Rows {
		t.Rows[i] = append(cells, make([]string, len(t.Columns)-len(cells))...)
	}
	return t, len(column) > 0 && len(t.Columns) <= maxTableColumns
}

// cells reads a row into the columns of its names, and adds those that are new.
func (t *Table) cells(row jsonx.Child, column map[string]int) (cells []string) {
	if row.Key != nil {
		cells = []string{row.Name}
	}
	for m := range jsonx.Children(row.Value) {
		i, known := column[m.Name]
		if !known {
			i = len(t.Columns)
			column[m.Name] = i
			t.Columns = append(t.Columns, m.Name)
		}
		for len(cells) <= i {
			cells = append(cells, "")
		}
		cells[i] = cellOf(m.Value)
	}
	return cells
}

// cellOf is a text as it is, and anything else as compact JSON.
func cellOf(value jsontext.Value) string {
	switch value.Kind() {
	case '"':
		return jsonx.Text(value)
	case '{', '[':
		return string(jsonx.Compact(value))
	}
	return string(value)
}
