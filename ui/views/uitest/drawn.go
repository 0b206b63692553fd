package uitest

import (
	"regexp"
	"strings"
	"testing"
)

// Drawer draws itself in exactly the size that it was given.
type Drawer interface {
	View() string
	SetSize(width, height int)
}

// Drawn is what a test sees of a view, or of a part of one, at a size.
type Drawn struct {
	t             testing.TB
	drawer        Drawer
	width, height int
}

func drawn(t testing.TB, d Drawer, width, height int) Drawn {
	d.SetSize(width, height)
	return Drawn{t: t, drawer: d, width: width, height: height}
}

// Resize gives it another size.
func (d *Drawn) Resize(width, height int) {
	d.width, d.height = width, height
	d.drawer.SetSize(width, height)
}

// styles are the only controls that a screen in colour holds.
var styles = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Draw draws, and checks the size and that a terminal obeys nothing of it.
func (d *Drawn) Draw() string {
	d.t.Helper()
	v := d.drawer.View()
	Fits(d.t, v, d.width, d.height)
	Harmless(d.t, styles.ReplaceAllString(v, ""))
	return v
}

// Golden compares the screen with testdata/<name of the test>.golden.
func (d *Drawn) Golden() {
	d.t.Helper()
	Golden(d.t, d.Draw())
}

// Shows fails unless the screen shows every text.
func (d *Drawn) Shows(texts ...string) {
	d.t.Helper()
	v := d.Draw()
	for _, text := range texts {
		if !strings.Contains(v, text) {
			d.t.Fatalf("the screen does not show %q:\n%s", text, v)
		}
	}
}

// Hides fails where the screen shows any of the texts.
func (d *Drawn) Hides(texts ...string) {
	d.t.Helper()
	v := d.Draw()
	for _, text := range texts {
		if strings.Contains(v, text) {
			d.t.Fatalf("the screen shows %q:\n%s", text, v)
		}
	}
}

// Line returns the first line of the screen with a text, or nothing.
func (d *Drawn) Line(text string) string {
	d.t.Helper()
	for line := range strings.SplitSeq(d.Draw(), "\n") {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}
