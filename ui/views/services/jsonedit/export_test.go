package jsonedit

import "geodeck/adminapi/document"

// Go puts the cursor on a value as if a user had moved it there, and reports whether it
// is there: what the line below says stays.
func (e *Editor) Go(path document.Path) bool {
	n, ok := e.Document().Find(path)
	if ok {
		e.tree.goTo(e.tree.lines.of(n))
	}
	return ok
}
