package simulator

func upgradeRoutes(w *world) []route {
	return []route{get("/system/upgrades", "Upgrades", w.showUpgrades).from("10.9")}
}

type upgradesBody struct {
	Status upgradeStatus `json:"status"`
}

type upgradeStatus struct {
	Code     int              `json:"code"`
	Messages []upgradeMessage `json:"messages"`
	State    string           `json:"state"`
}

type upgradeMessage struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	When    int64  `json:"when"`
}

func (w *world) showUpgrades(*request) (answer, error) {
	return answer{body: upgradesBody{upgradeStatus{Code: 0, Messages: []upgradeMessage{}, State: "no_upgrade"}}}, nil
}
