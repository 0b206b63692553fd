package jsonedit

import (
	"math/rand/v2"
	"strings"
	"testing"

	"geodeck/adminapi/document"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestASpliceTurnsOneTextIntoAnotherAndBack(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	text := func() string {
		var b strings.Builder
		for range random.IntN(8) {
			b.WriteByte("ab,"[random.IntN(3)])
		}
		return b.String()
	}
	apply := func(s splice, text string) string { return text[:s.at] + s.new + text[s.at+len(s.old):] }
	for range 2000 {
		before, after := text(), text()
		s := spliceOf(before, after)
		if got := apply(s, before); got != after {
			t.Fatalf("%q becomes %q instead of %q", before, got, after)
		}
		if got := apply(s.back(), after); got != before {
			t.Fatalf("%q goes back to %q instead of %q", after, got, before)
		}
		for place := range len(before) {
			if now, ok := s.carry(place); ok && after[now] != before[place] {
				t.Fatalf("%q to %q: byte %d is carried to %d", before, after, place, now)
			}
		}
	}
}

func TestABufferIsTheTextThatIsTyped(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	keys := uitest.Keys("left right up down home end backspace delete ctrl+u ctrl+k ctrl+w pgup pgdown")
	for range 200 {
		b := newBuffer("{\n  \"ä\": 1\n}", false)
		changed := false
		commands := bufferRows(func() *buffer { return &b }, func() int { return 3 }, func(c bool) { changed = c })
		for range 60 {
			if random.IntN(3) == 0 {
				before, row, col := b.String(), b.row, b.col
				typed := []string{"x", "é", "a\nb", "\r\n", " "}[random.IntN(5)]
				if !b.insert(typed) {
					t.Fatal("there is no room")
				}
				at := len(strings.Join(strings.SplitAfter(before, "\n")[:row], "")) + len(string([]rune(strings.Split(before, "\n")[row])[:col]))
				if want := before[:at] + strings.ReplaceAll(typed, "\r", "") + before[at:]; b.String() != want {
					t.Fatalf("%q at byte %d of %q makes %q", typed, at, before, b.String())
				}
			} else {
				before, key := b.String(), keys[random.IntN(len(keys))]
				command, ok := views.Typed(commands, key)
				if !ok {
					t.Fatalf("%s is no key of a text", key)
				}
				if command.Do(""); changed != (b.String() != before) {
					t.Fatalf("%s reports a change of %q to %q: %t", key, before, b.String(), changed)
				}
			}
			if b.bytes != len(b.String()) {
				t.Fatalf("%d bytes are counted of %q", b.bytes, b.String())
			}
			if b.row < 0 || b.row >= len(b.rows) || b.col < 0 || b.col > len(b.rows[b.row]) {
				t.Fatalf("the cursor is at %d, %d of %q", b.row, b.col, b.String())
			}
		}
		typed := b.String()
		for b.strokes.Undoable() {
			b.undo()
		}
		if b.String() != "{\n  \"ä\": 1\n}" || b.bytes != len(b.String()) {
			t.Fatalf("undone, %q is left", b.String())
		}
		for b.strokes.Redoable() {
			b.redo()
		}
		if b.String() != typed || b.bytes != len(typed) {
			t.Fatalf("done again, %q is %q", typed, b.String())
		}
	}
	if b := newBuffer("", true); b.insert("a\r\nb\tc\x1b") && b.String() != "a b c" {
		t.Errorf("one row holds %q", b.String())
	}
	if b := newBuffer("", false); b.insert(strings.Repeat("x", document.MaxSize+1)) || b.String() != "" {
		t.Error("more is taken than a document may have")
	}
}

// typeInto returns an editor that is typing into a mode.
func typeInto(t *testing.T, m mode) *Editor {
	t.Helper()
	e := New(uitest.Theme(), views.NewScope(t.Context()))
	e.SetSize(80, 24)
	e.begin(m)
	return e
}

func TestATextIsSearchedAndWordsAreUndone(t *testing.T) {
	t.Parallel()
	e := typeInto(t, newArea("{\n  \"pool\": 1,\n  \"Pools\": 2\n}"))
	m := e.typing.mode.(*area)
	keys := func(names string) {
		for _, key := range uitest.Keys(names) {
			e.typed(key)
		}
	}
	for _, step := range []struct {
		keys     string
		row, col int
		found    string
	}{
		{"ctrl+f p o o", 1, 3, "1 of 2 found"}, {"enter", 2, 3, "2 of 2 found"}, {"enter", 1, 3, "1 of 2 found"}, {"up", 2, 3, "2 of 2 found"},
		{"x", 2, 3, "not found"}, {"backspace", 2, 3, "2 of 2 found"}, {"esc", 2, 3, "2 of 2 found"},
	} {
		if keys(step.keys); m.text.row != step.row || m.text.col != step.col || m.found != step.found {
			t.Errorf("%s: at %d, %d: %s", step.keys, m.text.row, m.text.col, m.found)
		}
	}
	keys("a b space c d backspace ctrl+_ ctrl+_ ctrl+_")
	if m.text.String() != m.before || e.typing.leaving {
		t.Errorf("undone it is %q", m.text.String())
	}
	keys("ctrl+r ctrl+r")
	if got := string(m.text.rows[2]); got != "  \"ab cdPools\": 2" {
		t.Errorf("done again it is %q", got)
	}
}

func TestAFieldOffersKnownValuesAndSaysWhyATextIsRefused(t *testing.T) {
	t.Parallel()
	k := newInks(uitest.Theme())
	m := newField("HIGH", "New value", "")
	m.accept = func(text string) { m.refuse(refusal(text + " is refused.")) }
	m.values = []string{"LOW", "HIGH"}
	e := typeInto(t, m)
	e.typed(uitest.Key("tab"))
	if m.text.String() != "LOW" || !m.changed() {
		t.Errorf("tab leads to %q", m.text.String())
	}
	if m.take() || !strings.Contains(m.prompt(&k, 80), "LOW is refused.") {
		t.Errorf("the prompt is %q", m.prompt(&k, 80))
	}
	if e.typed(uitest.Key("left")); m.reason == "" {
		t.Error("a key that only moves hides the reason")
	}
	if e.typed(uitest.Key("x")); m.reason != "" || m.text.String() != "LOxW" {
		t.Errorf("%q is still refused: %s", m.text.String(), m.reason)
	}
}

func TestTheOrderOfWordsIsNoChange(t *testing.T) {
	t.Parallel()
	var got []string
	m := newWords("Map", "Query", "Map")
	m.accept = func(chosen []string) { got = chosen }
	m.add(false, "Query", "Data")
	if m.changed() || len(m.items) != 3 || !m.take() {
		t.Errorf("%+v differs from itself", m.items)
	}
	e := typeInto(t, m)
	for _, key := range append(uitest.Keys("a"), uitest.Text("Tiles, Data")...) {
		e.typed(key)
	}
	if m.take() || m.adding || m.items[m.cursor].text != "Data" {
		t.Errorf("the words that were typed are not adopted: %+v", m.items)
	}
	if m.take(); strings.Join(got, ",") != "Map,Query,Data,Tiles" {
		t.Errorf("the list becomes %v", got)
	}
}

func TestARefusedTextShowsWhereItIsWrong(t *testing.T) {
	t.Parallel()
	k := newInks(uitest.Theme())
	m := newArea("{\n  \"a\": 1\n  \"b\": 2\n}")
	m.accept = func(text buffer) {
		if _, err := document.Parse([]byte(text.String())); err != nil {
			m.refuse(err)
		}
	}
	if m.rows(3); m.take() || m.wrongRow != m.text.row || !strings.HasPrefix(m.reason, "Line ") {
		t.Errorf("row %d is wrong, the cursor is on %d: %s", m.wrongRow, m.text.row, m.reason)
	}
	if lines := m.draw(&k, 40, 3); !strings.Contains(strings.Join(lines, "\n"), k.Glyphs.Fail) {
		t.Errorf("the wrong row is not marked: %q", lines)
	}
	e := typeInto(t, m)
	if e.typed(uitest.Key("left")); m.reason == "" || m.changed() {
		t.Error("a key that only moves changes something")
	}
	if e.typed(uitest.Key("x")); m.reason != "" || !m.changed() {
		t.Error("what is typed is still wrong at the same place")
	}
}
