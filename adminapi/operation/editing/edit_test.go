package editing_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestManyConfirmedRemovalsAreFoundQuickly(t *testing.T) {
	t.Parallel()
	const keys = 60_000 // about 2 MiB
	text := []byte(`{"serviceName":"a","type":"MapServer","properties":{"x":1`)
	for i := range keys {
		text = fmt.Appendf(text, `,"some_property_%06d":"value %d"`, i, i)
	}
	base, err := document.Parse(append(text, "}}"...))
	if err != nil {
		t.Fatal(err)
	}
	edited, err := document.Parse([]byte(`{"serviceName":"a","type":"MapServer","properties":{"x":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	edit := editing.Edit{Base: base, Edited: edited}
	began := time.Now()
	edit.Accepted.Removed = document.RemovedKeys(edit.Plan().Risks)[1:]
	planned := time.Since(began) // on this machine, at this load: each key compared with each takes ten times as long
	began = time.Now()
	left, _ := errors.AsType[*editing.NotAcceptedError](edit.Sendable())
	if took := time.Since(began); len(left.Findings) != 1 || left.Findings[0].At.Path != "properties.some_property_000000" || took > 6*planned {
		t.Errorf("%v is not confirmed, found in %v, and planned in %v", left, took, planned)
	}
}

// Who says yes to one key, as the diff asks for each, has said nothing of the others.
func TestTheRemovalOfOneKeyIsAcceptedForThatKeyAlone(t *testing.T) {
	t.Parallel()
	edit := editing.Edit{
		Base:   operationtest.Parsed(t, `{"serviceName":"a","type":"MapServer","one":1,"two":{"x":2},"three":3}`),
		Edited: operationtest.Parsed(t, `{"serviceName":"a","type":"MapServer","three":3}`),
	}
	edit.Accepted = editing.AcceptedOf(edit.Plan().Found(), func(f finding.Finding) bool { return f.At.Path == "one" })
	left, _ := errors.AsType[*editing.NotAcceptedError](edit.Sendable())
	if left == nil || len(left.Findings) != 1 || left.Findings[0].At.Path != "two" {
		t.Errorf("left is %v", left)
	}
}

// Who accepts that a key is removed has not accepted what else that means.
func TestTheRemovalOfAKeyIsAcceptedAndNothingElseOfIt(t *testing.T) {
	t.Parallel()
	edit := editing.Edit{
		Base:   operationtest.Parsed(t, `{"serviceName":"a","type":"MapServer","capabilities":"Map,Query"}`),
		Edited: operationtest.Parsed(t, `{"serviceName":"a","type":"MapServer"}`),
	}
	var at []string
	for _, f := range edit.Plan().Found() {
		if f.Open() {
			at = append(at, f.ID+" "+f.At.Path)
		}
	}
	if len(at) != 2 {
		t.Fatalf("to accept are %q", at)
	}
	edit.Accepted.Removed = []document.Path{"capabilities"}
	left, _ := errors.AsType[*editing.NotAcceptedError](edit.Sendable())
	if left == nil || len(left.Findings) != 1 || left.Findings[0].ID != document.CapabilityRemoved {
		t.Errorf("left is %v", left)
	}
}

// What the site kept otherwise is a part of the edit, or something that the site writes by itself.
func TestWhatTheSiteDidNotKeepIsToldFromWhatItAdds(t *testing.T) {
	t.Parallel()
	edit := editing.Edit{Base: operationtest.Parsed(t, `{"a":1,"b":1}`), Edited: operationtest.Parsed(t, `{"a":2,"b":1}`)}
	for now, left := range map[string]bool{
		`{"a":2,"b":1,"changed":"now"}`: false,
		`{"a":2,"b":5}`:                 false,
		`{"a":1,"b":1}`:                 true, // as before
		`{"a":3,"b":1}`:                 true, // neither
	} {
		if got := edit.NotStored(operationtest.Parsed(t, now)); got.Left != left || len(got.Changes) == 0 {
			t.Errorf("%s: a part of the edit is left %v, want %v: %v", now, got.Left, left, got.Changes)
		}
	}
}

// The pods that an edit restarts are waited for: those of the definition, where it likely restarts.
func TestThePodsOfADefinitionAreThoseThatLikelyRestart(t *testing.T) {
	t.Parallel()
	const base = `{"serviceName":"a","type":"MapServer","deploymentId":"d","maxIdleTime":1800,"x":1}`
	for edited, want := range map[string]int{strings.Replace(base, "1800", "900", 1): 1, strings.Replace(base, `"x":1`, `"x":2`, 1): 0} {
		edit := editing.Edit{Base: operationtest.Parsed(t, base), Edited: operationtest.Parsed(t, edited)}
		if pods := edit.Pods(edit.Plan()); len(pods) != want {
			t.Errorf("%s: %q, risks %+v", edited, pods, edit.Plan().Risks)
		}
	}
}

// Whether the site answers at the end of an edit is as it was chosen, else as usual.
func TestAnEditIsAnsweredAsItWasChosen(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	yes, no := true, false
	for want, sync := range map[string]*bool{"true": nil, "false": &yes, "true ": &no} {
		edit := p.Edit(t, operationtest.Idle, "901")
		edit.Sync = sync
		request, err := operation.PrepareEdit(edit, p.Site).Request(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(request.Fields, func(f adminapi.Field) bool { return f.Name == "async" })
		if at < 0 || request.Fields[at].Value != strings.TrimSpace(want) {
			t.Errorf("want async %s: %+v", want, request.Fields)
		}
	}
}

func TestADefinitionThatCannotBeEditedWithoutLossIsRefused(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "odd-definitions")
	_, err := editing.Read(t.Context(), p.Client, editing.DefinitionOf(operationtest.Cities))
	if _, ok := errors.AsType[*document.SyntaxError](err); !ok {
		t.Errorf("a key twice: %v", err)
	}
}
