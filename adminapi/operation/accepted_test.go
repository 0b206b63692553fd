package operation_test

import (
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/upgrade"
)

// What was accepted is in the record with what it said then: the words alone tell a reader nothing.
func TestTheRecordOfAWriteSaysWhatWasAccepted(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	want := func(said ...string) {
		t.Helper()
		records, err := p.Memory.Journal.Actions(1)
		if err != nil || len(records) != 1 {
			t.Fatalf("%d records, %v", len(records), err)
		}
		if got := records[0].Accepted; len(got) != len(said) || len(got) > 0 && !strings.HasPrefix(got[0].String(), said[0]) {
			t.Errorf("%s: accepted %q, want %q", records[0].Operation, got, said)
		}
	}
	sends := func(_ any, r operation.Result) {
		t.Helper()
		if !r.Done() {
			t.Fatal(r.Err)
		}
	}
	edited, err := p.Definition(t).Add(document.Whole, "x-new", `{"a":1}`, -1)
	if err != nil {
		t.Fatal(err)
	}
	sends(p.ApplyEdit(t.Context(), editing.Edit{Target: editing.DefinitionOf(operationtest.Cities), Base: p.Definition(t), Edited: edited,
		Accepted: editing.Accepted{Words: []string{"unknown-key", "drift"}}}, nil))
	want("unknown-key: x-new: ")
	sends(p.SwitchService(t.Context(), operation.Switch{Service: operationtest.Cities}, nil, nil))
	want("SampleWorldCities: Clients of the service are refused.")
	sends(p.SwitchService(t.Context(), operation.Switch{Service: operationtest.Cities, Start: true}, nil, nil))
	want()

	request := p.Request(t, operationtest.ReleaseID)
	request.Accepted = []finding.Finding{{ID: "health", Accept: upgrade.AcceptFailedHealth, Text: "The last report failed, 2 of 40 tests.", Why: "Existing faults can make it fail."}}
	sends(p.StartUpgrade(t.Context(), request, nil))
	want("failed-health: The last report failed, 2 of 40 tests. Existing faults")
	if v, err := p.Memory.Journal.Verify(); err != nil || len(v.Faults) > 0 {
		t.Errorf("%+v, %v", v.Faults, err)
	}
	if records, _ := p.Memory.Journal.Actions(0); len(records) < 5 || records[0].Kind != adminapi.WriteUpgrade || records[1].Kind != adminapi.WriteUpload || len(records[1].Accepted) != 1 {
		t.Errorf("%d records; the upload of the licence came before, and was accepted with the same: %+v", len(records), records[min(1, len(records)-1)])
	}
}
