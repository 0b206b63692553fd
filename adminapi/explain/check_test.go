package explain_test

import (
	"slices"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/finding"
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

// What is copied stands alone: it names the upgrade. What cannot be accepted says so, and its key says what
// it shows.
func TestAFindingSaysBeforeWhatItStandsAndWhereItIsAccepted(t *testing.T) {
	t.Parallel()
	of := upgrade.Facts{Target: adminapi.Update{Version: "11.5.0", Build: "6825"}}
	of.Status.Value = adminapi.UpgradeStatus{State: "failed", Code: 2}
	f := finding.Finding{ID: upgrade.CheckHealth, Title: "Health", Strength: finding.Danger, Text: "It failed.", Do: "Read it.", Accept: "failed-health"}
	x := explain.Check(f, of, false, false)
	if x.Title != "Before the upgrade to 11.5.0.6825: Health: danger" || !slices.Equal(x.Then, []string{"Or accept it in the pre-flight: its word is failed-health."}) {
		t.Errorf("%q, %q", x.Title, x.Then)
	}
	if x = explain.Check(f, of, false, true); !slices.Equal(x.Then, []string{"Or accept it here: its word is failed-health."}) {
		t.Errorf("%q", x.Then)
	}
	f = finding.Finding{ID: upgrade.CheckRunning, Title: "Nothing else runs", Strength: finding.Block, Text: "It failed between releases.", Do: "Fix the cause, then start the same release again."}
	x = explain.Check(f, of, false, true)
	if want := []string{f.Do, "It cannot be accepted: nothing is sent while it is so."}; x.Next.Action.ID != explain.ExplainUpgrade ||
		x.Next.Text != "See in Progress why the last one failed." || !slices.Equal(x.Then, want) {
		t.Errorf("%+v, %q", x.Next, x.Then)
	}
}
