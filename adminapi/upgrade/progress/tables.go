package progress

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/plain"

	"github.com/go-json-experiment/json/jsontext"
)

// Table is the JSON of a message as rows: of an array of objects, or of an object of
// objects, whose names are a first column without a title. The table may also be the only
// one among the members of an object.
type Table struct {
	Before  string // text in front of the JSON
	Columns []string
	Rows    [][]string // a cell for each column, empty where a row has none; texts as the server sent them
}

// Limits of a table. What exceeds them is shown as text.
const (
	maxTableText    = 1 << 20
	maxTableColumns = 100
	maxTableRows    = 10_000
	maxTableTries   = 16 // brackets in the text before the JSON
)

// TableIn returns the table in a text. ok is false where the text has no complete JSON, or
// JSON that is not a table, or that is too large. A nested value is a cell of JSON.
func TableIn(text string) (t Table, ok bool) {
	before, value, found := JSONIn(text)
	if !found {
		return Table{}, false
	}
	t, ok = tableOf(value)
	t.Before = strings.TrimSpace(before)
	return t, ok
}

// JSONIn returns the object or array at the end of a text, before the end of a sentence,
// and the text in front of it. ok is false where there is none that is complete, or where
// it is too large; a part of one that was cut is not taken for it.
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
		decoder := jsontext.NewDecoder(strings.NewReader(text[at:]), jsonx.AsWritten)
		err := decoder.SkipValue()
		end := int(decoder.InputOffset())
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

// tableOf returns the table of a value, which may be one level down.
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

// flatTable returns the table of an array of objects or an object of objects.
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

// cells returns a row by the columns, and adds columns for new names.
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

// cellOf returns the content of a string, and any other value as compact JSON.
func cellOf(value jsontext.Value) string {
	switch value.Kind() {
	case '"':
		return jsonx.Text(value)
	case '{', '[':
		return string(jsonx.Compact(value))
	}
	return string(value)
}

// LineOf returns the text of a message for a line, as the server sent it: of a 2153, which is
// JSON, how its stores ended, such as "3 PostgreSQL stores: 2 completed, 1 failed".
func LineOf(m adminapi.UpgradeMessage) string {
	if m.Code != codeStores {
		return m.Message
	}
	t, ok := TableIn(m.Message)
	if !ok {
		return m.Message
	}
	text := plain.Plural(len(t.Rows), "PostgreSQL store")
	at := slices.IndexFunc(t.Columns, func(name string) bool {
		return slices.Contains([]string{"status", "state", "result"}, strings.ToLower(name))
	})
	if at < 0 {
		return text
	}
	var ends []string
	count := map[string]int{}
	for _, row := range t.Rows {
		end := plain.Clip(cmp.Or(row[at], "unknown"), maxEnd)
		if count[end]++; count[end] == 1 {
			ends = append(ends, end)
		}
	}
	for i, end := range ends {
		ends[i] = strconv.Itoa(count[end]) + " " + end
	}
	return text + ": " + strings.Join(ends, ", ")
}

// maxEnd bounds the word of how a store ended.
const maxEnd = 40
