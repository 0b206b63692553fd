package oracle_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"geodeck/ui/uitest/sweep/oracle"
)

// hasServices gives the site two services, of which the second is stopped, a deployment and two reports.
func (d *day) hasServices() {
	roads, lines := `{"id":"r","folderName":"","serviceName":"Roads","type":"MapServer","description":"Roads."}`, `{"id":"l","folderName":"Transit","serviceName":"Lines","type":"MapServer","description":""}`
	d.site["/services"] = `{"folders":["Transit"],"services":[` + roads + `]}`
	d.site["/services/Transit"] = `{"services":[` + lines + `]}`
	d.site["/services/Roads.MapServer/status"] = `{"configuredState":"STARTED","realTimeState":"STARTED"}`
	d.site["/services/Transit/Lines.MapServer/status"] = `{"configuredState":"STOPPED","realTimeState":"STOPPED"}`
	for _, path := range []string{"Roads.MapServer", "Transit/Lines.MapServer"} {
		d.site["/services/"+path+"/scaling"] = `{"scalingSpec":[{"deploymentId":"d","deploymentType":"MapServer","replicas":{"min":2,"max":2,"scalingMode":"manual"}}]}`
	}
	d.site["/system/deployments/d/status"] = `{"name":"shared","currentState":"STARTED","readyReplicas":2,"totalReplicas":2}`
	const report = `{"id":"%s","name":"nightly %[1]s","owner":"ada","createdBy":"ada","result":"%s","state":"completed","startTime":%d,"endTime":%d}`
	start := noon.UnixMilli()
	d.site["/healthCheck/reports/query?start=1&num=10000"] = `{"runs":[` + fmt.Sprintf(report, "b", "failed", start, start+21500) + "," + fmt.Sprintf(report, "a", "passed", start-864e5, start-864e5+9000) + `]}`
}

// lists judges what a command has printed of that.
func (d *day) lists(form, out string, code int, args ...string) {
	d.hasServices()
	d.LooksBy(d.disk, form, args...).Printed(oracle.Printed{Code: code, Out: out, Calm: true, Files: d.disk,
		Unread: map[string]bool{"/services/Transit/Mute.MapServer/status": true}})
}

// Rows of a list, as a command prints them.
const (
	roadsRow = `{"service":"Roads.MapServer","id":"r","folderName":"","serviceName":"Roads","type":"MapServer","description":"Roads.","configuredState":"STARTED","realTimeState":"STARTED",
		"raw":{"id":"r","folderName":"","serviceName":"Roads","type":"MapServer","description":"Roads."}}`
	linesRow = `{"service":"Transit/Lines.MapServer","id":"l","folderName":"Transit","serviceName":"Lines","type":"MapServer","description":"","configuredState":"STOPPED","realTimeState":"STOPPED",
		"raw":{"id":"l","folderName":"Transit","serviceName":"Lines","type":"MapServer","description":""}}`
	reportsTable = `ID  RESULT  STATE      STARTED               TOOK   OWNER  MADE BY  NAME
b   failed  completed  2026-11-20 12:00:00Z  21 s   ada    ada      nightly b
a   passed  completed  2026-11-19 12:00:00Z  9.0 s  ada    ada      nightly a
`
)

func items(rows ...string) string {
	return `{"schemaVersion":1,"site":"","address":"x","items":[` + strings.Join(rows, ",") + `]}`
}

// mute adds a service whose state nobody can read.
func (d *day) mute(row string) {
	d.hasServices()
	d.site["/services/Transit"] = `{"services":[{"id":"m","folderName":"Transit","serviceName":"Mute","type":"MapServer"}]}`
	l := d.LooksBy(d.disk, "json", "service", "list", "Transit", "--state")
	l.Printed(oracle.Printed{Out: items(row), Calm: true, Unread: map[string]bool{"/services/Transit/Mute.MapServer/status": true}})
}

// muteRow is the row of that service, with what is said of its state.
func muteRow(state string) string {
	return `{"service":"Transit/Mute.MapServer","id":"m","folderName":"Transit","serviceName":"Mute","type":"MapServer","description":"",` + state +
		`,"raw":{"id":"m","folderName":"Transit","serviceName":"Mute","type":"MapServer"}}`
}

// scrolls judges what a person has seen who went through a list of a small screen.
func (d *day) scrolls(view string, frames ...string) {
	d.hasServices()
	v := d.LooksAt(view, "", d.disk, time.UTC)
	for _, frame := range frames {
		v.Frame("head\ntabs\n────\n" + frame + "\n─────────\nfooter")
	}
	v.Ended(oracle.Scrolled{Whole: true, Calm: true, Unread: map[string]bool{}})
}

// Lists of a screen, as they are.
const (
	bothServices = "   2 services              1 of 2 │ Detail\n   Name   Type   Pods   State\n › Roads      MapServer  2 of 2  ✓ started  │ Roads\n   ▾ Transit  1 service\n     Lines    MapServer  none    ○ stopped"
	bothReports  = "   Reports     1 of 2\n   ✗✓  1 failed, newest last\n › ✗ failed  11-20 12:00  nightly b\n   ✓ passed  11-19 12:00  nightly a   system"
)

// listingDays are those of what lists print and show.
var listingDays = []struct {
	rule      string
	good, bad func(*day)
}{
	{"each row of a list is printed once",
		func(d *day) { d.lists("json", items(roadsRow, linesRow), 0, "service", "list", "--state") },
		func(d *day) { d.lists("json", items(roadsRow), 0, "service", "list", "--state") }},
	{"each row of a list is printed once",
		func(d *day) { d.lists("table", reportsTable, 0, "health", "reports") },
		func(d *day) { d.lists("table", reportsTable, 0, "health", "reports", "--result", "failed") }},
	{"each row of a list is printed once",
		func(d *day) { d.lists("json", items(roadsRow), 0, "service", "list", "/", "--state") },
		func(d *day) { d.lists("json", items(roadsRow, roadsRow), 0, "service", "list", "/", "--state") }},
	{"a list is printed in its order",
		func(d *day) { d.lists("json", items(roadsRow, linesRow), 0, "service", "list", "--state") },
		func(d *day) { d.lists("json", items(linesRow, roadsRow), 0, "service", "list", "--state") }},
	{"a row is printed as the site has it",
		func(d *day) { d.lists("json", items(roadsRow, linesRow), 0, "service", "list", "--state") },
		func(d *day) {
			d.lists("json", items(roadsRow, strings.ReplaceAll(linesRow, "STOPPED", "STARTED")), 0, "service", "list", "--state")
		}},
	{"a row is printed as the site has it",
		func(d *day) { d.lists("table", reportsTable, 0, "health", "reports") },
		func(d *day) {
			d.lists("table", strings.Replace(reportsTable, "21 s ", "21 min", 1), 0, "health", "reports")
		}},
	{"what of a list cannot be read is unknown",
		func(d *day) { d.mute(muteRow(`"stateError":"no answer"`)) },
		func(d *day) { d.mute(muteRow(`"configuredState":"STARTED","realTimeState":"STARTED"`)) }},
	{"a command that reads ends with its exit code",
		func(d *day) { d.lists("json", items(roadsRow, linesRow), 0, "service", "list", "--state") },
		func(d *day) { d.lists("json", items(roadsRow, linesRow), 5, "service", "list", "--state") }},
	{"the JSON of a list has its members",
		func(d *day) { d.lists("json", items(roadsRow, linesRow), 0, "service", "list", "--state") },
		func(d *day) {
			d.lists("json", items(strings.Replace(roadsRow, `"id":"r","folderName":"","serviceName"`, `"folderName":"","serviceName"`, 1), linesRow), 0, "service", "list", "--state")
		}},
	{"the JSON of a list has its members",
		func(d *day) { d.lists("jsonl", "", 0, "health", "reports", "--result", "warning") },
		func(d *day) {
			d.lists("json", `{"schemaVersion":1,"items":null}`, 0, "health", "reports", "--result", "warning")
		}},
	{"the rows of a screen are in order, and none lacks between them",
		func(d *day) { d.scrolls(oracle.ViewServices, bothServices) },
		func(d *day) {
			d.scrolls(oracle.ViewServices, strings.Replace(bothServices, "   ▾ Transit  1 service\n", "", 1))
		}},
	{"who scrolls through a list sees each of its rows",
		func(d *day) { d.scrolls(oracle.ViewReports, bothReports) },
		func(d *day) { d.scrolls(oracle.ViewReports, bothReports[:strings.LastIndex(bothReports, "\n")]) }},
	{"a screen counts the rows that there are",
		func(d *day) { d.scrolls(oracle.ViewReports, bothReports) },
		func(d *day) { d.scrolls(oracle.ViewReports, strings.Replace(bothReports, "1 of 2", "1 of 3", 1)) }},
	{"a row of a screen is as the site has it",
		func(d *day) { d.scrolls(oracle.ViewServices, bothServices) },
		func(d *day) {
			d.scrolls(oracle.ViewServices, strings.Replace(bothServices, "○ stopped", "✓ started", 1))
		}},
	{"a row of a screen is as the site has it",
		func(d *day) { d.scrolls(oracle.ViewReports, bothReports) },
		func(d *day) {
			d.scrolls(oracle.ViewReports, strings.Replace(bothReports, "✗ failed", "✓ passed", 1))
		}},
}

// What has changed while a command ran may be told as it was, or as it is.
func TestWhatChangesDuringAListIsNotJudged(t *testing.T) {
	t.Parallel()
	d := newDay()
	d.hasServices()
	l := d.LooksBy(d.disk, "json", "service", "list", "--state")
	d.site["/services/Transit/Lines.MapServer/status"] = `{"configuredState":"STARTED","realTimeState":"STARTED"}`
	l.Printed(oracle.Printed{Out: items(roadsRow, linesRow), Calm: true})
	if len(d.wrong) > 0 {
		t.Errorf("%q", d.wrong)
	}
}
