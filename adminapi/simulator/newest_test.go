package simulator_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/placement"
)

const release121 = "rel_25062026_8325"

func TestTheNewestSiteOffersTheReleaseAfterIt(t *testing.T) {
	t.Parallel()
	s := open(t, "newest", "admin")
	s.isVersion("12.0.0.7286")
	s.post("/system/upgrades/available").has("patches", 0, "releases", 1, "releases.0.id", release121, "releases.0.build", "8325",
		"releases.0.previousReleaseBuild", "7286", "releases.0.newLicensesRequired", true,
		"releases.0.minKubernetesVersion", "1.33", "releases.0.maxKubernetesVersion", "1.35", "releases.0.containers", 48)
	s.upgrade(release121, s.licensed(release121, "12.1"))
	s.isVersion("12.1.0.8325")
	s.post("/system/upgrades/available").has("patches", 0, "releases", 0)
}

// A pool that is empty has a node once pods wait for one.
func TestAnEmptyPoolMakesTheNodeThatPodsWaitFor(t *testing.T) {
	t.Parallel()
	s := open(t, "newest", "admin")
	gpu := func() (found bool) {
		nodes, err := placement.ReadNodes(s.server.Nodes())
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range nodes {
			if n.Labels["karpenter.sh/nodepool"] == "" {
				t.Errorf("%s is of no pool", n.Name)
			}
			found = found || strings.HasPrefix(n.Name, "gpu")
		}
		return found
	}
	if gpu() {
		t.Error("the pool is not empty")
	}
	s.place(`{"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists"}],` +
		fmt.Sprintf(affinityOf, `{"key":"pool","operator":"In","values":["gpu"]}`)[1:])
	s.clock.Advance(time.Minute)
	s.get(cities)
	if !gpu() {
		t.Error("pods wait, and the pool makes no node")
	}
}
