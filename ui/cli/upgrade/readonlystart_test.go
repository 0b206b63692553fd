package upgrade_test

import (
	"encoding/json"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/ui/uitest/clitest"
)

// A site that a failed release has left read-only takes no licence either: the same release cannot be
// started again. The command says that nothing was started and what to do; the record says for what the
// upload was.
func TestARestartWhoseLicenceTheReadOnlySiteRefusesSaysThatNothingWasStarted(t *testing.T) {
	t.Parallel()
	u := clitest.NewUpgrading(t, "running-release-fails")
	if r := u.Run(t.Context(), "upgrade", "watch"); r.Code != 1 {
		t.Fatalf("exit code %d, %s", r.Code, r.Err)
	}
	start := []string{"upgrade", "start", clitest.Release12, "--license", u.Licence,
		"--accept", "running,mode,health,placement,clock,backup,failed-health", "--confirm", "12.0.0.7286"}
	r := u.Run(t.Context(), start...)
	for _, want := range []string{
		"geodeck: the upgrade was not started: its licence could not be uploaded: ", "read-only mode",
		"do not lift read-only mode by hand", "Call Esri support", "geodeck upgrade evidence",
	} {
		if r.Code != 4 || !strings.Contains(r.Err, want) {
			t.Errorf("exit code %d, no %q in\n%s", r.Code, want, r.Err)
		}
	}
	record := u.LastWrite()
	if record.Kind != adminapi.WriteUpload || record.Subject != "12.0.0.7286" || len(record.Accepted) == 0 || record.Outcome != adminapi.OutcomeRefused {
		t.Errorf("the record is %+v", record)
	}
	var refused struct {
		Error struct{ Operation, Message string }
	}
	r = u.Run(t.Context(), append(start, "-o", "json")...)
	err := json.Unmarshal([]byte(r.Err[strings.Index(r.Err, `{"schemaVersion":1,"error"`):]), &refused)
	if err != nil || refused.Error.Operation != "start the upgrade to 12.0.0.7286" || !strings.HasPrefix(refused.Error.Message, "the upgrade was not started: ") {
		t.Errorf("%v: %s", err, r.Err)
	}
}
