package sites

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"geodeck/adminapi/lists"
)

// text is the file as lines, to be edited where the nodes of its YAML say.
type text struct {
	path  string
	mark  string     // of the byte order, where there is one
	lines []string   // with their ends
	root  *yaml.Node // nil where there is nothing but comments
	wish  []string   // the lines of the edit, for who has to edit by hand
}

// byHand is the error for what is written in a way that lines cannot change, such as
// sites: {a: {url: ...}}.
func (t *text) byHand(line int) error {
	return &Error{Path: t.path, Line: line, Sentence: "the file is written in a way that only you can edit; nothing was changed", Err: ErrByHand,
		Advice: "Edit it by hand:\n" + strings.Join(t.wish, "\n")}
}

// key returns the name and the value of a key of the file, nil where it is not there.
func (t *text) key(name string) (key, value *yaml.Node) {
	if t.root != nil {
		if i := indexOf(t.root, name); i >= 0 {
			return t.root.Content[i], t.root.Content[i+1]
		}
	}
	return nil, nil
}

// indexOf is where a mapping has a key, -1 where it has none.
func indexOf(mapping *yaml.Node, name string) int {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			return i
		}
	}
	return -1
}

// add adds a site after the others.
func (t *text) add(s Site) error {
	t.wish = append([]string{"sites:"}, s.yaml("  ", "  ")...)
	if t.root == nil {
		t.insert(t.end(), t.wish)
		return nil
	}
	if t.root.Style&yaml.FlowStyle != 0 {
		return t.byHand(t.root.Line)
	}
	key, sites := t.key("sites")
	if key == nil {
		indent, ok := t.indent(t.root.Content[0])
		if !ok {
			return t.byHand(t.root.Line)
		}
		t.insert(t.end(), append([]string{indent + "sites:"}, s.yaml(indent+"  ", "  ")...))
		return nil
	}
	indent, ok := t.indent(key)
	switch {
	case !ok:
		return t.byHand(key.Line)
	case len(sites.Content) == 0: // no site yet, or none any more
		if !t.cut(key, sites) {
			return t.byHand(key.Line)
		}
		t.insert(t.after(key, t.following(key)), s.yaml(indent+"  ", "  "))
		return nil
	case sites.Style&yaml.FlowStyle != 0:
		return t.byHand(sites.Line)
	}
	last := len(sites.Content) - 2
	indent, ok = t.indent(sites.Content[last])
	if !ok {
		return t.byHand(sites.Content[last].Line)
	}
	further := "  "
	if first := sites.Content[1]; len(first.Content) > 0 {
		if inner, ok := t.indent(first.Content[0]); ok && len(inner) > len(indent) {
			further = inner[len(indent):]
		}
	}
	lines := s.yaml(indent, further)
	if before := sites.Content[last].Line - 2; last > 0 && isBlank(t.lines[t.comments(before)]) { // as between the others
		lines = append([]string{""}, lines...)
	}
	t.insert(t.after(sites.Content[last], t.following(key)), lines)
	return nil
}

// remove removes the site at an index.
func (t *text) remove(at int) error {
	key, sites := t.key("sites")
	name := sites.Content[2*at]
	t.wish = []string{fmt.Sprintf("  remove the site %s, from line %d on", name.Value, name.Line)}
	if _, ok := t.indent(name); !ok || sites.Style&yaml.FlowStyle != 0 {
		return t.byHand(name.Line)
	}
	t.blank(name, t.ends(key, sites, at))
	return nil
}

// ends is the index of the line after the site at an index.
func (t *text) ends(key, sites *yaml.Node, at int) int {
	limit := t.following(key)
	if 2*at+2 < len(sites.Content) {
		limit = sites.Content[2*at+2].Line - 1
	}
	return t.after(sites.Content[2*at], limit)
}

// blank empties the lines of a key up to an index. The lines of the nodes stay what they are.
func (t *text) blank(key *yaml.Node, end int) {
	for i := key.Line - 1; i < end; i++ {
		t.lines[i] = ""
	}
}

// set gives the site at an index values for its keys; a key without a value is removed. whole are
// the lines of the site as it becomes.
func (t *text) set(at int, values [][2]string, whole []string) error {
	t.wish = append([]string{"sites:"}, whole...)
	key, sites := t.key("sites")
	name, site := sites.Content[2*at], sites.Content[2*at+1]
	if site.Kind != yaml.MappingNode || len(site.Content) == 0 || (sites.Style|site.Style)&yaml.FlowStyle != 0 {
		return t.byHand(name.Line)
	}
	indent, ok := t.indent(site.Content[0])
	if !ok {
		return t.byHand(name.Line)
	}
	end := t.ends(key, sites, at)
	var added []string
	var replace []func() // after the rest: a line that is blank has no ending
	for _, one := range values {
		line := indent + one[0] + ": " + one[1]
		i := indexOf(site, one[0])
		switch {
		case i >= 0:
			limit := end
			if i+2 < len(site.Content) {
				limit = site.Content[i+2].Line - 1
			}
			replace = append(replace, func() { t.replace(site.Content[i], site.Content[i+1], limit, line, one[1] == "") })
		case one[1] != "":
			added = append(added, line)
		}
	}
	if len(added) > 0 {
		t.insert(end, added)
	}
	for _, one := range replace {
		one()
	}
	return nil
}

// replace writes a line in place of those of a key, which end at limit at the latest. The comment beside
// the value stays, unless the key goes.
func (t *text) replace(key, value *yaml.Node, limit int, line string, goes bool) {
	before := t.lines[key.Line-1]
	t.blank(key, t.after(key, limit))
	if value.LineComment != "" {
		line += " " + value.LineComment
	}
	if !goes {
		t.lines[key.Line-1] = line + before[len(strings.TrimRight(before, "\r\n")):]
	}
}

// setCurrent names the current site, or none.
func (t *text) setCurrent(name string) error {
	word := quote(name)
	t.wish = []string{"current: " + word}
	key, value := t.key("current")
	if key == nil {
		first := t.root.Content[0]
		indent, ok := t.indent(first)
		if !ok {
			return t.byHand(first.Line)
		}
		t.insert(first.Line-1, []string{indent + "current: " + word})
		return nil
	}
	if _, ok := t.indent(key); !ok || !t.cut(key, value) {
		return t.byHand(key.Line)
	}
	if word != "" {
		line := t.lines[key.Line-1]
		colon := strings.IndexByte(line, ':') + 1
		t.lines[key.Line-1] = line[:colon] + " " + word + line[colon:]
	}
	return nil
}

// cut removes the value beside a key, with the space before it.
func (t *text) cut(key, value *yaml.Node) bool {
	if value.Kind == yaml.ScalarNode && value.Value == "" && value.Style == 0 {
		return true // there is only the key
	}
	if key.Line != value.Line {
		return false
	}
	line := t.lines[value.Line-1]
	at, written := value.Column-1, value.Value // before it are no characters of several bytes
	switch {
	case value.Kind == yaml.MappingNode:
		if at >= len(line) || line[at] != '{' || !strings.HasPrefix(strings.TrimLeft(line[at+1:], " "), "}") {
			return false
		}
		written = line[at : at+strings.IndexByte(line[at:], '}')+1]
	case value.Style&yaml.DoubleQuotedStyle != 0:
		written = `"` + written + `"`
	case value.Style&yaml.SingleQuotedStyle != 0:
		written = "'" + written + "'"
	}
	if at > len(line) || !strings.HasPrefix(line[at:], written) {
		return false
	}
	t.lines[value.Line-1] = strings.TrimRight(line[:at], " \t") + line[at+len(written):]
	return true
}

// indent returns the spaces before a key; false where more than that is before it.
func (t *text) indent(key *yaml.Node) (string, bool) {
	line := t.lines[key.Line-1]
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	return indent, len(indent) == key.Column-1
}

// following is the index of the line where what follows the sites begins.
func (t *text) following(key *yaml.Node) int {
	for i := 0; i+3 < len(t.root.Content); i += 2 {
		if t.root.Content[i] == key {
			return t.root.Content[i+2].Line - 1
		}
	}
	return t.end()
}

// end is the index of the line that ends the document, else how many lines there are.
func (t *text) end() int {
	if at := slices.IndexFunc(t.lines, func(line string) bool { return strings.HasPrefix(line, "...") }); at >= 0 {
		return at
	}
	return len(t.lines)
}

// after is the index of the line after a key with its value and the comments that belong to
// it: those below it that are indented further. It is limit at most.
func (t *text) after(key *yaml.Node, limit int) int {
	last := key.Line
	for i := key.Line; i < limit; i++ {
		if !isBlank(t.lines[i]) && !isComment(t.lines[i]) {
			last = i + 1
		}
	}
	for last < limit && isComment(t.lines[last]) && len(t.lines[last])-len(strings.TrimLeft(t.lines[last], " ")) > key.Column-1 {
		last++
	}
	return last
}

// comments is the index of the first line from one upwards that is no comment.
func (t *text) comments(i int) int {
	for i > 0 && isComment(t.lines[i]) {
		i--
	}
	return i
}

// insert puts lines before the line of an index, with the ends of lines around.
func (t *text) insert(at int, lines []string) {
	ending := "\n"
	if len(t.lines) > 0 && strings.HasSuffix(t.lines[max(at-2, 0)], "\r\n") { // the line before may be the last, without an end
		ending = "\r\n"
	}
	if at > 0 && !strings.HasSuffix(t.lines[at-1], "\n") {
		t.lines[at-1] += ending
	}
	t.lines = slices.Insert(t.lines, at, lists.Each(lines, func(line string) string { return line + ending })...)
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

func isComment(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") }
