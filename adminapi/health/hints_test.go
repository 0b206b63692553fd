package health_test

import (
	"strings"
	"testing"

	"geodeck/adminapi/health"
)

func TestEveryBasicTestHasAHint(t *testing.T) {
	t.Parallel()
	names := strings.Fields(`sharing_availability healthcheck_relationalDatastore
		healthcheck_objectStore home_app_availability manager_availability
		healthcheck_spatioTemporalIndexStore healthcheck_ingress healthcheck_publishingService
		healthcheck_sharedMapService healthcheck_spatialanalysis healthcheck_geometryService
		query_logs_availability healthcheck_index_synced`)
	seen := map[string]string{}
	for _, name := range names {
		hint, ok := health.HintFor(name)
		if !ok || !strings.HasSuffix(hint.Covers, ".") || !strings.HasSuffix(hint.Next, ".") {
			t.Errorf("%s: %v, %+v", name, ok, hint)
		}
		for _, text := range []string{hint.Covers, hint.Next} {
			if other := seen[text]; other != "" {
				t.Errorf("%s says the same as %s", name, other)
			}
			seen[text] = name
		}
	}
	if len(names) != 13 {
		t.Errorf("%d tests", len(names))
	}
}

func TestOtherTestsHaveNoHint(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "healthcheck", "HEALTHCHECK_INGRESS", "disk_space"} {
		if hint, ok := health.HintFor(name); ok || hint != (health.Hint{}) {
			t.Errorf("%q: %+v", name, hint)
		}
	}
}
