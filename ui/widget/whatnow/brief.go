package whatnow

import (
	"slices"
	"strings"

	"geodeck/adminapi/explain"
	"geodeck/adminapi/plain"
	"geodeck/ui/widget/rows"
)

// mostBrief bounds each part of what is shown in place, in cells: the panel has the whole.
const mostBrief = 160

// Rest adds what [Brief] and [Forbid] leave out, but for the evidence: what comes after the next step,
// and what to look at.
func Rest(page *rows.Page, x explain.Explanation) {
	begin := func(string) {}
	list(page, "Then", withEvidence(x.Then), begin)
	list(page, "Look at", x.Look, begin)
	list(page, "Run", x.Kubectl, begin)
}

// Forbid adds what must not be missed, of what [Brief] leaves out: what not to do, and what the site has
// but for its mode.
func Forbid(page *rows.Page, x explain.Explanation) {
	forbid(page, x, func(string) {})
	if len(x.Site) > 1 {
		page.Fact("Site", strings.Join(x.Site[1:], " "))
	}
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
