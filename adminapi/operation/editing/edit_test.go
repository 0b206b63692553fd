package editing_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
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

func TestADefinitionThatCannotBeEditedWithoutLossIsRefused(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "odd-definitions")
	_, err := editing.Read(t.Context(), p.Client, editing.DefinitionOf(operationtest.Cities))
	if _, ok := errors.AsType[*document.SyntaxError](err); !ok {
		t.Errorf("a key twice: %v", err)
	}
}
