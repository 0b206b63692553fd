package oracle_test

import (
	"fmt"
	"strings"

	"geodeck/ui/uitest/sweep/oracle"
)

const errorRule = "an error is what has happened, in the words of the site"

// misread is a pair of days on which the jobs cannot be read: on the bad one, something of what is said is something else.
func misread(in oracle.Instead, form, said string, code int, right, wrong string) ruleDay {
	says := func(text string) func(*day) {
		return func(d *day) {
			d.Misreads(oracle.Misread{Operation: "read the list of jobs", Path: "/geodeck/admin/jobs", Form: form, Instead: in, Code: code, Err: text})
		}
	}
	return ruleDay{errorRule, says(said), says(strings.Replace(said, right, wrong, 1))}
}

var misreadDays = []ruleDay{
	misread(oracle.Instead{Line: "refused"}, "table", "geodeck: cannot read the list of jobs: the connection was refused; nothing listens at that address\nCheck the address, the network and HTTPS_PROXY.", 5,
		"the connection was refused", "no answer"),
	misread(oracle.Instead{Line: "silent"}, "table", "geodeck: cannot read the list of jobs: no answer within 30 s\nCheck the address, the network and HTTPS_PROXY.", 5, "Check", "Leave"),
	misread(oracle.Instead{Status: 502, Body: "<html><title>Bad &amp; away</title></html>"}, "json",
		inJSON("not JSON", `the answer is a web page (\"Bad & away\"), not the API's; check the address, the proxy and the login page`, "", "", 0, 5), 5, "Bad & away", "Bad"),
	misread(oracle.Instead{Status: 404, Body: "<html></html>"}, "json", inJSON("not found", "the site has nothing at /geodeck/admin/jobs", "", "", 0, 2), 2, "not found", "not JSON"),
	misread(oracle.Instead{Status: 302, To: "https://login.example.org/start"}, "json",
		inJSON("not JSON", "the site redirects to https://login.example.org/start; redirects are not followed: use that address if it is right", "", "", 0, 5), 5, "/start", "/start?token=word"),
	misread(oracle.Instead{Status: 200, Body: `{"error":{"code":403,"message":"Not you.","details":["Ask for a role."]}}`}, "json",
		inJSON("privilege", "Not you.", `"Ask for a role."`, "ask an administrator", 403, 4), 4, `"details":["Ask for a role."]`, `"details":[]`),
	misread(oracle.Instead{Status: 200, Body: `{"error":{"code":500,"message":"An upgrade is in progress."}}`}, "json",
		inJSON("busy", "An upgrade is in progress.", "", "Try again when it has ended.", 500, 4), 4, "busy", "server"),
	misread(oracle.Instead{Status: 200, Body: `{"error":{"code":498,"message":"Invalid token."}}`}, "table", "geodeck: cannot read the list of jobs: the token has expired or is not valid\nPut a new token there.", 3,
		"has expired or is not valid", "is not there"),
	misread(oracle.Instead{Status: 500, Body: `{"code":1001,"message":"No."}`}, "table", "geodeck: cannot read the list of jobs: No (code 1001)", 1, "code 1001", "HTTP 500"),
	misread(oracle.Instead{Status: 423}, "table", "geodeck: cannot read the list of jobs: Locked (HTTP 423)\nTry again when it has ended.", 4, "HTTP 423", "HTTP 500"),
	misread(oracle.Instead{Status: 200, Body: `{"success":false}`}, "json",
		inJSON("server", "cannot read the list of jobs: the site reports a failure and gives no reason", "", "", 0, 1), 1, "and gives no reason", ""),
	misread(oracle.Instead{Status: 200, Body: `{"other":1}`}, "json", inJSON("not JSON", "the answer is JSON, but has no jobs", "", "", 0, 5), 5, "not JSON", "server"),
}

// inJSON is an error as a command prints it for a program.
func inJSON(kind, message, details, advice string, code, exit int) string {
	return `{"schemaVersion":1,"error":{"kind":"` + kind + `","operation":"read the list of jobs","message":"` + message + `","details":[` + details + `],"advice":"` + advice +
		`","code":` + fmt.Sprint(code) + `,"exitCode":` + fmt.Sprint(exit) + `}}`
}
