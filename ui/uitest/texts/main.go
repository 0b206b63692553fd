// Command texts prints every text of the program that a user may read, with
// where it stands: one list to read from top to bottom, as `make texts`.
//
// It takes the string literals of the packages that speak to users, joins what
// is concatenated, and leaves out keys, paths, formats and names. A text with
// a sentence of more than [longest] words is marked with its number of words.
// Start reading at [collect].
package main

import (
	"bufio"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// longest is the most words that a sentence on a screen may have.
const longest = 12

// silent are the folders whose literals no user reads: the simulated platform
// speaks for the site, tests and their kit to us.
var silent = []string{"ui/uitest", "adminapi/simulator", "adminapi/internal", "testdata", "docs", ".git", ".ci", "dist"}

// text is one literal, or several that are concatenated; a part that is not a
// literal shows as an ellipsis.
type text struct {
	file string
	line int
	said string
}

func main() {
	root := flag.String("root", ".", "the folder of the module")
	long := flag.Bool("long", false, "only texts with a sentence of too many words")
	flag.Parse()
	texts, err := collect(*root)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, t := range texts {
		words := most(t.said)
		if words <= longest && *long {
			continue
		}
		mark := ""
		if words > longest {
			mark = fmt.Sprintf("(%d words) ", words)
		}
		fmt.Fprintf(out, "%s:%d: %s%s\n", t.file, t.line, mark, strings.ReplaceAll(t.said, "\n", "\\n"))
	}
}

// collect returns the texts of the module at root, in the order of files and lines.
func collect(root string) ([]text, error) {
	var texts []text
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		if entry.IsDir() && slices.Contains(silent, name) {
			return fs.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		found, err := textsOf(path, name)
		texts = append(texts, found...)
		return err
	})
	return texts, err
}

func textsOf(path, name string) ([]text, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var texts []text
	ast.Inspect(parsed, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field: // its tag
			return node.Tag == nil
		case ast.Expr:
			said, ok := saidBy(node)
			if !ok {
				return true
			}
			if readable(said) {
				texts = append(texts, text{file: name, line: files.Position(node.Pos()).Line, said: said})
			}
			return !strings.Contains(said, "…") // calls inside may hold texts of their own
		}
		return true
	})
	return texts, nil
}

// saidBy returns what a literal, or a concatenation with one, says.
func saidBy(node ast.Expr) (string, bool) {
	switch node := node.(type) {
	case *ast.BasicLit:
		if node.Kind != token.STRING {
			return "", false
		}
		said, err := strconv.Unquote(node.Value)
		return said, err == nil
	case *ast.BinaryExpr:
		if node.Op != token.ADD {
			return "", false
		}
		left, saysLeft := saidBy(node.X)
		right, saysRight := saidBy(node.Y)
		if !saysLeft {
			left = "…"
		}
		if !saysRight {
			right = "…"
		}
		return left + right, saysLeft || saysRight
	}
	return "", false
}

// wording is what a text for people has and a key, a path or a format has not:
// a word of letters, a space, another word.
var wording = regexp.MustCompile(`(?i)[a-z]{2,}[,.;:]? +(\S+ +)*[a-z%…]`)

// readable reports whether a literal is a text for people. A single word counts
// where it begins a sentence.
func readable(said string) bool {
	if strings.Contains(said, "\x1b") {
		return false
	}
	return wording.MatchString(said) || regexp.MustCompile(`^[A-Z][a-z]{2,}\.?$`).MatchString(said)
}

var ends = regexp.MustCompile(`[.!?;:](\s|$)|\n|\t`)

// most returns the number of words of the longest sentence of a text.
func most(said string) int {
	words := 0
	for _, sentence := range ends.Split(said, -1) {
		words = max(words, len(strings.Fields(sentence)))
	}
	return words
}
