package uitest

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

var named = map[string]tea.KeyType{
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "shift+tab": tea.KeyShiftTab,
	"backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "home": tea.KeyHome, "end": tea.KeyEnd,
	"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "space": tea.KeySpace,
	"ctrl+a": tea.KeyCtrlA, "ctrl+b": tea.KeyCtrlB, "ctrl+c": tea.KeyCtrlC, "ctrl+d": tea.KeyCtrlD,
	"ctrl+end": tea.KeyCtrlEnd, "ctrl+f": tea.KeyCtrlF, "ctrl+j": tea.KeyCtrlJ, "ctrl+k": tea.KeyCtrlK, "ctrl+o": tea.KeyCtrlO,
	"ctrl+r": tea.KeyCtrlR, "ctrl+s": tea.KeyCtrlS, "ctrl+t": tea.KeyCtrlT, "ctrl+u": tea.KeyCtrlU, "ctrl+w": tea.KeyCtrlW, "ctrl+y": tea.KeyCtrlY, "ctrl+_": tea.KeyCtrlUnderscore, "f2": tea.KeyF2,
}

// Key returns the message of one key, named as Bubble Tea names it, or as the row that it stands for:
// "health.copy". So a test says what is done, and goes on where a row gets another key.
func Key(name string) tea.KeyMsg {
	if key := views.KeyOf(name); key != "" {
		name = key
	}
	if kind, ok := named[name]; ok {
		if kind == tea.KeySpace {
			return tea.KeyMsg{Type: kind, Runes: []rune{' '}}
		}
		return tea.KeyMsg{Type: kind}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

// Keys returns the messages of several keys: "down down enter".
func Keys(names string) []tea.KeyMsg {
	var keys []tea.KeyMsg
	for _, name := range strings.Fields(names) {
		keys = append(keys, Key(name))
	}
	return keys
}

// Text returns the messages of typing s, a key for each character.
func Text(s string) []tea.KeyMsg {
	var keys []tea.KeyMsg
	for _, r := range s {
		if r == ' ' {
			keys = append(keys, Key("space"))
			continue
		}
		keys = append(keys, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
	}
	return keys
}

// Paste returns the message of a bracketed paste.
func Paste(s string) tea.KeyMsg {
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s), Paste: true}
}

// Explained checks that every command of a table has what help and docs show, and that
// none is listed twice.
func Explained(t testing.TB, table []views.Command) {
	t.Helper()
	seen := map[string]bool{}
	for _, c := range table {
		if c.ID == "" || c.Name == "" || c.Help == "" || c.Group == "" || seen[c.ID] {
			t.Errorf("command %+v", c)
		}
		seen[c.ID] = true
	}
}

// dashboardKeys belong to the dashboard around a view.
var dashboardKeys = []string{"q", "?", ":", "t", "!", "@", "ctrl+c", "ctrl+z", "1", "2", "3", "4", "5"}

// DistinctKeys checks that on a screen, which is named for the report, every key of a view
// means one thing and none of the dashboard's is taken, and that each row is in the table.
func DistinctKeys(t testing.TB, screen string, view interface{ Commands() []views.Command }, table []views.Command) {
	t.Helper()
	means := map[string]string{}
	for _, c := range views.Usable(view.Commands()) {
		for _, key := range c.Keys() {
			if other, taken := means[key]; taken && other != c.ID {
				t.Errorf("on %s %s means %s and %s", screen, key, other, c.ID)
			}
			if slices.Contains(dashboardKeys, key) {
				t.Errorf("on %s %s takes the key %s of the dashboard", screen, c.ID, key)
			}
			means[key] = c.ID
		}
		if !slices.ContainsFunc(table, func(in views.Command) bool { return in.ID == c.ID }) {
			t.Errorf("%s is not in the table", c.ID)
		}
	}
}

// Rows are the rows of a view that has not started, each id once.
func Rows(t testing.TB, maker views.Maker, env *views.Env) []views.Command {
	t.Helper()
	v := maker.New(env)
	t.Cleanup(v.Replies().Close)
	return views.Distinct(views.Rows(v))
}
