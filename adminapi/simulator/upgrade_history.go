package simulator

// passage is one upgrade or rollback of the past.
type passage struct {
	Operation string `json:"operation"` // upgrade, rollback
	ID        string `json:"id"`
	Name      string `json:"name"`
	From      string `json:"fromVersion"`
	To        string `json:"toVersion"`
	Status    string `json:"status"` // success, failure
	User      string `json:"username"`
	Start     int64  `json:"startTime"`
	End       int64  `json:"endTime"`
}

type historyBody struct {
	History []passage `json:"history"`
}

// showHistory tells what was upgraded and rolled back, newest first. The
// platform recommends it as a page; its JSON form here is our own.
func (w *world) showHistory(*request) (answer, error) {
	body := historyBody{History: []passage{}}
	for i := len(w.upgrades.past) - 1; i >= 0; i-- {
		body.History = append(body.History, w.upgrades.past[i].passage())
	}
	return answer{body: body}, nil
}

func (r *upgradeRun) passage() passage {
	status := "success"
	if r.final.State != status {
		status = "failure"
	}
	return passage{r.operation, r.update.ID, r.update.Name, r.from.String(), r.to.String(), status, r.user, millis(r.start), millis(r.end)}
}
