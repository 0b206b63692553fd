package adminapi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/adminapi/upgrade"
)

// contractObjects are objects with every field of the contract, each field with a value of its own, by group.
type contractObjects map[string]map[string]any

// newContractObjects makes them from the lines of the fields. In parts of them stand the parts.
func newContractObjects() contractObjects {
	all := contractObjects{}
	for i, line := range simtest.Contract("field") {
		group, field, _ := strings.Cut(line.Name, ".")
		if all[group] == nil {
			all[group] = map[string]any{}
		}
		var value any = line.Name
		switch strings.Split(line.Type, " or ")[0] {
		case "integer":
			value = 1_700_000_000_000 + i
		case "boolean":
			value = true
		}
		all[group][field] = value
	}
	one := func(group, field, of string) { all[group][field] = all[of] }
	some := func(group, field, of string) { all[group][field] = []any{all[of]} }
	all["Input"]["validFileExtensions"] = []any{"json"}
	all["Input"]["seqNum"] = 7
	all["Status"]["code"], all["Message"]["code"] = 1, 2010
	some("Suite", "criticalTestStatus", "Test")
	some("Suite", "generalTestStatus", "Test")
	some("Report", "suiteStatus", "Suite")
	one("JobResult", "diagnosticHealthReport", "Report")
	one("Job", "result", "JobResult")
	one("Job", "resource", "Resource")
	some("Version", "containers", "Container")
	some("Manifest", "patches", "Version")
	some("Manifest", "releases", "Version")
	some("Settings", "userInputs", "Input")
	some("Status", "messages", "Message")
	return all
}

// shows writes an object of a group as an answer.
func (c contractObjects) shows(t *testing.T, group string) string {
	t.Helper()
	raw, err := json.Marshal(c[group])
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// keptOnly are fields that nothing reads: they stay in the raw object that is sent back.
var keptOnly = map[string]bool{"Input.newfield": true}

// Every field of the contract is read into a field of the client's own, with its value.
func TestTheClientReadsTheFieldsOfTheContract(t *testing.T) {
	t.Parallel()
	objects := newContractObjects()
	answers := map[string]string{
		"/jobs/x": objects.shows(t, "Job"), "/healthCheck/reports/x": objects.shows(t, "Report"),
		"/system/upgrades/available":          objects.shows(t, "Manifest"),
		"/system/upgrades/getUpgradeSettings": objects.shows(t, "Settings"),
		"/system/upgrades":                    `{"status":` + objects.shows(t, "Status") + `}`,
	}
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, path, _ := strings.Cut(r.URL.Path, "/admin")
		says(200, answers[path])(w, r)
	}).client(t)
	job, err := c.Jobs.Get(t.Context(), "x")
	check(t, "job", job.Ended(), false, err)
	inJob, found := job.Report()
	check(t, "JobResult.diagnosticHealthReport", found, true, nil)
	report, err := c.Health.Report(t.Context(), "x")
	check(t, "the report of a job", inJob.ID, report.ID, err)
	manifest, err := c.Upgrades.Available(t.Context())
	check(t, "releases", len(manifest.Releases), 1, err)
	settings, err := c.Upgrades.Settings(t.Context(), "x")
	check(t, "the settings as they came", strings.Contains(string(settings.Raw), `"newfield":"Input.newfield"`), true, err)
	status, err := c.Upgrades.Status(t.Context())
	check(t, "messages", len(status.Messages), 1, err)
	if t.Failed() {
		return
	}
	read := map[string]any{
		"Job": job, "Resource": job.Resource, "Report": report, "Suite": report.Suites[0], "Test": report.Suites[0].General[0],
		"Manifest": manifest, "Version": manifest.Patches[0], "Container": manifest.Patches[0].Containers[0],
		"Settings": settings, "Input": settings.Inputs[0], "Status": status, "Message": status.Messages[0],
	}
	for _, line := range simtest.Contract("field") {
		group, field, _ := strings.Cut(line.Name, ".")
		if of, known := read[group]; known && !keptOnly[line.Name] {
			checkField(t, line.Name, of, field, objects[group][field])
		}
	}
}

// checkField compares the field of a struct that has the name in JSON with what was sent.
func checkField(t *testing.T, line string, of any, name string, sent any) {
	t.Helper()
	fields := reflect.TypeOf(of)
	for i := range fields.NumField() {
		if tag, _, _ := strings.Cut(fields.Field(i).Tag.Get("json"), ","); tag != name {
			continue
		}
		value := reflect.ValueOf(of).Field(i)
		switch got := value.Interface().(type) {
		case adminapi.Millis:
			check(t, line, got.Time().UnixMilli(), int64(sent.(int)), nil)
		case string, int, bool:
			check(t, line, got, sent, nil)
		case jsontext.Value:
			raw, err := json.Marshal(sent)
			check(t, line, string(got), string(raw), err)
		default:
			check(t, line+" is read", !value.IsZero(), true, nil)
		}
		return
	}
	t.Errorf("the client has no field for %s", line)
}

func TestAnswersOfTheContractAreUnderstood(t *testing.T) {
	t.Parallel()
	check(t, "lines", len(simtest.Contract("field")) > 100, true, nil)
	answering := func(answer string) *adminapi.Client { return serve(t, says(200, answer)).client(t) }
	run := adminapi.HealthRun{SuiteIDs: []string{"BSHC-001"}, Name: "x"}
	accepted, outcome, err := answering(`{"jobsUrl":"https://x/ctx/admin/jobs/j1","jobid":"j1","status":"SUBMITTED"}`).Health.Start(t.Context(), run)
	check(t, "RunAnswer", []any{accepted, outcome}, []any{adminapi.Accepted{JobID: "j1", Status: "SUBMITTED"}, adminapi.OutcomeDone}, err)
	accepted, outcome, err = answering(`{"statusURL":"/ctx/admin/healthCheck/reports/r1"}`).Health.Start(t.Context(), run)
	check(t, "LinkAnswer", []any{accepted, outcome}, []any{adminapi.Accepted{ReportID: "r1"}, adminapi.OutcomeDone}, err)
	edit := adminapi.EditService(roads, jsontext.Value(aDefinition), true)
	accepted, outcome, err = answering(`{"jobsUrl":"https://x/ctx/admin/jobs/j2","jobID":"j2","jobStatus":"SUBMITTED"}`).Change(t.Context(), edit)
	check(t, "EditAnswer", []any{accepted, outcome}, []any{adminapi.Accepted{JobID: "j2", Status: "SUBMITTED"}, adminapi.OutcomeDone}, err)
	rules := adminapi.EditServicePlacement(roads, jsontext.Value(`{"placementPolicy":[]}`))
	accepted, outcome, err = answering(`{"status":"success"}`).Change(t.Context(), rules)
	check(t, "DoneAnswer", []any{accepted, outcome}, []any{adminapi.Accepted{Status: "success"}, adminapi.OutcomeDone}, err)
}

// What the client sends to each operation of the contract has the parameters of its lines, and no other.
func TestTheClientSendsTheParametersOfTheContract(t *testing.T) {
	t.Parallel()
	sent := map[string][]string{}
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseMultipartForm(1 << 20)
		_, path, _ := strings.Cut(r.URL.Path, "/admin/")
		for name := range r.PostForm {
			sent[path] = append(sent[path], name)
		}
		if r.MultipartForm != nil {
			for name := range r.MultipartForm.File {
				sent[path] = append(sent[path], name)
			}
		}
		if r.Method != http.MethodPost {
			t.Errorf("%s %s", r.Method, path)
		}
		says(200, `{"status":"success","jobid":"j1","patches":[],"releases":[],"userInputs":[]}`)(w, r)
	}).client(t)
	for _, send := range contractCalls(t, c) {
		_ = send()
	}
	operations := simtest.Contract("operation")
	check(t, "operations", len(operations), 6, nil)
	for _, operation := range operations {
		path := strings.NewReplacer("{name}", roads.Name, "{type}", roads.Type).Replace(operation.Name)
		want := []string{}
		for _, line := range simtest.Contract("parameter") {
			if name, is := strings.CutPrefix(line.Name, "every operation "); is {
				want = append(want, name)
			} else if name, is := strings.CutPrefix(line.Name, operation.Name+" "); is {
				want = append(want, name)
			}
		}
		slices.Sort(want)
		slices.Sort(sent[path])
		check(t, path, sent[path], want, nil)
	}
}

// contractCalls send the operations of the contract, by their names there.
func contractCalls(t *testing.T, c *adminapi.Client) map[string]func() error {
	t.Helper()
	parts, root := everyPart(t), adminapi.ServiceRef{Name: roads.Name, Type: roads.Type}
	change := func(call adminapi.Call) func() error {
		return func() error {
			_, _, err := c.Change(t.Context(), call)
			return err
		}
	}
	return map[string]func() error{
		"healthCheck/run": func() error {
			_, _, err := c.Health.Start(t.Context(), adminapi.HealthRun{SuiteIDs: []string{"BSHC-001"}, Name: "x"})
			return err
		},
		"system/upgrades/available": func() error {
			_, err := c.Upgrades.Available(t.Context())
			return err
		},
		"system/upgrades/getUpgradeSettings": func() error {
			_, err := c.Upgrades.Settings(t.Context(), "rel_1")
			return err
		},
		"system/upgrades/upgrade": func() error {
			_, _, err := c.Upgrades.Start(t.Context(), parts)
			return err
		},
		"services/{name}.{type}/edit":                 change(adminapi.EditService(root, jsontext.Value(aDefinition), true)),
		"services/{name}.{type}/placementPolicy/edit": change(adminapi.EditServicePlacement(root, jsontext.Value(`{"placementPolicy":[]}`))),
	}
}

// Who may not, is told which privileges let them.
func TestTheClientNamesThePrivilegesOfTheContract(t *testing.T) {
	t.Parallel()
	calls := contractCalls(t, serve(t, says(200, `{"error":{"code":403,"message":"no"}}`)).client(t))
	for _, line := range simtest.Contract("privilege") {
		e := wantKind(t, calls[line.Name](), adminapi.KindPrivilege)
		for privilege := range strings.SplitSeq(line.Words, ", or ") {
			if !strings.Contains(e.Privilege, privilege) {
				t.Errorf("%s: %q does not name %s", line.Name, e.Privilege, privilege)
			}
		}
	}
}

// A site that is older than an operation is told so, and nothing is sent to it.
func TestTheClientKnowsTheVersionsOfTheContract(t *testing.T) {
	t.Parallel()
	before := map[string]string{"11.2": "11.1.0.4000", "10.9": "10.8.1"}
	for _, line := range simtest.Contract("version") {
		older, listed := before[line.Words]
		if !listed || strings.Contains(line.Name, " ") {
			continue
		}
		for _, version := range []string{older, line.Words} {
			sent := 0
			c := serveRoot(t, func(w http.ResponseWriter, r *http.Request) {
				if isRoot(r) {
					says(200, `{"fullVersion":"`+version+`"}`)(w, r)
					return
				}
				sent++
				says(200, `{"status":"success","patches":[],"releases":[]}`)(w, r)
			}).client(t)
			_, err := c.Root(t.Context())
			check(t, "root", 0, 0, err)
			err = contractCalls(t, c)[line.Name]()
			tooOld := errors.Is(err, adminapi.KindVersionTooOld) && strings.Contains(err.Error(), line.Words) && sent == 0
			check(t, line.Name+" at "+version, tooOld, version == older, nil)
		}
	}
}

// everyPart are the parts of an upgrade in both styles, each once.
func everyPart(t *testing.T) (parts []adminapi.Part) {
	t.Helper()
	latest := true
	for _, r := range []upgrade.Request{
		{Target: adminapi.Update{ID: "rel_1", Version: "10.9.1"}, Licence: []byte("{}"), LicenceName: "l.json", LatestPatch: &latest},
		{Target: adminapi.Update{ID: "rel_1", Version: "12.0.0"}, Settings: jsontext.Value("{}")},
	} {
		styled, err := upgrade.Parts(r)
		check(t, "parts", len(styled) > 0, true, err)
		for _, part := range styled {
			if !slices.ContainsFunc(parts, func(p adminapi.Part) bool { return p.Name == part.Name }) {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// Each word of the contract for the value of a field is taken for what it means, and another word is not.
func TestTheClientTakesTheValuesOfTheContract(t *testing.T) {
	t.Parallel()
	report := func(change func(*adminapi.Report)) bool {
		test := adminapi.TestResult{Result: "pass", State: "completed"}
		suite := adminapi.SuiteResult{Result: "passed", State: "completed", Critical: []adminapi.TestResult{test}, General: []adminapi.TestResult{test}}
		r := adminapi.Report{Result: "passed", State: "completed", Suites: []adminapi.SuiteResult{suite}}
		change(&r)
		return health.Overall(r) == health.Passed
	}
	accepted := func(answer string) func(string) bool {
		return func(value string) bool {
			got, _, err := serve(t, says(200, fmt.Sprintf(answer, value))).client(t).Change(t.Context(), adminapi.EditServicePlacement(roads, jsontext.Value(`{"placementPolicy":[]}`)))
			return err == nil && got.Status == value
		}
	}
	severity := func(value string) bool {
		suite := adminapi.SuiteResult{Critical: []adminapi.TestResult{{}}, General: []adminapi.TestResult{{}}}
		for entry := range health.All(adminapi.Report{Suites: []adminapi.SuiteResult{suite}}) {
			if entry.Severity == value {
				return true
			}
		}
		return false
	}
	form := func(value string) upgrade.Field {
		return upgrade.Form(adminapi.UpgradeSettings{Inputs: []adminapi.UserInput{{ID: "x", Type: value, ValidFileExtensions: []string{"json"}}}})[0]
	}
	takes := map[string]func(value string) bool{
		"RunAnswer.status SUBMITTED":     accepted(`{"jobid":"j1","status":%q}`),
		"EditAnswer.jobStatus SUBMITTED": accepted(`{"jobID":"j1","jobStatus":%q}`),
		"DoneAnswer.status success":      accepted(`{"status":%q}`),
		"Job.status COMPLETED":           func(value string) bool { return adminapi.Job{Status: value}.Completed() },
		"Report.result passed":           func(value string) bool { return report(func(r *adminapi.Report) { r.Result = value }) },
		"Report.state completed":         func(value string) bool { return report(func(r *adminapi.Report) { r.State = value }) },
		"Suite.result passed":            func(value string) bool { return report(func(r *adminapi.Report) { r.Suites[0].Result = value }) },
		"Suite.state completed":          func(value string) bool { return report(func(r *adminapi.Report) { r.Suites[0].State = value }) },
		"Test.result pass": func(value string) bool {
			return report(func(r *adminapi.Report) { r.Suites[0].General[0].Result = value })
		},
		"Test.state completed": func(value string) bool {
			return report(func(r *adminapi.Report) { r.Suites[0].Critical[0].State = value })
		},
		"Test.severity critical": severity,
		"Test.severity general":  severity,
		"Version.type release":   func(value string) bool { return upgrade.IsRelease(adminapi.Update{Type: value, PreviousBuild: "1"}) },
		"Version.type patch": func(value string) bool {
			return !upgrade.IsRelease(adminapi.Update{Type: value, PreviousReleaseBuild: "1"})
		},
		"Input.type Boolean":             func(value string) bool { return form(value).Kind == upgrade.Boolean },
		"Input.type File":                func(value string) bool { return form(value).Kind == upgrade.File },
		"Input.validFileExtensions json": func(value string) bool { return upgrade.CheckFile("l."+value, 2, []byte("{}"), form("File")) == nil },
		"Status.state in_progress":       func(value string) bool { return adminapi.UpgradeStatus{State: value}.Running() },
		"Status.state success":           func(value string) bool { return value == adminapi.UpgradeSuccess },
	}
	for _, line := range simtest.Contract("value") {
		_, value, _ := strings.Cut(line.Name, " ")
		take := takes[line.Name]
		if take == nil || !take(value) || !strings.Contains(line.Name, "UBMITTED") && take("x") {
			t.Errorf("%s, or another word, is taken for something else", line.Name)
		}
	}
	for _, build := range []string{"7286", `"7286"`} {
		m, err := adminapi.DecodeManifest([]byte(`{"patches":[],"releases":[{"id":"rel_1","build":` + build + `}]}`))
		check(t, "build "+build, fmt.Sprint(m.Releases[0].Build), "7286", err)
	}
}

func TestAJobOfAnotherStatusHasNotEnded(t *testing.T) {
	t.Parallel()
	for _, status := range []string{adminapi.JobSubmitted, "EXECUTING", "UNAVAILABLE", "WAITING", "", "success"} {
		if job := (adminapi.Job{Status: status}); job.Ended() || job.Completed() || job.Failed() {
			t.Errorf("a job that is %q has ended", status)
		}
	}
	if job := (adminapi.Job{Status: "COMPLETED"}); !job.Completed() || job.Failed() {
		t.Error("a job that is COMPLETED has not ended well")
	}
}

func TestTimesAreMillisecondsSince1970(t *testing.T) {
	t.Parallel()
	c := serve(t, says(200, `{"status":{"state":"in_progress","code":1,"messages":[{"code":2010,"message":"m","when":1700000000123}]}}`)).client(t)
	status, err := c.Upgrades.Status(t.Context())
	check(t, "messages", len(status.Messages), 1, err)
	want := time.Date(2023, 11, 14, 22, 13, 20, 123_000_000, time.UTC)
	if !status.Messages[0].When.Time().Equal(want) {
		t.Errorf("%s, want %s", status.Messages[0].When.Time(), want)
	}
}
