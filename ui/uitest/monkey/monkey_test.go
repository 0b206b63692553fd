package monkey_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest/monkey"
)

func keyboard(t testing.TB) monkey.Keyboard {
	t.Helper()
	page, err := os.ReadFile("../../../docs/keys.md")
	if err != nil {
		t.Fatal(err)
	}
	k, err := monkey.ReadKeyboard(string(page))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestTheKeyboardIsThatOfThePage(t *testing.T) {
	t.Parallel()
	k := keyboard(t)
	for _, key := range []string{"\r", "\x1b", "\x1b[A", "\x13", "\x1f", "w", "W", "?", ":", "\x1bOQ"} {
		if !slices.Contains(k.Keys, key) {
			t.Errorf("%q is no key", key)
		}
	}
	for _, command := range []string{"open service SERVICE", "alarms ON|OFF", "sign out"} {
		if !slices.Contains(k.Commands, command) {
			t.Errorf("%q is no command of %q", command, k.Commands)
		}
	}
	if slices.Contains(k.Keys, "q") || slices.Contains(k.Keys, "\x03") || slices.Contains(k.Commands, "quit") {
		t.Error("it quits")
	}
}

func TestAKeyThatNobodyCanTypeIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := monkey.ReadKeyboard("| `hyper+x` | `:x` | |\n"); err == nil || !strings.Contains(err.Error(), "hyper+x") {
		t.Errorf("the error is %v", err)
	}
}

func TestASeedDecidesAllMoves(t *testing.T) {
	t.Parallel()
	k := keyboard(t)
	one, same, other := monkey.New(1, 1, k), monkey.New(1, 1, k), monkey.New(1, 2, k)
	kinds, differs := map[monkey.Kind]int{}, false
	for range 20_000 {
		move := one.Next()
		if again := same.Next(); move != again {
			t.Fatalf("%v is not %v", again, move)
		}
		differs = differs || move != other.Next()
		kinds[move.Kind]++
		if move.Kind == monkey.Type && (move.Keys == "q" || strings.Contains(move.Keys, "\x03")) {
			t.Errorf("%v quits", move)
		}
	}
	if len(kinds) != int(monkey.End)+1 || !differs {
		t.Errorf("the kinds of moves are %v; another seed differs: %v", kinds, differs)
	}
}

func TestEveryWorldCanBeMade(t *testing.T) {
	t.Parallel()
	m := monkey.New(1, 1, keyboard(t))
	for i := range 300 {
		text, err := m.Trouble(i%2 == 0).YAML()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := simulator.ReadScenario(text); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatAProgramMayWrite(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		pieces []string
		want   string // a part of the error
	}{
		"a frame":                {pieces: []string{"\x1b[?2026h\r\x1b[2J\x1b[3;4H\x1b[1;31mlines ✓\x1b[m\x1b[K\x1b[5C.\x1b[?25l\x1b[?2026l\x1b[?25h"}},
		"a frame in pieces":      {pieces: []string{"\x1b[?2026h\x1b[1;1", "H\xe2\x9c", "\x93 done\x1b", "[m\x1b[?2026l"}},
		"a copy and a bell":      {pieces: []string{"\x1b]52;c;Zm9v\a\a\x1b]9;it has ended\a"}},
		"the last column":        {pieces: []string{"\x1b[40;116Hlines"}},
		"beyond the last column": {[]string{"\x1b[40;116Hlines."}, "ends in column 121"},
		"below the last line":    {[]string{"\x1b[41;1H"}, "line 41"},
		"a title":                {[]string{"\x1b]0;gone\a" + strings.Repeat(" ", 80)}, "no use"},
		"a C1 control":           {[]string{"a\u009b2J"}, "U+009B"},
		"a text from the right":  {[]string{"a\u202eb"}, "U+202E"},
		"no UTF-8":               {[]string{"a\xff."}, "no UTF-8"},
		"a null":                 {[]string{"\x00"}, "no use"},
		"a secret":               {[]string{"the pass\x1b[mword is hunter-2-", "hunter"}, "secret"},
		"a crash":                {[]string{"panic", ": no\r\n"}, "panic:"},
		"a mode":                 {[]string{"\x1b[?2004h\x1b[?25l", "\x1b[?25h"}, "modes 2004"},
		"half a character":       {[]string{"\xe2\x9c"}, "no UTF-8"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			o := monkey.NewOutput("hunter-2-hunter-2")
			o.Bound(120, 40)
			var err error
			for _, piece := range append([]string{"\xff\x00\u202e\x1b[?1049h"}, c.pieces...) {
				if err == nil {
					err = o.Read(piece)
				}
			}
			if err == nil {
				err = o.Read("\x1b[?1049l")
			}
			if err == nil {
				err = o.Left()
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("the error is %v, not %q", err, c.want)
			}
		})
	}
}
