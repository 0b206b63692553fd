package simulator

// upgrades is what the site says of its last upgrade.
type upgrades struct{ status upgradeStatus }

func upgradeRoutes(*world) []route {
	u := &upgrades{upgradeStatus{Code: 0, Messages: []upgradeMessage{}, State: "no_upgrade"}}
	return []route{get("/system/upgrades", "Upgrades", u.show).from("10.9")}
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

func (u *upgrades) show(*request) (answer, error) {
	return answer{body: upgradesBody{u.status}}, nil
}
