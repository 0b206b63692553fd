package simulator

import "encoding/json"

func rollbackRoutes(w *world) []route {
	return []route{
		asking(post("/system/upgrades/checkRollback", "Check rollback", w.checkRollback)),
		post("/system/upgrades/rollback", "Rollback", w.rollback),
	}
}

// removable are the patches that can be rolled back. Each takes the later ones
// along: patches are cumulative.
func (w *world) removable() []*update {
	list := []*update{}
	for _, u := range w.installed() {
		if !u.isRelease() {
			list = append(list, u)
		}
	}
	return list
}

func (w *world) checkRollback(*request) (answer, error) {
	return answer{body: updatesBody{w.removable()}}, nil
}

func (w *world) rollback(q *request) (answer, error) {
	u, err := w.namedUpdate(q, "versionManifest", w.upgrades.catalogue)
	if err != nil {
		return answer{}, err
	}
	if text := q.params.Get("rollbackSettings"); text != "" {
		var settings map[string]any
		if json.Unmarshal([]byte(text), &settings) != nil {
			return answer{}, invalid("a parameter has a value that is not allowed", "rollbackSettings is not a JSON object")
		}
	}
	if find(w.removable(), u.ID) == nil {
		return answer{}, invalid("The update cannot be rolled back.", u.ID+" is no patch that is installed")
	}
	run := &upgradeRun{operation: operationRollback, update: u, from: w.fullVersion(), to: earlier(u), user: q.user.Username, start: q.now}
	w.begin(run, upgradeScripts()[operationRollback])
	return answer{body: w.statusOf(run, q.now)}, nil
}
