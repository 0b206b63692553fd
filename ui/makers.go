package ui

import (
	"geodeck/ui/views"
	"geodeck/ui/views/health"
	"geodeck/ui/views/progress"
	"geodeck/ui/views/services"
	upgradeview "geodeck/ui/views/upgrade"
)

// makers returns every view, in the order of the tabs. To add a view, add its
// maker here.
func makers() []views.Maker {
	return []views.Maker{health.Maker, upgradeview.Maker, services.Maker, progress.Maker}
}
