package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// module is the source of the program. Its functions are found by name: they may
// move to another file or package, and their guards stay the same.
type module struct {
	root   string
	set    *token.FileSet
	places []place
	tests  map[string][]string // the folders of each test, by its name
}

// place is a function, or a constant, variable or type of a package.
type place struct {
	name string // with the folder of its package: adminapi/journal.Journal.BeforeWrite
	file *source
	node ast.Node
}

type source struct {
	name string // from the root of the module, with slashes
	text []byte
	uses map[string]bool // the packages, and other names before a dot
}

// readModule parses all files of the module once.
func readModule(root string) (*module, error) {
	m := &module{root: root, set: token.NewFileSet(), tests: map[string][]string{}}
	return m, filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") && name != root):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		return m.read(name, filepath.ToSlash(relative))
	})
}

// read adds what a file declares.
func (m *module) read(name, relative string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	folder := path.Dir(relative)
	if strings.HasSuffix(relative, "_test.go") {
		m.readTests(folder, string(text))
		return nil
	}
	tree, err := parser.ParseFile(m.set, relative, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	before := folder + "."
	if folder == "." {
		before = ""
	}
	file := &source{relative, text, qualifiers(tree)}
	for _, declared := range tree.Decls {
		switch declared := declared.(type) {
		case *ast.FuncDecl:
			m.places = append(m.places, place{before + funcName(declared), file, declared})
		case *ast.GenDecl:
			for _, spec := range declared.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						m.places = append(m.places, place{before + name.Name, file, spec})
					}
				case *ast.TypeSpec:
					m.places = append(m.places, place{before + spec.Name.Name, file, spec})
				}
			}
		}
	}
	return nil
}

// funcName is Type.method, or the name of the function.
func funcName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	for {
		switch t := of.(type) {
		case *ast.StarExpr:
			of = t.X
		case *ast.IndexExpr:
			of = t.X
		case *ast.IndexListExpr:
			of = t.X
		case *ast.Ident:
			return t.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}

// readTests notes the tests of a file, which is not parsed: tests are functions at the beginning of a line.
func (m *module) readTests(folder, text string) {
	const start = "\nfunc Test"
	for rest := text; ; {
		_, after, found := strings.Cut(rest, start)
		if !found {
			return
		}
		name, _, _ := strings.Cut(after, "(")
		m.tests["Test"+name] = append(m.tests["Test"+name], folder)
		rest = after
	}
}

// find returns the only place with a name, which may lack its package or the
// first folders of that. A type is found where nothing else has its name.
func (m *module) find(name string) (place, error) {
	var found, types []place
	for _, p := range m.places {
		if p.name != name && !strings.HasSuffix(p.name, "."+name) && !strings.HasSuffix(p.name, "/"+name) {
			continue
		}
		if _, isType := p.node.(*ast.TypeSpec); isType {
			types = append(types, p)
		} else {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		found = types
	}
	if len(found) == 1 {
		return found[0], nil
	}
	var all strings.Builder
	for _, p := range found {
		fmt.Fprintf(&all, "\n\t%s", p.name)
	}
	return place{}, fmt.Errorf("the program has %d functions, values or types of that name, not one%s", len(found), all.String())
}
