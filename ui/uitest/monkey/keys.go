// Package monkey types at the whole program at random: its own keys, commands and texts,
// and what no user would type, at changing sizes, while a simulated site misbehaves. It
// knows what a program may write to a terminal, and what of that no program may.
//
// Everything is decided by a seed. Start reading at [Monkey.Next]; the test drives the
// program with it, as `make monkey`.
package monkey

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Keyboard is what the program's page of keys lists: what its screens listen to.
type Keyboard struct {
	Keys     []string // as a terminal sends them, each once, without those that quit
	Commands []string // of the palette, each once, with the words for its argument in capitals
}

// ctrlC and quitKey end the program: they are typed where it has to end, and nowhere else.
const (
	ctrlC   = "\x03"
	quitKey = "q"
)

// notTyped are commands that would end the program.
var notTyped = []string{"quit"}

var (
	tableRow = regexp.MustCompile(`(?m)^\| ((?:[^|\\]|\\.)*) \| ((?:[^|\\]|\\.)*) \| `)
	inTicks  = regexp.MustCompile("`([^`]+)`")
)

// ReadKeyboard reads the page of keys. A key that it names and nobody can type is an error.
func ReadKeyboard(page string) (Keyboard, error) {
	var k Keyboard
	for _, row := range tableRow.FindAllStringSubmatch(page, -1) {
		for _, named := range inTicks.FindAllStringSubmatch(row[1], -1) {
			key, ok := typed(named[1])
			if !ok {
				return k, fmt.Errorf("the page names the key %q, which nobody can type", named[1])
			}
			if key != ctrlC && key != quitKey && !slices.Contains(k.Keys, key) {
				k.Keys = append(k.Keys, key)
			}
		}
		for _, named := range inTicks.FindAllStringSubmatch(row[2], -1) {
			command := strings.ReplaceAll(strings.TrimPrefix(named[1], ":"), `\|`, "|")
			if !slices.Contains(notTyped, command) && !slices.Contains(k.Commands, command) {
				k.Commands = append(k.Commands, command)
			}
		}
	}
	if len(k.Keys) == 0 || len(k.Commands) == 0 {
		return k, fmt.Errorf("the page names %d keys and %d commands", len(k.Keys), len(k.Commands))
	}
	return k, nil
}

// sequences are what a terminal sends for keys that are no characters.
var sequences = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "shift+tab": "\x1b[Z", "space": " ", "backspace": "\x7f", "delete": "\x1b[3~",
	"↑": "\x1b[A", "↓": "\x1b[B", "→": "\x1b[C", "←": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F", "pgup": "\x1b[5~", "pgdn": "\x1b[6~",
	"alt+up": "\x1b[1;3A", "alt+down": "\x1b[1;3B", "alt+left": "\x1b[1;3D", "alt+right": "\x1b[1;3C", "ctrl+home": "\x1b[1;5H", "ctrl+end": "\x1b[1;5F", "ctrl+_": "\x1f", "f2": "\x1bOQ", "f5": "\x1b[15~",
}

// typed returns what a terminal sends for a key, named as the page does.
func typed(name string) (string, bool) {
	if sequence, ok := sequences[name]; ok {
		return sequence, true
	}
	if letter, ok := strings.CutPrefix(name, "ctrl+"); ok && len(letter) == 1 && letter[0] >= 'a' && letter[0] <= 'z' {
		return string(rune(letter[0] - 'a' + 1)), true
	}
	if letter, ok := strings.CutPrefix(name, "alt+"); ok && len(letter) == 1 {
		return "\x1b" + letter, true
	}
	return name, len(name) == 1
}
