package document

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"geodeck/adminapi/plain"

	"github.com/go-json-experiment/json/jsontext"
)

// Path names a value in a document in a form that people read and type:
// properties.maxRecordCount, extensions[WMSServer].enabled, datasets[0]. It is
// the same for the same place, so paths can be compared and be keys of a map.
//
// An element of the outermost extensions is named by its typeName, one of the
// outermost placementPolicy by its deploymentId, any other element by its index. A key
// that is no plain word is written in brackets and quotes: properties["odd key"]. A Path holds no control or invisible
// characters; it comes from [ParsePath], [Node.Path], or the methods of Path.
type Path string

// Whole is the path of the whole document.
const Whole Path = ""

// Step is one part of a path: a key of an object, or an element of an array by
// its index or by its name.
type Step struct {
	Key   string // of an object
	Name  string // of an element of a list whose elements have names
	Index int    // of any other element
	Kind  StepKind
}

// StepKind says which part of a Step counts.
type StepKind uint8

// The kinds of steps.
const (
	ByKey StepKind = iota
	ByIndex
	ByName
)

// extensionsPath is where elements are named by their typeName.
const extensionsPath Path = "extensions"

// String returns the path for a person: the empty one as "(whole document)".
func (p Path) String() string {
	if p == Whole {
		return "(whole document)"
	}
	return string(p)
}

// Key returns the path of a key of the object at p.
func (p Path) Key(name string) Path {
	switch {
	case !isWord(name):
		return p + Path("["+quoted(name)+"]")
	case p == Whole:
		return Path(name)
	}
	return p + "." + Path(name)
}

// Index returns the path of an element of the array at p.
func (p Path) Index(i int) Path { return p + Path("["+strconv.Itoa(i)+"]") }

// Named returns the path of an element of the array at p by its name.
func (p Path) Named(name string) Path {
	if isWord(name) && strings.IndexByte("-0123456789", name[0]) < 0 {
		return p + Path("["+name+"]")
	}
	key := nameKey(p)
	if key == "" {
		key = namedLists[0].key
	}
	return p + Path("["+key+"="+quoted(name)+"]")
}

// Parent returns the path of what holds the value; that of Whole is Whole.
func (p Path) Parent() Path {
	steps := p.Steps()
	if len(steps) == 0 {
		return Whole
	}
	return join(steps[:len(steps)-1])
}

// Last returns the last step, and false for Whole.
func (p Path) Last() (Step, bool) {
	steps := p.Steps()
	if len(steps) == 0 {
		return Step{}, false
	}
	return steps[len(steps)-1], true
}

// Within reports whether p is outer, or lies in it.
func (p Path) Within(outer Path) bool {
	rest, ok := strings.CutPrefix(string(p), string(outer))
	return ok && (outer == Whole || rest == "" || rest[0] == '.' || rest[0] == '[')
}

func (p Path) then(s Step) Path {
	switch s.Kind {
	case ByIndex:
		return p.Index(s.Index)
	case ByName:
		return p.Named(s.Name)
	}
	return p.Key(s.Key)
}

func join(steps []Step) Path {
	p := Whole
	for _, s := range steps {
		p = p.then(s)
	}
	return p
}

// Path returns the place of the value in its document.
func (n Node) Path() Path {
	parent := n.Parent()
	if !parent.Valid() {
		return Whole
	}
	return parent.Path().toChild(n)
}

// toChild returns the path of a child of the value at p.
func (p Path) toChild(child Node) Path {
	if key, ok := child.Key(); ok {
		return p.Key(key)
	}
	if nameKey(p) != "" {
		if name, ok := child.uniqueName(); ok {
			return p.Named(name)
		}
	}
	return p.Index(child.Index())
}

// Name is the last name of a path, which is typed to confirm that the key is lost: as
// the path writes it where it has characters that cannot be typed.
func (p Path) Name() string {
	step, ok := p.Last()
	if !ok {
		return p.String()
	}
	name := step.Key
	switch step.Kind {
	case ByName:
		name = step.Name
	case ByIndex:
		name = strconv.Itoa(step.Index)
	}
	if name == Visible(name) && name == strings.TrimSpace(name) && name != "" {
		return name
	}
	return strings.TrimPrefix(strings.TrimPrefix(string(p), string(p.Parent())), ".")
}

// ParsePath reads a path as people type it. Quoted forms that need no quotes are
// read too, and returned without.
func ParsePath(text string) (Path, error) {
	steps, err := readSteps(strings.TrimSpace(text))
	return join(steps), err
}

// Steps returns the parts of the path from the outside in.
func (p Path) Steps() []Step {
	steps, _ := readSteps(string(p))
	return steps
}

func readSteps(text string) ([]Step, error) {
	var steps []Step
	for rest := text; rest != ""; {
		step, length := readStep(rest, len(steps) == 0)
		if length == 0 {
			return nil, fmt.Errorf("%s is not a path; write it like properties.maxRecordCount or extensions[WMSServer].enabled", shown(text))
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
	escaped := strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(text)
	return `"` + plain.EscapeJSON(escaped, func(r rune) bool { return !isVisible(r) }) + `"`
}

// isVisible reports whether every terminal shows a character as it is.
func isVisible(r rune) bool {
	if r < utf8.RuneSelf {
		return ' ' <= r && r != 0x7f
	}
	text := string(r)
	return unicode.IsPrint(r) && !unicode.IsMark(r) && r != utf8.RuneError && plain.Line(text) == text
}
