package sites

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"geodeck/adminapi/pattern"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/spelling"
)

// byteOrderMark begins files of some editors; it stays.
const byteOrderMark = "\ufeff"

// parse reads the content of the file. The second result is its mapping, nil where the file
// has none yet.
func parse(path string, content []byte) (*File, *yaml.Node, error) {
	r := reader{path: path, folder: filepath.Dir(path), keys: siteKeys}
	if err := r.checkText(content); err != nil {
		return nil, nil, err
	}
	root, err := r.document(content)
	if err != nil {
		return nil, nil, err
	}
	f := &File{path: path}
	if root == nil {
		return f, nil, nil
	}
	err = value{reader: r, Node: root}.mapping("the file", rootKeys, func(_ *yaml.Node, v value) (err error) {
		switch {
		case isNull(v.Node): // "sites:" before the first, "current:" after the last
		case v.key == "current":
			f.current, err = v.text()
		default:
			f.sites, err = v.sites()
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return f, root, nil
}

// rootKeys are the keys of the file.
var rootKeys = []string{"current", "sites"}

// reader reads one file.
type reader struct {
	path, folder string
	keys         []key // of a site
}

// value is one of a key, to be read.
type value struct {
	reader
	key string
	*yaml.Node
}

// wrong is the error of a value that nothing but itself explains.
func (v value) wrong(format string, args ...any) error { return v.failed(v.Line, "", format, args...) }

func (r reader) failed(line int, advice, format string, args ...any) error {
	return &Error{Path: r.path, Line: line, Sentence: fmt.Sprintf(format, args...), Advice: advice}
}

// checkText checks for what no person has typed, and for what editors do not show.
func (r reader) checkText(content []byte) error {
	line := 0
	for text := range bytes.Lines(content) {
		line++
		if line == 1 {
			text = bytes.TrimPrefix(text, []byte(byteOrderMark))
		}
		if !utf8.Valid(text) {
			return r.failed(line, "Save the file as UTF-8.", "this is not UTF-8 text")
		}
		text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
		if at := bytes.IndexFunc(text, isHidden); at >= 0 {
			hidden, _ := utf8.DecodeRune(text[at:])
			return r.failed(line, "Remove it.", "here is a hidden character, %U", hidden)
		}
		rest := bytes.TrimLeft(text, " ")
		if content := bytes.TrimLeft(rest, "\t "); len(rest) > 0 && rest[0] == '\t' && len(content) > 0 && content[0] != '#' {
			return r.failed(line, "", "this line is indented with a tab; use spaces")
		}
	}
	return nil
}

// isHidden reports whether a character has no place in the file: controls, also of the
// direction of text, and line breaks that editors do not count.
func isHidden(c rune) bool {
	return c != '\t' && unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) || c == '\u2028' || c == '\u2029' || c == '\ufeff'
}

// document returns the mapping of the file, nil where there is nothing but comments.
func (r reader) document(content []byte) (*yaml.Node, error) {
	in := yaml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(content, []byte(byteOrderMark))))
	var document, second yaml.Node
	if err := in.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, r.syntax(err, content)
	}
	if err := in.Decode(&second); err == nil {
		return nil, r.failed(second.Line, "Keep one.", "a second YAML document begins here")
	} else if !errors.Is(err, io.EOF) {
		return nil, r.syntax(err, content)
	}
	if err := r.checkNode(&document); err != nil {
		return nil, err
	}
	root := document.Content[0]
	if isNull(root) {
		return nil, nil
	}
	return root, nil
}

// yamlError is what the parser writes before the reason.
var yamlError = pattern.New(`^yaml: (?:line (\d+): )?(.*)$`)

// noAnchor are the only reasons that show something of the file. They have no line.
var noAnchor = pattern.New(`anchor '(.*)' `)

// syntax explains an error of the parser.
func (r reader) syntax(err error, content []byte) error {
	line, reason := 0, err.Error()
	if m := yamlError().FindStringSubmatch(reason); m != nil {
		line, _ = strconv.Atoi(m[1])
		reason = m[2]
	}
	if m := noAnchor().FindStringSubmatch(reason); m != nil {
		before, _, _ := bytes.Cut(content, []byte("*"+m[1]))
		return r.failed(1+bytes.Count(before, []byte("\n")), "", noAnchors)
	}
	switch {
	case strings.Contains(reason, "end of stream"):
		return r.failed(line, "", "the file ends in the middle of what begins here")
	case strings.Contains(reason, "could not find expected ':'"):
		return r.failed(line, "", "here a colon is missing after a key")
	}
	return r.failed(line, "", "this is not valid YAML: %s", plain.Line(reason))
}

const noAnchors = "anchors and aliases (& and *) are not used here; write the value in full"

// checkNode refuses what has no use here, and could make a small file a large one.
func (r reader) checkNode(n *yaml.Node) error {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return r.failed(n.Line, "", noAnchors)
	case n.Style&yaml.TaggedStyle != 0:
		return r.failed(n.Line, "", "tags (!) are not used here")
	}
	for _, inner := range n.Content {
		if err := r.checkNode(inner); err != nil {
			return err
		}
	}
	return nil
}

// mapping reads a mapping that may have these keys. of says whose keys they are.
func (v value) mapping(of string, known []string, read func(name *yaml.Node, v value) error) error {
	return v.pairs(of, func(name *yaml.Node, inner value) error {
		if key := name.Value; !slices.Contains(known, key) {
			if secrets.IsField(key) {
				return v.failed(name.Line, "Remove the line; then sign in: {command:login}", "%s has no place here: the keyring keeps secrets", shown(key))
			}
			advice := "Known keys: " + strings.Join(known, ", ") + "."
			if near := spelling.Near(key, known); len(near) > 0 {
				advice = spelling.Question(near...)
			} else if slices.Contains(v.siteKeys(), key) {
				advice = "It belongs below a site."
			}
			return v.failed(name.Line, advice, "%s does not know the key %s", of, shown(key))
		}
		return read(name, inner)
	})
}

// pairs reads a mapping with any keys, but none twice.
func (v value) pairs(of string, read func(name *yaml.Node, v value) error) error {
	if v.Kind != yaml.MappingNode {
		return v.wrong("%s needs keys with values here", of)
	}
	first := map[string]int{}
	for i := 0; i+1 < len(v.Content); i += 2 {
		name := v.Content[i]
		if name.Kind != yaml.ScalarNode {
			return v.failed(name.Line, "", "a key must be a word")
		}
		if before := first[name.Value]; before > 0 {
			return v.failed(name.Line, "", "%s is here twice; first in line %d", shown(name.Value), before)
		}
		first[name.Value] = name.Line
		if err := read(name, value{v.reader, name.Value, v.Content[i+1]}); err != nil {
			return err
		}
	}
	return nil
}

// shown is a key as messages show it.
func shown(key string) string { return strconv.Quote(plain.Clip(plain.Line(key), 40)) }

// sites reads all sites.
func (v value) sites() ([]Site, error) {
	var sites []Site
	first := map[string]int{} // by name, without regard to case
	err := v.pairs("sites", func(name *yaml.Node, v value) error {
		if err := checkName(name.Value); err != nil {
			var e *Error
			errors.As(err, &e)
			return v.failed(name.Line, e.Advice, "%s", e.Sentence)
		}
		folded := strings.ToLower(name.Value)
		if before := first[folded]; before > 0 {
			return v.failed(name.Line, "", "the site %s is here twice but for case; first in line %d", shown(name.Value), before)
		}
		first[folded] = name.Line
		s, err := v.site(name.Line)
		sites = append(sites, s)
		return err
	})
	return sites, err
}

// site reads one site, whose name is in a line.
func (v value) site(line int) (Site, error) {
	s := Site{Name: v.key, Lines: map[string]int{}}
	if !isNull(v.Node) {
		err := v.mapping("a site", v.siteKeys(), func(name *yaml.Node, v value) error {
			s.Lines[v.key] = name.Line
			return v.keys[slices.Index(v.siteKeys(), v.key)].read(v, &s)
		})
		if err != nil {
			return s, err
		}
	}
	if s.URL == "" {
		return s, v.failed(line, "Add the line: url: https://HOST/CONTEXT/admin", "the site %s has no url", s.Name)
	}
	return s, v.together(s)
}

// text reads a text.
func (v value) text() (string, error) {
	switch tag := v.ShortTag(); {
	case isNull(v.Node) || v.Kind == yaml.ScalarNode && strings.TrimSpace(v.Value) == "":
		return "", v.wrong("%s has no value", v.key)
	case v.Kind != yaml.ScalarNode:
		return "", v.wrong("%s is a text, not %s", v.key, kindName(v.Node))
	case tag != "!!str":
		return "", v.wrong("%s is a text; put its value in quotes", v.key)
	case strings.ContainsFunc(v.Value, func(c rune) bool { return isHidden(c) || c == '\t' }):
		return "", v.wrong("%s has a hidden character or more than one line", v.key)
	}
	return v.Value, nil
}

// word reads one of a few words.
func (v value) word(words ...string) (string, error) {
	if v.Kind != yaml.ScalarNode || !slices.Contains(words, v.Value) || v.ShortTag() != "!!str" {
		return "", v.wrong("%s is %s", v.key, strings.Join(words, " or "))
	}
	return v.Value, nil
}

// bool reads true or false.
func (v value) bool() (bool, error) {
	if v.Kind != yaml.ScalarNode || v.ShortTag() != "!!bool" {
		return false, v.wrong("%s is true or false", v.key)
	}
	return strings.EqualFold(v.Value, "true"), nil
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func kindName(n *yaml.Node) string {
	if n.Kind == yaml.SequenceNode {
		return "a list"
	}
	return "keys with values"
}

// variableName is what a variable of the environment may be called.
var variableName = pattern.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
