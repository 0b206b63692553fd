package document

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"geodeck/adminapi/plain"

	"github.com/go-json-experiment/json/jsontext"
)

// ParsePath reads a path as people type it. Quoted forms that need no quotes are
// understood, and come back without.
func ParsePath(text string) (Path, error) {
	steps, err := readSteps(strings.TrimSpace(text))
	return join(steps), err
}

// Steps returns the parts of the path from the outside in.
func (p Path) Steps() []Step {
	steps, _ := readSteps(string(p))
	return steps
}

// valid tells whether the whole of p can be read.
func (p Path) valid() bool {
	_, err := readSteps(string(p))
	return err == nil
}

func readSteps(text string) ([]Step, error) {
	var steps []Step
	for rest := text; rest != ""; {
		step, length := readStep(rest, len(steps) == 0)
		if length == 0 {
			return nil, fmt.Errorf("%s is no path: write it such as properties.maxRecordCount or extensions[WMSServer].enabled", shown(text))
		}
		steps = append(steps, step)
		rest = rest[length:]
	}
	return steps, nil
}

// readStep reads one step and returns its length, 0 where there is none.
func readStep(text string, first bool) (Step, int) {
	if text[0] == '[' {
		return readBracket(text)
	}
	start := 0
	if !first {
		if text[0] != '.' {
			return Step{}, 0
		}
		start = 1
	}
	end := start + wordLength(text[start:])
	if end == start {
		return Step{}, 0
	}
	return Step{Key: text[start:end]}, end
}

func readBracket(text string) (Step, int) {
	inside := text[1:]
	step := Step{}
	for _, named := range namedLists {
		if rest, ok := strings.CutPrefix(inside, named.key+"="); ok {
			inside, step.Kind = rest, ByName
		}
	}
	length := len(text) - len(inside)
	name, used, isQuoted := readName(inside)
	length += used + 1
	if used == 0 || length > len(text) || text[length-1] != ']' {
		return Step{}, 0
	}
	index, err := strconv.Atoi(name)
	switch {
	case step.Kind == ByName:
		step.Name = name
	case isQuoted:
		step.Key = name
	case err == nil && index >= 0:
		step.Kind, step.Index = ByIndex, index
	default:
		step.Kind, step.Name = ByName, name
	}
	return step, length
}

// readName reads a word or a quoted text, and returns how long it was.
func readName(text string) (name string, used int, isQuoted bool) {
	if !strings.HasPrefix(text, `"`) {
		used = wordLength(text)
		return text[:used], used, false
	}
	raw, err := jsontext.NewDecoder(bytes.NewBufferString(text)).ReadValue()
	if err != nil {
		return "", 0, true
	}
	return unquote(string(raw)), len(raw), true
}

func isWordByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_' || b == '-' || b == '$'
}

func wordLength(text string) int {
	n := 0
	for n < len(text) && isWordByte(text[n]) {
		n++
	}
	return n
}

func isWord(text string) bool { return text != "" && wordLength(text) == len(text) }

// quoted returns a text as a JSON string that is clean for a terminal and still
// says every character.
func quoted(text string) string {
	out := []byte{'"'}
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case isSeen(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return string(append(out, '"'))
}

// isSeen tells whether a character stands for itself on every terminal.
func isSeen(r rune) bool {
	if r < utf8.RuneSelf {
		return ' ' <= r && r != 0x7f
	}
	text := string(r)
	return unicode.IsPrint(r) && !unicode.IsMark(r) && r != utf8.RuneError && plain.Line(text) == text
}
