package oracle_test

import (
	"strings"

	"geodeck/ui/uitest/sweep/oracle"
)

// The reports of a site: one that passed, and a later one that says so, too, although a test of it has failed.
const (
	passedReport = `{"id":"aaaaaaaa01","name":"before","owner":"ada","createdBy":"ada","result":"passed","state":"completed","startTime":1000000000000,"endTime":1000000002000,"suiteStatus":[
		{"id":"S","name":"Suite","result":"passed","state":"completed","startTime":1000000000000,"endTime":1000000002000,"criticalTestStatus":[
		{"id":"T1","name":"store","description":"It works","severity":"critical","result":"pass","state":"completed","startTime":1000000000000,"endTime":1000000001000}],"generalTestStatus":[
		{"id":"T2","name":"logs","description":"They are there","severity":"general","result":"warning","state":"completed","startTime":1000000001000,"endTime":1000000002000}]}]}`
	failedReport = `{"id":"aaaaaaaa02","name":"after","owner":"ada","createdBy":"ada","result":"passed","state":"completed","startTime":1000000100000,"endTime":1000000132000,"suiteStatus":[
		{"id":"S","name":"Suite","result":"failed","state":"completed","startTime":1000000100000,"endTime":1000000132000,"criticalTestStatus":[
		{"id":"T1","name":"store","description":"It works","severity":"critical","result":"fail","state":"completed","startTime":1000000100000,"endTime":1000000130000,"message":"no room"}],"generalTestStatus":[
		{"id":"T2","name":"logs","description":"They are there","severity":"general","result":"pass","state":"completed","startTime":1000000130000,"endTime":1000000132000}]}]}`
	exported = `suiteId,suite,severity,testId,test,result,verdict,start,end,seconds,description,reason,site,version,exported
S,Suite,critical,T1,store,fail,failed,2001-09-09T01:48:20.000Z,2001-09-09T01:48:50.000Z,30.000,It works,no room,,,
S,Suite,general,T2,logs,pass,passed,2001-09-09T01:48:50.000Z,2001-09-09T01:48:52.000Z,2.000,They are there,,,,
`
	printed = `Report   after
Id       aaaaaaaa02
Result   failed
State    completed
Tests    1 of 2 passed, 1 failed
Started  2001-09-09 01:48:20Z
Took     32 s
Owner    ada
Made by  ada
Site     https://gis.example.com

Suite  S  failed
RESULT  SEVERITY  TEST   TOOK   DESCRIPTION OR REASON
failed  critical  store  30 s   no room
passed  general   logs   2.0 s  They are there

DOES NOT FIT  WHY
report        the report says passed, but 1 test did not pass
report        the report says passed, but suite "Suite" is failed

Since the last good report: 1 new failure, 1 fixed; compared with 2001-09-09 01:46:40 UTC (before), report aaaaaaaa01
`
	comparison = `{"schemaVersion":1,"before":{"id":"aaaaaaaa01","name":"before","result":"warning"},"after":{"id":"aaaaaaaa02","name":"after","result":"failed"},"worse":true,
"counts":{"added":0,"fixed":1,"gone":0,"newlyFailing":1,"other":0,"same":0,"slower":0,"stillFailing":0,"stillWarned":0},"differences":[
{"suiteId":"S","suite":"Suite","severity":"critical","test":"store","change":"newlyFailing","before":"passed","after":"failed","beforeSeconds":1,"afterSeconds":30},
{"suiteId":"S","suite":"Suite","severity":"general","test":"logs","change":"fixed","before":"warning","after":"passed","beforeSeconds":1,"afterSeconds":2}]}`
)

// hands judges a command that hands a report on.
func (d *day) hands(args, out, err string, code int) {
	d.site["/healthCheck/reports/query?start=1&num=10000"] = `{"runs":[` + failedReport + `,` + passedReport + `]}`
	d.site["/healthCheck/reports/aaaaaaaa02"], d.site["/healthCheck/reports/aaaaaaaa01"] = failedReport, passedReport
	d.Hands(strings.Fields(args)...).Printed(oracle.Printed{Code: code, Out: out, Err: err, Calm: true})
}

// ruleDay is a good and a bad day of a rule.
type ruleDay = struct {
	rule      string
	good, bad func(*day)
}

// handing is a pair of days: on the bad one, something of what is printed is something else.
func handing(rule, args, out, err string, code int, right, wrong string) ruleDay {
	replaced := func(text string) string { return strings.Replace(text, right, wrong, 1) }
	return ruleDay{rule, func(d *day) { d.hands(args, out, err, code) }, func(d *day) { d.hands(args, replaced(out), replaced(err), code) }}
}

var reportDays = []ruleDay{
	handing("a file of a report has all of it", toCSV, exported, "", 0, "fail,failed", "fail,warning"),
	handing("a file of a report has all of it", toCSV, exported, "", 0, "general,T2", "critical,T2"),
	handing("a file of a report has all of it", toCSV, exported, "", 0, "no room", ""),
	handing("a report is printed as the site has it", toTable, printed, "", 0, "Result   failed", "Result   passed"),
	handing("a report is printed as the site has it", toTable, printed, "", 0, "but 1 test", "but 2 tests"),
	handing("a report is printed as the site has it", toTable, printed, "", 0, "1 new failure, ", ""),
	handing("a report is printed as the site has it", toTable, printed, "", 0, "(before)", "(after)"),
	handing("two reports are compared as the site has them", toCompare, comparison, "", 0, `"fixed","before"`, `"other","before"`),
	handing("two reports are compared as the site has them", toCompare, comparison, "", 0, `"same":0`, `"same":1`),
	handing("a report counts as failed by its tests", toCSV+" --fail-on critical", exported, "geodeck: 1 critical test did not pass: store (failed)", 1, "store (", "logs ("),
	handing("a report counts as failed by its tests", toCSV+" --baseline aaaaaaaa02", exported, newAgain, 1, "may have passed", "passed"),
	{"a report counts as failed by its tests", func(d *day) { d.hands(toCSV, exported, "", 0) }, func(d *day) { d.hands(toCSV+" --fail-on any", exported, "", 0) }},
}

const (
	toCSV     = "health export aaaaaaaa02 --format csv"
	toTable   = "health report aaaaaaaa02 -o table"
	toCompare = "health compare aaaaaaaa01 aaaaaaaa02 -o json"
	newAgain  = "geodeck: 1 new failure: store (failed)\n  store may have passed in the report of 2001-09-09 01:48:20 UTC (after), " +
		"which contradicts itself: the report says passed, but 1 test did not pass"
)
