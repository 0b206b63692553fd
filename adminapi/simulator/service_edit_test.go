package simulator_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

const cities = "/services/SampleWorldCities.MapServer"

// edited returns the definition of the sample with one text of it replaced.
func (s *site) edited(old, other string) string {
	s.t.Helper()
	text := s.get(cities).body
	if !strings.Contains(text, old) {
		s.t.Fatalf("there is no %s in %s", old, text)
	}
	return strings.Replace(text, old, other, 1)
}

// editJob starts an edit in a job and returns its path.
func (s *site) editJob(text string) string {
	s.t.Helper()
	got := s.post(cities+"/edit", "service", text, "async", "true")
	if got.text("jobStatus") != "SUBMITTED" || got.text("jobsUrl") != s.server.URL()+"/jobs/"+got.text("jobID") {
		s.t.Fatalf("accepted: %s", got.body)
	}
	return "/jobs/" + got.text("jobID")
}

func TestAnEditReplacesTheWholeDefinitionByteForByte(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "publisher")
	const text = "{ \"type\":\"MapServer\",\n\t\"serviceName\" : \"SampleWorldCities\", \"maxIdleTime\":1.80e3," +
		" \"x\":[1.0, 12345678901234567890,-0,\"\\u0041\\/\"],\"description\":\"New & short.\" }"
	job := s.editJob(text)
	s.get(job).has("status", "SUBMITTED", "endtime", 0)
	s.clock.Advance(time.Second)
	if got := s.get(job); got.text("status") != "EXECUTING" || got.at("result") != nil || s.get(cities).body == text {
		t.Errorf("meanwhile: %s", got.body)
	}
	s.clock.Advance(time.Minute)
	if got := s.get(cities).body; got != text {
		t.Errorf("stored: %q", got)
	}
	end := s.get(job)
	if end.text("status") != "COMPLETED" || end.text("resource.name") != "SampleWorldCities" || !strings.Contains(end.body, `"service":{"type":"MapServer",`) ||
		!strings.Contains(end.body, `[1.0,12345678901234567890,-0,"\u0041\/"]`) {
		t.Errorf("at the end: %s", end.body)
	}
	s.get("/services").contains("New & short.")
	s.get(cities, "f", "pjson").contains("\n  \"maxIdleTime\": 1.80e3,\n")
}

func TestEveryDefinitionIsAcceptedUnchanged(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"healthy", "hostile"} {
		s := open(t, scenario, "admin")
		for _, path := range s.servicePaths() {
			before := s.get(path).body
			s.post(path+"/edit", "service", before, "async", "true").has("jobStatus", "SUBMITTED")
			s.clock.Advance(time.Minute)
			if after := s.get(path).body; after != before {
				t.Errorf("%q is not as before", path)
			}
			s.get(path+"/status").has("realTimeState", "STARTED")
		}
	}
}

func (s *site) servicePaths() []string {
	s.t.Helper()
	var paths []string
	for _, folder := range folders {
		for _, item := range s.get("/services" + folder).at("services").([]any) {
			ref := item.(map[string]any)
			paths = append(paths, "/services"+folder+"/"+url.PathEscape(ref["serviceName"].(string)+"."+ref["type"].(string)))
		}
	}
	return paths
}

func TestADefinitionThatIsNotValidIsRefusedWithItsReason(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	before := s.get(cities).body
	for _, c := range []struct{ text, reason string }{
		{"", "parameter service is required"},
		{"{", "not a valid JSON object"},
		{"[]", "not a valid JSON object"},
		{"null", "not a valid JSON object"},
		{"{\"serviceName\":\"\xff\"}", "not a valid JSON object"},
		{"{}", "serviceName"},
		{s.edited(`"serviceName":"Sample`, `"serviceName":"sample`), "serviceName"},
		{s.edited(`"MapServer"`, `"FeatureServer"`), "type"},
		{s.edited(`"description":`, `"description":1,"x":`), "description"},
		{s.edited(`"minInstancesPerNode":`, `"minInstancesPerNode":9,"x":`), "more than maxInstancesPerNode"},
		{s.edited(`"maxInstancesPerNode":`, `"maxInstancesPerNode":"9","x":`), "maxInstancesPerNode"},
		{s.edited(`"maxIdleTime":1800`, `"maxIdleTime":0.5`), "maxIdleTime"},
		{s.edited(`"maxIdleTime":1800`, `"maxIdleTime":-1`), "maxIdleTime"},
		{s.edited(`"recycleStartTime":"0`, `"recycleStartTime":"3`), "HH:MM"},
		{s.edited(`"properties":{`, `"properties":7,"x":{`), "properties"},
		{s.edited(`"datasets":[`, `"datasets":{},"x":[`), "datasets"},
		{s.edited(`"extensions":[`, `"extensions":[7,`), "extensions"},
		{s.edited(`"typeName":"WMSServer"`, `"typeName":"WFSServer"`), "extensions[1]"},
		{s.edited(`"inheritLayerNames":"false"`, `"inheritLayerNames":false`), "properties.inheritLayerNames"},
		{s.edited(`"typeName":"WFSServer","enabled":`, `"typeName":"WFSServer","enabled":"yes","x":`), "WFSServer"},
	} {
		s.post(cities+"/edit", "service", c.text, "async", "true").refused(400, c.reason)
	}
	s.post(cities+"/edit", "service", before, "async", "perhaps").refused(400, "perhaps")
	s.clock.Advance(time.Minute)
	if s.get(cities).body != before {
		t.Error("a refused edit changed something")
	}
	same := s.edited(`"maxIdleTime":1800`, `"maxIdleTime":1.8e3`)
	s.post(cities+"/edit", "service", same, "async", "true").has("jobStatus", "SUBMITTED")
}

func TestASynchronousEditIsAnsweredOnceTheServiceIsReady(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	text := s.edited(`"maxIdleTime":1800`, `"maxIdleTime":900`)
	got := s.waitFor(time.Minute, func() reply { return s.post(cities+"/edit", "service", text) }, func() {
		s.clock.Advance(7 * time.Second) // applied, and restarting
		if got := s.get(cities + "/status"); got.body != `{"configuredState":"STARTED","realTimeState":"STOPPED"}`+"\n" || s.get(cities).body != text {
			t.Errorf("meanwhile: %s", got.body)
		}
	})
	got.is(`{"status":"success"}` + "\n")
	s.isState(cities, "STARTED")
}

// isState checks the state of a service.
func (s *site) isState(path, want string) {
	s.t.Helper()
	if got := s.get(path + "/status"); got.text("realTimeState") != want {
		s.t.Errorf("%s is not %s: %s", path, want, got.body)
	}
}

func TestSomeEditsRestartTheService(t *testing.T) {
	t.Parallel()
	for change, meanwhile := range map[[2]string]string{
		{`"description":"Cities`, `"description":"Towns`}:                          "STARTED",
		{`"capabilities":"Map,Query,Data"`, `"capabilities":"Map"`}:                "STARTED",
		{`"typeName":"WMSServer","enabled":`, `"typeName":"KmlServer","enabled":`}: "STARTED",
		{`"minInstancesPerNode":`, `"minInstancesPerNode":0,"x-was":`}:             "STOPPED",
		{`"maxImageHeight":4096`, `"maxImageHeight":2048`}:                         "STOPPED",
		{`"loadBalancing":"ROUND_ROBIN",`, ``}:                                     "STOPPED",
	} {
		s := healthy(t)
		s.editJob(s.edited(change[0], change[1]))
		s.clock.Advance(8 * time.Second)
		s.isState(cities, meanwhile)
		s.clock.Advance(time.Minute)
		s.isState(cities, "STARTED")
	}
}

func TestAnEditThatDoesNotEndWell(t *testing.T) {
	t.Parallel()
	for scenario, c := range map[string]struct {
		end, says string
		applied   bool
	}{
		"edit-fails":         {"FAILED", "cannot be scheduled", false},
		"edit-cancelled":     {"CANCELLED", "cancelled by the system", false},
		"edit-fails-applied": {"FAILED", "did not restart", true},
	} {
		s := open(t, scenario, "admin")
		text := s.edited(`"maxIdleTime":1800`, `"maxIdleTime":900`)
		job := s.editJob(text)
		s.clock.Advance(5 * time.Second)
		s.isStatus(job, "EXECUTING")
		s.clock.Advance(time.Minute)
		if got := s.isStatus(job, c.end); !strings.Contains(got.text("messages.0"), c.says) || got.text("result.messages.0") != got.text("messages.0") {
			t.Errorf("%s: %s", scenario, got.body)
		}
		if applied := s.get(cities).body == text; applied != c.applied {
			t.Errorf("%s: applied %v", scenario, applied)
		}
		job = s.editJob(text)
		s.clock.Advance(time.Minute)
		s.isStatus(job, "COMPLETED")
	}
}

func TestEditsFailByTheirNumber(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-third-fails", "admin")
	for _, want := range []string{"COMPLETED", "COMPLETED", "FAILED", "COMPLETED"} {
		job := s.editJob(s.get(cities).body)
		s.clock.Advance(time.Minute)
		s.isStatus(job, want)
	}
}

func TestASlowEditTakesMinutes(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-slow", "admin")
	job := s.editJob(s.edited(`"maxIdleTime":1800`, `"maxIdleTime":900`))
	s.clock.Advance(6 * time.Minute)
	s.isStatus(job, "EXECUTING")
	s.clock.Advance(2 * time.Minute)
	s.isStatus(job, "COMPLETED")
	s.isState(cities, "STOPPED")
	s.clock.Advance(2 * time.Minute)
	s.isState(cities, "STARTED")
}

func TestAServiceTakesOneOperationAtATime(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	text := s.get(cities).body
	s.editJob(text)
	s.post(cities+"/edit", "service", text, "async", "true").refused(409, "in progress")
	s.post(cities+"/stop").refused(409, "in progress")
	geometry := "/services/Utilities/Geometry.GeometryServer"
	s.post(geometry+"/edit", "service", s.get(geometry).body, "async", "true").has("jobStatus", "SUBMITTED")
}

func TestNoServiceIsChangedWhileAnUpgradeRuns(t *testing.T) {
	t.Parallel()
	s := open(t, "elses-upgrade", "admin")
	text := s.get(cities).body
	for _, verb := range []string{"/edit", "/start", "/stop"} {
		got := s.post(cities+verb, "service", text, "async", "true")
		if !strings.Contains(got.body, "in progress") && !strings.Contains(got.body, "read-only") {
			t.Errorf("%s: %s", verb, got.body)
		}
	}
}

func TestASiteMayDropOrRoundWhatItStores(t *testing.T) {
	t.Parallel()
	for scenario, c := range map[string]struct{ missing, stored []string }{
		"drops-keys": {
			[]string{"x-lastTuned", "x-tuningProfile", "x-poolHint", "x-since", "x-mine", "mine"},
			[]string{`"maxScale":1000.0`, `"title":"SampleWorldCities"`, `"city":"\u00c5lesund"`, `"byReference":`, `"maxIdleTime":900`, `"frameworkVersion"`, `"typeName":"KmlServer"`}},
		"rounds-numbers": {
			[]string{"1000.0", "9007199254740993", "1e-3", "0.250", "1E+2"},
			[]string{`"maxScale":1000,`, `"sourceId":9007199254740992`, `[1,0.25,0.001,100]`, `"city":"\u00c5lesund"`, `"x-mine":1,`}},
	} {
		s := open(t, scenario, "admin")
		text := s.edited(`"maxIdleTime":1800`, `"x-mine":1.0,"mine":{"a":[]},"maxIdleTime":900`)
		text = strings.Replace(text, `"extensions":[`, `"extensions":[{"typeName":"KmlServer","enabled":true,"mine":1,"properties":{}},`, 1)
		job := s.editJob(text)
		s.clock.Advance(time.Minute)
		got := s.get(cities).body
		if end := s.get(job); end.text("status") != "COMPLETED" || !strings.Contains(end.body, got) {
			t.Errorf("%s: %s", scenario, end.body)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%s: %s", scenario, got)
		}
		for _, part := range c.missing {
			if strings.Contains(got, part) {
				t.Errorf("%s stores %s: %s", scenario, part, got)
			}
		}
		for _, part := range c.stored {
			if !strings.Contains(got, part) {
				t.Errorf("%s does not store %s: %s", scenario, part, got)
			}
		}
	}
}

// isEditByPublisher checks that the newest job is an edit by another user, and that there
// were so many before.
func (s *site) isEditByPublisher(before int) {
	s.t.Helper()
	list := s.get("/jobs")
	if job := s.isStatus("/jobs/"+list.text("jobs.0"), "COMPLETED"); list.length("jobs") != before+1 || job.text("username") != "publisher" {
		s.t.Errorf("the job of it: %s", job.body)
	}
}

func TestAnotherUserEditsBetweenTwoReads(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-elses", "admin")
	jobs := s.get("/jobs").length("jobs")
	one, two, three := s.get(cities).body, s.get(cities).body, s.get(cities).body
	want := strings.Replace(one, "Cities of the world, as a sample.", "Cities of the world, reviewed by the publisher.", 1)
	if want = strings.Replace(want, `"maxIdleTime":1800`, `"maxIdleTime":900`, 1); two != want || one == two || three != two {
		t.Errorf("after it: %s\nthen: %s", two, three)
	}
	s.isEditByPublisher(jobs)
	s = open(t, "edit-elses-late", "admin")
	one, two, three = s.get(cities).body, s.get(cities).body, s.get(cities).body
	if one != two || strings.Contains(three, "x-tuningProfile") || !strings.Contains(three, `"maxRecordCount":5000`) || !json.Valid([]byte(three)) {
		t.Errorf("late: %s\nthen: %s", two, three)
	}
}

func TestAnotherUserEditsWherePodsRunBetweenTwoReads(t *testing.T) {
	t.Parallel()
	s := open(t, "placement-elses", "admin")
	jobs := s.get("/jobs").length("jobs")
	one, two, three := s.get(cities+"/placementPolicy").body, s.get(cities+"/placementPolicy").body, s.get(cities+"/placementPolicy").body
	if !strings.Contains(one, `["gis"]`) || !strings.Contains(two, `["memory"]`) || three != two {
		t.Errorf("%s\n%s\n%s", one, two, three)
	}
	s.isEditByPublisher(jobs)
}

func TestOddDefinitions(t *testing.T) {
	t.Parallel()
	s := open(t, "odd-definitions", "publisher")
	for path, says := range map[string]string{
		cities: `"description":"first", "description":"second"`,
		"/services/Utilities/Geometry.GeometryServer": "\"maxWaitTime\" : 6.0e1",
		"/services/Utilities/Symbols.GPServer":        `"\ud83d"`,
		"/services/Utilities/PrintingTools.GPServer":  `"maximumRecords":`,
	} {
		if got := s.get(path).body; !strings.Contains(got, says) || strings.TrimSpace(got) != got {
			t.Errorf("%s: %s", path, got)
		}
	}
	hostile := open(t, "hostile", "publisher").get(cities)
	if hostile.at("x-tuningProfile.\x1b[31mred\x1b[2J") == nil || !strings.Contains(hostile.body, "\u202egnorw") && !strings.Contains(hostile.body, `\u202egnorw`) {
		t.Errorf("hostile: %s", hostile.body)
	}
	long := open(t, "long-definition", "publisher").get(cities, "f", "pjson").body
	if strings.Count(long, "\n") < 5000 || !json.Valid([]byte(long)) {
		t.Errorf("%d lines", strings.Count(long, "\n"))
	}
}

func TestAnOldSiteAnswersEditsSynchronously(t *testing.T) {
	t.Parallel()
	clock := simtest.NewSteppedClock(noon)
	scenario := readScenario(t, "name: oldest\nversion: 10.9.0.505")
	s := startOn(t, simulator.Options{Scenario: scenario, Clock: clock}, "admin")
	s.post(cities+"/edit", "service", s.get(cities).body, "async", "true").has("status", "success")
	for _, verb := range []string{"/stop", "/start"} {
		s.post(geometry+verb, "async", "true").has("status", "success")
	}
}

// Whatever is sent, the site takes it whole or refuses it and keeps what it has.
func FuzzEditService(f *testing.F) {
	for _, text := range []string{`{"serviceName":"SampleWorldCities","type":"MapServer"}`, `{"serviceName":"SampleWorldCities","type":"MapServer","extensions":[{}]}`,
		`{"serviceName":"SampleWorldCities","type":"MapServer","properties":null,"minInstancesPerNode":1e400}`, "{", "\xff", `[[[[[[`,
		`{"serviceName":"SampleWorldCities","type":"MapServer","a":1,"a":2,"x-b":{"c":[1.0,"\ud800"]}}`} {
		f.Add(text, uint8(0))
		f.Add(text, uint8(1))
		f.Add(text, uint8(2))
	}
	f.Fuzz(func(t *testing.T, text string, keeps uint8) {
		stores := []string{"everything", "known", "rounded"}[keeps%3]
		s := start(t, readScenario(t, "name: x\nservices: 8\nediting: {keeps: "+stores+"}"), "admin")
		before := s.get(cities).body
		got := s.post(cities+"/edit", "service", text, "async", "true")
		s.clock.Advance(time.Minute)
		after := s.get(cities).body
		switch {
		case got.at("error") != nil && (after != before || got.number("error.code") != 400):
			t.Errorf("refused: %s", got.body)
		case got.at("error") == nil && stores == "everything" && after != text, !json.Valid([]byte(after)):
			t.Errorf("%q became %q", text, after)
		}
	})
}

// TestAnotherTimeOfRecyclingRestartsTheServiceFrom12 follows a script that moves the time
// of recycling of all services and restarts them: root, System and Utilities.
func TestAnotherTimeOfRecyclingRestartsTheServiceFrom12(t *testing.T) {
	t.Parallel()
	for version, restarts := range map[string]bool{"11.5": false, "12.0": true} {
		s := start(t, simulator.Scenario{Name: "x", Version: version}, "admin")
		own := 0
		for _, path := range s.servicePaths() {
			if strings.HasPrefix(path, "/services/Hosted/") {
				continue
			}
			got := s.get(path)
			before := got.text("recycleStartTime")
			deployment := deployments + "/" + got.text("deploymentId")
			text := strings.Replace(got.body, `"recycleStartTime":"`+before+`"`, `"recycleStartTime": "23:30"`, 1)
			s.waitFor(30*time.Second, func() reply { return s.post(path+"/edit", "service", text) }, func() {
				s.clock.Advance(7 * time.Second)
				state, ready := "STARTED", true
				if restarts {
					state = "STOPPED"
				}
				s.isState(path, state)
				if s.get(deployment).text("mode") == "Dedicated" {
					own, ready = own+1, !restarts
				}
				if got := s.get(deployment + "/status"); (got.number("readyReplicas") > 0) != ready {
					t.Errorf("%s: %s", version, got.body)
				}
			}).is(`{"status":"success"}` + "\n")
			s.get(path).has("recycleStartTime", "23:30")
			s.get(path+"/status").has("configuredState", "STARTED", "realTimeState", "STARTED")
			s.waitFor(30*time.Second, func() reply { return s.post(path + "/stop") })
			started := s.post(path+"/start", "async", "true")
			job := strings.TrimPrefix(started.text("jobsUrl"), s.server.URL())
			for _, status := range []string{"SUBMITTED", "EXECUTING", "COMPLETED"} {
				got := s.isStatus(job, status)
				got.has("resource.name", strings.Split(path[strings.LastIndex(path, "/")+1:], ".")[0])
				s.clock.Advance(4 * time.Second)
			}
			s.isState(path, "STARTED")
		}
		if own == 0 {
			t.Error("no service has a deployment for itself")
		}
	}
}

func TestBrokenJSONIsRefusedInTheWordsOfTheAPI(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	deployment := s.only("filterName", "shared-mapserver")
	for _, text := range []string{`[]`, `"x"`, `null`, `{"placementPolicy":1,"spec":1,"scalingSpec":1,"timeoutInSeconds":"x","type":1}`, `{"placementPolicy":[1]}`, `{`} {
		for path, parameter := range map[string]string{
			cities + "/edit": "service", cities + "/placementPolicy/edit": "servicePlacementPolicy", cities + "/scaling/edit": "serviceScalingSpec",
			deployment + "/edit": "deploymentJson", "/system/disasterrecovery/settings/update": "settings", "/system/disasterrecovery/stores/register": "settings",
		} {
			got := s.post(path, parameter, text, "storeName", "x")
			if strings.Contains(got.body, "Go ") || strings.Contains(got.body, "simulator") || strings.Contains(got.body, "nil") {
				t.Errorf("%s of %s: %s", text, path, got.body)
			}
		}
	}
}
