package sweep_test

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"geodeck/ui/uitest"
	"geodeck/ui/uitest/sweep"
)

// TestMain sets the look of widgets. The days keep little and leave much behind: a third of
// their time went to collecting it. Of thousands of days some memory stays: it has a limit.
func TestMain(m *testing.M) {
	uitest.SetUp()
	debug.SetGCPercent(800)
	debug.SetMemoryLimit(6 << 30)
	os.Exit(withConfig(m))
}

// withConfig runs the tests with a config.yaml for days on which the site is in production.
func withConfig(m *testing.M) int {
	folder, err := os.MkdirTemp("", "geodeck-sweep-")
	if err == nil {
		defer os.RemoveAll(folder)
		err = sweep.WriteConfig(folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
