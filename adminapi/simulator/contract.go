package simulator

import (
	"net/http"
	"slices"
	"strings"
)

// What a site of [Scenario.ContractOnly] takes for the log of upgrades, which the contract reads without
// saying how: a POST, as every operation is, or a GET too.
const (
	contractByPost = "post"
	contractByGet  = "get"
)

// contractPaths are what the contract shows of the administrative root: six operations, and what they
// lead to. A site may have no more.
var contractPaths = []string{
	"/healthCheck/run", "/healthCheck/reports/{id}", "/jobs/{id}",
	"/system/upgrades", "/system/upgrades/available", "/system/upgrades/getUpgradeSettings", "/system/upgrades/upgrade",
	"/services/{service}/edit", "/services/{folder}/{service}/edit",
	"/services/{service}/placementPolicy/edit", "/services/{folder}/{service}/placementPolicy/edit",
}

// contractRoutes are those of all routes that a site has which is nothing but the contract. Of the portal's
// side it gives tokens: without one nobody could call it.
func contractRoutes(all []*route, method string) []*route {
	return slices.DeleteFunc(all, func(r *route) bool {
		path, admin := strings.CutPrefix(r.path, adminRoot)
		if !admin {
			return r.path != sharingRoot+"/generateToken"
		}
		byGet := path == "/system/upgrades" && r.method == http.MethodGet
		return !slices.Contains(contractPaths, path) || byGet && method == contractByPost
	})
}
