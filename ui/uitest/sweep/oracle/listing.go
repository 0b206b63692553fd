package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Looking is a command that only reads, from before it begins: what the site has then is kept.
type Looking struct {
	day           *Day
	form          string
	args          []string
	before, after shown
}

// Printed is what such a command has printed, and what was in its way.
type Printed struct {
	Code     int
	Out, Err string
	Calm     bool            // nothing was in the way of its requests
	Unread   map[string]bool // the paths of what the site never answers to programs
	Hostile  bool            // texts of the site attack a terminal
	Files    map[string][]byte
}

// LooksBy begins to look at a command, by its arguments without the form of its output: json, jsonl or table.
func (d *Day) LooksBy(files map[string][]byte, form string, args ...string) *Looking {
	return &Looking{day: d, form: form, args: args, before: d.shownBy(args, form, files)}
}

// Printed judges what the command has printed.
func (l *Looking) Printed(p Printed) {
	l.after = l.day.shownBy(l.args, l.form, p.Files)
	if p.Hostile && l.form == "table" { // which cleans the texts
		return
	}
	judge(l.day, atListing, listed{p, l, readTables(p, l)})
}

// shown is what a command has to show of a site at one time.
type shown struct {
	unread string // the path by which the state of the whole is read; empty for none
	codes  []int  // the exit codes that fit
	object []field
	tables []table
	whole  string   // the JSON or the text that is printed as it is; empty for none
	lines  []string // of the table form, with one space between words
	note   string   // of the standard error, in the table form; empty for none
	checks []check  // before an upgrade
	given  given    // to the command that is about one
	id     string   // of the update
}

// table is a list of one kind of rows.
type table struct {
	member string   // of the JSON
	first  string   // the first of its headings; empty where no table shows it
	ends   []string // how a line begins that comes after the rows
	rows   []row
	least  bool // another order fits too
}

// row is one of a list.
type row struct {
	id     string // as it stands in the list
	key    string // the member that has it; empty for the first with that value
	fields []field
	unread string // the path by which its state is read; empty for none
}

// field is a value of a row.
type field struct {
	member string // of the JSON; empty for none
	column string // heading of the table; empty for none
	want   any    // as JSON has it
	cell   string // as a table has it
	state  bool   // it is not known where the state cannot be read
}

// listed is an output, and what it should be.
type listed struct {
	Printed
	*Looking
	tables []readTable // by those of the truth
}

func (l listed) command() string { return "geodeck " + strings.Join(l.args, " ") + " -o " + l.form }

var atListing = []rule[listed]{
	{"each row of a list is printed once", onceEach},
	{"a list is printed in its order", printedInOrder},
	{"a row is printed as the site has it", rowsAgree},
	{"what of a list cannot be read is unknown", unreadIsUnknown},
	{"a command that reads ends with its exit code", exitCode},
	{"the JSON of a list has its members", membersThere},
	{"the checks before an upgrade are as the site is", checksAgree},
}

// the command has failed before it printed, there is none.
func (l listed) both(do func(t readTable, was, now table)) (judged int) {
	if len(l.before.tables) != len(l.after.tables) {
		return 0
	}
	for i, t := range l.tables {
		if t.found && (l.form != "table" || l.before.tables[i].first != "") {
			do(t, l.before.tables[i], l.after.tables[i])
			judged++
		}
	}
	return judged
}

func onceEach(l listed) (judged int, wrong []string) {
	judged = l.both(func(t readTable, was, now table) {
		before, after := idsOf(was), idsOf(now)
		count := map[string]int{}
		for _, id := range t.ids {
			if count[id]++; count[id] == 2 {
				wrong = append(wrong, fmt.Sprintf("%s has %s twice", l.command(), id))
			}
			if !slices.Contains(before, id) && !slices.Contains(after, id) {
				wrong = append(wrong, fmt.Sprintf("%s has %s", l.command(), id))
			}
		}
		for _, id := range before {
			if l.Code < 2 && count[id] == 0 && slices.Contains(after, id) {
				wrong = append(wrong, fmt.Sprintf("%s ends with %d and lacks %s", l.command(), l.Code, id))
			}
		}
		if l.Code < 2 && slices.Equal(before, after) && len(t.ids) != len(before) {
			wrong = append(wrong, fmt.Sprintf("%s has %d rows, and the site %d", l.command(), len(t.ids), len(before)))
		}
	})
	for i, t := range l.tables {
		if l.form == "table" && l.before.tables[i].first != "" && !t.found && l.Code == 0 && len(l.after.tables) > i &&
			len(l.before.tables[i].rows) > 0 && len(l.after.tables[i].rows) > 0 && (l.Calm || !strings.Contains(l.Err, "its pods are not known: ")) {
			wrong = append(wrong, fmt.Sprintf("%s ends with 0 and has no table that begins with %s", l.command(), l.before.tables[i].first))
		}
	}
	return judged, wrong
}

func printedInOrder(l listed) (judged int, wrong []string) {
	judged = l.both(func(t readTable, was, now table) {
		if was.least || !l.Calm { // a clock that is set back changes the order of what a machine keeps
			return
		}
		for _, of := range []table{was, now} {
			ids, last := idsOf(of), -1
			for _, id := range t.ids {
				at := slices.Index(ids, id)
				if at >= 0 && at < last {
					wrong = append(wrong, fmt.Sprintf("%s has %s after %s", l.command(), id, ids[last]))
				}
				last = max(last, at)
			}
		}
	})
	return judged, wrong
}

// rowOf is the row of an id, nil for none.
func (t table) rowOf(id string) *row {
	if at := slices.IndexFunc(t.rows, func(r row) bool { return r.id == id }); at >= 0 {
		return &t.rows[at]
	}
	return nil
}

// steady are the fields of a row that the site has had as they are before and after, by their places.
func steady(was, now *row) []bool {
	fields := cmp.Or(now, was).fields
	same := make([]bool, len(fields))
	for i, f := range fields {
		same[i] = was == nil || now == nil || i < len(was.fields) && reflect.DeepEqual(was.fields[i], f)
	}
	return same
}

func rowsAgree(l listed) (judged int, wrong []string) {
	judged = l.both(func(t readTable, was, now table) {
		for i, id := range t.ids {
			before, after := was.rowOf(id), now.rowOf(id)
			if before == nil && after == nil {
				continue
			}
			r, same := cmp.Or(after, before), steady(before, after)
			if t.objects != nil {
				for n, f := range r.fields {
					if f.member != "" && same[n] && !(f.state && notKnown(t.objects[i])) {
						wrong = append(wrong, l.differs(id, f, t.objects[i])...)
					}
				}
			} else if text := rowPattern(t.columns, r, same); !text.MatchString(t.lines[i]) {
				wrong = append(wrong, fmt.Sprintf("%s: the row of %s is\n%s\nand should be as\n%s", l.command(), id, t.lines[i], text))
			}
		}
	})
	if l.form == "table" && l.Code < 2 && !l.Unread[l.after.unread] {
		text := strings.Join(strings.Fields(l.Out), " ")
		for _, line := range l.after.lines {
			if judged++; slices.Contains(l.before.lines, line) && !strings.Contains(text, line) {
				wrong = append(wrong, fmt.Sprintf("%s does not say %q:\n%.600s", l.command(), line, l.Out))
			}
		}
	}
	if l.form == "table" && l.Code == 0 && l.after.note != "" && l.after.note == l.before.note {
		if judged++; !strings.Contains(l.Err, l.after.note) {
			wrong = append(wrong, fmt.Sprintf("%s leaves rows out, and does not say %q: %.200s", l.command(), l.after.note, l.Err))
		}
	}
	if l.whole() && l.after.whole == l.before.whole && l.Code < 2 {
		judged++
		if !sameJSON(l.Out, l.after.whole) {
			wrong = append(wrong, fmt.Sprintf("%s has printed\n%.300s\nand the site has\n%.300s", l.command(), l.Out, l.after.whole))
		}
	}
	if l.form != "table" && len(l.after.object) > 0 && l.Code < 2 {
		var object map[string]json.RawMessage
		_ = json.Unmarshal([]byte(l.Out), &object)
		same := steady(&row{fields: l.before.object}, &row{fields: l.after.object})
		for i, f := range l.after.object {
			if same[i] && !(f.state && notKnown(object)) {
				wrong = append(wrong, l.differs("the object", f, object)...)
			}
		}
		judged++
	}
	return judged, wrong
}

// whole reports whether the output is what the site has, as it is.
func (l listed) whole() bool { return l.form != "table" && l.after.whole != "" }

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// differs says where a member of an object is not as the site has it. One that lacks is told elsewhere.
func (l listed) differs(id string, f field, object map[string]json.RawMessage) []string {
	got, there := object[f.member]
	at, rest, deeper := strings.Cut(f.member, ".")
	if deeper {
		var inner map[string]json.RawMessage
		_ = json.Unmarshal(object[at], &inner)
		got, there = inner[rest]
	}
	want, _ := json.Marshal(f.want)
	if _, any := f.want.(anything); !any && there && !sameJSON(string(got), string(want)) {
		return []string{fmt.Sprintf("%s: %s has %s %.200s, and the site %.200s", l.command(), id, f.member, got, want)}
	}
	return nil
}

// notKnown reports whether an object says that its state could not be read.
func notKnown(object map[string]json.RawMessage) bool {
	return len(object["stateError"]) > 2 || len(object["statusError"]) > 2
}

// rowPattern is how the line of a row has to be. What has changed meanwhile, and columns that the oracle does not know, may be anything.
func rowPattern(columns []string, r *row, same []bool) *regexp.Regexp {
	cells := make([]string, len(columns))
	for i, column := range columns {
		cells[i] = `.*?`
		at := slices.IndexFunc(r.fields, func(f field) bool { return f.column == column })
		if at < 0 || !same[at] {
			continue
		}
		f := r.fields[at]
		if cells[i] = regexp.QuoteMeta(f.cell); f.state {
			cells[i] = `(?:` + cells[i] + `|not known.*?)`
		}
	}
	return regexp.MustCompile(`^` + strings.Join(cells, ` {2,}`) + `$`)
}

// unreadIsUnknown wants that what the site does not tell is called unknown, and nothing else is where nothing was in the way.
func unreadIsUnknown(l listed) (judged int, wrong []string) {
	l.both(func(t readTable, was, now table) {
		for i, id := range t.ids {
			r := cmp.Or(now.rowOf(id), was.rowOf(id))
			if r == nil || r.unread == "" {
				continue
			}
			unknown := t.objects == nil && strings.Contains(t.lines[i], "not known")
			if t.objects != nil {
				unknown = notKnown(t.objects[i])
				for _, f := range r.fields {
					if value := t.objects[i][f.member]; unknown && f.state && len(value) > 0 && string(value) != "null" && string(value) != `""` {
						wrong = append(wrong, fmt.Sprintf("%s: the state of %s cannot be read, and is told as %s", l.command(), id, value))
					}
				}
			}
			switch judged++; {
			case l.Unread[r.unread] && !unknown:
				wrong = append(wrong, fmt.Sprintf("%s: nobody can read the state of %s, and it is not called unknown", l.command(), id))
			case unknown && l.Calm && !l.Unread[r.unread] && !strings.ContainsFunc(id, unicode.IsControl): // of such a name nothing is asked
				wrong = append(wrong, fmt.Sprintf("%s: the state of %s is called unknown, and nothing was in the way", l.command(), id))
			}
		}
	})
	return judged, wrong
}

// otherCodes are those of a command that could not read.
var otherCodes = []int{3, 5, 7, 130}

func exitCode(l listed) (int, []string) {
	fits := append(slices.Clone(l.before.codes), l.after.codes...)
	if strings.ContainsFunc(l.command(), func(r rune) bool { return !unicode.IsPrint(r) }) {
		fits = append(fits, 2) // nobody can type that name
	}
	if l.Unread[l.after.unread] {
		fits = append(otherCodes[:len(otherCodes):len(otherCodes)], 1, 4)
	}
	for _, t := range l.after.tables {
		if slices.ContainsFunc(t.rows, func(r row) bool { return l.Unread[r.unread] }) && !slices.Contains(l.args, "list") {
			fits = append(otherCodes[:len(otherCodes):len(otherCodes)], 1, 4)
		}
	}
	if !l.Calm && l.after.id != "" { // what is filled in fits no form that cannot be read
		fits = append(fits, 2)
	}
	if strings.Contains(l.Out+l.Err, "The settings could not be read: ") { // nor can it be compared with that
		fits = append(fits, 0, 1, 4)
	}
	if slices.Contains(fits, l.Code) || !l.Calm && slices.Contains(append(otherCodes, 1, 4), l.Code) && !(l.Code == 1 && l.Out != "") {
		return 1, nil
	}
	return 1, []string{fmt.Sprintf("%s ends with %d, and should end with one of %v", l.command(), l.Code, fits)}
}

// membersThere wants every member of each object, and the head of the whole.
func membersThere(l listed) (judged int, wrong []string) {
	if l.form == "table" || l.Out == "" || l.whole() {
		return 0, nil
	}
	if l.form == "json" && !strings.HasPrefix(strings.Join(strings.Fields(l.Out), ""), `{"schemaVersion":1`) {
		wrong = append(wrong, fmt.Sprintf("%s does not begin with its schemaVersion: %.100s", l.command(), l.Out))
	}
	for _, t := range l.tables {
		judged++
		for _, text := range t.wrong {
			wrong = append(wrong, l.command()+": "+text)
		}
	}
	l.both(func(t readTable, was, now table) {
		for i, id := range t.ids {
			r := cmp.Or(now.rowOf(id), was.rowOf(id))
			if r != nil {
				wrong = append(wrong, l.lacks(id, r.fields, t.objects[i])...)
			}
		}
	})
	if len(l.after.object) > 0 {
		var object map[string]json.RawMessage
		_ = json.Unmarshal([]byte(l.Out), &object)
		wrong = append(wrong, l.lacks("the object", l.after.object, object)...)
		judged++
	}
	return judged, wrong
}

func (l listed) lacks(id string, fields []field, object map[string]json.RawMessage) (wrong []string) {
	for _, f := range fields {
		at, rest, deeper := strings.Cut(f.member, ".")
		_, there := object[at]
		if deeper {
			var inner map[string]json.RawMessage
			there = json.Unmarshal(object[at], &inner) == nil && (inner == nil || len(inner[rest]) > 0)
		}
		if f.member != "" && !there && !(f.state && notKnown(object)) {
			wrong = append(wrong, fmt.Sprintf("%s: %s has no %s", l.command(), id, f.member))
		}
	}
	return wrong
}
