package uitest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// Hurry is [Part.Press] of keys that follow each other so fast that the user never rests,
// neither between them nor behind the last.
func (p *Part) Hurry(keys string) []tea.Msg {
	p.t.Helper()
	var up []tea.Msg
	for _, key := range Keys(keys) {
		up = append(up, press(p.t, p.part, key)...)
	}
	return up
}

// SameInAHurry checks that keys, of which all but the last move a cursor, lead to the same
// screen and send the same upward whether or not the user rests between them. open makes
// the part that they are pressed in, each time anew.
func SameInAHurry(t *testing.T, open func(t *testing.T) *Part, keys string) {
	t.Helper()
	slow, fast := open(t), open(t)
	moves, act := keys[:strings.LastIndexByte(keys, ' ')], keys[strings.LastIndexByte(keys, ' ')+1:]
	before := slow.Draw()
	slow.Press(moves)
	moved := slow.Draw()
	want, got := slow.Press(act), append(fast.Hurry(keys), fast.Rest()...)
	if before == moved || moved == slow.Draw() && len(want) == 0 {
		t.Fatalf("%s does nothing", keys)
	}
	if was, is := slow.Draw(), fast.Draw(); was != is {
		t.Errorf("%s without a rest leads to\n%s\nand with a rest to\n%s", keys, is, was)
	}
	if was, is := sentUp(want), sentUp(got); !slices.Equal(was, is) {
		t.Errorf("%s without a rest sends %q, and with a rest %q", keys, is, was)
	}
}

// port is the port of the simulated site, which differs from one to the other.
var port = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// AnyPort writes the port of the simulated site in the same way each time.
func AnyPort(screen string) string { return port.ReplaceAllString(screen, "127.0.0.1:00000") }

// sentUp is what was sent upward as a user notices it.
func sentUp(msgs []tea.Msg) []string {
	var texts []string
	for _, msg := range msgs {
		switch msg := msg.(type) {
		case views.Open:
			msg.Dialog.SetSize(78, 16)
			texts = append(texts, AnyPort(msg.Dialog.View()))
		case views.Notice:
			texts = append(texts, msg.Text)
		default:
			texts = append(texts, fmt.Sprintf("%T %v", msg, msg))
		}
	}
	return texts
}
