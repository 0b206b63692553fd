package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// toldMessage is one of an upgrade.
type toldMessage struct {
	When    millis
	Code    int
	Message string
}

func (d *Day) upgradeStatus() shown {
	var told struct {
		Status struct {
			State    string
			Code     int
			Messages []toldMessage
		}
	}
	d.into("/system/upgrades", &told)
	s := told.Status
	t := table{member: "status.messages", first: "WHEN", least: true}
	for _, m := range s.Messages {
		t.rows = append(t.rows, row{id: m.Message, key: "message", fields: []field{
			{member: "when", column: "WHEN", want: m.When.json(), cell: m.When.cell()}, {member: "code", column: "CODE", want: m.Code, cell: strconv.Itoa(m.Code)},
			{member: "message", column: "MESSAGE", want: m.Message, cell: m.Message},
		}})
	}
	now := shown{codes: []int{0}, object: []field{{member: "status.state", want: s.State}, {member: "status.code", want: s.Code}}, tables: []table{t}}
	if s.State == "failed" {
		now.codes = []int{1}
	}
	if twice(idsOf(t)) || slices.ContainsFunc(s.Messages, tooLong) { // the texts do not tell them apart, or are shortened
		now.tables = nil
	}
	return now
}

// tooLong reports whether a message is longer than any that a person could read.
func tooLong(m toldMessage) bool { return len(m.Message) > 32<<10 }

func twice(list []string) bool {
	slices.Sort(list)
	return len(slices.Compact(slices.Clone(list))) != len(list)
}

// upgradeRuns reports whether an upgrade runs.
func (d *Day) upgradeRuns() bool {
	var told status
	d.into("/system/upgrades", &told)
	return told.Status.State == running
}

// update is a release or a patch.
type update struct {
	ID, Name, Type, Version string
	Build                   any
	Released                millis
	NewLicensesRequired     *bool
}

func (u update) version() string {
	return strings.TrimSuffix(u.Version+"."+fmt.Sprint(u.Build), ".<nil>")
}

// updateRows are updates, with the columns of what is installed and of what is offered.
func updateRows(list []json.RawMessage) (rows []row) {
	for _, raw := range list {
		var u update
		var all any
		_ = json.Unmarshal(raw, &u)
		_ = json.Unmarshal(raw, &all)
		said, day := "not said", ""
		if u.NewLicensesRequired != nil {
			said = map[bool]string{true: "yes", false: "no"}[*u.NewLicensesRequired]
		}
		if u.Released != 0 {
			day = u.Released.cell()[:len(time.DateOnly)]
		}
		rows = append(rows, row{id: u.ID, key: "id", fields: []field{
			{member: "id", column: "ID", want: u.ID, cell: u.ID}, {column: "INSTALLED", cell: u.ID}, {member: "name", column: "NAME", want: u.Name, cell: u.Name},
			{member: "type", column: "TYPE", want: u.Type, cell: u.Type}, {member: "version", column: "VERSION", want: u.version(), cell: u.version()},
			{member: "released", column: "RELEASED", want: u.Released.json(), cell: day},
			{member: "newLicensesRequired", column: "NEW LICENCE", want: u.NewLicensesRequired, cell: said}, {member: "raw", want: all},
		}})
	}
	return rows
}

func (d *Day) upgradeHistory(form string) shown {
	if d.upgradeRuns() {
		return shown{codes: []int{4}}
	}
	var installed struct{ Updates []json.RawMessage }
	var past struct{ History []json.RawMessage }
	d.into("/system/upgrades/installed", &installed)
	d.into("/system/upgrades/history", &past)
	t := table{member: "history", first: "STARTED"}
	for _, raw := range past.History {
		var h struct{ ID, Name, Operation, FromVersion, ToVersion, Status, Username, StartTime, EndTime string }
		var all any
		_ = json.Unmarshal(raw, &h)
		_ = json.Unmarshal(raw, &all)
		from, to := moment(h.StartTime), moment(h.EndTime)
		id := from.cell() // a table has seconds
		if form != "table" {
			id, _ = from.json().(string)
		}
		t.rows = append(t.rows, row{id: id, key: "started", fields: []field{
			{member: "type", column: "WHAT", want: h.Operation, cell: h.Operation}, {member: "from", column: "FROM", want: h.FromVersion, cell: h.FromVersion},
			{member: "to", column: "TO", want: h.ToVersion, cell: h.ToVersion}, {member: "result", column: "RESULT", want: h.Status, cell: h.Status},
			{member: "id", column: "ID", want: h.ID, cell: cmp.Or(h.ID, h.Name)}, {member: "user", column: "USER", want: h.Username, cell: h.Username}, {member: "started", column: "STARTED", want: from.json(), cell: from.cell()},
			{member: "ended", column: "TOOK", want: to.json(), cell: took(from, to)}, {member: "raw", want: all},
		}})
	}
	return shown{codes: []int{0}, tables: []table{{member: "installed", first: "INSTALLED", rows: updateRows(installed.Updates)}, t}}
}

// moment is a time of the history.
func moment(text string) millis {
	at, err := time.Parse("2006-01-02 15:04:05.000", text)
	if err != nil {
		return 0
	}
	return millis(at.UnixMilli())
}

func (d *Day) offers() shown {
	if d.upgradeRuns() {
		return shown{codes: []int{0, 4}}
	}
	now := d.siteNow()
	var list []json.RawMessage
	for _, o := range now.offers {
		list = append(list, o.raw)
	}
	rows := updateRows(list)
	for i, o := range now.offers {
		rows[i].fields = append(rows[i].fields, o.placed(now)...)
	}
	lines := []string{"Installed: " + now.now.full()}
	if now.why != "" {
		lines = append(lines, "Recommended: "+now.why)
	}
	if len(rows) == 0 {
		lines = []string{"Installed: " + now.now.full() + ". Nothing is offered."}
	}
	return shown{codes: []int{0}, tables: []table{{member: "items", first: "STATE", rows: rows, ends: []string{"Installed: "}}}, lines: lines}
}
