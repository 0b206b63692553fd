package whatnow

import (
	"slices"

	"geodeck/adminapi/explain"
	"geodeck/adminapi/plain"
	"geodeck/ui/widget/rows"
)

// mostBrief bounds each part of what is shown in place, in cells: the panel has the whole.
const mostBrief = 160

// Rest adds what [Brief] leaves out, but for the evidence: what not to do, what comes after the
// next step, and what to look at.
func Rest(page *rows.Page, x explain.Explanation) {
	begin := func(string) {}
	follows(page, x, begin)
	list(page, "Look at", x.Look, begin)
}

// Forbid adds what not to do, of what [Brief] leaves out.
func Forbid(page *rows.Page, x explain.Explanation) {
	x.Then = nil
	follows(page, x, func(string) {})
}

// Brief adds what a view shows in place of the panel: the cause, and the next step after its
// key, where that is the key of one of the view's rows. Where nothing is wrong it adds nothing.
func Brief(page *rows.Page, x explain.Explanation, own ...string) {
	why, next := x.Short()
	if slices.Contains(own, keyRow(x.Next.Action)) {
		next = withKey(x.Next)
	}
	page.Fact("Why", plain.Clip(why, mostBrief))
	page.Fact("Next", plain.Clip(next, mostBrief))
}
