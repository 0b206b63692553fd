package simulator

// mode says whether the site takes writes.
type mode struct {
	readOnly    bool
	message     string
	description string
}

func modeRoutes(w *world) []route {
	update := post("/mode/update", "Update mode", w.updateMode).needing(privSecurity)
	update.duringRO = true
	return []route{get("/mode", "Mode", w.showMode), update}
}

type modeBody struct {
	ReadOnly    bool   `json:"isReadOnly"`
	Message     string `json:"message,omitempty"`
	Description string `json:"description,omitempty"`
}

type statusBody struct {
	Status string `json:"status"`
}

func (w *world) showMode(*request) (answer, error) {
	return answer{body: modeBody{w.mode.readOnly, w.mode.message, w.mode.description}}, nil
}

func (w *world) updateMode(q *request) (answer, error) {
	if _, err := q.required("isReadOnly"); err != nil {
		return answer{}, err
	}
	on, err := q.boolean("isReadOnly", false)
	if err != nil {
		return answer{}, err
	}
	if err := w.busyUpgrading(q.now); err != nil {
		return answer{}, err
	}
	w.mode = mode{readOnly: on, description: q.params.Get("description")}
	if on {
		w.mode.message = "The site was set to read-only mode by " + q.user.Username + "."
	}
	return answer{body: statusBody{"success"}}, nil
}
