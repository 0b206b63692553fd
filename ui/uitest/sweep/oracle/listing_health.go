package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func (d *Day) reportList(flags map[string][]string) shown {
	t := table{member: "items", first: "ID"}
	for _, r := range d.reports() {
		if wanted := flags["result"]; len(wanted) > 0 && !slices.Contains(wanted, r.listed()) {
			continue
		}
		made := r.CreatedBy
		if made == "system" {
			made += " (the platform)"
		}
		t.rows = append(t.rows, row{id: r.ID, key: "id", fields: []field{
			{member: "id", column: "ID", want: r.ID, cell: r.ID}, {member: "name", column: "NAME", want: r.Name, cell: r.Name},
			{member: "owner", column: "OWNER", want: r.Owner, cell: r.Owner}, {member: "createdBy", column: "MADE BY", want: r.CreatedBy, cell: made},
			{member: "result", column: "RESULT", want: r.listed(), cell: r.listed()}, {member: "state", column: "STATE", want: r.State, cell: r.State},
			{member: "startTime", column: "STARTED", want: r.StartTime.json(), cell: r.StartTime.cell()},
			{member: "endTime", column: "TOOK", want: r.EndTime.json(), cell: took(r.StartTime, r.EndTime)}, {member: "raw", want: r.raw},
		}})
	}
	t.rows = first(t.rows, number(flags, "limit", 0))
	return shown{codes: []int{0}, tables: []table{t}}
}

// reports are those of the site, the newest first.
func (d *Day) reports() (all []checked) {
	var told struct{ Runs []json.RawMessage }
	d.into("/healthCheck/reports/query?start=1&num=10000", &told)
	for _, raw := range told.Runs {
		var r checked
		_ = json.Unmarshal(raw, &r)
		_ = json.Unmarshal(raw, &r.raw)
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b checked) int { return cmp.Compare(b.StartTime, a.StartTime) })
	return all
}

func (d *Day) report(id string) shown {
	where := "/healthCheck/reports/" + id
	var r checked
	d.into(where, &r)
	now := shown{codes: []int{0}, whole: d.Ask(where)}
	count := map[string]int{}
	var total int
	for _, suite := range r.SuiteStatus {
		t := table{member: "no list", first: "RESULT"}
		for severity, tests := range map[string][]checked{"critical": suite.CriticalTestStatus, "general": suite.GeneralTestStatus} {
			for _, test := range tests {
				total++
				count[test.verdict()]++
				said := cmp.Or(test.reason(), test.Description)
				if test.verdict() == "passed" || test.verdict() == "skipped" {
					said = test.Description
				}
				t.rows = append(t.rows, row{id: test.Name, fields: []field{
					{column: "RESULT", cell: test.verdict()}, {column: "SEVERITY", cell: severity}, {column: "TEST", cell: test.Name},
					{column: "TOOK", cell: took(test.StartTime, test.EndTime)}, {column: "DESCRIPTION OR REASON", cell: said},
				}})
			}
		}
		slices.SortStableFunc(t.rows, func(a, b row) int { return strings.Compare(a.fields[1].cell, b.fields[1].cell) })
		now.tables = append(now.tables, t)
	}
	now.lines = []string{fmt.Sprintf("Tests %d of %d passed", count["passed"], total), "Id " + id, "Started " + r.StartTime.cell(), "Took " + took(r.StartTime, r.EndTime), "Result " + r.overall()}
	if n := count["failed"]; n > 0 {
		now.lines[0] += fmt.Sprintf(", %d failed", n)
	}
	if n := count["warning"]; n > 0 && count["running"]+count["skipped"]+count["unknown"] == 0 {
		now.lines[0] += fmt.Sprintf(", %d with a warning", n)
	}
	if len(now.tables) > 1 { // each has the same headings
		now.tables = nil
	}
	return now
}

func (d *Day) suites() shown {
	type test struct{ Name, Description string }
	var told struct{ UserSuites []json.RawMessage }
	d.into("/healthCheck/suites", &told)
	t := table{member: "items", first: "ID"}
	for _, raw := range told.UserSuites {
		var s struct {
			ID, Name      string
			SystemOnly    bool
			CriticalTests []test
			GeneralTests  []test
		}
		var all any
		_ = json.Unmarshal(raw, &s)
		_ = json.Unmarshal(raw, &all)
		list := func(tests []test) []map[string]string {
			list := []map[string]string{}
			for _, one := range tests {
				list = append(list, map[string]string{"name": one.Name, "description": one.Description})
			}
			return list
		}
		t.rows = append(t.rows, row{id: s.ID, key: "id", fields: []field{
			{member: "id", column: "ID", want: s.ID, cell: s.ID}, {member: "name", column: "NAME", want: s.Name, cell: s.Name}, {member: "systemOnly", want: s.SystemOnly},
			{member: "criticalTests", column: "CRITICAL", want: list(s.CriticalTests), cell: strconv.Itoa(len(s.CriticalTests))},
			{member: "generalTests", column: "GENERAL", want: list(s.GeneralTests), cell: strconv.Itoa(len(s.GeneralTests))}, {member: "raw", want: all},
		}})
	}
	return shown{codes: []int{0}, tables: []table{t}}
}
