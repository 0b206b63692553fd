package health

import "geodeck/ui/widget/jsonview"

// cover is what is shown instead of the panes: a comparison, or JSON instead of everything.
type cover struct {
	compare comparison
	json    jsonview.Screen
}

func (c *cover) open() bool { return c.json.Open || c.compare.open }

// close shows the panes; nothing leads back to a comparison.
func (c *cover) close() { c.compare.open, c.compare.behind, c.json.Open = false, false, false }
