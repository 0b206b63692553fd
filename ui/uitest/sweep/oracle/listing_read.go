package oracle

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// readTable is a list as it was printed.
type readTable struct {
	ids     []string
	found   bool // there is such a list
	objects []map[string]json.RawMessage
	lines   []string
	columns []string
	wrong   []string // why it is no list
}

// readTables reads the lists of an output.
func readTables(p Printed, l *Looking) (all []readTable) {
	lines := strings.Split(strings.TrimSuffix(p.Out, "\n"), "\n")
	for i := range l.before.tables {
		var t readTable
		was, now := l.before.tables[i], table{}
		if i < len(l.after.tables) {
			now = l.after.tables[i]
		}
		switch l.form {
		case "json":
			t = readObject(p.Out, was.member)
		case "jsonl":
			t = readLines(p.Out, was.member)
		default:
			t = readColumns(lines, was)
		}
		t.name(append(slices.Clone(now.rows), was.rows...))
		all = append(all, t)
	}
	return all
}

// readObject reads a list of an object of JSON.
func readObject(text, member string) (t readTable) {
	var object map[string]json.RawMessage
	if strings.TrimSpace(text) == "" {
		return t
	}
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.wrong = append(t.wrong, "it is no JSON: "+err.Error())
		return t
	}
	at := object
	for {
		first, rest, deeper := strings.Cut(member, ".")
		if !deeper {
			break
		}
		at = map[string]json.RawMessage{}
		_ = json.Unmarshal(object[first], &at)
		member = rest
	}
	list, there := at[member]
	switch {
	case !there:
		t.wrong = append(t.wrong, "it has no "+member)
	case json.Unmarshal(list, &t.objects) != nil || string(list) == "null":
		t.wrong = append(t.wrong, member+" is no list: "+string(list))
	default:
		t.found = true
	}
	return t
}

// readLines reads a list of lines of JSON.
func readLines(text, member string) (t readTable) {
	if member != "items" { // an object without items is on one line
		if strings.Count(text, "\n") > 1 {
			t.wrong = append(t.wrong, "an object takes more than one line")
		}
		other := readObject(text, member)
		other.wrong = append(other.wrong, t.wrong...)
		return other
	}
	t.found = true
	for line := range strings.Lines(text) {
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.wrong = append(t.wrong, "a line is no JSON: "+err.Error())
			continue
		}
		t.objects = append(t.objects, object)
		if string(object["schemaVersion"]) != "1" {
			t.wrong = append(t.wrong, "a line has no schemaVersion 1")
		}
	}
	return t
}

// wide is what stands between two cells.
var wide = regexp.MustCompile(` {2,}`)

// readColumns reads a table, which ends at an empty line.
func readColumns(lines []string, of table) (t readTable) {
	if of.first == "" {
		return t
	}
	for _, line := range lines {
		if !t.found {
			if t.found = line == of.first || strings.HasPrefix(line, of.first+"  "); t.found {
				t.columns = wide.Split(line, -1)
			}
			continue
		}
		if line == "" || slices.ContainsFunc(of.ends, func(begin string) bool { return strings.HasPrefix(line, begin) }) {
			break
		}
		t.lines = append(t.lines, line)
	}
	return t
}

// name finds out which row each of a list is, by its id; one that nobody has is named by itself.
func (t *readTable) name(rows []row) {
	for _, object := range t.objects {
		id := "?"
		for _, r := range rows {
			for member, value := range object {
				var text string
				if (r.key == "" || r.key == member) && json.Unmarshal(value, &text) == nil && text == r.id {
					id = r.id
				}
			}
		}
		if id == "?" {
			text, _ := json.Marshal(object)
			id = fmt.Sprintf("a row that the site does not have: %.300s", text)
		}
		t.ids = append(t.ids, id)
	}
	for _, line := range t.lines {
		id, cells := "a row that the site does not have: "+line, wide.Split(line, -1)
		for _, r := range rows {
			if slices.Contains(cells, r.id) {
				id = r.id
				break
			}
		}
		t.ids = append(t.ids, id)
	}
}

func idsOf(t table) (ids []string) {
	for _, r := range t.rows {
		ids = append(ids, r.id)
	}
	return ids
}

// both calls with each list that was printed, and what the site had before and after. Where it has nothing to show, or
