package ui_test

import (
	"os"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
	"go.uber.org/goleak"
)

// TestMain draws without colours, also where a widget takes the default look.
// Called by a test of the terminal, it is the program in that terminal.
func TestMain(m *testing.M) {
	if scene := os.Getenv(sceneVariable); scene != "" {
		os.Exit(play(scene))
	}
	lipgloss.SetColorProfile(termenv.Ascii)
	lipgloss.SetHasDarkBackground(true)
	goleak.VerifyTestMain(m)
}
