package edits

import "geodeck/ui/views"

// maxBytes bounds what the steps that can be undone hold of texts.
const maxBytes = 32 << 20

// History is the steps that were made, and behind them those undone.
type History[S any] struct {
	Max   int // how many steps are held; zero for any number
	steps []sized[S]
	done  int
	bytes int
}

type sized[S any] struct {
	step S
	size int
}

// Add takes a new step with the bytes that it holds; nothing can be redone after it.
func (h *History[S]) Add(step S, size int) {
	for _, undone := range h.steps[h.done:] {
		h.bytes -= undone.size
	}
	h.steps = append(h.steps[:h.done], sized[S]{step, size})
	h.bytes += size
	for len(h.steps) > 1 && (h.bytes > maxBytes || h.Max > 0 && len(h.steps) > h.Max) {
		h.bytes -= h.steps[0].size
		h.steps = h.steps[1:]
	}
	h.done = len(h.steps)
}

// Extend returns the step that was made last, to take so many more bytes into it; nil for
// none, or where steps were undone.
func (h *History[S]) Extend(size int) *S {
	if h.done == 0 || h.Redoable() {
		return nil
	}
	h.bytes += size
	h.steps[h.done-1].size += size
	return &h.steps[h.done-1].step
}

// Undo returns the step that was made last and is undone now; false for none.
func (h *History[S]) Undo() (step S, ok bool) {
	if ok = h.Undoable(); ok {
		h.done--
		step = h.steps[h.done].step
	}
	return step, ok
}

// Redo returns the step that was undone last and is redone now; false for none.
func (h *History[S]) Redo() (step S, ok bool) {
	if ok = h.Redoable(); ok {
		step = h.steps[h.done].step
		h.done++
	}
	return step, ok
}

// Rows are the commands that undo a step and make it once more.
func (h *History[S]) Rows(prefix string, undo, redo func()) []views.Command {
	return []views.Command{
		{ID: prefix + ".undo", Key: "u", Word: "undo", Name: "undo", Enabled: views.Only(h.Undoable, "Nothing to undo. History restores what was sent."), Run: views.Call(undo),
			Help: "Undo the last change."},
		{ID: prefix + ".redo", Key: "ctrl+r", Name: "redo", Enabled: views.Only(h.Redoable, "Nothing to redo."), Run: views.Call(redo),
			Help: "Redo the change that was undone."},
	}
}

// Done is how many steps can be undone.
func (h *History[S]) Done() int { return h.done }

// Undoable reports whether there is a step to undo.
func (h *History[S]) Undoable() bool { return h.done > 0 }

// Redoable reports whether there is a step to redo.
func (h *History[S]) Redoable() bool { return h.done < len(h.steps) }
