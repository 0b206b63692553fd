package activity

import (
	"cmp"
	"slices"
	"strings"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/widget/rows"
)

// How the record is sorted.
const (
	byTime    = iota // newest first
	byOutcome        // what is not done first
	byOperation
)

// recordOrders names the orders for the heading of the list.
var recordOrders = [...]string{byTime: "newest first", byOutcome: "by outcome", byOperation: "by operation"}

// recordRows are the records as rows.
type recordRows struct {
	rows.Flat
	*child
	list []journal.Record
}

func newRecordRows(c *child, all []journal.Record, order int) *recordRows {
	r := &recordRows{child: c, list: all}
	if order == byTime {
		return r
	}
	r.list = slices.Clone(all)
	slices.SortStableFunc(r.list, func(a, b journal.Record) int {
		if order == byOutcome {
			return cmp.Compare(operation.ResultOf(a).End(), operation.ResultOf(b).End())
		}
		return cmp.Or(strings.Compare(a.Operation, b.Operation), strings.Compare(a.Subject, b.Subject))
	})
	return r
}

// Len returns the number of records.
func (r *recordRows) Len() int { return len(r.list) }

// Key returns the id of a record.
func (r *recordRows) Key(i int) string { return r.list[i].ID }

// Matches reports whether a filter finds the record by its id, operation, subject, path, user,
// reason, outcome, error or note.
func (r *recordRows) Matches(i int, has func(string) bool) bool {
	e := &r.list[i]
	return has(e.ID) || has(e.Operation) || has(e.Subject) || has(e.Path) || has(e.By) || has(e.User) || has(e.Reason) || has(e.Outcome.String()) || has(operation.ResultOf(*e).Word()) || has(e.Message) || has(e.Note) || has(e.Because)
}

// Version changes with the format of times.
func (r *recordRows) Version(int) uint64 { return r.Env.Times.Version(false) }

const (
	outcomeWidth = len("? rolled back") // the longest word
	whoWidth     = 16
	whoFrom      = 90
)

// Draw draws a row: outcome, time, user, operation and subject.
func (r *recordRows) Draw(i int, look rows.Look) string {
	k, e := r.inks, r.list[i]
	ink, result := outcome(k, e)
	line := ink.On(k.Fit(result, outcomeWidth)) + "  " + k.Muted.On(k.Fit(r.Env.Times.Short(e.Time), momentWidth)) + "  "
	room := look.Width - outcomeWidth - momentWidth - 4
	if look.Width >= whoFrom {
		who, _, _ := strings.Cut(plain.Line(e.By), " (") // without the process
		line += k.Fit(who, whoWidth) + "  "
		room -= whoWidth + 2
	}
	text := plain.Line(e.Operation) // what was sent, and about what
	if e.Subject != "" && !strings.Contains(text, e.Subject) {
		text += ": " + plain.Line(e.Subject)
	}
	return line + k.Fit(text, max(0, room))
}

func (l *recordList) heading() string {
	k := l.inks
	line := indent + k.Fit("Outcome", outcomeWidth) + "  " + k.Fit("Sent", momentWidth) + "  "
	if l.Width-len(indent) >= whoFrom {
		line += k.Fit("Who", whoWidth) + "  "
	}
	return k.Label.On(k.Fit(line+"Operation", l.Width))
}
