package schema

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// Comments returns what the source of a module says of its types and fields. It reads each package once.
func Comments(module, folder string) Said {
	read := map[string]map[string]string{} // by path of the package, then by type or Type.Field
	return func(t reflect.Type, field string) string {
		inside, ours := strings.CutPrefix(t.PkgPath(), module)
		if !ours {
			return ""
		}
		if read[inside] == nil {
			read[inside] = commentsIn(filepath.Join(folder, inside))
		}
		if field != "" {
			return read[inside][t.Name()+"."+field]
		}
		return read[inside][t.Name()]
	}
}

// commentsIn reads the comments of a package.
func commentsIn(folder string) map[string]string {
	said := map[string]string{}
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, e.Name()), nil, parser.ParseComments)
		if err != nil {
			continue // it was compiled
		}
		ast.Inspect(file, func(n ast.Node) bool {
			decl, is := n.(*ast.GenDecl)
			if !is {
				return true
			}
			for _, spec := range decl.Specs {
				if of, is := spec.(*ast.TypeSpec); is {
					addComments(said, decl, of)
				}
			}
			return false
		})
	}
	return said
}

func addComments(said map[string]string, decl *ast.GenDecl, of *ast.TypeSpec) {
	name := of.Name.Name
	doc := of.Doc
	if doc == nil && !decl.Lparen.IsValid() {
		doc = decl.Doc
	}
	text := strings.TrimPrefix(sentence(doc), name+" ")
	for _, verb := range []string{"is ", "are ", "has ", "holds "} {
		text = strings.TrimPrefix(text, verb)
	}
	said[name] = upper(text)
	fields, is := of.Type.(*ast.StructType)
	if !is {
		return
	}
	for _, f := range fields.Fields.List {
		for _, id := range f.Names {
			text := sentence(f.Comment)
			if text == "" {
				text = strings.TrimPrefix(strings.TrimPrefix(sentence(f.Doc), id.Name+" "), "is ")
			}
			said[name+"."+id.Name] = upper(text)
		}
	}
}

// sentence is a comment on one line.
func sentence(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }

func upper(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
