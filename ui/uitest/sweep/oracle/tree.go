package oracle

import (
	"cmp"
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// tree is a value of a document, each scalar as it is written.
type tree struct {
	open byte     // '{' or '[' of what holds others; 0 of a scalar
	raw  string   // of a scalar
	keys []string // of an object, as they are written
	kids []*tree
}

// treeOf reads a document; nil for what is no JSON.
func treeOf(text string) *tree {
	if !json.Valid([]byte(text)) {
		return nil
	}
	t, _ := readTree(text)
	return t
}

const blanks = " \t\r\n"

// readTree reads a value of valid JSON, and returns what comes after it.
func readTree(text string) (*tree, string) {
	text = strings.TrimLeft(text, blanks)
	if text[0] != '{' && text[0] != '[' {
		end := scalarLength(text)
		return &tree{raw: text[:end]}, text[end:]
	}
	t := &tree{open: text[0]}
	for {
		if text = strings.TrimLeft(text[1:], blanks); text[0] == '}' || text[0] == ']' {
			return t, text[1:]
		}
		if t.open == '{' {
			end := scalarLength(text)
			t.keys = append(t.keys, text[:end])
			text = strings.TrimLeft(text[end:], blanks)[1:]
		}
		kid, rest := readTree(text)
		t.kids = append(t.kids, kid)
		if text = strings.TrimLeft(rest, blanks); text[0] != ',' {
			return t, text[1:]
		}
	}
}

func scalarLength(text string) int {
	if text[0] != '"' {
		if end := strings.IndexAny(text, ",]}:"+blanks); end >= 0 {
			return end
		}
		return len(text)
	}
	for i := 1; ; i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

// text writes the value on one line.
func (t *tree) text() string {
	if t.open == 0 {
		return t.raw
	}
	parts := make([]string, len(t.kids))
	for i, kid := range t.kids {
		if parts[i] = kid.text(); t.open == '{' {
			parts[i] = t.keys[i] + ":" + parts[i]
		}
	}
	return string(t.open) + strings.Join(parts, ",") + string(t.open+2)
}

// lines writes the value in lines, as people read it.
func (t *tree) lines(indent, before, after string) (all []string) {
	if len(t.kids) == 0 {
		return []string{indent + before + t.text() + after}
	}
	all = append(all, indent+before+string(t.open))
	for i, kid := range t.kids {
		key, comma := "", ","
		if t.open == '{' {
			key = t.keys[i] + ": "
		}
		if i == len(t.kids)-1 {
			comma = ""
		}
		all = append(all, kid.lines(indent+"  ", key, comma)...)
	}
	return append(all, indent+string(t.open+2)+after)
}

// respelled is the value on one line with its texts written in one way; numbers stay as they are.
func (t *tree) respelled() string {
	if t.open == 0 && t.raw[0] == '"' {
		return strconv.Quote(unquoted(t.raw))
	}
	if t.open == 0 {
		return t.raw
	}
	parts := make([]string, len(t.kids))
	for i, kid := range t.kids {
		if parts[i] = kid.respelled(); t.open == '{' {
			parts[i] = strconv.Quote(unquoted(t.keys[i])) + ":" + parts[i]
		}
	}
	return string(t.open) + strings.Join(parts, ",") + string(t.open+2)
}

// unquoted is what a text says.
func unquoted(raw string) (text string) {
	_ = json.Unmarshal([]byte(raw), &text)
	return text
}

// kid is the place of the value of a key, -1 for none.
func (t *tree) kid(key string) int {
	return slices.IndexFunc(t.keys, func(k string) bool { return unquoted(k) == key })
}

// named are the lists whose elements have a name, by the key of the name.
var named = map[string]string{"extensions": "typeName", "placementPolicy": "deploymentId"}

// names are those of the elements of a list at a path; nil unless each has one of its own.
func (t *tree) names(path string) (all []string) {
	if named[path] == "" || t.open != '[' {
		return nil
	}
	for _, kid := range t.kids {
		at := kid.kid(named[path])
		if at < 0 || kid.kids[at].raw == "" || kid.kids[at].raw[0] != '"' || slices.Contains(all, unquoted(kid.kids[at].raw)) {
			return nil
		}
		all = append(all, unquoted(kid.kids[at].raw))
	}
	return all
}

// at is the value at a path such as properties.maxScale, extensions[WMSServer].enabled or datasets[1], nil for none. Keys with
// other characters than those of a word have no such path.
func (t *tree) at(path string) *tree {
	parent, i := t.find(path)
	if i < 0 {
		return nil
	}
	return parent.kids[i]
}

// find is what holds the value at a path, and its place there, -1 for none.
func (t *tree) find(path string) (*tree, int) {
	outer := ""
	for {
		end := len(path)
		if next := strings.IndexAny(path[1:], ".["); next >= 0 {
			end = next + 1
		}
		step, rest, i := path[:end], path[end:], -1
		if name, is := strings.CutPrefix(step, "["); is {
			name = strings.TrimSuffix(name, "]")
			if n, err := strconv.Atoi(name); err == nil && n < len(t.kids) {
				i = n
			} else {
				i = slices.Index(t.names(outer), name)
			}
		} else if t.open == '{' {
			i = t.kid(strings.TrimPrefix(step, "."))
		}
		if rest == "" || i < 0 {
			return t, i
		}
		outer, path, t = outer+step, rest, t.kids[i]
	}
}

// Difference is a place where two documents differ.
type Difference struct {
	Path, Kind string
	old, new   *tree // nil for none
}

// differences are those of two values, in the order of the first, and then what the second has more: by what they mean, and
// as rewritten what only is written in another way.
func differences(path string, a, b *tree) (all []Difference) {
	namesA, namesB := a.names(path), b.names(path)
	lists := namesA != nil && namesB != nil || len(a.kids)+len(b.kids) == 0
	if !(a.open == '{' && b.open == '{') && !(lists && a.open == '[' && b.open == '[') {
		switch {
		case a.meaning(false) == b.meaning(false):
		case a.meaning(true) == b.meaning(true):
			all = append(all, Difference{path, "rewritten", a, b})
		default:
			all = append(all, Difference{path, "changed", a, b})
		}
		return all
	}
	if a.open == '{' {
		for _, key := range a.keys {
			namesA = append(namesA, unquoted(key))
		}
		for _, key := range b.keys {
			namesB = append(namesB, unquoted(key))
		}
	}
	for i, name := range namesA {
		if j := slices.Index(namesB, name); j < 0 {
			all = append(all, Difference{a.below(path, name), "removed", a.kids[i], nil})
		} else {
			all = append(all, differences(a.below(path, name), a.kids[i], b.kids[j])...)
		}
	}
	for j, name := range namesB {
		if !slices.Contains(namesA, name) {
			all = append(all, Difference{b.below(path, name), "added", nil, b.kids[j]})
		}
	}
	old, new := both(namesA, namesB), both(namesB, namesA)
	if a.open == '[' && !slices.Equal(old, new) {
		all = append(all, Difference{path, "moved", listOf(old), listOf(new)})
	}
	return all
}

// both are the names of a list that another has, too.
func both(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(others, name) })
}

func listOf(names []string) *tree {
	t := &tree{open: '['}
	for _, name := range names {
		raw, _ := json.Marshal(name)
		t.kids = append(t.kids, &tree{raw: string(raw)})
	}
	return t
}

// below is the path of a child by its key or name.
func (t *tree) below(path, name string) string {
	word := name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-$") == ""
	text, _ := json.Marshal(name)
	switch {
	case t.open == '[' && word && !strings.ContainsAny(name[:1], "-0123456789"):
		return path + "[" + name + "]"
	case t.open == '[':
		return path + "[" + cmp.Or(named[path], "typeName") + "=" + string(text) + "]"
	case !word:
		return path + "[" + string(text) + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

// meaning is equal for values that are equal, in whatever order their keys are; or else, unless only what they mean counts, for
// those whose texts and numbers are written in one way.
func (t *tree) meaning(only bool) string {
	if t.open == 0 {
		return t.scalar(only)
	}
	parts := make([]string, len(t.kids))
	for i, kid := range t.kids {
		if parts[i] = kid.meaning(only); t.open == '{' {
			parts[i] = strconv.Quote(unquoted(t.keys[i])) + ":" + parts[i]
		}
	}
	if t.open == '{' {
		slices.Sort(parts)
	}
	return string(t.open) + strings.Join(parts, ",") + string(t.open+2)
}

func (t *tree) scalar(only bool) string {
	if n, is := new(big.Rat).SetString(t.raw); is && only {
		return n.RatString()
	}
	if only && t.raw[0] == '"' {
		return strconv.Quote(unquoted(t.raw))
	}
	return t.raw
}
