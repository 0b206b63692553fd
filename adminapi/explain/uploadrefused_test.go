package explain_test

import (
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/upgrade/progress"
)

// A release that failed has left the site read-only, which takes no licence: lifting that by hand is what
// a person thinks of next.
func TestALicenceThatAReadOnlySiteRefusesIsNoReasonToLiftThatByHand(t *testing.T) {
	t.Parallel()
	x := explain.Write(explain.WriteFacts{
		What: "start the upgrade to 12.0.0.7286", Title: "The upgrade was not started", Outcome: adminapi.OutcomeNotSent, Upload: true,
		Err:  &adminapi.Error{Kind: adminapi.KindReadOnly, Explicit: true, Message: "The site is in read-only mode."},
		Site: explain.SiteFacts{Known: true, Upgrade: progress.StateFailed},
	})
	if x.Cause.ID != "read-only-left" || !strings.Contains(x.Next.Text, "Call Esri support") || len(x.Avoid) == 0 || !strings.Contains(x.Avoid[0], "by hand") ||
		!slices.Contains(x.Site, "The upgrade itself was not sent.") {
		t.Errorf("%+v", x)
	}
}
