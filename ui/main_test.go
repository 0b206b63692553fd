package ui_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"geodeck/ui/uitest"
)

// TestMain draws without colours, also where a widget takes the default look.
// Called by a test of the terminal, it is the program in that terminal.
func TestMain(m *testing.M) {
	if scene := os.Getenv(sceneVariable); scene != "" {
		os.Exit(play(scene))
	}
	uitest.SetUp()
	goleak.VerifyTestMain(m)
}
