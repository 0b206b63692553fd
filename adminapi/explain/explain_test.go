package explain_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/health"
	"geodeck/adminapi/upgrade/progress"
)

const began = adminapi.Millis(1_795_000_000_000)

// run is an upgrade with these messages, a minute apart.
func run(state string, messages ...adminapi.UpgradeMessage) explain.UpgradeFacts {
	merger := progress.NewMerger(progress.LogBudget)
	for i := range messages {
		if messages[i].When == 0 {
			messages[i].When = began + adminapi.Millis(time.Duration(i)*time.Minute/time.Millisecond)
		}
	}
	merger.Merge(messages)
	status := adminapi.UpgradeStatus{State: state, Code: map[string]int{"failed": 2, "in_progress": 1, "success": 3}[state]}
	f := explain.UpgradeFacts{Status: status, Log: merger.Log(), Now: began}
	f.Progress = progress.Of(f.Log, progress.StateOf(status))
	return f
}

func says(code int, text string) adminapi.UpgradeMessage {
	return adminapi.UpgradeMessage{Code: code, Message: text}
}

var (
	begins = says(2010, "Upgrade from 11.5.0.6745 to 12.0.0.7286 begins.")
	web    = says(2101, "Upgrade of the deployment arcgis-web-proxy-x1 begins.")
	maps   = says(2101, "Upgrade of the deployment arcgis-map-server-y2 begins.")
	mapsUp = says(2103, "Upgrade of the deployment arcgis-map-server-y2 ended after 40 s.")
	count  = says(2175, "1 of 60 deployments are upgraded, after 40 s.")
)

// What is cut off, or was seen long ago, is not told as if it were now.
func TestAnUpgradeIsToldOfNowOnlyWhereItWasJustSeen(t *testing.T) {
	t.Parallel()
	const minute = adminapi.Millis(time.Minute / time.Millisecond)
	now := run("in_progress", begins, web)
	now.At, now.Now = began+2*minute, began+3*minute
	if x := explain.Upgrade(now); x.Cause.Sentence != "Deployments are being upgraded." || !strings.HasPrefix(x.Next.Text, "Keep watching") {
		t.Errorf("just seen: %+v", x)
	}
	old := now
	old.Now = old.At + minute + 1
	if x := explain.Upgrade(old); !strings.HasPrefix(x.Cause.Sentence, "As of "+old.At.Time().UTC().Format("2006-01-02 15:04:05Z")+": ") || strings.Contains(x.Next.Text, "nothing needs to be done") ||
		x.Next.Action.ID != explain.RefreshUpgrade {
		t.Errorf("seen long ago: %+v", x)
	}
	cut := now
	cut.Refused, cut.RefusedSince, cut.MayPass = &adminapi.Error{Kind: adminapi.KindSignIn, Code: 498, Explicit: true}, now.At, true
	x := explain.Upgrade(cut)
	if !strings.HasPrefix(x.Cause.Sentence, "Signed out since "+now.At.Time().UTC().Format("2006-01-02 15:04:05Z")) || strings.Contains(x.Next.Text, "nothing needs to be done") || x.Next.Action.ID != explain.ResumeWatch {
		t.Errorf("signed out: %+v", x)
	}
	if !slices.ContainsFunc(x.Evidence, func(e explain.Evidence) bool { return strings.HasPrefix(e.Text, "Last seen at ") }) {
		t.Errorf("when it was seen is not told: %+v", x.Evidence)
	}
}

func TestTheReasonOfAFailedUpgradeIsWhereNothingWentOnAfterIt(t *testing.T) {
	t.Parallel()
	later := says(2270, "A plan for the way back is ready.")
	later.When = began + adminapi.Millis(time.Hour/time.Millisecond)
	back := says(2173, "1 of 1 deployments are back.")
	back.When = later.When + 60_000
	for name, test := range map[string]struct {
		facts explain.UpgradeFacts
		want  explain.CauseID
		about string
	}{
		"behind the last step":             {run("failed", begins, web, says(2999, "ErrImagePull")), "image-pull", ""},
		"what was overcome is no cause":    {run("failed", begins, says(2999, "ErrImagePull"), maps, mapsUp, count, web), "component", "arcgis-web-proxy-x1"},
		"of a deployment that never ended": {run("failed", begins, web, says(2999, "arcgis-web-proxy-x1: OOMKilled"), maps, mapsUp, count), "out-of-memory", "arcgis-web-proxy-x1"},
		"of one that did":                  {run("failed", begins, web, maps, says(2999, "arcgis-map-server-y2: OOMKilled"), mapsUp, count), "component", "arcgis-web-proxy-x1"},
		"a text that says all is well":     {run("failed", begins, says(2287, "Diagnostics begin: no errors, no space left on device is not a problem")), "diagnostics", ""},
		"no messages":                      {run("failed"), "not-known", ""},
		"only messages that nobody knows":  {run("failed", says(1, "x")), "not-known", ""},
		"a silence of half an hour":        {run("failed", says(2010, "Update from 11.5.0.6745 to 11.5.0.6805 begins."), says(2173, "1 of 24 deployments are updated."), says(2038, "x"), later, back), "container-timeout", ""},
		"a site that goes on":              {run("in_progress", begins, web), "no-fault", ""},
		"an end that is not believed": {func() explain.UpgradeFacts {
			f := run("success", begins)
			f.Undecided = true
			return f
		}(), "end-not-seen", ""},
		"read-only left on": {func() explain.UpgradeFacts {
			f := run("success", begins)
			f.Site.Mode = &adminapi.Mode{ReadOnly: true}
			return f
		}(), "read-only-left", ""},
		"a session that has ended": {func() explain.UpgradeFacts {
			f := run("in_progress", begins)
			f.Refused = &adminapi.Error{Kind: adminapi.KindSignIn, Message: "Invalid token.", Explicit: true}
			return f
		}(), "sign-in", "Session expired"},
	} {
		x := explain.Upgrade(test.facts)
		if x.Cause.ID != test.want || !strings.Contains(x.Cause.Sentence, test.about) || x.Cause.Known != (test.want != "not-known") {
			t.Errorf("%s: %+v, not %s about %q", name, x.Cause, test.want, test.about)
		}
		if x.Fault != (test.want != "no-fault") || x.Title == "" || x.Next.Text == "" {
			t.Errorf("%s: %+v", name, x)
		}
	}
}

// What is known of a run, and what its explanation has to say of it.
func TestAnUpgradeIsExplainedByWhatIsKnownOfItNow(t *testing.T) {
	t.Parallel()
	at := func(f explain.UpgradeFacts, change func(*explain.UpgradeFacts)) explain.UpgradeFacts {
		change(&f)
		return f
	}
	results := func(each ...string) *adminapi.Report {
		for i, result := range each {
			each[i] = `{"id":"HC_` + strconv.Itoa(i) + `","name":"a","result":"` + result + `","state":"completed"}`
		}
		report, err := adminapi.DecodeReport([]byte(`{"id":"r9","result":"passed","state":"completed","suiteStatus":[{"id":"s","name":"s","state":"completed",` +
			`"generalTestStatus":[` + strings.Join(each, ",") + `]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		return &report
	}
	image := says(2038, "The deployment arcgis-enterprise-admin-api-x1 gets a new image.")
	back := says(2270, "A plan for the way back is ready.")
	for name, test := range map[string]struct {
		facts       explain.UpgradeFacts
		says, never string
	}{
		"away for long": {at(run("in_progress", begins), func(f *explain.UpgradeFacts) {
			f.Unreachable, f.UnreachableSince, f.Now = errors.New("no answer"), began, began+22*60_000
		}), "The API has not answered since 2026-11-18 11:06:40Z, 22 min.|Check the network", "Keep watching|nothing needs"},
		"away for a moment": {at(run("in_progress", begins), func(f *explain.UpgradeFacts) {
			f.Unreachable, f.UnreachableSince, f.Now = errors.New("no answer"), began, began+5_000
		}), "has not answered since 2026-11-18 11:06:40Z.|Wait", "Check the network"},
		"ended by its log": {run("completed_with_warnings", says(2010, "Update begins."), says(2011, "Update ended after 3 minutes.")), "Its log says that it ended|Run a health check", "Keep watching"},
		"ended by its log, read-only": {at(run("completed_with_warnings", says(2010, "Update begins."), says(2011, "Update ended after 3 minutes.")), func(f *explain.UpgradeFacts) {
			f.Site.Mode = &adminapi.Mode{ReadOnly: true}
		}), "Run a health check; a read-only site may refuse it.", "not possible"},
		"nobody knows":  {run("completed_with_warnings", begins), "Keep watching", "ended"},
		"checked since": {at(run("success", begins), func(f *explain.UpgradeFacts) { f.After = results("pass") }), "Nothing needs to be done|Health check after it: 1 of 1 test passed", "Run a health check"},
		"failed since": {at(run("success", begins), func(f *explain.UpgradeFacts) {
			f.After, f.Good = results("fail"), &adminapi.Report{ID: "r3", Name: "nightly", EndTime: began}
		}), "Last good report: nightly, 2026-11-18 |Read why tests did not pass|Health check after it: 0 of 1 test passed", "Nothing needs"},
		"skipped since":        {at(run("success", begins), func(f *explain.UpgradeFacts) { f.After = results("skipped", "pass") }), "Nothing needs to be done|Health check after it: 1 of 2 tests passed", "Read why"},
		"nothing tested since": {at(run("success", begins), func(f *explain.UpgradeFacts) { f.After = results("skipped") }), "Run a health check|0 of 1 test passed", "Read why|Nothing needs"},
		"no test since":        {at(run("success", begins), func(f *explain.UpgradeFacts) { f.After = &adminapi.Report{ID: "r9"} }), "Run a health check|The health check after it has no results", "Nothing needs|0 of 0"},
		"not checked":          {run("success", begins), "Run a health check", ""},
		"silent": {at(run("in_progress", begins, web), func(f *explain.UpgradeFacts) {
			f.Stall = &progress.Stall{Phase: progress.PhaseComponents, Quiet: 80*time.Minute + 20*time.Second, Limit: 30 * time.Minute}
		}), "silent since 2026-11-18 11:07:40Z|no message since", "Do not delete database pods"},
		"a patch": {run("failed", says(2010, "Update from 11.5.0.6745 to 11.5.0.6805 begins."), says(2173, "1 of 24 deployments are updated."), image, back, says(2173, "1 of 1 deployments are back.")),
			"Patch 11.5.0.6805 failed|enterprise-admin-api-x1 did not reach the new version|no message counts it as upgraded|Once the cause is mended, run a health check. Then install the same patch again.|Z  \"", "release|A deployment did not|Upgrade to"},
		"it goes on": {at(run("in_progress", begins, says(2165, "read-only"), web, count), func(f *explain.UpgradeFacts) {
			f.Site = explain.SiteFacts{Mode: &adminapi.Mode{ReadOnly: true}, Upgrade: progress.StateRunning, Known: true, Version: "11.5.0.6745"}
		}), "1 of 60 deployments on the new version|Read-only since|Keep watching", "Installed"},
		"stalls in its database": {at(run("in_progress", begins, says(2144, "PostgreSQL.")), func(f *explain.UpgradeFacts) {
			f.Stall = &progress.Stall{Phase: progress.PhasePostgreSQL, Quiet: 80 * time.Minute, Limit: 30 * time.Minute}
		}), "Do not delete database pods|Do not start it again: it may still run|cannot be mended, save the evidence. Call Esri support with it.", "by hand|it still runs"},
		"in a component": {run("failed", begins, says(2165, "read-only"), count, web), "arcgis-web-proxy-x1 did not reach the new version. The log gives no reason|pods of arcgis-web-proxy-x1: events|1 of 60 deployments",
			"by hand|A deployment did not|Pods of the deployment"},
		"contradicts itself": {at(run("success", begins), func(f *explain.UpgradeFacts) {
			f.Status.Code, f.Progress.Meaning = 1, progress.StateUnknown
		}), `The state "success" and its code 1 contradict each other`, "no published meaning"},
		"ended by its log and version": {at(run("odd", begins, says(2011, "Upgrade ended.")), func(f *explain.UpgradeFacts) {
			f.Site.Version = "12.0.0.7286"
		}), "The site runs 12.0.0.7286|no published meaning", "contradict"},
		"away in a phase": {at(run("in_progress", begins, web), func(f *explain.UpgradeFacts) {
			f.Unreachable = errors.New("no answer")
		}), "Last seen at 2026-11-18 11:07:40Z in", ""},
		"in its database": {run("failed", begins, says(2144, "PostgreSQL.")), "Do not lift read-only mode by hand|Start it again once it is fixed: success ends|If the site refuses, or it fails again, call Esri", "blocks a new start"},
		"in its database, lifted since": {at(run("failed", begins, says(2144, "PostgreSQL.")), func(f *explain.UpgradeFacts) {
			f.Site.Mode = &adminapi.Mode{}
		}), "Start it again once it is fixed.|If the site refuses, or it fails again, call Esri", "Do not lift|ends read-only mode"},
		"nothing was started, and somebody has switched read-only mode on": {at(run("no_upgrade"), func(f *explain.UpgradeFacts) {
			f.Site = explain.SiteFacts{Mode: &adminapi.Mode{ReadOnly: true, Message: " Maintenance of the stores. "}}
		}),
			"The site is read-only, and no upgrade runs|It says: Maintenance of the stores.|Ask who switched it on|Do not switch it off before you know why", "Nothing needs"},
		"signed out": {at(run("in_progress", begins, web), func(f *explain.UpgradeFacts) {
			f.Refused, f.At = &adminapi.Error{Kind: adminapi.KindSignIn}, began
		}), "Session expired. As of |the upgrade was running.", "continues"},
		"an answer that is missing": {at(run("", says(1, "x")), func(f *explain.UpgradeFacts) {
			f.Site.Open = []explain.OpenWrite{{What: "start the upgrade", Target: adminapi.TargetSite, Found: "no upgrade is running"}}
		}), "Outcome unknown: start the upgrade|no upgrade is running|Do not send it again", "Nothing needs"},
	} {
		x := explain.Upgrade(test.facts)
		if advice := strings.ToLower(x.Next.Text + strings.Join(x.Look, " ")); strings.Contains(advice, "pods") != (len(x.Kubectl) > 0) && !strings.Contains(advice, "log") {
			t.Errorf("%s says %q, and how: %q", name, advice, x.Kubectl)
		}
		for i, e := range x.Evidence {
			if slices.Contains(x.Evidence[:i], e) {
				t.Errorf("%s: %+v stands there twice", name, e)
			}
		}
		for _, look := range x.Look {
			if strings.Contains(strings.ToLower(x.Next.Text), strings.ToLower(look)) {
				t.Errorf("%s: %q is what to do next already", name, look)
			}
		}
		all := strings.Join(append(slices.Concat(x.Site, x.Look, x.Then, x.Avoid), x.Title, x.Why(), x.Next.Text), " ")
		for _, e := range x.Evidence {
			all += " " + e.Text
		}
		for _, want := range strings.Split(test.says, "|") {
			if !strings.Contains(all, want) {
				t.Errorf("%s: %q is not in %s", name, want, all)
			}
		}
		for _, not := range strings.Split(test.never, "|") {
			if not != "" && strings.Contains(all, not) {
				t.Errorf("%s: %q is in %s", name, not, all)
			}
		}
	}
}

// A15: a run that stands still or failed at a deployment names it, with the lines that look at it.
func TestTheDeploymentIsNamedWithTheLinesForIt(t *testing.T) {
	t.Parallel()
	stalls := run("in_progress", begins, count, web)
	stalls.Stall = &progress.Stall{Phase: progress.PhaseComponents, Quiet: 7 * time.Minute, Limit: 5 * time.Minute, Before: 45 * time.Second}
	for name, f := range map[string]explain.UpgradeFacts{
		"stalls": stalls,
		"failed": run("failed", begins, says(2165, "read-only"), count, web),
		"a patch failed": run("failed", says(2010, "Update from 11.5.0.6745 to 11.5.0.6805 begins."), says(2173, "1 of 24 deployments are updated."),
			says(2038, "The deployment arcgis-web-proxy-x1 runs the image arcgis-web:11.5.0.6805 now.")),
	} {
		x := explain.Upgrade(f)
		if advice := strings.ToLower(x.Next.Text); !strings.Contains(advice, "check the pods of arcgis-web-proxy-x1: events") || !slices.Equal(x.Kubectl, explain.Kubectl("arcgis-web-proxy-x1")) {
			t.Errorf("%s: %q, %q", name, x.Next.Text, x.Kubectl)
		}
	}
	if x := explain.Upgrade(stalls); !slices.ContainsFunc(x.Evidence, func(e explain.Evidence) bool {
		return strings.HasSuffix(e.Text, "Before, this phase was silent for at most 45 s.")
	}) {
		t.Errorf("%+v", x.Evidence)
	}
}

func TestADeploymentWithoutPodsIsTheCauseOfAStall(t *testing.T) {
	t.Parallel()
	f := run("in_progress", begins, web)
	f.Stall = &progress.Stall{Phase: progress.PhaseComponents, Quiet: 40 * time.Minute, Limit: 30 * time.Minute}
	if x := explain.Upgrade(f); x.Cause.Known || !strings.Contains(x.Cause.Sentence, "no message since 2026-11-18 11:07:40Z") {
		t.Errorf("%+v", x.Cause)
	}
	f.Pods = []explain.Pods{{Name: "postgres", Ready: 1, Total: 2}, {Name: "web-proxy", Ready: 1, Total: 2}, {Name: "minio", Err: errors.New("x")}}
	if x := explain.Upgrade(f); x.Cause.ID != "not-ready" || !strings.Contains(x.Cause.Sentence, "web-proxy: 1 of 2 pods ready") {
		t.Errorf("%+v", x.Cause)
	}
	f.Pods = f.Pods[:1] // replaced one by one, as usual
	if x := explain.Upgrade(f); x.Cause.Known {
		t.Errorf("%+v", x.Cause)
	}
}

func TestATestIsExplainedByItsReasonAloneOrNotAtAll(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]explain.CauseID{
		`"message":"did not answer within 30 s"`:        "object-store.no-answer",
		`"message":"all is well, no errors"`:            "not-known",
		`"details":["The disk is full"]`:                "object-store.disk-full",
		`"message":"` + strings.Repeat("x", 9000) + `"`: "not-known",
		`"other":1`: "not-known",
	} {
		text := `{"id":"r1","name":"n","result":"failed","state":"completed","suiteStatus":[{"id":"s","name":"s","result":"failed","state":"completed",` +
			`"generalTestStatus":[{"id":"HC_1","name":"healthcheck_objectStore","result":"fail","state":"completed",` + reason + `}]}]}`
		report, err := adminapi.DecodeReport([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		x := explain.HealthTest(explain.HealthFacts{Report: report, Entry: health.WorstFirst(report)[0]})
		if x.Cause.ID != want || x.Cause.Known != (want != "not-known") {
			t.Errorf("%.60s: %+v, not %s", reason, x.Cause, want)
		}
		for _, e := range x.Evidence {
			if len(e.Text) > 500 {
				t.Errorf("%.60s: evidence of %d bytes", reason, len(e.Text))
			}
		}
		if !strings.HasPrefix(x.Next.Text, "Check ") && !strings.HasPrefix(x.Next.Text, "Enlarge ") {
			t.Errorf("next: %s", x.Next.Text)
		}
	}
}

func TestAServiceIsExplainedByWhatWasRead(t *testing.T) {
	t.Parallel()
	started := adminapi.ServiceStatus{Configured: "STARTED", RealTime: "STARTED"}
	down := adminapi.ServiceStatus{Configured: "STARTED", RealTime: "STOPPED"}
	runs := adminapi.ServiceStatus{Configured: "STOPPED", RealTime: "STARTED"}
	job := func(verb, status string, end adminapi.Millis) adminapi.Job {
		return adminapi.Job{ID: "j1", OperationURI: "/admin/services/X.MapServer/" + verb, Status: status, StartTime: began, EndTime: end}
	}
	edited := adminapi.Job{ID: "j1", OperationURI: "/admin/services/X.MapServer/edit", Status: "COMPLETED", EndTime: began}
	ref := adminapi.ServiceRef{Name: "X", Type: "MapServer"}
	for name, test := range map[string]struct {
		facts explain.ServiceFacts
		want  explain.CauseID
	}{
		"up":                         {explain.ServiceFacts{Status: started, Pods: []explain.Pods{{Ready: 2, Total: 2}}}, "no-fault"},
		"up, with few pods":          {explain.ServiceFacts{Status: started, Pods: []explain.Pods{{Ready: 1, Total: 2}}}, "not-known"},
		"down":                       {explain.ServiceFacts{Status: down}, "not-known"},
		"just edited":                {explain.ServiceFacts{Status: down, Jobs: []adminapi.Job{edited}, Now: began + 60_000}, "restarting"},
		"just edited without a job":  {explain.ServiceFacts{Status: down, Changed: began, Now: began + 60_000}, "restarting"},
		"a job failed before that":   {explain.ServiceFacts{Status: down, Changed: began + 1, Jobs: []adminapi.Job{job("start", "FAILED", began)}, Now: began + 60_000}, "restarting"},
		"a job failed since":         {explain.ServiceFacts{Status: down, Changed: began - 1, Jobs: []adminapi.Job{job("start", "FAILED", began)}, Now: began + 60_000}, "not-known"},
		"changed long ago":           {explain.ServiceFacts{Status: down, Changed: began, Now: began + 600_000}, "not-known"},
		"edited long ago":            {explain.ServiceFacts{Status: down, Jobs: []adminapi.Job{edited}, Now: began + 600_000}, "not-known"},
		"while an upgrade runs":      {explain.ServiceFacts{Status: down, Site: explain.SiteFacts{Known: true, Upgrade: progress.StateRunning}}, "upgrade-runs"},
		"while it is stopped":        {explain.ServiceFacts{Status: runs, Jobs: []adminapi.Job{job("stop", "EXECUTING", 0)}}, "stopping"},
		"right after a stop":         {explain.ServiceFacts{Status: runs, Jobs: []adminapi.Job{job("stop", "COMPLETED", began)}, Now: began + 60_000}, "stopping"},
		"long after a stop":          {explain.ServiceFacts{Status: runs, Jobs: []adminapi.Job{job("stop", "COMPLETED", began)}, Now: began + 600_000}, "not-known"},
		"a stop that failed":         {explain.ServiceFacts{Status: runs, Jobs: []adminapi.Job{job("stop", "CANCELLED", began)}}, "cancelled"},
		"started since a stop":       {explain.ServiceFacts{Status: runs, Jobs: []adminapi.Job{{OperationURI: "/start", StartTime: began + 1}, job("stop", "CANCELLED", began)}}, "not-known"},
		"runs and should not":        {explain.ServiceFacts{Status: runs}, "not-known"},
		"runs while an upgrade runs": {explain.ServiceFacts{Status: runs, Site: explain.SiteFacts{Known: true, Upgrade: progress.StateRunning}}, "upgrade-runs"},
		"stopped":                    {explain.ServiceFacts{Status: adminapi.ServiceStatus{Configured: "STOPPED", RealTime: "STOPPED"}}, "stopped"},
		"a start that goes on":       {explain.ServiceFacts{Status: down, Jobs: []adminapi.Job{job("start", "EXECUTING", 0)}}, "restarting"},
		"a start that failed":        {explain.ServiceFacts{Status: down, Jobs: []adminapi.Job{job("start", "CANCELLED", began)}}, "cancelled"},
		"a state nobody knows":       {explain.ServiceFacts{Status: adminapi.ServiceStatus{Configured: "STARTED", RealTime: "PAUSED"}}, "not-known"},
		"no state":                   {explain.ServiceFacts{}, "not-known"},
		"an answer that is missing":  {explain.ServiceFacts{Status: started, Site: explain.SiteFacts{Open: []explain.OpenWrite{{What: "stop a service", Target: "service x.mapserver", Look: []string{"service", "status", "x"}}}}}, "answer-lost"},
		"one of another service":     {explain.ServiceFacts{Status: started, Site: explain.SiteFacts{Open: []explain.OpenWrite{{What: "stop a service", Target: "service x.mapserver2"}}}}, "no-fault"},
		"a session that has ended":   {explain.ServiceFacts{StatusErr: &adminapi.Error{Kind: adminapi.KindSignIn, Code: 498}}, "sign-in"},
		"no answer about its state":  {explain.ServiceFacts{StatusErr: &adminapi.Error{Kind: adminapi.KindUnreachable, Message: "the connection was refused"}}, "refused-connection"},
	} {
		test.facts.Service = ref
		x := explain.Service(test.facts)
		if x.Cause.ID != test.want || x.Cause.Known != (test.want != "not-known") || x.Fault != (test.want != "no-fault") {
			t.Errorf("%s: %+v, not %s", name, x.Cause, test.want)
		}
		said := strings.Join(x.Site, " ")
		if strings.Contains(said, "Users get no answer") != (test.facts.Status.RealTime == "STOPPED" && test.facts.Status.Configured == "STARTED") || strings.Contains(said, "fewer pods") != (name == "up, with few pods") {
			t.Errorf("%s: %s", name, said)
		}
		switch s := test.facts.Status; { // what it says is configured and real, and its key does that
		case strings.Contains(x.Cause.Sentence, "configured to run") && s.Configured+s.RealTime != "STARTEDSTOPPED", strings.Contains(x.Next.Text, "start it again") && s.Running(),
			strings.HasPrefix(x.Next.Text, "Stop") && !s.Running(), strings.HasPrefix(x.Next.Text, "Start") && x.Next.Action.ID != explain.StartService:
			t.Errorf("%s: %+v: %s %+v", name, s, x.Cause.Sentence, x.Next)
		}
	}
}

func TestTheCountOfPodsSaysOfHowManyDeployments(t *testing.T) {
	t.Parallel()
	f := explain.ServiceFacts{Status: adminapi.ServiceStatus{Configured: "STARTED", RealTime: "STARTED"}}
	for _, want := range []string{"and 3 of 3 pods are ready.", "and 6 of 6 pods in 2 deployments are ready."} {
		f.Pods = append(f.Pods, explain.Pods{Ready: 3, Total: 3})
		if x := explain.Service(f); !strings.Contains(x.Cause.Sentence, want) {
			t.Errorf("%q does not say %q", x.Cause.Sentence, want)
		}
	}
}

// What is shown of a service has the pods of others only where these were in sight.
func TestServicesThatSharePodsAreCountedAsFarAsTheyAreKnown(t *testing.T) {
	t.Parallel()
	f := explain.ServiceFacts{Service: adminapi.ServiceRef{Name: "X", Type: "MapServer"}, Status: adminapi.ServiceStatus{Configured: "STARTED", RealTime: "STOPPED"}}
	for n, want := range map[int]string{0: "", 1: "", 2: "2 services share these pods: s0, s1.", 300: "At least 300 services share these pods: s0, s1, s2, s3, s4 and more."} {
		pods := explain.Pods{ID: "d", Total: 3, Partly: n > 2}
		for i := range n {
			pods.Sharing = append(pods.Sharing, "s"+strconv.Itoa(i))
		}
		f.Pods = []explain.Pods{pods}
		x := explain.Service(f)
		got := ""
		for _, e := range x.Evidence[2:] {
			got += e.Text
		}
		if got != want || strings.Contains(x.Title, "share its pods") != (want != "") || strings.Contains(x.Title, "at least") != pods.Partly {
			t.Errorf("%d: %s: %s", n, x.Title, got)
		}
	}
	f.Pods = []explain.Pods{{ID: "a", Total: 1, Sharing: []string{"s", "t"}}, {ID: "b", Total: 1, Sharing: []string{"s", "t", "u"}}}
	if x := explain.Service(f); !strings.HasSuffix(x.Title, " is not up; 3 services share its pods") {
		t.Error(x.Title)
	}
}

func TestWhatIsNotFoundLeadsToTheListOfItsKind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, service string
		action        explain.ActionID
	}{
		{"/ctx/admin/healthCheck/reports/r1", "", explain.ListReports},
		{"/ctx/admin/system/upgrades/u1", "", explain.RefreshUpdates},
		{"/ctx/admin/services/X.MapServer", "", explain.ListServices},
		{"", "X.MapServer", explain.ListServices},
		{"/ctx/admin/deployments/d1", "", ""},
	} {
		missing := &adminapi.Error{Kind: adminapi.KindNotFound, Path: c.path, Explicit: true}
		next := explain.Write(explain.WriteFacts{What: "read it", Err: missing, Service: c.service, Outcome: adminapi.OutcomeDone}).Next
		if next.Action.ID != c.action {
			t.Errorf("%+v: %+v", c, next)
		}
	}
}

func TestEveryKindOfErrorHasACauseAndAStep(t *testing.T) {
	t.Parallel()
	for kind := adminapi.KindServer; kind <= adminapi.KindLocked; kind++ {
		x := explain.Write(explain.WriteFacts{What: "edit X", Err: &adminapi.Error{Kind: kind, Message: "no", Explicit: true}, Outcome: adminapi.OutcomeRefused})
		if x.Cause.Sentence == "" || x.Next.Text == "" || x.Cause.Known == (kind == adminapi.KindServer) {
			t.Errorf("%v: %+v", kind, x)
		}
	}
	x := explain.Write(explain.WriteFacts{What: "edit X", Outcome: adminapi.OutcomeUnknown, Job: &adminapi.Job{ID: "j1", Status: "EXECUTING"}})
	if x.Cause.ID != "answer-lost-running" || !strings.Contains(x.Cause.Sentence, "Job j1 is still running") || len(x.Avoid) == 0 {
		t.Errorf("%+v", x)
	}
	if x := explain.Write(explain.WriteFacts{What: "edit X", Err: errors.New("x"), Outcome: adminapi.OutcomeRefused}); x.Cause.Known {
		t.Errorf("%+v", x)
	}
	x = explain.Write(explain.WriteFacts{What: "edit X", Outcome: adminapi.OutcomeUnknown, Stored: "The site still has the old definition.", From: "15:07:07", Look: explain.LookForEdit})
	if !strings.Contains(x.Why(), "still has the old") || x.Next.Text != "From 15:07:07 on, look for it once more; then send it again." || x.Next.Action.ID != explain.LookForEdit || strings.Contains(strings.Join(x.Avoid, ""), "outcome") {
		t.Errorf("%+v", x)
	}
	failed := adminapi.Job{ID: "j1", OperationURI: "/services/X.MapServer/edit", Status: adminapi.JobFailed, Unknown: jsontext.Value(`{"messages":["its pods did not restart in time"]}`)}
	x = explain.Write(explain.WriteFacts{What: "edit X", Job: &failed, Outcome: adminapi.OutcomeDone, Stored: "The site has the new definition.", Service: "X.MapServer"})
	if !strings.HasSuffix(x.Why(), "The site has the new definition.") || strings.Contains(x.Why(), "are not ready") || x.Next.Action.ID != explain.OpenHistory || !strings.HasSuffix(x.Next.Text, "History has the version before.") {
		t.Errorf("%+v", x)
	}
	x = explain.Write(explain.WriteFacts{What: "edit X", Job: &failed, Outcome: adminapi.OutcomeDone, Stored: "The site still has the old definition.", Kept: true, Service: "X.MapServer"})
	if x.Next.Action.ID != explain.OpenStatus || strings.Contains(x.Next.Text, "History") {
		t.Errorf("what the site still has is to be restored: %+v", x.Next)
	}
	x = explain.Write(explain.WriteFacts{What: "edit X", Title: "Changed, but not all was kept", Err: errors.New("x"), Here: explain.HereStored, Outcome: adminapi.OutcomeDone, Service: "X.MapServer"})
	if x.Title != "Changed, but not all was kept" || x.Next.Action.ID != explain.OpenService {
		t.Errorf("%+v", x)
	}
}

func TestACauseTellsWhetherItSaysMoreThanTheSite(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]bool{
		"arcgis-object-store-0: ErrImagePull":                  true,
		"Pod arcgis-object-store-0 was OOMKilled":              true,
		"Its memory is 93 % used.":                             false,
		"No answer within 30 s; 0 of 2 pods are ready.":        false,
		"The newest backup is 9 days old.":                     false,
		"Something that no table has.":                         false,
		"Service Utilities/Geometry.GeometryServer is stopped": false,
	} {
		test := adminapi.TestResult{Name: "healthcheck_objectStore", Result: "fail", Unknown: jsontext.Value(strconv.AppendQuote([]byte(`{"message":`), reason))}
		test.Unknown = append(test.Unknown, '}')
		x := explain.HealthTest(explain.HealthFacts{Entry: health.Entry{Test: &test, Verdict: health.Failed}})
		if x.Cause.Tells != want {
			t.Errorf("%s: %s tells more: %v", reason, x.Cause.Sentence, x.Cause.Tells)
		}
	}
}

func TestAnOldFailureThatPassedSinceIsNotAReasonToWait(t *testing.T) {
	t.Parallel()
	test := adminapi.TestResult{ID: "HC_1", Name: "healthcheck_index_synced", Result: "fail", Unknown: jsontext.Value(`{"message":"The index is not in step: 3 items are missing."}`)}
	facts := explain.HealthFacts{Entry: health.Entry{Test: &test, Verdict: health.Failed}}
	x := explain.HealthTest(facts)
	if len(x.Avoid) != 1 || x.Cause.Sentence != "The portal's search index lacks items." || x.Next.Action.ID != explain.RunHealth || x.Next.Later != "check again" {
		t.Errorf("%+v %s", x, x.Next.Text)
	}
	facts.Later = &health.Point{ReportID: "r9", Verdict: health.Failed}
	if x = explain.HealthTest(facts); len(x.Avoid) != 1 {
		t.Errorf("it failed again: %+v", x)
	}
	facts.Later.Verdict = health.Passed
	if x = explain.HealthTest(facts); len(x.Avoid) != 0 || !strings.HasSuffix(x.Next.Text, "Nothing needs to be done.") {
		t.Errorf("it passed since: %+v", x)
	}
}

func TestAReasonWithoutAKnownCauseIsToldOnce(t *testing.T) {
	t.Parallel()
	test := adminapi.TestResult{ID: "HC_1", Name: "own_test", Result: "fail", Unknown: jsontext.Value(`{"message":"The moon is full"}`)}
	x := explain.HealthTest(explain.HealthFacts{Entry: health.Entry{Test: &test, Verdict: health.Failed}})
	if x.Cause.Sentence != "The report says: The moon is full." || len(x.Evidence) == 0 || strings.Contains(x.Evidence[0].Text, "moon") {
		t.Errorf("%+v", x)
	}
}

func TestWhatATestChecksIsNoEvidence(t *testing.T) {
	t.Parallel()
	test := adminapi.TestResult{ID: "HC_1", Name: "healthcheck_index_synced", Result: "fail", Unknown: jsontext.Value(`{"message":"3 items are missing."}`)}
	x := explain.HealthTest(explain.HealthFacts{Entry: health.Entry{Test: &test, Verdict: health.Failed}})
	if len(x.Evidence) != 1 || strings.Contains(x.Evidence[0].Text, "agree") {
		t.Errorf("%+v", x.Evidence)
	}
}

func TestARunningUpgradeSaysSoOnce(t *testing.T) {
	t.Parallel()
	f := run("in_progress", begins, web)
	f.Site = explain.SiteFacts{Known: true, Upgrade: progress.StateRunning, Mode: &adminapi.Mode{ReadOnly: true, Message: "The upgrade is in progress."}}
	x := explain.Upgrade(f)
	all := strings.Join(append(x.Site, x.Title, x.Why(), x.Next.Text), " ")
	if strings.Count(all, "running")+strings.Count(all, "in progress") != 1 || strings.Contains(all, "Press") {
		t.Errorf("%s", all)
	}
	f.Site.Mode = &adminapi.Mode{} // before anything is changed
	f.Left = "about 15 min left (like the last 3 runs)"
	if x := explain.Upgrade(f); !slices.Equal(x.Site, []string{"The site accepts changes.", "About 15 min left (like the last 3 runs)."}) {
		t.Errorf("%q", x.Site)
	}
}

func TestWhatTheSiteSaysOfAnUpgradeThatFailedIsCorrected(t *testing.T) {
	t.Parallel()
	facts := explain.SiteFacts{Known: true, Upgrade: progress.StateFailed, Mode: &adminapi.Mode{ReadOnly: true, Message: "The upgrade is in progress."}}
	x := explain.Write(explain.WriteFacts{What: "edit X", Err: &adminapi.Error{Kind: adminapi.KindReadOnly, Message: "no", Explicit: true}, Outcome: adminapi.OutcomeRefused, Site: facts})
	if !strings.HasSuffix(x.Site[0], "It says: The upgrade is in progress. But the last upgrade has failed.") {
		t.Errorf("%q", x.Site)
	}
}

func TestNeitherAPasswordNorAFlagIsBlamedByAWordOfTheAnswer(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]*adminapi.Error{
		"Session expired.":                      {Kind: adminapi.KindSignIn, Operation: "edit the service", Status: 401, Code: 498, Message: "The token of the user has expired."},
		"You are not signed in.":                {Kind: adminapi.KindSignIn, Operation: "edit the service", Status: 401, Code: 499, Message: "The user has no token."},
		"Wrong user name or password.":          {Kind: adminapi.KindSignIn, Operation: "sign in", Status: 200, Code: 400, Message: "Unable to generate token."},
		"An id cannot be sent: it is too long.": {Kind: adminapi.KindInvalid, Message: "the id is too long"},
		"The site is in read-only mode.":        {Kind: adminapi.KindReadOnly, Status: 503, Message: "Read-only."},
		"geodeck was started with --read-only.": {Kind: adminapi.KindReadOnly, Message: "geodeck was started with --read-only; nothing was sent"},
	} {
		if x := explain.Write(explain.WriteFacts{What: "edit X", Err: err, Outcome: adminapi.OutcomeRefused}); x.Cause.Sentence != want {
			t.Errorf("%q, not %q", x.Cause.Sentence, want)
		}
	}
}

// What a site says may begin with any letter, and its ids may hold what a shell obeys.
func TestTextsOfASiteAreWholeAndNoCommands(t *testing.T) {
	t.Parallel()
	x := explain.Write(explain.WriteFacts{What: "edit X", Err: &adminapi.Error{Kind: adminapi.KindInvalid, Message: "échec de l'opération", Explicit: true}, Outcome: adminapi.OutcomeRefused})
	if len(x.Evidence) != 1 || x.Evidence[0].Text != "Échec de l'opération." {
		t.Errorf("%+v", x.Evidence)
	}
	job := adminapi.Job{ID: "j1;$(reboot)", Status: adminapi.JobCancelled}
	if x = explain.Write(explain.WriteFacts{What: "edit X", Job: &job, Outcome: adminapi.OutcomeDone}); !slices.Equal(x.Next.Action.Args, []string{job.ID}) {
		t.Error(x.Next.Action)
	}
	f := explain.UpgradeFacts{Progress: progress.Progress{Meaning: progress.StateSucceeded}, After: &adminapi.Report{}}
	f.After.ID, f.After.Suites = "a'b", []adminapi.SuiteResult{{Critical: []adminapi.TestResult{{Name: "t", Result: "failed"}}}}
	if x = explain.Upgrade(f); !slices.Equal(x.Next.Action.Args, []string{"a'b"}) {
		t.Error(x.Next.Action)
	}
}

func TestOfAFailedReadNothingIsSaidAsOfAWrite(t *testing.T) {
	t.Parallel()
	err := &adminapi.Error{Kind: adminapi.KindPrivilege, Message: "no", Explicit: true}
	for _, x := range []explain.Explanation{explain.Upgrade(explain.UpgradeFacts{Refused: err}), explain.Service(explain.ServiceFacts{StatusErr: err})} {
		if len(x.Site) != 1 || x.Site[0] != "It is unknown whether the site is read-only." {
			t.Errorf("%s: %q", x.Title, x.Site)
		}
	}
}

func TestNotKnownIsSaidOnce(t *testing.T) {
	t.Parallel()
	ref := adminapi.ServiceRef{Name: "X", Type: "MapServer"}
	for _, x := range []explain.Explanation{
		explain.Service(explain.ServiceFacts{Service: ref, Status: adminapi.ServiceStatus{Configured: "STARTED", RealTime: "STOPPED"}}),
		explain.Upgrade(explain.UpgradeFacts{Unreachable: errors.New("x")}),
		explain.Upgrade(explain.UpgradeFacts{Refused: &adminapi.Error{Kind: adminapi.KindSignIn, Code: 498}}),
	} {
		if why := x.Why(); strings.Contains(why, "unknown") || strings.HasPrefix(why, "Not known. ") == x.Cause.Known {
			t.Errorf("%s", why)
		}
	}
}

func TestACheckIsAdvisedToAReadOnlySiteThatMayRefuseIt(t *testing.T) {
	t.Parallel()
	test := adminapi.TestResult{ID: "HC_1", Name: "own_test", Result: "pass", State: "completed"}
	facts := explain.HealthFacts{Entry: health.Entry{Test: &test, Verdict: health.Passed}, Whole: true, Now: 1_795_000_000_000,
		Report: adminapi.Report{ID: "r1", EndTime: 1_700_000_000_000}, Site: explain.SiteFacts{Mode: &adminapi.Mode{ReadOnly: true}}}
	if x := explain.HealthTest(facts); x.Next.Action.ID != explain.RunHealth || !strings.Contains(x.Next.Text, "may refuse it") {
		t.Errorf("%+v", x.Next)
	}
	facts.Site.Known, facts.Site.Upgrade = true, progress.StateRunning
	if x := explain.HealthTest(facts); x.Next.Text != "Watch the upgrade; run a health check when it has ended." || x.Next.Action.ID != explain.WatchUpgrade {
		t.Errorf("%+v", x.Next)
	}
	facts.Entry.Verdict, facts.Whole, facts.Site.Kind = health.Failed, false, progress.RollbackRun
	if x := explain.HealthTest(facts); x.Next.Later != "check again when the rollback has ended" {
		t.Errorf("%+v", x.Next)
	}
}

func TestAnOldReportSaysNothingAboutNow(t *testing.T) {
	t.Parallel()
	test := adminapi.TestResult{ID: "HC_1", Name: "own_test", Result: "pass", State: "completed"}
	facts := explain.HealthFacts{Entry: health.Entry{Test: &test, Verdict: health.Passed}, Whole: true,
		Report: adminapi.Report{ID: "r1", Name: "scheduled-1", EndTime: 1_700_000_000_000}}
	for _, c := range []struct {
		age        time.Duration
		next, fact string
	}{
		{24 * time.Hour, "Nothing needs to be done.", "Report scheduled-1, 24 h old."},
		{-time.Hour, "Nothing needs to be done.", "Report scheduled-1, 0 s old."},
		{50 * time.Hour, "Run a health check.", "Report scheduled-1, 2 days old."},
	} {
		facts.Now = facts.Report.EndTime + adminapi.Millis(c.age.Milliseconds())
		for _, facts.Whole = range []bool{true, false} {
			if x := explain.HealthTest(facts); x.Fault || x.Next.Text != c.next || len(x.Evidence) != 1 || x.Evidence[0].Text != c.fact {
				t.Errorf("%s: %+v", c.age, x)
			}
		}
	}
}

func TestAStoreThatFailedTooComesFirst(t *testing.T) {
	t.Parallel()
	test := adminapi.TestResult{ID: "HC_1", Name: "query_logs_availability", Result: "fail", Unknown: jsontext.Value(`{"message":"The memory is 96 % used."}`)}
	store := adminapi.TestResult{ID: "HC_2", Name: "healthcheck_objectStore", Result: "fail"}
	own, other := health.Entry{Test: &test, Verdict: health.Failed}, health.Entry{Test: &store, Verdict: health.Failed}
	facts := explain.HealthFacts{Report: adminapi.Report{ID: "r1"}, Entry: own, Worst: []health.Entry{own, other}}
	x := explain.HealthTest(facts)
	if x.Next.Text != "Fix healthcheck_objectStore first: other parts depend on it." ||
		!slices.Equal(x.Next.Action.Args, []string{"HC_2", "r1", "healthcheck_objectStore"}) || len(x.Then) != 2 || x.Then[0] != "Raise its memory limit, or lower the load." {
		t.Errorf("%+v", x)
	}
	facts.Entry = other
	if x = explain.HealthTest(facts); x.Next.Action.ID != explain.RunHealth || x.Then != nil {
		t.Errorf("the store waits for itself: %+v", x)
	}
	facts.Entry, facts.Later = own, &health.Point{ReportID: "r9", Verdict: health.Passed}
	if x = explain.HealthTest(facts); x.Then != nil || !strings.HasSuffix(x.Next.Text, "Nothing needs to be done.") {
		t.Errorf("it passed since: %+v", x)
	}
}

func TestARollbackThatRunsIsNotCalledAnUpgrade(t *testing.T) {
	t.Parallel()
	facts := explain.ServiceFacts{Service: adminapi.ServiceRef{Name: "X", Type: "MapServer"},
		Status: adminapi.ServiceStatus{Configured: adminapi.ServiceStarted, RealTime: adminapi.ServiceStopped},
		Site:   explain.SiteFacts{Known: true, Upgrade: progress.StateRunning, Kind: progress.RollbackRun}}
	x := explain.Service(facts)
	rollsBack, someBack := says(2010, "Update from 11.5.0.6805 to 11.5.0.6745 begins."), says(2173, "4 of 20 deployments are updated.")
	for name, c := range map[string]struct {
		facts explain.UpgradeFacts
		says  string
	}{
		"runs":      {run("in_progress", rollsBack, someBack), "Deployments are being rolled back. 4 of 20 deployments back on 11.5.0.6745."},
		"has ended": {run("success", rollsBack, someBack), "The rollback succeeded."},
		"failed":    {run("failed", rollsBack, someBack), "A deployment was not rolled back."},
	} {
		c.facts.Site.Mode = &adminapi.Mode{}
		x := explain.Upgrade(c.facts)
		said := x.Cause.Sentence + " " + strings.Join(x.Site[len(x.Site)-1:], " ") + x.Title + x.Next.Text
		if !strings.Contains(said, c.says) || strings.Contains(said, "upgrade") {
			t.Errorf("%s: %s", name, said)
		}
	}
	if !strings.HasPrefix(x.Cause.Sentence, "A rollback is running") || !strings.HasPrefix(x.Next.Text, "Watch the rollback") || !slices.Contains(x.Site, "A rollback is running: parts of the site restart.") {
		t.Errorf("%+v", x)
	}
}

func TestAPatchThatGoesBackAndLeadsElsewhereIsExplainedByWhatHasFailed(t *testing.T) {
	t.Parallel()
	f := run("in_progress", says(2010, "Upgrade from 11.5.0.6745 to 11.5.0.6815 begins."), says(2270, "A plan is ready."), says(2173, "1 of 2 deployments are patched."),
		says(2270, "A plan for the way back is ready."), says(2173, "1 of 1 deployments are back."))
	f.Elsewhere = "11.5.0.6805 was confirmed, but the site goes from 11.5.0.6745 to 11.5.0.6815"
	x := explain.Upgrade(f)
	if !strings.HasSuffix(x.Title, " failed: rolling back") || x.Cause.ID == "elsewhere" || x.Next.Text != "Wait until the rollback has ended." || !slices.Contains(x.Site, f.Elsewhere+".") {
		t.Errorf("%+v", x)
	}
}

// From its plan on a rollback is one, and the log has named by then what did not get its new version.
func TestARollbackSaysWhatFailedFromItsPlanOn(t *testing.T) {
	t.Parallel()
	log := []adminapi.UpgradeMessage{
		says(2010, "Update from 11.5.0.6745 to 11.5.0.6805 begins."), says(2173, "1 of 24 deployments are updated."),
		says(2038, "The deployment arcgis-web-proxy-x1 runs the image arcgis-web:11.5.0.6805 now."),
		says(2270, "A plan for the rollback from 11.5.0.6805 to 11.5.0.6745 is ready."),
	}
	for name, messages := range map[string][]adminapi.UpgradeMessage{"planned": log, "counted": append(slices.Clone(log), says(2173, "1 of 1 deployments are back."))} {
		x := explain.Upgrade(run("in_progress", messages...))
		if !strings.HasSuffix(x.Title, " failed: rolling back") || !strings.HasPrefix(x.Why(), "arcgis-web-proxy-x1 did not reach the new version.") ||
			x.Next.Text != "Wait until the rollback has ended." {
			t.Errorf("%s: %q, %q, %q", name, x.Title, x.Why(), x.Next.Text)
		}
	}
}

func TestAReportThatMayNotHaveATestSaysNothingOfIt(t *testing.T) {
	test := adminapi.TestResult{ID: "1", Name: "home_app_availability", Result: "odd"}
	entry := health.Entry{Test: &test, Suite: &adminapi.SuiteResult{}, Verdict: health.Unknown}
	for _, of := range []struct {
		before health.Point
		want   string
	}{
		{health.Point{ReportID: "r1", When: 1}, ""},
		{health.Point{ReportID: "r1", When: 1, Known: true, Verdict: health.Passed}, "It passed in the previous report."},
		{health.Point{ReportID: "r1", When: 1, Known: true, Verdict: health.Warning}, "It warned in the previous report."},
	} {
		x := explain.HealthTest(explain.HealthFacts{Entry: entry, Trend: health.Trend{Points: []health.Point{of.before, {ReportID: "r2", When: 2, Known: true, Verdict: health.Unknown}}}})
		said := ""
		for _, e := range x.Evidence {
			if e.At.Kind == explain.Report {
				said = e.Text
			}
		}
		if said != of.want {
			t.Errorf("of the report before it says %q, want %q", said, of.want)
		}
		if x.Evidence[0].Text != "The test had an unknown result; its answer gives no reason." {
			t.Errorf("it says %q", x.Evidence[0].Text)
		}
	}
}
