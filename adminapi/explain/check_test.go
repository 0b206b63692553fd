package explain_test

import (
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/upgrade"
)

// Each of these causes is that of a refusal: by another name nothing would be accepted anew.
func TestWhatASiteRefusesIsTheCheckThatIsAcceptedAnew(t *testing.T) {
	t.Parallel()
	refused := func(kind adminapi.Kind, message string) explain.CauseID {
		return explain.Write(explain.WriteFacts{Outcome: adminapi.OutcomeRefused, Err: &adminapi.Error{Kind: kind, Explicit: true, Message: message}}).Cause.ID
	}
	for id, want := range map[explain.CauseID]string{
		refused(adminapi.KindPrivilege, "no"):                                    upgrade.CheckPrivileges,
		refused(adminapi.KindReadOnly, "no"):                                     upgrade.CheckMode,
		refused(adminapi.KindInvalid, "The license file is not valid for 12.0."): upgrade.CheckLicence,
		refused(adminapi.KindInvalid, "no"):                                      "",
	} {
		if got := explain.CheckOf(id); got != want {
			t.Errorf("%s is about %q, not %q", id, got, want)
		}
	}
}
