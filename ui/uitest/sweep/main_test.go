package sweep_test

import (
	"os"
	"runtime/debug"
	"testing"

	"geodeck/ui/uitest"
)

// TestMain sets the look of widgets. The days keep little and leave much behind: a third of
// their time went to collecting it.
func TestMain(m *testing.M) {
	uitest.SetUp()
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}
