package oracle_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"geodeck/ui/uitest/sweep/oracle"
)

// explaining is a pair of days: on the bad one, something of an explanation is something else.
func explaining(rule, args, out string, code int, right, wrong string) ruleDay {
	asks := func(text string) func(*day) {
		return func(d *day) {
			d.site["/healthCheck/reports/query?start=1&num=10000"] = `{"runs":[` + brokenReport + `]}`
			d.site["/healthCheck/reports/aaaaaaaa09"], d.site["/mode"] = brokenReport, `{"isReadOnly":false}`
			d.site[where+"/status"] = `{"configuredState":"STOPPED","realTimeState":"STOPPED"}`
			var told struct{ Title string }
			_ = json.Unmarshal([]byte(out), &told)
			d.Asks("json", strings.Fields(args)...).Printed(oracle.Printed{Code: code, Out: text, Err: told.Title, Calm: true})
		}
	}
	return ruleDay{rule, asks(out), asks(strings.Replace(out, right, wrong, 1))}
}

const (
	brokenReport = `{"id":"aaaaaaaa09","name":"now","result":"fail","state":"completed","startTime":946684800000,"endTime":946684830000,"suiteStatus":[{"id":"S1","name":"basic","result":"fail","state":"completed",
		"criticalTestStatus":[{"id":"T1","name":"store","result":"fail","state":"completed","message":"No room.","startTime":946684800000,"endTime":946684801000}],"generalTestStatus":[]}]}`
	whyFailed = `{"title":"store: failed","fault":true,"cause":{"id":"not-known","sentence":"Not known."},"evidence":[{"text":"No room.","at":{"kind":"test","id":"T1","in":"aaaaaaaa09"}}],
		"state":["The site accepts changes."],"next":{"text":"Check it.","command":"health run"}}`
	whyStopped = `{"title":"Roads.MapServer is stopped","fault":true,"cause":{"id":"stopped","sentence":"It is configured to be stopped."},"evidence":[],"state":["The site accepts changes."],
		"next":{"text":"Start it.","command":"service start Roads.MapServer"}}`
)

// estimating is a day on which one deployment of two is done, and an estimate is printed, and what the upgrade was in the end.
func estimating(text string, left int, basis, state string, lasts time.Duration) func(*day) {
	return func(d *day) {
		messages := strings.ReplaceAll(strings.TrimSpace(patchMessages), "\n", ",")
		d.site["/system/upgrades"] = `{"status":{"state":"` + state + `","messages":[` + messages + `]}}`
		d.Asks("json", "upgrade", "status").Estimates(oracle.Printed{Out: fmt.Sprintf(`{"estimate":{"leftSeconds":%d,"late":false,"text":%q,"basis":%q}}`, left, text, basis)},
			time.UnixMilli(946684800000).Add(2*time.Minute), nil)
		end := fmt.Sprintf(`,{"code":2011,"message":"The upgrade ended.","when":%d}`, 946684800000+lasts.Milliseconds())
		d.site["/system/upgrades"] = `{"status":{"state":"success","messages":[` + messages + end + `]}}`
		d.Lasted()
	}
}

const oneOfTwo = "1 of 2 deployments, first run here"

var explainingDays = []ruleDay{
	explaining("an explanation has the fault that is there", "health explain aaaaaaaa09", whyFailed, 1, "store: failed", "store: passed"),
	explaining("an explanation has the fault that is there", "service explain Roads.MapServer", whyStopped, 1, "is stopped", "is started"),
	explaining("an explanation has the fault that is there", "service explain Roads.MapServer", whyStopped, 1, "Roads.MapServer is stopped", "Outcome unknown: edit the service (Roads.MapServer)"),
	explaining("an explanation names what the site has", "health explain aaaaaaaa09", whyFailed, 1, `"T1"`, `"T2"`),
	explaining("an explanation says how the site is", "health explain aaaaaaaa09", whyFailed, 1, "The site accepts changes.", "Read-only: the site accepts no changes."),
	explaining("an explanation of a test has all that is known of it", "health explain aaaaaaaa09", whyFailed, 1, "No room.", "No light."),
	explaining("an explanation advises what fits", "service explain Roads.MapServer", whyStopped, 1, "service start", "service stop"),
	{"an estimate is told of a run that goes on", estimating("about 8 min left", 480, oneOfTwo, "in_progress", 10*time.Minute), estimating("about 8 min left", 480, oneOfTwo, "failed", 10*time.Minute)},
	{"an estimate says what it is made of", estimating("about 8 min left", 480, oneOfTwo, "in_progress", 10*time.Minute), estimating("about 8 min left", 480, "like the last run", "in_progress", 10*time.Minute)},
	{"an estimate is near the truth", estimating("about 8 min left", 480, oneOfTwo, "in_progress", 10*time.Minute), estimating("about 8 min left", 480, oneOfTwo, "in_progress", 60*time.Minute)},
}
