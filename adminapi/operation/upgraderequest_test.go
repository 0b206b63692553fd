package operation_test

import (
	"context"
	"net/http"
	"testing"

	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/upgrade"
)

func TestTheFactsBeforeAnUpgrade(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	offer, err := p.Offers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	facts := p.UpgradeFacts(t.Context(), offer, p.Request(t, operationtest.ReleaseID))
	if !facts.Status.Known() || !facts.Mode.Known() || !facts.Report.Known() || !facts.Backup.Known() || !facts.Caller.Known() {
		t.Errorf("not all was read: %+v", facts)
	}
	if checks := upgrade.Preflight(facts); finding.Blocked(checks) {
		t.Errorf("blocked: %+v", checks)
	}
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { operationtest.HangUp(w) })
	facts = p.UpgradeFacts(context.Background(), offer, operation.UpgradeRequest{Target: offer.Chain.Entries[0].Update})
	for _, check := range upgrade.Preflight(facts) {
		if check.ID == upgrade.CheckRunning || check.ID == upgrade.CheckMode || check.ID == upgrade.CheckHealth || check.ID == upgrade.CheckBackup {
			if !check.Unread || check.ID != upgrade.CheckBackup && check.Strength != finding.Danger { // it is a patch
				t.Errorf("%s is %v although nothing could be read", check.ID, check.Strength)
			}
		}
	}
}
