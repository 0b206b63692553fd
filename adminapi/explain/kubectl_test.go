package explain_test

import (
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/explain"
)

// A13: the lines name the deployment where it is known, and nothing of a site reaches the shell.
func TestLinesForKubectlNameADeploymentOrLeaveItToBeFilledIn(t *testing.T) {
	t.Parallel()
	const events = "kubectl -n NAMESPACE get events --sort-by=.lastTimestamp"
	any := []string{"kubectl -n NAMESPACE get pods", "kubectl -n NAMESPACE describe pod POD",
		"kubectl -n NAMESPACE logs POD --all-containers --tail=200", events}
	for resource, want := range map[string][]string{
		"StatefulSet arcgis-object-store": {"kubectl -n NAMESPACE describe pods arcgis-object-store",
			"kubectl -n NAMESPACE logs statefulset/arcgis-object-store --all-containers --tail=200", events},
		"arcgis-web-proxy-nny8f": {"kubectl -n NAMESPACE describe pods arcgis-web-proxy-nny8f",
			"kubectl -n NAMESPACE logs deployment/arcgis-web-proxy-nny8f --all-containers --tail=200", events},
		"":                           any,
		"The relational store":       any,
		"Deployment a; rm -rf ~":     any,
		"Deployment $(reboot)":       any,
		"Deployment -f":              any,
		"deployment a\nkubectl exec": any,
	} {
		if got := explain.Kubectl(resource); !slices.Equal(got, want) {
			t.Errorf("%q:\n%s", resource, strings.Join(got, "\n"))
		}
	}
}
