package simulator

import "encoding/json"

func rootRoutes(w *world) []route {
	return []route{
		get("", "Administrative root", w.root),
		{method: "GET", path: adminRoot + "/healthCheck", name: "Health check", handle: w.healthPage, htmlOnly: true, since: "11.2"},
	}
}

type rootBody struct {
	FullVersion    string          `json:"fullVersion"`
	CurrentVersion json.RawMessage `json:"currentVersion"`
	Resources      []string        `json:"resources"`
	Status         rootStatus      `json:"status"`
	Simulator      string          `json:"simulator"`
}

type rootStatus struct {
	Stages []rootStage `json:"stages"`
}

type rootStage struct {
	Name        string `json:"name"`
	State       string `json:"state"`
	LastUpdated int64  `json:"lastUpdated"`
}

func (w *world) root(*request) (answer, error) {
	resources := []string{"services", "uploads", "system", "mode", "jobs"}
	if !olderThan(w.version, "11.2") {
		resources = append(resources, "healthCheck")
	}
	return answer{body: rootBody{
		FullVersion:    w.version.String(),
		CurrentVersion: w.version.asNumber(),
		Resources:      resources,
		Status: rootStatus{Stages: []rootStage{
			{Name: "Create site", State: "completed", LastUpdated: millis(w.started.AddDate(0, -4, 0))},
		}},
		Simulator: "geodeck simulator, scenario " + w.scenario.Name,
	}}, nil
}

// asNumber writes a version of two parts as a number and any other as a string,
// since 10.9.1 is no number.
func (v version) asNumber() json.RawMessage {
	if v[2] == 0 {
		return json.RawMessage(v.short())
	}
	return json.RawMessage(`"` + v.short() + `"`)
}

// healthPage is a page with links; it has no JSON form.
func (w *world) healthPage(*request) (answer, error) {
	return answer{body: map[string][]string{"children": {"suites", "run", "reports"}}}, nil
}
