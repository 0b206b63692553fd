package oracle

import (
	"slices"
	"strings"
)

// What people type for a text, for a number and as JSON: quotes, escapes, wide letters, and numbers that only look alike.
var (
	textsTyped = []string{"plain", `say "hi"`, `C:\maps\new`, "日本語 – ünï 🗺", "1.10", "true", "{}", "", "a, b", `"`, "[secret?]"}
	numbers    = []string{"1e400", "1.10", "-0", "0", "12345678901234567890", "2E3", "0.250", "-1.5e-7", "1000000.0"}
	asJSON     = []string{`"caf\u00e9 \/ \ud83d\ude00"`, "true", "null", "[]", "{}", `[1,2.50,"x"]`, `""`, `"\\"`, "1e400", "1.10", `{"a":-0}`}
	brokenJSON = []string{"{", `"open`, "nul", "[1,", "01", `"\x"`, "1.", "{}}", "tru"}
	newKeys    = []string{"warmth", "x-new", "Größe", `a "b"`, "a.b", "日本", "0", "name2"}
)

// Draws draws an edit of what no client knows, where anything is allowed, or of some values of which the kind stays. pick draws a
// number below another.
func (h *Hand) Draws(pick func(int) int) Stroke {
	switch n := pick(20); {
	case n < 4 && len(h.done) > 0:
		return Stroke{Do: "undo"}
	case n < 6 && len(h.undone) > 0:
		return Stroke{Do: "redo"}
	}
	some := slices.DeleteFunc(spansOf(h.Text), func(s *span) bool { return !s.free() && !s.sameKind() })
	s := some[pick(len(some))]
	one := Stroke{Path: s.path}
	word := func(from []string) string { return from[pick(len(from))] }
	if n := pick(10); n < 3 && s.free() {
		switch one.Raw = word(asJSON); s.holder().open {
		case '[':
			one.Do, one.Typed = "insert", one.Raw
			return one
		default:
			if one.Do, one.Typed, one.Key = "add", one.Raw, word(newKeys); s.holder().kid(one.Key) < 0 {
				return one
			}
		}
		one = Stroke{Path: s.path}
	}
	if s.free() && s.path != h.last(s) {
		switch n := pick(10); {
		case n < 2:
			one.Do = "remove"
			return one
		case n < 3:
			one.Do = "up"
			return one
		case n < 4:
			one.Do = "down"
			return one
		case n < 6 && s.up.open == '{':
			if one.Do, one.Key = "rename", word(newKeys); s.up.kid(one.Key) < 0 {
				return one
			}
			one.Key = ""
		}
	}
	if s.open != 0 {
		return Stroke{Do: "look", Path: s.path}
	}
	one.Do = "set"
	switch kindOf(s.raw) {
	case '"':
		one.Typed = word(append(textsTyped, unquoted(s.raw)))
		if one.Raw = asText(one.Typed); one.Typed == unquoted(s.raw) { // with the escapes that it has
			one.Raw = s.raw
		}
	case '0':
		one.Raw = word(numbers)
		if !s.free() {
			one.Raw = word([]string{"900", "901", "1200"})
		}
		one.Typed = one.Raw
	case 't':
		one.Raw = map[string]string{"true": "false", "false": "true"}[s.raw]
	default:
		one.Raw = word(asJSON)
		one.Typed = one.Raw
	}
	switch n := pick(8); {
	case n < 2 && s.free():
		one.Do, one.Raw = "text", word(asJSON)
		one.Typed = one.Raw
	case n < 3 && s.free():
		one.Do, one.Typed = "broken", word(brokenJSON)
	case n < 4 && one.Typed != "":
		one.Do = "typed"
	}
	return one
}

// last keeps the first of what no client knows, so that something is left to edit.
func (h *Hand) last(s *span) string {
	if s.path == "x-tuningProfile" || s.path == "x-lastTuned" {
		return s.path
	}
	return "\x00"
}

// holder is the object that a key is added to.
func (s *span) holder() *span {
	if s.open == 0 {
		return s.up
	}
	return s
}

// free reports whether no client knows what a value is for, and nothing else of a day is about it.
func (s *span) free() bool {
	return s.up != nil && (strings.HasPrefix(s.path, "x-tuningProfile") || s.path == "x-lastTuned") && !strings.ContainsAny(unquoted(s.raw), "\x1b\u202e\u0000\u0007\n\t\r\u009b\u0085")
}

// sameKind reports whether a value may be another one of its kind.
func (s *span) sameKind() bool {
	return slices.Contains([]string{"maxIdleTime", "maxUsageTime", "description", "properties.isCached", "properties.ignoreCache", "properties.cacheDir"}, s.path)
}
