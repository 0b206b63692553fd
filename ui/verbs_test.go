package ui_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"geodeck/ui"
)

// verbs is the table of keys of CONTRIBUTING.md: how the name of a command begins that may have
// the key, or its sentence where it has no name.
var verbs = map[string]string{
	"enter": "go in|open|watch|next step|confirm|continue|view open draft|show change|edit the|merge",
	"esc":   "(go )?back", "space": "mark$|accept|switch|choose|next word",
	"/": "filter", "n": "next", "N": "previous", "f": ".*only|services not running|what needs attention", "F": "follow", "s": "sort",
	"S": "start or stop|stop after|stop waiting", "tab": "next (pane|tab)|board|complete", "shift+tab": "(previous|next) pane|previous (tab|field)",
	"]": "next (group|list|phase)", "[": "previous (group|list|phase)", "}": "next change", "{": "previous change",
	"h": "fold$", "left": "fold$|previous list", "l": "unfold$", "right": "unfold$|next list", "z": "fold or unfold", "_": "fold all", "+": "unfold all", "=": "unfold all",
	"-": "view before", "e": "edit", "E": ".*in editor", "i": "edit as text", "a": "add", "A": "add", "d": "delete( the|$)", "c": "duplicate",
	"K": "move.* up", "J": "move.* down", "alt+up": "move.* up", "alt+down": "move.* down",
	"u": "undo", "ctrl+r": "redo", "X": "discard", "w": "write|confirm|restore|send", "v": "view|show|see|table", "V": "mark a range",
	"C": "compare", "x": "export|save", "y": "copy", "Y": "copy", "R": "refresh|check again|watch upgrade", "f5": "refresh|check again|watch upgrade",
	"r": "(run|check) health", "o": "open|move .* to the other", "D": "delete", "b": "roll back", "I": "import", "m": "merge|take", "M": "same change on marked",
	"O": "take over", "p": "next panel", "P": "presets", "L": "load nodes|last good", "W": "what now|explain",
	"@": "sites", "t": "time display", "!": "last notice", "*": "same code", "?": "help", ":": "opens a line for commands", "q": "quit",
	"1": "health", "2": "upgrades", "3": "services", "4": "progress", "5": "activity", "6": "fleet", "f2": "rename",
	"up": "up", "k": "up", "down": "down", "j": "down", "g": "top", "home": "top", "G": "bottom", "end": "bottom",
	"pgup": "page up|previous page", "pgdown": "page down|next page", "ctrl+b": "page up", "ctrl+f": "page down", "ctrl+u": "half a page up", "ctrl+d": "half a page down",
	"ctrl+s": "apply|review", "ctrl+t": "all fields", "ctrl+l": "redraw", "ctrl+z": "suspend", "ctrl+c": "quits",
}

// typedVerbs is what keys mean besides in questions, lists and panels that lie over a view.
var typedVerbs = map[string]string{
	"y": "answers yes|when asked: discard", "Y": "copies", "n": "answers no", "q": "closes|answers no", "W": "closes",
	"k": "a line up|the line before|go to the word above|when asked: keep the text in the draft", "j": "a line down|the next line|go to the word below",
	"g": "the first line|the next step", "G": "the last", "a": "type words to add", "/": "first on the line, searches",
	"space": "a page down|marks or unmarks|in a column of fixed words|check the word",
}

func TestAKeyMeansOneThingOnEveryScreen(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, group := range ui.KeyTable() {
		typing := group.View == "While typing"
		for _, c := range group.Commands {
			said := strings.ToLower(c.Name)
			if said == "" {
				said = strings.ToLower(c.Help)
			}
			for _, key := range c.Keys() {
				if key == " " {
					key = "space"
				}
				used[key] = true
				verb, known := verbs[key]
				if typing {
					if len(key) > 1 && key != "space" {
						continue // edits text
					}
					verb += "|" + typedVerbs[key]
				}
				if !typing && !known || !regexp.MustCompile(`^(`+strings.Trim(verb, "|")+`)`).MatchString(said) || verb == "|" {
					t.Errorf("%s: %s is %q, and the verb of that key is %q: take the key of the verb, or none; "+
						"a new verb is a row of verbs and of CONTRIBUTING.md", group.View+" "+group.Title, key, said, verb)
				}
			}
		}
	}
	page, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| key | verb |")
	table, _, _ = strings.Cut(table, "\n\n")
	listed := map[string]bool{}
	for _, span := range strings.Split(table, "`")[1:] {
		for key := range strings.FieldsSeq(span) {
			listed[key] = true
		}
	}
	for key := range verbs {
		if !used[key] {
			t.Errorf("nothing has the key %s", key)
		}
		if len(key) == 1 && !strings.Contains("23456jkgG=", key) && !listed[key] {
			t.Errorf("CONTRIBUTING.md has no verb for %s", key)
		}
	}
}
