package simulator

import "encoding/json"

// upgradePlacement is where the pods of the upgrade job run at first.
func upgradePlacement() json.RawMessage {
	return json.RawMessage(`{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[` +
		`{"matchExpressions":[{"key":"upgrader","operator":"In","values":["true"]}]}]}},` +
		`"tolerations":[{"effect":"NoSchedule","key":"upgrader","operator":"Equal","value":"true"}]}`)
}

func upgradeConfigRoutes(w *world) []route {
	return []route{get("/system/upgrades/config", "Upgrade configurations", w.showUpgradeConfig).from("11.2")}
}

type upgradeConfigBody struct {
	Placement json.RawMessage `json:"podPlacementPolicy"`
}

func (w *world) showUpgradeConfig(*request) (answer, error) {
	return answer{body: upgradeConfigBody{w.upgrades.placement}}, nil
}
