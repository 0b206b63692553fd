package before

import (
	"strconv"
	"strings"
)

// Path names a value in a document in a form that people read and type:
// properties.maxRecordCount, extensions[WMSServer].enabled, datasets[0]. It is
// the same for the same place, so paths can be compared and be keys of a map.
//
// An element of the outermost extensions is named by its typeName, one of the
// outermost placementPolicy by its deploymentId, any other element by its index. A key that is no plain word stands in brackets and
// quotes: properties["odd key"]. A Path holds no control or invisible
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
func (p Path) Index(i int) Path { return p + Path("["+decimal(i)+"]") }

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

// Within tells whether p is outer, or lies in it.
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
