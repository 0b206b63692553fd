// Package background decides whether the terminal is dark before anything queries the
// terminal. Bubble Tea v1 does so in a package init and waits up to five seconds for a
// terminal that never answers, unless the answer is known.
//
// It works because Go initialises ready packages in the order of their import
// paths, and this path sorts before github.com/charmbracelet/bubbletea. So it
// must import nothing but lipgloss, and the module's path must keep sorting
// first; a test in a pseudo-terminal guards both.
package background

import (
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"
)

func init() { lipgloss.SetHasDarkBackground(Dark(os.Getenv("COLORFGBG"))) }

// Known reports whether COLORFGBG says which background the terminal has.
func Known(colorfgbg string) bool {
	fields := strings.Split(colorfgbg, ";")
	_, err := strconv.Atoi(fields[len(fields)-1])
	return err == nil
}

// Dark reads COLORFGBG ("foreground;background" as colour numbers, which some
// terminals set). A terminal that says nothing counts as dark.
func Dark(colorfgbg string) bool {
	fields := strings.Split(colorfgbg, ";")
	number, err := strconv.Atoi(fields[len(fields)-1])
	if err != nil {
		return true
	}
	return number < 7 || number == 8
}
