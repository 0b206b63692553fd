//go:build !race

package sweep_test

import "geodeck/ui/uitest/sweep"

// usual is how many days the suite plays, each twice: one of each play.
var usual = len(sweep.Plays)
