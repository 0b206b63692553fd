package simtest

import "encoding/json"

// Licence returns a licence file that the simulated site accepts for an upgrade
// to a version such as 12.0 or 12.0.0.7286.
func Licence(version string) []byte {
	text, _ := json.Marshal(map[string]string{"product": "geodeck simulator", "version": version})
	return text
}
