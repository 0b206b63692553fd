package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"unicode"
)

// cut takes a piece out of a function, or changes a constant, variable or type of a
// package. The piece is the only one of its kind that mentions some names, the
// innermost where one stands in another: no source is quoted, which would change
// with each line beside the guard.
type cut struct {
	kind string
	in   string // Type.method, function, constant, variable or type; behind its package where two have the name
	at   string // the names, with blanks between them
	to   string // what stands there afterwards

	which int // of several pieces; 0 where there is one
}

// never makes a condition false: of an if, a loop or a case, an operand of && and
// ||, a comparison, or a result.
func never(in, at string) cut { return cut{kind: "never", in: in, at: at} }

// always makes a condition true.
func always(in, at string) cut { return cut{kind: "always", in: in, at: at} }

// onlyIf makes a condition hold where another holds, too.
func onlyIf(in, at, other string) cut { return cut{kind: "onlyIf", in: in, at: at, to: other} }

// drop leaves a statement out, which mentions the first of the names itself. The
// others may stand in what leads to it, as for all kinds below.
func drop(in, at string) cut { return cut{kind: "drop", in: in, at: at} }

// then puts a statement behind one.
func then(in, at, code string) cut { return cut{kind: "then", in: in, at: at, to: code} }

// returns changes the last result of a return.
func returns(in, at, code string) cut { return cut{kind: "returns", in: in, at: at, to: code} }

// omit leaves a part of a list out: an element, an argument, a value of a case, an operand of | or +.
func omit(in, at string) cut { return cut{kind: "omit", in: in, at: at} }

// argument puts the first argument of a call of the first name in its place.
func argument(in, at string) cut { return cut{kind: "argument", in: in, at: at} }

// receiver puts what a method is called of in place of the call.
func receiver(in, at string) cut { return cut{kind: "receiver", in: in, at: at} }

// becomes puts other code in place of a call.
func becomes(in, at, code string) cut { return cut{kind: "becomes", in: in, at: at, to: code} }

// swap puts another name or value in place of the first name, which may be a word of a text.
func swap(in, at, to string) cut { return cut{kind: "swap", in: in, at: at, to: to} }

// set gives a field, variable or constant another value, or a call another last argument.
func set(in, at, value string) cut { return cut{kind: "set", in: in, at: at, to: value} }

// nth takes one of several pieces, in their order in the source, from 1 on.
func (c cut) nth(n int) cut {
	c.which = n
	return c
}

// String says the cut in one line, for messages and -list.
func (c cut) String() string {
	text := fmt.Sprintf("%s in %s: %s", c.kind, c.in, c.at)
	if c.which > 0 {
		text += fmt.Sprintf(" (%d)", c.which)
	}
	if c.to != "" {
		text += " -> " + c.to
	}
	return text
}

// edit replaces bytes of a file.
type edit struct {
	file     *source
	from, to int
	text     string
}

// edits returns what the cut changes.
func (c cut) edits(m *module) ([]edit, error) {
	where, err := m.find(c.in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w%s", c, err, c.elsewhere(m))
	}
	found := c.pieces(where.node)
	if c.which > 0 && c.which <= len(found) {
		found = found[c.which-1 : c.which]
	}
	switch len(found) {
	case 1:
	case 0:
		return nil, fmt.Errorf("%s: %s has no such piece%s", c, where.name, c.elsewhere(m))
	default:
		var all strings.Builder
		for _, p := range found {
			from, to := m.offsets(p.node)
			first, _, _ := strings.Cut(string(where.file.text[from:to]), "\n")
			fmt.Fprintf(&all, "\n\t%s: %s", m.set.Position(p.node.Pos()), first)
		}
		return nil, fmt.Errorf("%s: %s has %d such pieces, not one%s", c, where.name, len(found), all.String())
	}
	return c.change(m, where.file, found[0])
}

// maxElsewhere is how many places are told where a piece may have gone.
const maxElsewhere = 5

// elsewhere tells where there is such a piece, for one whose function was moved or renamed.
func (c cut) elsewhere(m *module) string {
	var all []string
	for _, p := range m.places {
		if len(c.pieces(p.node)) == 1 {
			all = append(all, "\n\t"+p.name)
		}
	}
	if len(all) == 0 || len(all) > maxElsewhere {
		return ""
	}
	return "; there is one in" + strings.Join(all, "")
}

// offsets returns where a node begins and ends in its file.
func (m *module) offsets(n ast.Node) (from, to int) {
	file := m.set.File(n.Pos())
	return file.Offset(n.Pos()), file.Offset(n.End())
}

// pieces returns those that the cut may mean.
func (c cut) pieces(in ast.Node) (found []piece) {
	names := strings.Fields(c.at)
	var up []ast.Node
	ast.Inspect(in, func(n ast.Node) bool {
		if n == nil {
			up = up[:len(up)-1]
			return true
		}
		if p := (piece{n, up}); c.means(p, names) {
			found = slices.DeleteFunc(found, func(outer piece) bool { return slices.Contains(up, outer.node) })
			found = append(found, piece{n, slices.Clone(up)})
		}
		up = append(up, n)
		return true
	})
	return found
}

// means reports whether a piece is of the kind and mentions the names.
func (c cut) means(p piece, names []string) bool {
	switch n := p.node.(type) {
	case *ast.Ident:
		if c.kind == "swap" {
			return n.Name == names[0] && mentions(names, p.context()...)
		}
	case *ast.BasicLit:
		if c.kind == "swap" && n.Kind == token.STRING {
			words := strings.FieldsFunc(n.Value, func(r rune) bool { return !unicode.IsLetter(r) })
			return slices.Contains(words, names[0]) && mentions(names[1:], p.context()...)
		}
	case *ast.CallExpr:
		if c.kind == "argument" || c.kind == "receiver" || c.kind == "becomes" {
			return nameOf(n.Fun) == names[0] && mentions(names, p.context()...)
		}
	case *ast.ReturnStmt:
		if c.kind == "returns" {
			return mentions(names, p.context()...)
		}
	}
	switch c.kind {
	case "never", "always", "onlyIf":
		return p.isCondition() && mentions(names, p.node, p.init())
	case "omit":
		return p.list() != nil && mentions(names, p.node)
	case "drop", "then":
		return p.isStatement() && (c.kind == "then" || !p.declares()) &&
			mentions(names[:1], p.node) && mentions(names, append(p.context(), p.node)...)
	case "set":
		return p.value(names[0]) != nil && mentions(names, append(p.context(), p.node)...)
	}
	return false
}

// change returns the edits of the cut at its piece.
func (c cut) change(m *module, file *source, p piece) ([]edit, error) {
	from, to := m.offsets(p.node)
	text := func(n ast.Node) string {
		from, to := m.offsets(n)
		return string(file.text[from:to])
	}
	replaced := func(n ast.Node, with string) []edit {
		from, to := m.offsets(n)
		return []edit{{file, from, to, with}}
	}
	wrapped := func(before, after string) []edit { return []edit{{file, from, from, before}, {file, to, to, after}} }
	// What is taken out stays in the source where it can, and is not run: so all that it uses is used.
	switch c.kind {
	case "never":
		return wrapped("(false && (", "))"), nil
	case "always":
		return wrapped("(true || (", "))"), nil
	case "onlyIf":
		return wrapped("(("+c.to+") && (", "))"), nil
	case "then":
		return []edit{{file, to, to, "; " + c.to}}, nil
	case "drop":
		return wrapped("if false { ", " }"), nil
	case "omit":
		return c.without(m, file, p), nil
	case "argument":
		return replaced(p.node, text(p.node.(*ast.CallExpr).Args[0])), nil
	case "receiver":
		return replaced(p.node, text(p.node.(*ast.CallExpr).Fun.(*ast.SelectorExpr).X)), nil
	case "becomes":
		return replaced(p.node, c.to), nil
	case "swap":
		if _, ok := p.node.(*ast.BasicLit); ok {
			return replaced(p.node, strings.Replace(text(p.node), strings.Fields(c.at)[0], c.to, 1)), nil
		}
		isName := token.IsIdentifier(c.to) && c.to != "true"
		if of, ok := p.parent(0).(*ast.SelectorExpr); ok && of.Sel == p.node && !isName {
			return replaced(of, c.to), nil // no dot is before a value
		}
		return replaced(p.node, c.to), nil
	case "set":
		return replaced(p.value(strings.Fields(c.at)[0]), c.to), nil
	case "returns":
		results := p.node.(*ast.ReturnStmt).Results
		var kept strings.Builder
		for _, r := range results[:len(results)-1] {
			kept.WriteString(text(r) + ", ")
		}
		return append(wrapped("if false { ", " }"), edit{file, to, to, "; return " + kept.String() + c.to}), nil
	}
	return nil, fmt.Errorf("no kind %s", c.kind)
}

// without leaves a part of a list out.
func (c cut) without(m *module, file *source, p piece) []edit {
	all := p.list()
	i := slices.Index(all, p.node.(ast.Expr))
	from, to := m.offsets(p.node)
	switch {
	case i > 0:
		_, from = m.offsets(all[i-1])
	case len(all) > 1:
		to, _ = m.offsets(all[1])
	}
	return []edit{{file, from, to, ""}}
}

// apply returns a file with the edits, without the imports that nothing uses any more.
func apply(file *source, edits []edit) ([]byte, error) {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.from < at {
			return nil, fmt.Errorf("two cuts of %s overlap", file.name)
		}
		out.Write(file.text[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(file.text[at:])
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file.name, out.Bytes(), parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("the mutant cannot be parsed: %w", err)
	}
	used := qualifiers(tree)
	text := out.Bytes()
	for _, spec := range slices.Backward(tree.Imports) {
		name := importName(spec)
		if file.uses[name] && !used[name] {
			from, to := set.Position(spec.Pos()).Offset, set.Position(spec.Path.Pos()).Offset
			text = slices.Concat(text[:from], []byte("_ "), text[to:])
		}
	}
	return text, nil
}

// qualifiers returns the names before a dot, those of packages among them.
func qualifiers(tree *ast.File) map[string]bool {
	used := map[string]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			used[nameOf(s.X)] = true
		}
		return true
	})
	return used
}

// importName is the name of a package, as far as its path tells it.
func importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	return path.Base(strings.Trim(spec.Path.Value, `"`))
}
