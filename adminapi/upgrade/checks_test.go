package upgrade_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/upgrade"
)

const now = adminapi.Millis(1_765_500_000_000)

func ago(d time.Duration) adminapi.Millis { return now - adminapi.Millis(d.Milliseconds()) }

// known is a fact of any age.
func known[T any](value T) adminapi.Fact[T] { return adminapi.FactOf(time.Unix(1, 0), value, nil) }

// ready is a site on which nothing speaks against the release.
func ready(t *testing.T) upgrade.Facts {
	m := manifest(t, "11.5.0")
	site := upgrade.InstalledFrom("11.5.0.6745", nil)
	return upgrade.Facts{
		Target: m.Releases[1], Installed: site, Now: now,
		Status:     known(adminapi.UpgradeStatus{State: "no_upgrade"}),
		Mode:       known(adminapi.Mode{}),
		Chain:      known(upgrade.Plan(m, site)),
		Settings:   known(realSettings(t)),
		Answers:    upgrade.Answers{"licenseUpload": {Path: "l.json"}},
		Files:      map[string]upgrade.GivenFile{"licenseUpload": {}},
		Report:     known(upgrade.LastReport{Found: true, ID: "r1", Name: "nightly", Verdict: "passed", Good: true, Ended: ago(3 * time.Hour)}),
		Backup:     known(upgrade.LastBackup{Found: true, Name: "b1", Store: "s", Ended: ago(90 * time.Minute)}),
		Placement:  known(jsontext.Value(`{"nodeAffinity":{},"tolerations":[]}`)),
		Caller:     known(adminapi.Self{Username: "jo", Role: "org_admin"}),
		ClockAhead: known(time.Second),
	}
}

func check(t *testing.T, f upgrade.Facts, id string) finding.Finding {
	t.Helper()
	for _, c := range upgrade.Preflight(f) {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("no check %q", id)
	return finding.Finding{}
}

var order = []string{"running", "mode", "order", "required", "licence", "settings", "health", "backup", "placement", "images", "privileges", "clock"}

func TestAReadySitePassesEveryCheckInOrder(t *testing.T) {
	t.Parallel()
	checks := upgrade.Preflight(ready(t))
	var ids []string
	for _, c := range checks {
		ids = append(ids, c.ID)
		state := finding.Passed
		if c.ID == upgrade.CheckImages { // none has a checksum: nothing was verified
			state = finding.Note
		}
		if c.Strength != state || c.Accept != "" || c.Title == "" || c.Text == "" || c.Why == "" || c.Do != "" {
			t.Errorf("%+v", c)
		}
	}
	if !slices.Equal(ids, order) || finding.Blocked(checks) || len(finding.Those(checks, finding.Finding.Open)) > 0 {
		t.Errorf("%q", ids)
	}
}

func TestWhatWasNotReadIsNotKnown(t *testing.T) {
	t.Parallel()
	f := upgrade.Facts{Target: adminapi.Update{ID: "r", Type: "release", Version: "12.0.0"}}
	f.Mode.Err = errors.New("connection refused\x1b[31m\nx")
	checks := upgrade.Preflight(f)
	for _, c := range checks {
		if !c.Unread || !c.Open() || !strings.HasSuffix(c.Text, ".") || strings.ContainsAny(c.Text, "\x1b\n") {
			t.Errorf("%+v", c)
		}
	}
	if finding.Blocked(checks) || len(finding.Those(checks, finding.Finding.Open)) != len(order) {
		t.Error("not known is neither in the way nor passed")
	}
	if c := checks[1]; c.Text != "The mode of the site could not be read: connection refused x." {
		t.Error(c.Text)
	}
}

func TestChecks(t *testing.T) {
	t.Parallel()
	old := adminapi.Update{ID: "o", Type: "release", Version: "10.9.1", NewLicensesRequired: new(true)}
	oldUnsaid, oldFree := old, old
	oldUnsaid.NewLicensesRequired, oldFree.NewLicensesRequired = nil, new(false)
	// asked is a site that asks for these settings, of which none has an answer.
	asked := func(needsLicence bool, inputs string) func(*upgrade.Facts) {
		return func(f *upgrade.Facts) {
			f.Settings, f.Answers, f.Target.NewLicensesRequired = known(settingsOf(t, `{"userInputs":[`+inputs+`]}`)), nil, new(needsLicence)
		}
	}
	const timeout = "timeout"
	unreadSettings := adminapi.Fact[adminapi.UpgradeSettings]{Err: errors.New(timeout)}
	for name, tt := range map[string]struct {
		change func(*upgrade.Facts)
		id     string
		state  finding.Strength
		says   string
	}{
		"an upgrade is running":         {func(f *upgrade.Facts) { f.Status.Value.State = "in_progress" }, "running", finding.Block, "An upgrade is running."},
		"an unknown state":              {func(f *upgrade.Facts) { f.Status.Value.State = "paused" }, "running", finding.Danger, `"paused"`},
		"a state against its code":      {func(f *upgrade.Facts) { f.Status.Value = adminapi.UpgradeStatus{State: "in_progress", Code: 3} }, "running", finding.Danger, `"in_progress", code 3`},
		"a past success":                {func(f *upgrade.Facts) { f.Status.Value = adminapi.UpgradeStatus{State: "success", Code: 3} }, "running", finding.Passed, "succeeded"},
		"a past failure":                {func(f *upgrade.Facts) { failedReadOnly(f) }, "running", finding.Caution, "failed"},
		"a failure without a log":       {func(f *upgrade.Facts) { f.Status.Value.State = "failed" }, "running", finding.Danger, "does not tell how far it came"},
		"read-only after a failure":     {func(f *upgrade.Facts) { failedReadOnly(f, 2165) }, "mode", finding.Danger, "Left on by the upgrade that failed 5 min ago."},
		"read-only lifted and on again": {func(f *upgrade.Facts) { failedReadOnly(f, 2165, 2166) }, "mode", finding.Caution, "Read-only mode is on: The upgrade is in progress."},
		"nothing in the log":            {func(*upgrade.Facts) {}, "running", finding.Passed, "The site shows no log of an upgrade."},
		"read-only":                     {func(f *upgrade.Facts) { f.Mode.Value = adminapi.Mode{ReadOnly: true, Message: "restoring"} }, "mode", finding.Caution, "Read-only mode is on: restoring."},
		"a target not offered":          {func(f *upgrade.Facts) { f.Target.ID = "gone" }, "order", finding.Block, "is not offered"},
		"a release too old":             {func(f *upgrade.Facts) { plan(f, "12.5.0.9000") }, "order", finding.Block, "older"},
		"a release that is in":          {func(f *upgrade.Facts) { plan(f, "12.0.0.7286") }, "order", finding.Block, "is the installed"},
		"a site that is unknown":        {func(f *upgrade.Facts) { plan(f, "") }, "order", finding.Danger, "unknown"},
		"not known means required too":  {func(f *upgrade.Facts) { plan(f, "") }, "required", finding.Danger, "unknown"},
		"a release on the way":          {func(f *upgrade.Facts) { plan(f, "11.4.0.6285") }, "required", finding.Block, "requires the release 11.5.0.6745 first"},
		"its order is right after that": {func(f *upgrade.Facts) { plan(f, "11.4.0.6285") }, "order", finding.Passed, "after the required"},
		"a broken entry": {func(f *upgrade.Facts) {
			f.Target.ID = "bad"
			f.Chain.Value = upgrade.Plan(offered(patch("bad", "7", "7")), f.Installed)
		}, "order", finding.Block, "not older"},
		"no licence":                {func(f *upgrade.Facts) { f.Answers = nil }, "licence", finding.Block, "A new licence is needed."},
		"no licence yet":            {func(f *upgrade.Facts) { f.Answers, f.ToAnswer = nil, true }, "licence", finding.Later, "A new licence is needed."},
		"a licence uploaded before": {func(f *upgrade.Facts) { f.Answers = upgrade.Answers{"licenseUpload": {Upload: "id"}} }, "licence", finding.Passed, "given"},
		"a bad licence": {func(f *upgrade.Facts) {
			f.Files["licenseUpload"] = upgrade.GivenFile{Err: errors.New("l.json is empty")}
		}, "licence", finding.Block, "l.json is empty."},
		"a licence of another version": {func(f *upgrade.Facts) { f.Files = licence(`{"version":"11.5"}`) }, "licence", finding.Danger, "The licence is for 11.5, not for 12.0.0.7286."},
		"a licence of the past": {func(f *upgrade.Facts) {
			f.Files = licence(`{"MyEsri":{"version":"12.0","provision":[{"expiration":"2025-11-19"}]}}`)
		}, "licence", finding.Danger, "The licence expired on 2025-11-19."},
		"a licence that fits": {func(f *upgrade.Facts) {
			f.Files = licence(`{"MyEsri":{"version":12.0,"provision":[{"expiration":1900000000000},{"expiration":1800000000000}]}}`)
		}, "licence", finding.Passed, "Licence given, for 12.0, until 2027-01-15."},
		"a licence that says nothing":  {func(f *upgrade.Facts) { f.Files = licence(`["expiration", 5]`) }, "licence", finding.Passed, "Licence given. The site"},
		"a bad file of the settings":   {func(f *upgrade.Facts) { f.Files["other"] = upgrade.GivenFile{Err: errors.New("o.pem is empty")} }, "settings", finding.Block, "o.pem is empty."},
		"no setting takes the licence": {func(f *upgrade.Facts) { f.Settings.Value, f.Answers = adminapi.UpgradeSettings{}, nil }, "licence", finding.Caution, "no setting"},
		"it goes with the request": {func(f *upgrade.Facts) {
			f.Settings.Value, f.Answers, f.Files = adminapi.UpgradeSettings{}, nil, files("licenseFile", upgrade.GivenFile{})
		}, "licence", finding.Caution, "The licence goes with the request: no setting asks for it."},
		"a site without uploads": {func(f *upgrade.Facts) { f.NoUploads = true }, "licence", finding.Caution, "The licence goes with the request: the site takes no uploaded one."},
		"a licence that is not said": {func(f *upgrade.Facts) {
			f.Settings.Value, f.Answers, f.Target.NewLicensesRequired = adminapi.UpgradeSettings{}, nil, nil
		}, "licence", finding.Note, "does not say"},
		"settings that are not known": {func(f *upgrade.Facts) {
			f.Settings, f.Files = adminapi.Fact[adminapi.UpgradeSettings]{Err: errors.New("x")}, files("licenseFile", upgrade.GivenFile{})
		}, "licence", finding.Caution, "the settings are not known"},
		"no licence is needed": {func(f *upgrade.Facts) {
			f.Settings.Value, f.Target.NewLicensesRequired = adminapi.UpgradeSettings{}, new(false)
		}, "licence", finding.Passed, "No new licence"},
		"only the licence is asked for":     {asked(true, `{"id":"licenseUpload","type":"File","required":true}`), "licence", finding.Block, "A new licence is needed."},
		"a licence that may be given":       {asked(false, `{"id":"licenseUpload","type":"File"}`), "licence", finding.Passed, "No new licence is needed."},
		"one in another spelling":           {asked(true, `{"id":"licenceFile","type":"File","required":true}`), "licence", finding.Block, "A new licence is needed."},
		"one in the request that is old":    {func(f *upgrade.Facts) { f.NoUploads, f.Files = true, licence(`{"version":"11.0"}`) }, "licence", finding.Danger, "The licence is for 11.0, not for 12.0.0.7286."},
		"a licence that the site requires":  {asked(false, `{"id":"licenseUpload","type":"File","required":true}`), "licence", finding.Block, "A new licence is needed."},
		"a licence that the update needs":   {asked(true, `{"id":"licenseUpload","type":"File"}`), "licence", finding.Block, "A new licence is needed."},
		"a licence from before":             {asked(true, `{"id":"licenseUpload","type":"File","required":true,"value":"up0"}`), "licence", finding.Passed, "given"},
		"a text that is named like one":     {asked(true, `{"id":"licenseKind","type":"String"}`), "licence", finding.Caution, "no setting asks for it"},
		"settings that could not be read":   {func(f *upgrade.Facts) { f.Settings, f.Files = unreadSettings, nil }, "licence", finding.Danger, "A new licence is needed; the settings could not be read: timeout."},
		"unread settings of a free release": {func(f *upgrade.Facts) { asked(false, "")(f); f.Settings, f.Files = unreadSettings, nil }, "licence", finding.Danger, "The settings could not be read: timeout."},
		"a licence of a later version":      {func(f *upgrade.Facts) { f.Files = licence(`{"version":"12.1"}`) }, "licence", finding.Danger, "The licence is for 12.1, not for 12.0.0.7286."},
		"a licence whose end is not judged": {func(f *upgrade.Facts) { f.Now, f.Files = 0, licence(`{"expires":"2025-11-19"}`) }, "licence", finding.Passed, "Licence given, until 2025-11-19."},
		"old style that needs no licence":   {func(f *upgrade.Facts) { f.Target = oldFree }, "licence", finding.Passed, "No new licence is needed."},
		"old style that does not say":       {func(f *upgrade.Facts) { f.Target = oldUnsaid }, "licence", finding.Note, "does not say"},
		"a site that asks for nothing":      {asked(false, ""), "settings", finding.Passed, "This upgrade has no settings."},
		"complete but for a licence later":  {func(f *upgrade.Facts) { f.Answers, f.ToAnswer = nil, true }, "settings", finding.Later, "Complete except for the licence."},
		"images without a checksum":         {func(*upgrade.Facts) {}, "images", finding.Note, "2 of 2 images have no checksum to compare."},
		"images of included updates": {func(f *upgrade.Facts) { e, _ := f.Chain.Value.Find(feature); f.Target = e.Update }, "images", finding.Note,
			"4 of 4 images have no checksum to compare, included updates counted."},
		"an update without images": {func(f *upgrade.Facts) {
			f.Target = release("r", "12.0.0", "7286", "11.5.0", "6745")
			f.Chain.Value = upgrade.Plan(offered(f.Target), f.Installed)
		}, "images", finding.Passed, "The update names no images."},
		"a report that could not be read": {func(f *upgrade.Facts) { f.Report = adminapi.Fact[upgrade.LastReport]{Err: errors.New(timeout)} }, "health", finding.Danger, "The last health report could not be read: timeout."},
		"a report of an unknown word":     {func(f *upgrade.Facts) { f.Report.Value.Good, f.Report.Value.Verdict = false, "running" }, "health", finding.Caution, `The last report is "running": nightly.`},
		"a failure and an undated report": {func(f *upgrade.Facts) { failedReadOnly(f, 2165); f.Report.Value.Ended = 0 }, "health", finding.Caution, "The last report passed, but its age is unknown: nightly."},
		"an undated backup":               {func(f *upgrade.Facts) { ran(f, "11.4.0.6285", "11.5.0.6745"); f.Backup.Value.Ended = 0 }, "backup", finding.Caution, "The last backup is complete, but its age is unknown: b1."},
		"a backup from before a patch":    {func(f *upgrade.Facts) { ran(f, "11.5.0.6745", "11.5.0.6805") }, "backup", finding.Passed, "The last backup is complete, 1 h old: b1."},
		"a backup from before a release":  {func(f *upgrade.Facts) { ran(f, "11.4.0.6285", "11.5.0.6745") }, "backup", finding.Danger, "No backup of the installed release: b1 is from before it was installed."},
		"read-only since it was seen":     {func(f *upgrade.Facts) { failedReadOnly(f, 2165); f.FailedBy = ago(2 * time.Minute) }, "mode", finding.Danger, "Left on by the upgrade that failed 2 min ago."},
		"read-only since nobody knows":    {func(f *upgrade.Facts) { failedReadOnly(f, 2165); f.Now = 0 }, "mode", finding.Danger, "Left on by the upgrade that failed."},
		"old style without licence":       {func(f *upgrade.Facts) { f.Target = old }, "licence", finding.Block, "needed"},
		"old style with licence":          {func(f *upgrade.Facts) { f.Target, f.Files = old, files("licenseFile", upgrade.GivenFile{}) }, "licence", finding.Passed, "given"},
		"old style with a bad licence": {func(f *upgrade.Facts) {
			f.Target, f.Files = old, files("licenseFile", upgrade.GivenFile{Err: errors.New("bad")})
		}, "licence", finding.Block, "bad."},
		"old style asks no settings":     {func(f *upgrade.Facts) { f.Target, f.Settings = old, adminapi.Fact[adminapi.UpgradeSettings]{} }, "settings", finding.Passed, "no settings"},
		"a required setting is empty":    {func(f *upgrade.Facts) { asking(t, f) }, "settings", finding.Block, "Storage of persistent volumes is required: give it as JSON. (and 1 other problem)"},
		"a licence of the wrong kind":    {func(f *upgrade.Facts) { f.Answers["licenseUpload"] = upgrade.Answer{JSON: "1"} }, "licence", finding.Block, "takes a file"},
		"the licence is checked once":    {func(f *upgrade.Facts) { f.Answers = nil }, "settings", finding.Later, "Complete except for the licence."},
		"it is still to be asked for":    {func(f *upgrade.Facts) { asking(t, f); f.ToAnswer = true }, "settings", finding.Later, "Storage of persistent volumes is required"},
		"no report":                      {func(f *upgrade.Facts) { f.Report.Value = upgrade.LastReport{} }, "health", finding.Caution, "no health report"},
		"a report from before a failure": {func(f *upgrade.Facts) { failedReadOnly(f, 2165) }, "health", finding.Caution, "No health report since the failed upgrade."},
		"a report from after a failure":  {func(f *upgrade.Facts) { failedReadOnly(f, 2165); f.Report.Value.Ended = ago(time.Minute) }, "health", finding.Passed, "1 min old"},
		"a report from a silent failure": {func(f *upgrade.Facts) {
			failedReadOnly(f, 2165)
			f.Report.Value.Ended, f.FailedBy = ago(2*time.Minute), ago(time.Minute)
		}, "health", finding.Caution, "No health report since the upgrade was seen to have failed."},
		"a failed report":                {func(f *upgrade.Facts) { f.Report.Value.Good, f.Report.Value.Verdict = false, "failed" }, "health", finding.Caution, "The last report failed: nightly."},
		"an old report":                  {func(f *upgrade.Facts) { f.Report.Value.Ended = ago(73 * time.Hour) }, "health", finding.Caution, "3 days old"},
		"a report of now":                {func(f *upgrade.Facts) { f.Report.Value.Ended = now + 5000 }, "health", finding.Passed, "0 s old"},
		"a report without a time":        {func(f *upgrade.Facts) { f.Report.Value.Ended = 0 }, "health", finding.Caution, "age is unknown"},
		"no backup":                      {func(f *upgrade.Facts) { f.Backup.Value.Found = false }, "backup", finding.Danger, "no completed backup"},
		"a backup of what failed":        {func(f *upgrade.Facts) { failedReadOnly(f); f.Backup.Value.Ended = ago(time.Minute) }, "backup", finding.Danger, "No backup from before the failed upgrade: b1 ended after it began."},
		"a backup from before a failure": {func(f *upgrade.Facts) { failedReadOnly(f) }, "backup", finding.Passed, "The last backup before the failed upgrade is complete, 1 h old: b1."},
		"a program that only reads":      {func(f *upgrade.Facts) { f.SendsNone = true }, "mode", finding.Block, "geodeck was started with --read-only."},
		"a site that is locked":          {func(f *upgrade.Facts) { f.Locked = true }, "mode", finding.Note, "This site asks for its name before its first change."},
		"a locked site in read-only mode": {func(f *upgrade.Facts) {
			f.Locked, f.Mode = true, known(adminapi.Mode{ReadOnly: true})
		}, "mode", finding.Caution, "Read-only mode is on."},
		"an old backup":            {func(f *upgrade.Facts) { f.Backup.Value.Ended = ago(25 * time.Hour) }, "backup", finding.Caution, "25 h old"},
		"a tolerance for anything": {func(f *upgrade.Facts) { f.Placement.Value = jsontext.Value(`{"tolerations":[{"operator":"Exists"}]}`) }, "placement", finding.Passed, "any node. They tolerate every taint."},
		"a preferred place": {func(f *upgrade.Facts) {
			f.Placement.Value = jsontext.Value(`{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"preference":{"matchExpressions":[{"key":"ssd","operator":"Exists"}]}}]}}`)
		}, "placement", finding.Passed, "prefer a node labelled ssd."},
		"a placement of another shape": {func(f *upgrade.Facts) { f.Placement.Value = jsontext.Value(`[7]`) }, "placement", finding.Caution, "malformed"},
		"may upgrade and not upload":   {caller("portal:admin:manageServers"), "privileges", finding.Caution, "upload"},
		"may upgrade with nothing to do": {func(f *upgrade.Facts) {
			caller("Servers")(f)
			f.Answers = upgrade.Answers{"licenseUpload": {Upload: "id"}}
		}, "privileges", finding.Passed, "You may upgrade."},
		"a licence in the request":  {func(f *upgrade.Facts) { caller("Servers")(f); f.NoUploads = true }, "privileges", finding.Passed, "You may upgrade."},
		"old style uploads nothing": {func(f *upgrade.Facts) { caller("Servers")(f); f.Target = old }, "privileges", finding.Passed, "You may upgrade."},
		"a file that is not given":  {func(f *upgrade.Facts) { caller("Servers")(f); f.Answers = nil }, "privileges", finding.Passed, "You may upgrade."},
		"a file is asked for later": {func(f *upgrade.Facts) { caller("Servers")(f); f.Answers, f.ToAnswer = nil, true }, "privileges", finding.Caution, "probably not upload"},
		"a file that may be given": {func(f *upgrade.Facts) {
			caller("Servers")(f)
			asked(false, `{"id":"licenseUpload","type":"File"}`)(f)
			f.ToAnswer = true
		}, "privileges", finding.Passed, "You may upgrade."},
		"a file from before": {func(f *upgrade.Facts) {
			caller("Servers")(f)
			asked(true, `{"id":"licenseUpload","type":"File","required":true,"value":"up0"}`)(f)
			f.ToAnswer = true
		}, "privileges", finding.Passed, "You may upgrade."},
		"an upload id, and more to answer": {func(f *upgrade.Facts) {
			caller("Servers")(f)
			f.Answers, f.ToAnswer = upgrade.Answers{"licenseUpload": {Upload: "id"}}, true
		}, "privileges", finding.Passed, "You may upgrade."},
		"may do both":                {caller("Security and infrastructure", "portal:publisher:publishFeatures"), "privileges", finding.Passed, "and upload"},
		"may not":                    {caller("portal:user:edit"), "privileges", finding.Caution, "Security and infrastructure"},
		"privileges not told":        {caller(), "privileges", finding.Caution, "does not report"},
		"the site's clock is ahead":  {func(f *upgrade.Facts) { f.ClockAhead.Value = 3 * time.Hour }, "clock", finding.Caution, "3 h 00 min ahead"},
		"the site's clock is behind": {func(f *upgrade.Facts) { f.ClockAhead.Value = -5 * time.Minute }, "clock", finding.Caution, "5 min 00 s behind"},
	} {
		t.Run(name, func(t *testing.T) {
			f := ready(t)
			tt.change(&f)
			c := check(t, f, tt.id)
			if c.Strength != tt.state || !strings.Contains(c.Text, tt.says) {
				t.Errorf("%v: %s", c.Strength, c.Text)
			}
			if blocked := finding.Blocked(upgrade.Preflight(f)); tt.state == finding.Block && !blocked {
				t.Error("it does not block")
			}
		})
	}
}

func TestAGraveWarningIsAcceptedByAWordOfItsOwn(t *testing.T) {
	t.Parallel()
	f := ready(t)
	f.Report.Value = upgrade.LastReport{Found: true, Name: "nightly", Verdict: "failed", Bad: true, Failed: []string{"pods_ready", "disk\x1b[31m_space", "queue", "lag"}, Tests: 13}
	if c := check(t, f, upgrade.CheckHealth); c.Strength != finding.Danger || c.Accept != "failed-health" || c.Text != "The last report failed, 4 of 13 tests: nightly. Failed: pods_ready, disk_space and 2 more." {
		t.Errorf("%+v", c)
	}
	if f.Report.Value.Failed = nil; check(t, f, upgrade.CheckHealth).Text != "The last report failed: nightly." {
		t.Errorf("without the names of tests: %s", check(t, f, upgrade.CheckHealth).Text)
	}
	f.Report.Value = upgrade.LastReport{}
	if c := check(t, f, upgrade.CheckHealth); c.Strength == finding.Danger || c.Accept != "health" {
		t.Errorf("%+v", c)
	}
}

// ran makes the last run of a site one between two versions that has succeeded a minute ago.
func ran(f *upgrade.Facts, from, to string) {
	f.Status.Value = adminapi.UpgradeStatus{State: "success", Code: 3, Messages: []adminapi.UpgradeMessage{
		{Code: 2010, When: ago(30 * time.Minute), Message: "Upgrade started from " + from + " to " + to + "."}, {Code: 2011, When: ago(time.Minute)}}}
}

func TestACheckSaysWhyItMattersAndWhatToDo(t *testing.T) {
	t.Parallel()
	a := patch("pat", "6845", "6745")
	for name, tt := range map[string]struct {
		change  func(*upgrade.Facts)
		id      string
		why, do string
	}{
		"a past failure":             {func(f *upgrade.Facts) { failedReadOnly(f) }, "running", "What has failed once fails again while its cause stays.", "Find out why before you start another one."},
		"between releases":           {func(f *upgrade.Facts) { failedReadOnly(f, 2165, 2144); said(f); f.Target = a }, "running", "Stores may be between releases. Anything else can lose data.", "Fix the cause, then start the same release again."},
		"a program that only reads":  {func(f *upgrade.Facts) { f.SendsNone = true }, "mode", "Nothing is sent.", "Start it without --read-only."},
		"read-only":                  {func(f *upgrade.Facts) { f.Mode.Value.ReadOnly, f.Target = true, a }, "mode", "The site decides whether it takes a start. Success ends the mode.", "Find out who switched it on, and why."},
		"read-only after a failure":  {func(f *upgrade.Facts) { failedReadOnly(f, 2165, 2166) }, "mode", "The site decides whether it takes a start, and may refuse the licence file. Success ends the mode.", "Do not switch it off. Read why it failed and what ends it."},
		"the backup of a release":    {func(f *upgrade.Facts) { f.Backup.Value.Found = false }, "backup", "A release cannot be rolled back. Only a backup restores it.", "Make a backup first."},
		"the backup of a patch":      {func(f *upgrade.Facts) { f.Backup.Value.Found, f.Target = false, a }, "backup", "A patch may fail and not roll back. Then only a backup restores the site.", "Make a backup first."},
		"the backup of a rollback":   {func(f *upgrade.Facts) { f.Backup.Value.Found, f.Target, f.Rollback = false, a, &upgrade.Rollback{} }, "backup", "Only a backup restores a site whose rollback fails.", "Make a backup first."},
		"a licence that comes later": {func(f *upgrade.Facts) { f.Answers, f.ToAnswer = nil, true }, "licence", "Without a valid licence the upgrade is refused, or members cannot sign in.", "Choose the licence file (JSON)."},
		"a site without reports":     {func(f *upgrade.Facts) { f.Report.Value = upgrade.LastReport{} }, "health", "Existing faults can make an upgrade fail midway.", "Run a health check now."},
		"a site that may refuse one": {func(f *upgrade.Facts) { f.Report.Value, f.Mode.Value.ReadOnly = upgrade.LastReport{}, true }, "health", "Existing faults can make an upgrade fail midway.", "Run a health check; a read-only site may refuse it."},
	} {
		f := ready(t)
		tt.change(&f)
		if c := check(t, f, tt.id); c.Why != tt.why || c.Do != tt.do {
			t.Errorf("%s: %q, %q", name, c.Why, c.Do)
		}
	}
}

// said gives the log of a failed release its versions.
func said(f *upgrade.Facts) {
	f.Status.Value.Messages[0].Message = "Upgrade started from 11.5.0.6745 to 12.0.0.7286."
}

func TestWhileAnUpgradeRunsNothingElseIsKnown(t *testing.T) {
	t.Parallel()
	target, site := ready(t).Target, ready(t).Installed
	f := upgrade.FactsWhileRunning(target, site, known(adminapi.UpgradeStatus{State: "in_progress"}))
	if f.Installed.FullVersion() != "11.5.0.6745" || f.Target.ID != target.ID || !f.ToAnswer {
		t.Errorf("%+v", f)
	}
	back := f
	back.Rollback = &upgrade.Rollback{To: "11.5.0.6745"}
	for _, c := range append(upgrade.Preflight(f), upgrade.Preflight(back)...) {
		switch {
		case c.ID == upgrade.CheckRunning:
			if c.Text != "An upgrade is running." || !c.Blocks() {
				t.Errorf("%+v", c)
			}
		case !c.Unread || !strings.HasSuffix(c.Text, ": not read while an upgrade runs.") && c.ID != upgrade.CheckImages:
			t.Errorf("%s is known: %+v", c.ID, c)
		}
	}
}

func TestTheVerdictCountsWhatBlocks(t *testing.T) {
	t.Parallel()
	one, two := finding.Finding{Strength: finding.Block}, []finding.Finding{{Strength: finding.Block}, {Strength: finding.Passed}, {Strength: finding.Block}}
	for want, checks := range map[string][]finding.Finding{
		"Nothing blocks this upgrade": {{Strength: finding.Passed}}, "1 check blocks this upgrade": {one}, "2 checks block this upgrade": two,
	} {
		if got := upgrade.PreflightVerdict(checks); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	f := ready(t)
	if f.Goal() != "the upgrade to 12.0.0.7286" {
		t.Error(f.Goal())
	}
	if f.Rollback = (&upgrade.Rollback{To: "11.5.0.6805"}); f.Goal() != "the rollback to 11.5.0.6805" {
		t.Error(f.Goal())
	}
}

func TestAfterAFailedUpgradeTheBackupIsOneFromBeforeIt(t *testing.T) {
	t.Parallel()
	f := ready(t)
	all := []upgrade.LastBackup{{Found: true, Name: "during", Ended: ago(time.Minute)}, {Found: true, Name: "first", Ended: ago(9 * time.Hour)},
		{Found: true, Name: "before", Ended: ago(time.Hour)}}
	if b := upgrade.BackupOf(all, f.Status.Value); b.Name != "during" {
		t.Error(b.Name)
	}
	failedReadOnly(&f)
	for want, backups := range map[string][]upgrade.LastBackup{"before": all, "during": all[:1], "": nil} {
		if b := upgrade.BackupOf(backups, f.Status.Value); b.Name != want {
			t.Errorf("%q, not %q", b.Name, want)
		}
	}
	f.Status.Value.State, f.Status.Value.Code = "success", 3
	if b := upgrade.BackupOf(all, f.Status.Value); b.Name != "during" {
		t.Errorf("after a success: %s", b.Name)
	}
}

// failedReadOnly makes a site read-only after an upgrade that has failed, with these messages.
func failedReadOnly(f *upgrade.Facts, codes ...int) {
	f.Mode.Value = adminapi.Mode{ReadOnly: true, Message: "The upgrade is in progress."}
	f.Status.Value = adminapi.UpgradeStatus{State: "failed", Code: 2}
	for _, code := range append([]int{2010}, codes...) {
		f.Status.Value.Messages = append(f.Status.Value.Messages, adminapi.UpgradeMessage{Code: code, When: ago(5 * time.Minute)})
	}
}

func TestReadOnlyModeIsNotToBeSwitchedOffAfterAFailedUpgrade(t *testing.T) {
	t.Parallel()
	f := ready(t)
	failedReadOnly(&f, 2165)
	if c := check(t, f, upgrade.CheckMode); !strings.HasPrefix(c.Do, "Do not lift it by hand. Fix the cause first.") {
		t.Error(c.Do)
	}
	if c := check(t, f, upgrade.CheckHealth); c.Do != "Run a health check; a read-only site may refuse it." {
		t.Error(c.Do)
	}
	f.Status.Value = adminapi.UpgradeStatus{State: "success", Code: 3}
	if c := check(t, f, upgrade.CheckMode); c.Strength != finding.Caution || c.Do != "Find out who switched it on, and why." {
		t.Error(c.Do)
	}
	f = ready(t)
	f.Mode.Value.ReadOnly, f.Target.NewLicensesRequired = true, new(true)
	if why := check(t, f, upgrade.CheckMode).Why; !strings.Contains(why, "may refuse the licence file") {
		t.Errorf("of a release that needs a licence: %s", why)
	}
}

// A3: another target after a release that failed between versions is blocked; what cannot be read
// blocks nothing.
func TestAfterAReleaseThatFailedBetweenVersionsOnlyTheSameOneFollows(t *testing.T) {
	t.Parallel()
	failed := func(text string, codes ...int) upgrade.Facts {
		f := ready(t)
		failedReadOnly(&f, codes...)
		f.Status.Value.Messages[0].Message = text
		return f
	}
	const start = "Upgrade started from 11.5.0.6745 to 12.0.0.7286."
	same, between := ready(t).Target, []int{2165, 2144}
	other := patch("pat", "6845", "6745")
	for name, tt := range map[string]struct {
		facts  upgrade.Facts
		target adminapi.Update
		want   finding.Strength
		says   string
	}{
		"the same release":       {failed(start, between...), same, finding.Caution, "The upgrade to 12.0.0.7286 failed between releases."},
		"a patch of the old one": {failed(start, between...), other, finding.Block, "The upgrade to 12.0.0.7286 failed between releases. Only that release can follow."},
		"before the stores":      {failed(start, 2165), other, finding.Caution, "No upgrade is running; the last one failed."},
		"a log without a start":  {failed("It began.", between...), other, finding.Caution, "The upgrade failed between releases."},
	} {
		tt.facts.Target = tt.target
		if c := check(t, tt.facts, upgrade.CheckRunning); c.Strength != tt.want || c.Text != tt.says {
			t.Errorf("%s: %v: %s", name, c.Strength, c.Text)
		}
	}
	back := upgrade.Rollback{Listed: other, To: "11.5.0.6745"}
	f := failed(start, between...)
	f.Rollback, f.Target = &back, other
	if c := check(t, f, upgrade.CheckRunning); c.Strength != finding.Block {
		t.Errorf("a rollback: %v: %s", c.Strength, c.Text)
	}
	f = failed("It began.", between...) // to whatever version, that is not the way
	f.Rollback, f.Target = &back, other
	if c := check(t, f, upgrade.CheckRunning); c.Strength != finding.Block {
		t.Errorf("a rollback after a log without a start: %v: %s", c.Strength, c.Text)
	}
}

// A3: a release is only brought back by a backup of what is installed; a patch can be rolled back.
func TestABackupOfThisReleaseWeighsByWhatComes(t *testing.T) {
	t.Parallel()
	release, a := ready(t), ready(t)
	a.Target = patch("pat", "6845", "6745")
	for _, none := range []func(*upgrade.Facts){
		func(f *upgrade.Facts) { f.Backup.Value = upgrade.LastBackup{} },
		func(f *upgrade.Facts) { f.Backup = adminapi.Fact[upgrade.LastBackup]{Err: errors.New("timeout")} },
		func(f *upgrade.Facts) { ran(f, "11.4.0.6285", "11.5.0.6745") },
	} {
		big, small := release, a
		none(&big)
		none(&small)
		if c := check(t, big, upgrade.CheckBackup); c.Strength != finding.Danger || c.Accept != "backup" {
			t.Errorf("a release: %v: %s", c.Strength, c.Text)
		}
		if c := check(t, small, upgrade.CheckBackup); c.Strength != finding.Caution {
			t.Errorf("a patch: %v: %s", c.Strength, c.Text)
		}
	}
}

// files are those that answer a setting.
func files(id string, file upgrade.GivenFile) map[string]upgrade.GivenFile {
	return map[string]upgrade.GivenFile{id: file}
}

// licence is a licence file with a text.
func licence(text string) map[string]upgrade.GivenFile {
	return files("licenseUpload", upgrade.GivenFile{Licence: upgrade.ReadLicence([]byte(text))})
}

// asking makes the site ask for two more settings that have no value.
func asking(t *testing.T, f *upgrade.Facts) {
	f.Settings = known(settingsOf(t, `{"userInputs":[{"id":"volumesConfig","type":"X","required":true},{"id":"b","type":"Boolean","required":true},
		{"id":"licenseUpload","type":"File","required":true}]}`))
}

func plan(f *upgrade.Facts, site string) {
	f.Installed = upgrade.InstalledFrom(site, nil)
	var m adminapi.Manifest
	for _, e := range f.Chain.Value.Entries {
		if upgrade.IsRelease(e.Update) {
			m.Releases = append(m.Releases, e.Update)
		} else {
			m.Patches = append(m.Patches, e.Update)
		}
	}
	f.Chain.Value = upgrade.Plan(m, f.Installed)
}

func caller(privileges ...string) func(*upgrade.Facts) {
	return func(f *upgrade.Facts) { f.Caller.Value = adminapi.Self{Role: "custom", Privileges: privileges} }
}

func TestTheRealPlacementIsReadBack(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/upgrades_config.json")
	if err != nil {
		t.Fatal(err)
	}
	f := ready(t)
	whole := strings.TrimSpace(string(data))
	f.Placement.Value = jsontext.Value(whole[strings.Index(whole, ":")+1 : len(whole)-1])
	c := check(t, f, "placement")
	if c.Strength != finding.Caution || c.Text != "Upgrade pods need a node labelled upgrader=true. They tolerate its upgrader taint." {
		t.Errorf("%v: %s", c.Strength, c.Text)
	}
}

func TestRequiredLabelsAreSaidInWords(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`"operator":"In","values":["x","y"]`:    "labelled zone=x or y",
		`"operator":"NotIn","values":["x","y"]`: "with zone other than x or y",
		`"operator":"Exists"`:                   "labelled zone",
		`"operator":"DoesNotExist","values":[]`: "without the label zone",
		`"operator":"Gt","values":["4"]`:        "with zone above 4",
		`"operator":"Lt","values":["4"]`:        "with zone below 4",
		`"operator":"Near","values":["4"]`:      "with zone Near 4",
	} {
		f := ready(t)
		f.Placement.Value = jsontext.Value(`{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone",` + line + `}]}]}}}`)
		if c := check(t, f, "placement"); c.Text != "Upgrade pods need a node "+want+"." {
			t.Errorf("%s: %s", line, c.Text)
		}
	}
}

func TestRequiredUpdatesAreNamed(t *testing.T) {
	t.Parallel()
	f := ready(t)
	f.Target = release("r12", "12.0.0", "7286", "11.5.0", "6745")
	f.Chain.Value = upgrade.Plan(offered(required(patch("pat_a", "6805", "6745")), required(patch("pat_b", "6815", "6805")), f.Target), f.Installed)
	c := check(t, f, "required")
	if c.Strength != finding.Block || c.Do != "Install first: pat_a, pat_b." ||
		c.Text != "It requires 2 updates first; the last, pat_b, includes the others." {
		t.Errorf("%+v", c)
	}
}

func TestASiteWithoutHealthChecksIsNotToldToRunOne(t *testing.T) {
	t.Parallel()
	f := ready(t)
	f.Report = adminapi.Fact[upgrade.LastReport]{Err: &adminapi.Error{Kind: adminapi.KindVersionTooOld}}
	c := check(t, f, "health")
	if !c.Unread || c.Strength != finding.Caution || strings.Contains(c.Do, "health check") {
		t.Errorf("%+v", c)
	}
	f.Placement = adminapi.Fact[jsontext.Value]{Err: &adminapi.Error{Kind: adminapi.KindVersionTooOld, Operation: "read it", Message: "too old"}}
	if c := check(t, f, "placement"); !c.Unread || strings.Contains(c.Text, "cannot") || strings.Count(c.Text, "pods") != 1 {
		t.Errorf("%+v", c)
	}
}

func TestARollbackHasTheChecksThatApplyToIt(t *testing.T) {
	t.Parallel()
	f := ready(t)
	back := upgrade.Rollback{Listed: adminapi.Update{ID: "p", Type: "patch", Version: "11.5.0", Build: "6825", ReleaseBuild: "6745"}, From: "11.5.0.6835", To: "11.5.0.6825", Removes: patchesOf("11.5.0.6835")}
	f.Target, f.Rollback = back.Listed, &back
	f.Chain, f.Settings = adminapi.Fact[upgrade.Chain]{}, adminapi.Fact[adminapi.UpgradeSettings]{} // it needs neither
	f.Rollbacks = known([]upgrade.Rollback{back})
	var ids []string
	for _, c := range upgrade.Preflight(f) {
		ids = append(ids, c.ID)
		if c.Strength != finding.Passed || strings.Contains(c.Why, "an upgrade") {
			t.Errorf("%+v", c)
		}
	}
	if !slices.Equal(ids, []string{"running", "mode", "order", "health", "backup", "placement", "privileges", "clock"}) {
		t.Errorf("the checks are %q", ids)
	}
	for name, tt := range map[string]struct {
		change  func(*upgrade.Rollback)
		state   finding.Strength
		finding string
	}{
		"the same":       {func(*upgrade.Rollback) {}, finding.Passed, "Removes 11.5.0.6835."},
		"not sure":       {func(r *upgrade.Rollback) { r.To, r.Unsure = "", "This leads to A, or removes A and leads to B." }, finding.Block, "This leads to A, or removes A and leads to B."},
		"another target": {func(r *upgrade.Rollback) { r.To = "11.5.0.6820" }, finding.Block, "The site has changed. Back to 11.5.0.6820; removes 11.5.0.6835."},
		"another start":  {func(r *upgrade.Rollback) { r.From = "11.5.0.6840" }, finding.Block, "The site has changed. Back to 11.5.0.6825; removes 11.5.0.6835."},
		"more goes":      {func(r *upgrade.Rollback) { r.Removes = patchesOf("11.5.0.6840", "11.5.0.6835") }, finding.Block, "The site has changed. Back to 11.5.0.6825; removes 2 patches: 11.5.0.6840, 11.5.0.6835."},
		"not offered":    {func(r *upgrade.Rollback) { r.Listed.ID = "q" }, finding.Block, "The site does not offer to roll back to 11.5.0.6825."},
	} {
		now := back
		tt.change(&now)
		f.Rollbacks = known([]upgrade.Rollback{now})
		if c := check(t, f, upgrade.CheckOrder); c.Strength != tt.state || c.Text != tt.finding {
			t.Errorf("%s: %+v", name, c)
		}
	}
	back.Removes = patchesOf("11.5.0.6840", "11.5.0.6835")
	f.Rollbacks = known([]upgrade.Rollback{back})
	if c := check(t, f, upgrade.CheckOrder); c.Strength != finding.Caution || c.Text != "Removes 2 patches: 11.5.0.6840, 11.5.0.6835." {
		t.Errorf("%+v", c)
	}
	f.Rollbacks = known([]upgrade.Rollback(nil))
	if c := check(t, f, upgrade.CheckOrder); c.Strength != finding.Block {
		t.Errorf("%+v", c)
	}
	f.Rollbacks = adminapi.Fact[[]upgrade.Rollback]{}
	if c := check(t, f, upgrade.CheckOrder); !c.Unread || c.Strength != finding.Danger {
		t.Errorf("%+v", c)
	}
}

// What was accepted holds for the same content: an age may grow, another report, backup or clock is asked about anew.
func TestAnAcceptedCheckIsTheSameWhileOnlyItsAgeGrows(t *testing.T) {
	t.Parallel()
	is := ready(t)
	is.Report.Value.Ended, is.Backup.Value.Ended, is.ClockAhead.Value = ago(50*time.Hour), ago(50*time.Hour), -190*time.Second
	failed := ready(t)
	failed.Report.Value = upgrade.LastReport{Found: true, ID: "r1", Name: "nightly", Verdict: "failed", Bad: true, Failed: []string{"a", "b"}, Tests: 40}
	left := ready(t)
	failedReadOnly(&left, 2165)
	for id, c := range map[string]struct {
		facts   upgrade.Facts
		changes func(*upgrade.Facts)
		same    bool
	}{
		"health":            {is, func(f *upgrade.Facts) { f.Now += adminapi.Millis(100 * time.Hour / time.Millisecond) }, true},
		"health another":    {is, func(f *upgrade.Facts) { f.Report.Value.Name = "another" }, false},
		"backup":            {is, func(f *upgrade.Facts) { f.Now += adminapi.Millis(100 * time.Hour / time.Millisecond) }, true},
		"backup another":    {is, func(f *upgrade.Facts) { f.Backup.Value.Name = "b2" }, false},
		"mode left":         {left, func(f *upgrade.Facts) { f.Now += adminapi.Millis(100 * time.Hour / time.Millisecond) }, true},
		"mode on":           {left, func(f *upgrade.Facts) { failedReadOnly(f, 2165, 2166) }, false},
		"clock":             {is, func(f *upgrade.Facts) { f.ClockAhead.Value -= 2 * time.Second }, true},
		"clock much more":   {is, func(f *upgrade.Facts) { f.ClockAhead.Value *= 10 }, false},
		"health more fail":  {failed, func(f *upgrade.Facts) { f.Report.Value.Failed = []string{"a", "c"} }, false},
		"health same name":  {failed, func(f *upgrade.Facts) { f.Report.Value.ID = "r2" }, false},
		"health still fail": {failed, func(f *upgrade.Facts) { f.Now += 1000 }, true},
	} {
		name, _, _ := strings.Cut(id, " ")
		before := c.facts
		accepted := finding.Accepted{}
		accepted.Add(check(t, before, name))
		c.changes(&before)
		if got := accepted.Has(check(t, before, name)); got != c.same {
			t.Errorf("%s: accepted %v", id, got)
		}
	}
}

func TestALicenceFileSaysItsVersionAndItsFirstEnd(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		`{"version":"12.0","expires":"2027-03-01"}`:                        ", for 12.0, until 2027-03-01",
		`{"version":"12.0","MyEsri":{"version":12.1}}`:                     ", for 12.1",
		`{"enddate":"2030-01-02","ExpirationDate":"2029-05-06T23:00:00Z"}`: ", until 2029-05-06",
		`{"expires":"2029-05-06","enddate":"2030-01-02"}`:                  ", until 2029-05-06",
		`{"expires":"2029-05-06","expiration":0,"enddate":"never"}`:        ", until 2029-05-06",
		`{"expiration":0,"expires":"2029-05-06"}`:                          ", until 2029-05-06",
		`{"version":"latest","expires":"never"}`:                           "",
		`{"expires":-5}`:                                                   "",
		`{"note":"expires","at":"2020-01-01"}`:                             "",
		`["expires","2020-01-01"]`:                                         "",
		`{"features":["expires","2020-01-01"]}`:                            "",
		`{"expires":"2020-01-01"`:                                          "",
		"hush":                                                             "",
	} {
		if got := upgrade.ReadLicence([]byte(content)).Words(); got != want {
			t.Errorf("%s: %q, want %q", content, got, want)
		}
	}
}
