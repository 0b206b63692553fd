package edits_test

import (
	"testing"

	"geodeck/ui/views/services/edits"
)

func TestAStepIsUndoneAndRedone(t *testing.T) {
	t.Parallel()
	var h edits.History[string]
	if _, ok := h.Undo(); ok || h.Undoable() || h.Redoable() {
		t.Fatal("there is something to undo at the beginning")
	}
	h.Add("a", 1)
	h.Add("b", 1)
	for _, want := range []string{"b", "a"} {
		if step, ok := h.Undo(); !ok || step != want {
			t.Errorf("%s is undone instead of %s", step, want)
		}
	}
	if step, ok := h.Redo(); !ok || step != "a" || h.Done() != 1 {
		t.Errorf("%s is made again, %d done", step, h.Done())
	}
	h.Add("c", 1)
	if _, ok := h.Redo(); ok {
		t.Error("what was undone is made again after a new step")
	}
	if step, _ := h.Undo(); step != "c" {
		t.Errorf("%s is undone", step)
	}
}

func TestTheOldestOfTooManyStepsAreForgotten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ limit, size, left int }{
		"by number": {limit: 3, size: 1, left: 3},
		"by bytes":  {size: 12 << 20, left: 2},
		"never all": {size: 100 << 20, left: 1},
	} {
		h := edits.History[int]{Max: c.limit}
		for i := range 10 {
			h.Add(i, c.size)
		}
		if h.Done() != c.left {
			t.Errorf("%s: %d steps are left instead of %d", name, h.Done(), c.left)
		}
		if step, _ := h.Undo(); step != 9 {
			t.Errorf("%s: the last step is %d", name, step)
		}
	}
}

func TestStepsThatCannotBeRedoneTakeNoRoom(t *testing.T) {
	t.Parallel()
	var h edits.History[int]
	h.Add(0, 10<<20)
	for i := range 10 {
		h.Add(i, 20<<20)
		h.Undo()
	}
	if h.Done() != 1 {
		t.Errorf("%d steps are left", h.Done())
	}
}
