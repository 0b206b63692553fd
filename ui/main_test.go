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
	goleak.VerifyTestMain(m,
		// Each program of teatest waits for an interrupt for ever, and none for the blink of a cursor.
		goleak.IgnoreTopFunction("github.com/charmbracelet/x/exp/teatest.NewTestModel.func2"),
		goleak.IgnoreAnyFunction("github.com/charmbracelet/bubbles/cursor.(*Model).BlinkCmd.func1"),
		goleak.IgnoreAnyFunction("github.com/charmbracelet/bubbletea.(*Program).execBatchMsg"),
	)
}
