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
		case name == "state":
			flags[name] = []string{"yes"}
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
	span := time.Duration(to-from) * time.Millisecond
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

// service is one of the list of a folder.
type service struct {
	ID, FolderName, ServiceName, Type, Description string
	raw                                            any
}

func (s service) path() string {
	return strings.TrimPrefix(s.FolderName+"/"+s.ServiceName+"."+s.Type, "/")
}

// servicesIn are the services of a folder, in the order of the site; / is the root, and empty all of them.
func (d *Day) servicesIn(folder string) (all []service) {
	var root struct {
		Folders  []string
		Services []json.RawMessage
	}
	where := "/services"
	if folder != "" && folder != "/" {
		where += "/" + folder
	}
	d.into(where, &root)
	for _, raw := range root.Services {
		var one service
		_ = json.Unmarshal(raw, &one)
		_ = json.Unmarshal(raw, &one.raw)
		all = append(all, one)
	}
	if folder == "" {
		for _, name := range root.Folders {
			all = append(all, d.servicesIn(name)...)
		}
	}
	return all
}

// state is what a service should be, and what it is.
type state struct{ ConfiguredState, RealTimeState string }

func (d *Day) stateOf(service string) (s state) {
	d.into("/services/"+service+"/status", &s)
	return s
}

// text is a state in a table.
func (s state) text() string {
	switch {
	case s.RealTimeState == "STARTED" && s.ConfiguredState == "STARTED":
		return "started"
	case s.RealTimeState == "STOPPED" && s.ConfiguredState == "STARTED":
		return "stopped, should run"
	case s.RealTimeState == "STARTED" && s.ConfiguredState == "STOPPED":
		return "runs, should not"
	}
	return strings.ToLower(s.RealTimeState)
}

func (s state) fields() []field {
	return []field{{member: "configuredState", want: s.ConfiguredState, state: true}, {member: "realTimeState", want: s.RealTimeState, column: "STATE", cell: s.text(), state: true}}
}

func (d *Day) services(folder string, states bool) shown {
	t := table{member: "items", first: "SERVICE"}
	for _, one := range d.servicesIn(folder) {
		r := row{id: one.path(), key: "service", fields: []field{
			{member: "service", column: "SERVICE", want: one.path(), cell: one.path()}, {member: "id", want: one.ID}, {member: "folderName", want: one.FolderName},
			{member: "serviceName", want: one.ServiceName}, {member: "type", want: one.Type}, {member: "raw", want: one.raw},
			{member: "description", column: "DESCRIPTION", want: one.Description, cell: one.Description},
		}}
		if states {
			r.unread = "/services/" + one.path() + "/status"
			r.fields = append(r.fields, d.stateOf(one.path()).fields()...)
		}
		t.rows = append(t.rows, r)
	}
	return shown{codes: []int{0}, tables: []table{t}}
}

// pods is how the pods of a deployment are.
type pods struct {
	Name, CurrentState           string
	ReadyReplicas, TotalReplicas int
}

// podRows are the deployments of some ids. short reports whether one lacks pods.
func (d *Day) podRows(service string, ids []string) (rows []row, short bool) {
	for _, id := range ids {
		where := "/system/deployments/" + id + "/status"
		var p pods
		var raw any
		d.into(where, &p)
		d.into(where, &raw)
		ready := fmt.Sprintf("%d of %d", p.ReadyReplicas, p.TotalReplicas)
		if p.TotalReplicas == 0 {
			ready = "none (" + strings.ToLower(p.CurrentState) + ")"
		}
		short = short || p.ReadyReplicas < p.TotalReplicas
		rows = append(rows, row{id: id, key: "deploymentId", unread: where, fields: []field{
			{member: "service", want: service}, {member: "deploymentId", column: "DEPLOYMENT", want: id, cell: id},
			{member: "name", column: "NAME", want: p.Name, cell: p.Name, state: true}, {member: "state", column: "STATE", want: p.CurrentState, cell: strings.ToLower(p.CurrentState), state: true},
			{member: "ready", column: "READY", want: p.ReadyReplicas, cell: ready, state: true}, {member: "wanted", want: p.TotalReplicas, state: true}, {member: "raw", want: raw, state: true},
		}})
	}
	return rows, short
}

// deployment is how many pods one may have.
type deployment struct {
	DeploymentID, DeploymentType string
	Replicas                     struct {
		Min, Max    int
		ScalingMode string
	}
}

func (d deployment) scales() string {
	pods := fmt.Sprintf("%d pods", d.Replicas.Max)
	if d.Replicas.Max == 1 {
		pods = "1 pod"
	}
	switch {
	case d.Replicas.Min == d.Replicas.Max:
		return pods + ", fixed"
	case d.Replicas.ScalingMode == "auto":
		return fmt.Sprintf("%d to %s, automatically", d.Replicas.Min, pods)
	}
	return fmt.Sprintf("%d to %s", d.Replicas.Min, pods)
}

func (d *Day) statusOf(name string) shown {
	var told struct{ ScalingSpec []json.RawMessage }
	d.into("/services/"+name+"/scaling", &told)
	scaling := table{member: "scaling"}
	var ids []string
	of := map[string]deployment{}
	for _, raw := range told.ScalingSpec {
		var one deployment
		var all any
		_ = json.Unmarshal(raw, &one)
		_ = json.Unmarshal(raw, &all)
		ids, of[one.DeploymentID] = append(ids, one.DeploymentID), one
		scaling.rows = append(scaling.rows, row{id: one.DeploymentID, key: "deploymentId", fields: []field{
			{member: "deploymentId", want: one.DeploymentID}, {member: "deploymentType", want: one.DeploymentType}, {member: "min", want: one.Replicas.Min},
			{member: "max", want: one.Replicas.Max}, {member: "scalingMode", want: one.Replicas.ScalingMode}, {member: "raw", want: all},
		}})
	}
	rows, short := d.podRows(name, ids)
	for i, r := range rows {
		rows[i].fields = append(r.fields, field{column: "SCALES", cell: of[r.id].scales()})
	}
	s := d.stateOf(name)
	running := s.ConfiguredState == "STARTED" && s.RealTimeState == "STARTED" && !short
	stopped := s.ConfiguredState == "STOPPED" && s.RealTimeState == "STOPPED"
	now := shown{unread: "/services/" + name + "/status", codes: []int{1}, tables: []table{{member: "pods", first: "DEPLOYMENT", rows: rows}, scaling}}
	if now.object = append(s.fields(), field{member: "service", want: name}); running || stopped {
		now.codes = []int{0}
		now.lines = []string{name + ": " + s.text()}
	}
	if running {
		now.object = append(now.object, field{member: "answers", want: true})
	}
	now.object = slices.DeleteFunc(now.object, func(f field) bool { return f.member == "" })
	return now
}

func (d *Day) podsOf(name string) shown {
	var policy struct{ PlacementPolicy []deployment }
	d.into("/services/"+name+"/placementPolicy", &policy)
	var ids []string
	for _, one := range policy.PlacementPolicy {
		ids = append(ids, one.DeploymentID)
	}
	rows, short := d.podRows(name, ids)
	now := shown{codes: []int{0}, tables: []table{{member: "items", first: "DEPLOYMENT", rows: rows}}}
	if short {
		now.codes = []int{1}
	}
	return now
}

// ran is a report or a job, a suite or a test of one.
type ran struct {
	ID, Name, Owner, CreatedBy, Result, State, Description, Message string
	StartTime, EndTime                                              millis
	SuiteStatus, CriticalTestStatus, GeneralTestStatus              []ran
	raw                                                             any
}

// verdict is a result of the site in the words of geodeck, of the words that the simulated site has.
func (r ran) verdict() string {
	switch strings.ToLower(r.State) {
	case "", "completed":
	default:
		return "running"
	}
	switch result := strings.ToLower(r.Result); result {
	case "pass", "passed":
		return "passed"
	case "fail", "failed":
		return "failed"
	case "warning", "skipped":
		return result
	}
	return "unknown"
}

func (d *Day) reportList(flags map[string][]string) shown {
	t := table{member: "items", first: "ID"}
	for _, r := range d.reports() {
		if wanted := flags["result"]; len(wanted) > 0 && !slices.Contains(wanted, r.verdict()) {
			continue
		}
		made := r.CreatedBy
		if made == "system" {
			made += " (the platform)"
		}
		t.rows = append(t.rows, row{id: r.ID, key: "id", fields: []field{
			{member: "id", column: "ID", want: r.ID, cell: r.ID}, {member: "name", column: "NAME", want: r.Name, cell: r.Name},
			{member: "owner", column: "OWNER", want: r.Owner, cell: r.Owner}, {member: "createdBy", column: "MADE BY", want: r.CreatedBy, cell: made},
			{member: "result", column: "RESULT", want: r.verdict(), cell: r.verdict()}, {member: "state", column: "STATE", want: r.State, cell: r.State},
			{member: "startTime", column: "STARTED", want: r.StartTime.json(), cell: r.StartTime.cell()},
			{member: "endTime", column: "TOOK", want: r.EndTime.json(), cell: took(r.StartTime, r.EndTime)}, {member: "raw", want: r.raw},
		}})
	}
	t.rows = first(t.rows, number(flags, "limit", 0))
	return shown{codes: []int{0}, tables: []table{t}}
}

// reports are those of the site, the newest first.
func (d *Day) reports() (all []ran) {
	var told struct{ Runs []json.RawMessage }
	d.into("/healthCheck/reports/query?start=1&num=10000", &told)
	for _, raw := range told.Runs {
		var r ran
		_ = json.Unmarshal(raw, &r)
		_ = json.Unmarshal(raw, &r.raw)
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b ran) int { return cmp.Compare(b.StartTime, a.StartTime) })
	return all
}

func (d *Day) report(id string) shown {
	where := "/healthCheck/reports/" + id
	var r ran
	d.into(where, &r)
	now := shown{codes: []int{0}, whole: d.Ask(where)}
	count := map[string]int{}
	var total int
	for _, suite := range r.SuiteStatus {
		t := table{member: "no list", first: "RESULT"}
		for severity, tests := range map[string][]ran{"critical": suite.CriticalTestStatus, "general": suite.GeneralTestStatus} {
			for _, test := range tests {
				total++
				count[test.verdict()]++
				said := cmp.Or(test.Message, test.Description)
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
	now.lines = []string{fmt.Sprintf("Tests %d of %d passed", count["passed"], total), "Id " + id, "Started " + r.StartTime.cell(), "Took " + took(r.StartTime, r.EndTime), "Result " + r.verdict()}
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

func (d *Day) upgradeStatus() shown {
	var told struct {
		Status struct {
			State    string
			Code     int
			Messages []struct {
				When    millis
				Code    int
				Message string
			}
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
	if twice(idsOf(t)) { // the texts do not tell them apart
		now.tables = nil
	}
	return now
}

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
	var told struct{ Releases, Patches []json.RawMessage }
	d.into("/system/upgrades/available", &told)
	list := append(told.Patches, told.Releases...)
	slices.SortStableFunc(list, func(a, b json.RawMessage) int {
		var x, y update
		_, _ = json.Unmarshal(a, &x), json.Unmarshal(b, &y)
		return cmp.Compare(x.Released, y.Released)
	})
	return shown{codes: []int{0}, tables: []table{{member: "items", first: "STATE", rows: updateRows(list), ends: []string{"Installed: "}}}}
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
	for _, r := range slices.Backward(RecordsIn(files)) {
		at := millis(r.Time.UnixMilli())
		fields := []field{
			{member: "id", column: "RECORD", want: r.ID, cell: r.ID}, {member: "time", column: "SENT", want: at.json(), cell: at.cell()},
			{member: "path", want: r.Path}, {member: "outcome", want: r.Outcome}, {member: "verdict", want: r.Verdict}, {member: "because", want: r.Because},
			{member: "overridden", want: r.Overridden}, {member: "subject"}, {member: "operation"}, {member: "open"}, {member: "user"},
		}
		for i, f := range fields { // what only has to be there
			if f.want == nil {
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
