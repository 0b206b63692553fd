package simulator

import (
	"encoding/json"
	"fmt"
)

// Licence returns a licence file that the simulated site takes for an upgrade
// to a version such as 12.0 or 12.0.0.7286.
func Licence(version string) []byte {
	text, _ := json.Marshal(map[string]string{"product": "geodeck simulator", "version": version})
	return text
}

// checkLicence takes a JSON object whose version has the same first two
// numbers as the target's, or as the one that the scenario wants. That is all:
// there is nothing here to protect.
func (w *world) checkLicence(content []byte, u *update) error {
	var licence struct {
		Version string `json:"version"`
	}
	if len(content) == 0 {
		return invalid("The license file is empty.")
	}
	if json.Unmarshal(content, &licence) != nil || licence.Version == "" {
		return invalid("The license file is not valid.", `a license for the simulator is a JSON file such as {"version": "12.0"}`)
	}
	wanted := u.full()
	if text := w.scenario.Upgrades.Licence; text != "" {
		wanted, _ = parseVersion(text)
	}
	have, err := parseVersion(licence.Version)
	if err != nil || have[0] != wanted[0] || have[1] != wanted[1] {
		return invalid("The license file is for another version.", fmt.Sprintf("a license for %d.%d is needed", wanted[0], wanted[1]))
	}
	return nil
}
