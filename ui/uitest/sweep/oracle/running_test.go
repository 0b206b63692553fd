package oracle_test

import (
	"fmt"
	"net/url"
	"strings"

	"geodeck/ui/uitest/sweep/oracle"
)

// The messages of a patch that has failed, and a summary of them.
const (
	patchMessages = `{"code":2010,"message":"Update from 11.5.0.6745 to 11.5.0.6805 begins.","when":946684800000}
{"code":2291,"message":"Patch of the module system begins.","when":946684860000}
{"code":2038,"message":"The deployment arcgis-web-proxy-ytrt6 runs another image.","when":946684890000}
{"code":2173,"message":"1 of 2 deployments are updated, after 1 min 40 s.","when":946684900500}
`
	patchSummary = `# Upgrade from 11.5.0.6745 to 11.5.0.6805

- State: **failed**
- Kind: patch
- First message: 2000-01-01T00:00:00Z
- Last message: 2000-01-01T00:01:40Z
- Time between them: 1 min 40 s
- Read-only: never, according to the messages
- Deployments: 1 of 2 at the last count before the failure
- Messages: 4 (with unknown codes: 0)

| Launch | done | 2000-01-01T00:00:00Z | 1 min 00 s |  | 1 min 00 s | 1 |
| Diagnostics | no message |  |  |  |  | 0 |
| Plan | no message |  |  |  |  | 0 |
| PostgreSQL | not in this patch |  |  |  |  | 0 |
| Components | **stopped** | 2000-01-01T00:01:00Z | 40 s |  | 30 s | 3 |
| Content | not in this patch |  |  |  |  | 0 |
| Search | not in this patch |  |  |  |  | 0 |
| Finish | no message |  |  |  |  | 0 |

## Started and never completed

| Since | Phase | Code | Meaning | Message |
| --- | --- | ---: | --- | --- |
| 2000-01-01T00:01:00Z | Components | 2291 | The patch of a module begins | Patch of the module system begins. |
`
	patchProgress = `{"state":"failed","from":"11.5.0.6745","to":"11.5.0.6805","kind":"patch","began":946684800000,"last":946684900500,"readOnlyFrom":0,"readOnlyTo":0,
	"done":1,"total":2,"rolledBack":false,"messages":4,"unknownCodes":0,"phases":[
	{"name":"Launch","state":"done","began":946684800000,"spentSeconds": 60,"messages":1},
	{"name":"Diagnostics","state":"ahead","began":0,"spentSeconds": 0,"messages":0},{"name":"Plan","state":"ahead","began":0,"spentSeconds": 0,"messages":0},
	{"name":"PostgreSQL","state":"absent","began":0,"spentSeconds": 0,"messages":0},
	{"name":"Components","state":"stopped","began":946684860000,"spentSeconds": 40.500000000000001,"messages":3},
	{"name":"Content","state":"absent","began":0,"spentSeconds": 0,"messages":0},{"name":"Search","state":"absent","began":0,"spentSeconds": 0,"messages":0},
	{"name":"Finish","state":"ahead","began":0,"spentSeconds": 0,"messages":0}]}`
)

// hands judges the evidence of that patch, with its summary changed in one place.
func (d *day) handsRun(was, is string) {
	d.site["/system/upgrades"] = `{"status":{"state":"failed","messages":[` + strings.ReplaceAll(strings.TrimSpace(patchMessages), "\n", ",") + `]}}`
	d.Looked(oracle.Look{Files: d.disk, Evidence: map[string]string{
		"messages.jsonl": patchMessages, "summary.md": strings.Replace(patchSummary, was, is, 1), "progress.json": strings.Replace(patchProgress, was, is, 1),
	}})
}

// offers judges a row of what a site with a patch offers, on whose newest patch the row builds.
func (d *day) offers(row string) {
	const patch = `{"id":"pat_%s","type":"patch","version":"11.5.0","build":"%s","previousBuild":"%s","releaseBuild":"6745"}`
	d.site["/system/upgrades/currentVersion"] = fmt.Sprintf(patch, "1", "6805", "6745")
	d.site["/system/upgrades/available"] = `{"patches":[` + fmt.Sprintf(patch, "2", "6815", "6805") + "," + fmt.Sprintf(patch, "3", "6820", "6815") + `],"releases":[]}`
	d.LooksBy(d.disk, "json", "upgrade", "available").Printed(oracle.Printed{Out: items(row), Calm: true})
}

// plans judges the checks before one of these patches, of which the third is as given.
func (d *day) plans(third string) {
	d.offers("{}")
	d.wrong = nil
	d.site["/mode"] = `{"isReadOnly":false}`
	checks := `{"id":"running","state":"ok","finding":"The site shows no log of an upgrade."},{"id":"mode","state":"ok","finding":"Read-only mode is off."},
		{"id":"order","state":"ok","finding":` + third + `},{"id":"required","state":"ok","finding":"No update is required first."},{"id":"licence"},{"id":"settings"},
		{"id":"health","state":"caution","finding":"There is no health report.","accept":"health"},{"id":"backup","state":"caution","finding":"The site reports no completed backup.","accept":"backup"},
		{"id":"placement","state":"caution","finding":"Upgrade pods need a node labelled upgrader=true. They tolerate its upgrader taint.","accept":"placement"},
		{"id":"images","state":"ok","finding":"The update names no images."},{"id":"privileges","state":"ok","finding":"You are an administrator."},{"id":"clock","state":"ok","finding":"The site's clock and this machine's agree."}`
	d.site["/../sharing/rest/community/self"] = `{"role":"org_admin"}`
	d.LooksBy(d.disk, "json", "upgrade", "plan", "pat_3").Printed(oracle.Printed{Out: `{"schemaVersion":1,"checks":[` + checks + `]}`, Calm: true})
}

// starts sends the patch of plans, with what was accepted and the value of its setting.
func (d *day) starts(words, value string) {
	d.plans(`""`)
	d.wrong = nil
	d.site[`/system/upgrades/getUpgradeSettings?upgradeId={"id":"pat_3"}`] = `{"userInputs":[{"id":"zone","value":1.0}]}`
	i := &oracle.Intent{}
	d.Accepts(i, nil, "upgrade", "start", "pat_3", "--accept", words)
	d.Arrives(&oracle.Write{Path: "/system/upgrades/upgrade", Intent: i, Fields: url.Values{"upgradeSettings": {`{"userInputs":[{"id":"zone","value":` + value + `}]}`}}}, d.disk)
}

// upgradeDays are those of what is shown of upgrades beside their messages.
var upgradeDays = []struct {
	rule      string
	good, bad func(*day)
}{
	{"the summary of an upgrade agrees with its messages",
		func(d *day) { d.handsRun("", "") },
		func(d *day) { d.handsRun("| 40 s |", "| 41 s |") }},
	{"the summary of an upgrade agrees with its messages",
		func(d *day) { d.handsRun("", "") },
		func(d *day) { d.handsRun(`"done":1`, `"done":2`) }},
	{"the summary of an upgrade agrees with its messages",
		func(d *day) { d.handsRun("", "") },
		func(d *day) { d.handsRun("| 2291 |", "| 2038 |") }},
	{"the checks before an upgrade are as the site is",
		func(d *day) { d.plans(`"It includes the update before it: 11.5.0.6815."`) },
		func(d *day) { d.plans(`"It builds on build 6805, which is installed."`) }},
	{"an upgrade is sent where each check has passed, or was accepted by its name",
		func(d *day) { d.starts("health,backup,placement", "1.0") },
		func(d *day) { d.starts("health,placement", "1.0") }},
	{"an upgrade is sent with the form of the site, filled in",
		func(d *day) { d.starts("health,backup,placement", "1.0") },
		func(d *day) { d.starts("health,backup,placement", "1") }},
	{"a row is printed as the site has it",
		func(d *day) {
			d.offers(`{"id":"pat_3","state":"applicable","brings":["pat_2"],"base":"pat_2","depth":1}`)
		},
		func(d *day) { d.offers(`{"id":"pat_3","state":"applicable","brings":[],"base":"pat_2","depth":1}`) }},
}
