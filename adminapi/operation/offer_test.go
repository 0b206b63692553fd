package operation_test

import (
	"testing"

	"geodeck/adminapi/operation/operationtest"
)

func TestWhileAnUpgradeRunsNothingBelowItIsFetched(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "elses-upgrade")
	offer, err := p.Offers(t.Context())
	if err != nil || !offer.Running() {
		t.Fatalf("running %v, error %v", offer.Running(), err)
	}
	for _, child := range []string{"POST available", "GET currentVersion", "GET installed"} {
		if p.Sent(child) != 0 {
			t.Errorf("%s was asked", child)
		}
	}
}
