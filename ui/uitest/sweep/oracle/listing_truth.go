package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// shownBy is what a command has to show of what the site has now, and of the files of the machine.
func (d *Day) shownBy(args []string, form string, files map[string][]byte) shown {
	words, flags := split(args)
	switch strings.Join(words[:min(2, len(words))], " ") {
	case "service list":
		return d.services(append(words, "", "")[2], len(flags["state"]) > 0)
	case "service status":
		return d.statusOf(words[2])
	case "placement pods":
		return d.podsOf(words[2])
	case "service get", "placement get":
		where := "/services/" + words[2]
		if words[0] == "placement" {
			where += "/placementPolicy"
		}
		return shown{codes: []int{0}, whole: d.Ask(where)}
	case "health reports":
		return d.reportList(flags)
	case "health report":
		return d.report(words[2])
	case "health suites":
		return d.suites()
	case "job list":
		return d.jobList(number(flags, "limit", 20))
	case "job get":
		return shown{codes: []int{0}, whole: d.Ask("/jobs/" + words[2])}
	case "upgrade status":
		return d.upgradeStatus()
	case "upgrade history":
		return d.upgradeHistory(form)
	case "upgrade available":
		return d.offers()
	case "upgrade plan":
		return d.planned(words[2], givenBy(flags, files))
	case "upgrade start":
		g := givenBy(flags, files)
		g.starts = true
		return d.planned(words[2], g)
	case "service history":
		return backupsOf(words[2], files)
	case "log":
		return d.recordList(flags, files)
	}
	panic("nobody knows what geodeck " + strings.Join(args, " ") + " should show")
}

// split parts the words of a command from its flags.
func split(args []string) (words []string, flags map[string][]string) {
	flags = map[string][]string{}
	for i := 0; i < len(args); i++ {
		name, is := strings.CutPrefix(args[i], "--")
		switch {
		case !is:
			words = append(words, args[i])
		case name == "state", name == "dry-run", name == "latest-patch":
			flags[name] = []string{"true"}
		case strings.Contains(name, "="):
			name, value, _ := strings.Cut(name, "=")
			flags[name] = append(flags[name], value)
		default:
			i++
			flags[name] = append(flags[name], args[i])
		}
	}
	return words, flags
}

func number(flags map[string][]string, name string, usual int) int {
	for _, text := range flags[name] {
		usual, _ = strconv.Atoi(text)
	}
	return usual
}

// first is the beginning of a list; all of it for 0.
func first[T any](list []T, n int) []T {
	if n > 0 && len(list) > n {
		return list[:n]
	}
	return list
}

// into reads what the site has at a path.
func (d *Day) into(where string, v any) { _ = json.Unmarshal([]byte(d.Ask(where)), v) }

// Times of a site are milliseconds; 0 is none.
type millis int64

func (m millis) json() any {
	if m == 0 {
		return nil
	}
	return time.UnixMilli(int64(m)).UTC().Format("2006-01-02T15:04:05.999Z07:00")
}

func (m millis) cell() string {
	if m == 0 {
		return "-"
	}
	return time.UnixMilli(int64(m)).UTC().Format("2006-01-02 15:04:05Z")
}

// took is how long something took, as a table says it.
func took(from, to millis) string {
	if from == 0 || to == 0 || to < from {
		return "-"
	}
	return elapsed(time.Duration(to-from) * time.Millisecond)
}

// elapsed is a span as a table says it.
func elapsed(span time.Duration) string {
	whole := int(span / time.Second)
	switch {
	case whole < 10:
		return fmt.Sprintf("%.1f s", span.Seconds())
	case whole < 60:
		return fmt.Sprintf("%d s", whole)
	case whole < 3600:
		return fmt.Sprintf("%d min %02d s", whole/60, whole%60)
	}
	return fmt.Sprintf("%d h %02d min", whole/3600, whole%3600/60)
}

func (d *Day) jobList(limit int) shown {
	var told struct{ Jobs []string }
	d.into("/jobs", &told)
	t := table{member: "items", first: "ID"}
	for _, id := range first(told.Jobs, limit) {
		var j struct {
			JobID, Name, Status, Username, RequestID string
			StartTime, EndTime, UpdatedTime          millis
		}
		var raw any
		d.into("/jobs/"+id, &j)
		d.into("/jobs/"+id, &raw)
		t.rows = append(t.rows, row{id: id, key: "jobid", fields: []field{
			{member: "jobid", column: "ID", want: id, cell: id}, {member: "name", want: j.Name}, {member: "status", column: "STATUS", want: j.Status, cell: j.Status},
			{member: "user", column: "USER", want: j.Username, cell: j.Username}, {member: "requestId", column: "REQUEST", want: j.RequestID, cell: cmp.Or(j.RequestID, "-")},
			{member: "started", column: "STARTED", want: j.StartTime.json(), cell: j.StartTime.cell()},
			{member: "updated", column: "UPDATED", want: j.UpdatedTime.json(), cell: j.UpdatedTime.cell()},
			{member: "ended", column: "TOOK", want: j.EndTime.json(), cell: took(j.StartTime, j.EndTime)}, {member: "raw", want: raw},
		}})
	}
	return shown{codes: []int{0}, tables: []table{t}}
}

// backupsOf are the definitions of a service that are kept, the newest first.
func backupsOf(service string, files map[string][]byte) shown {
	type backup struct {
		ID, SHA256, Path, Part string
		Bytes                  int
	}
	t := table{member: "items", first: "ID"}
	for name, content := range files {
		if path.Base(name) != "index.jsonl" || !strings.Contains(strings.ToLower(name), "/backups/") || strings.Contains(strings.ToLower(name), "/placement") {
			continue
		}
		for line := range strings.Lines(string(content)) {
			var b backup
			if json.Unmarshal([]byte(line), &b) == nil && b.ID != "" && strings.Contains(strings.ToLower(line), strings.ToLower(service)) && !strings.Contains(line, "lacement") {
				t.rows = append(t.rows, row{id: b.ID, key: "id", fields: []field{
					{member: "id", column: "ID", want: b.ID, cell: b.ID}, {member: "sha256", want: b.SHA256}, {member: "service", want: service}, {member: "part", want: "definition"},
				}})
			}
		}
	}
	slices.SortStableFunc(t.rows, func(a, b row) int { return strings.Compare(b.id, a.id) })
	return shown{codes: []int{0}, tables: []table{t}}
}

// recordList are the writes of this machine, the newest first.
func (d *Day) recordList(flags map[string][]string, files map[string][]byte) shown {
	t := table{member: "items", first: "RECORD"}
	for _, r := range slices.Backward(linesIn(files)) {
		at := millis(r.Time.UnixMilli())
		fields := []field{
			{member: "id", column: "RECORD", want: r.ID, cell: r.ID}, {member: "time", column: "SENT", want: at.json(), cell: at.cell()},
			{member: "path", want: r.Path}, {member: "outcome", want: r.Outcome}, {member: "verdict", want: r.Verdict}, {member: "because", want: r.Because},
			{member: "overridden", want: r.Overridden}, {member: "subject"}, {member: "operation"}, {member: "open"}, {member: "user"},
		}
		for i, f := range fields { // what only has to be there
			if f.want == nil || r.Unrecorded && i > 0 {
				fields[i].want = anything{}
			}
		}
		t.rows = append(t.rows, row{id: r.ID, key: "id", fields: fields})
	}
	for _, text := range flags["since"] {
		since, _ := time.Parse("2006-01-02T15:04", text)
		t.rows = slices.DeleteFunc(t.rows, func(r row) bool { return fmt.Sprint(r.fields[1].want) < millis(since.UnixMilli()).json().(string) })
	}
	now, all := shown{codes: []int{0}}, len(t.rows)
	if t.rows = first(t.rows, number(flags, "limit", 20)); len(t.rows) < all {
		now.note = fmt.Sprintf("the newest %d of %d records", len(t.rows), all)
	}
	now.tables = []table{t}
	return now
}

// anything is a value that only has to be there.
type anything struct{}
