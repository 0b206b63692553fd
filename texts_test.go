package main

import (
	"errors"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"geodeck/adminapi/operation"
	"geodeck/ui/cli"
	"geodeck/ui/views"
)

// said is a text of the program: a literal, or several that are put together, with an ellipsis for
// what is not one.
type said struct{ at, text string }

// texts returns what the files of a folder say, without the keys of rows, tags, and what the pages of
// commands are made of.
func textsOf(t *testing.T, folder string) (all []said) {
	t.Helper()
	for _, file := range sources(t) {
		if !strings.HasPrefix(file.name, folder) || strings.HasPrefix(file.name, "ui/uitest/") || strings.HasPrefix(file.name, "adminapi/simulator/") {
			continue
		}
		ast.Inspect(file.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec, *ast.Field:
				return false
			case *ast.KeyValueExpr:
				key, _ := n.Key.(*ast.Ident)
				return key == nil || !slices.Contains([]string{"Example", "Long", "Short", "Use"}, key.Name)
			case *ast.AssignStmt:
				to, is := n.Lhs[0].(*ast.SelectorExpr)
				return !is || to.Sel.Name != "Example" && to.Sel.Name != "Long"
			case *ast.ValueSpec:
				return !strings.HasSuffix(n.Names[0].Name, "Example") && !strings.HasSuffix(n.Names[0].Name, "Long")
			case *ast.CallExpr: // a flag, or the keys of a row
				called, is := n.Fun.(*ast.SelectorExpr)
				return !is || !strings.HasSuffix(strings.TrimSuffix(called.Sel.Name, "P"), "Var") && !isSelector(n.Fun, "views", "Key")
			case ast.Expr:
				text, is := literal(n)
				if is && strings.Contains(text, "geodeck ") || is && strings.ContainsAny(text, " {") {
					all = append(all, said{file.at(n), text})
				}
				return !is || strings.Contains(text, "…")
			}
			return true
		})
	}
	return all
}

func literal(n ast.Expr) (string, bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(n.Value)
		return text, err == nil && n.Kind == token.STRING
	case *ast.BinaryExpr:
		left, isLeft := literal(n.X)
		right, isRight := literal(n.Y)
		if n.Op != token.ADD || !isLeft && !isRight {
			return "", false
		}
		if !isLeft {
			left = "…"
		}
		if !isRight {
			right = "…"
		}
		return left + right, true
	}
	return "", false
}

// TestSentencesNameRowsAndNotKeys finds keys that are written by hand: a key moves with its row.
func TestSentencesNameRowsAndNotKeys(t *testing.T) {
	t.Parallel()
	const name = `(?:[A-Za-z@!?]|esc|enter|space|tab|(?:ctrl|alt)\+\S+)`
	byHand := regexp.MustCompile(`\b[Pp]ress (?:the )?` + name + `(?:[ .,:;]|$)|(?:^|[.;:,]) ` + name + ` (?:[a-z]+s|does)\b|\bthen (?:enter|esc|space)\b|, [a-zA-Z] [a-z]+s them\b|^` + name + ` [a-z]+s\b.*[.,]|; M is\b`)
	aKey := regexp.MustCompile(`^` + name + `$|^[0-9]$`) // else that of a label, say
	notKeys := regexp.MustCompile(`\b(?:[Aa]|I) [a-z]+s\b`)
	for _, s := range append(textsOf(t, "ui/"), textsOf(t, "adminapi/")...) {
		if strings.HasPrefix(s.at, "ui/cli/") {
			continue // which asks for answers at a line
		}
		if found := byHand.FindString(s.text); found != "" && !notKeys.MatchString(found) {
			t.Errorf("%s: %q names a key by hand in %q", s.at, found, s.text)
		}
	}
	for _, file := range sources(t) {
		ast.Inspect(file.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				key, _ := n.Key.(*ast.Ident)
				if text, is := literal(n.Value); is && key != nil && key.Name == "Key" && strings.HasPrefix(file.name, "adminapi/") && aKey.MatchString(text) {
					t.Errorf("%s: the key %q below the screen", file.at(n), text)
				}
			case *ast.CallExpr: // a key in its ink
				on, is := n.Fun.(*ast.SelectorExpr)
				if !is || on.Sel.Name != "On" && on.Sel.Name != "Render" || len(n.Args) != 1 || !strings.HasPrefix(file.name, "ui/") {
					break
				}
				ink, is := on.X.(*ast.SelectorExpr)
				if text, literal := literal(n.Args[0]); is && literal && ink.Sel.Name == "Key" && !strings.Contains(text, "…") {
					t.Errorf("%s: the key %q by hand", file.at(n), text)
				}
			}
			return true
		})
	}
}

// TestEveryRowAndCommandOfASentenceExists checks what sentences name.
func TestEveryRowAndCommandOfASentenceExists(t *testing.T) {
	t.Parallel()
	byHand := regexp.MustCompile(`\bgeodeck (?:` + nouns() + `|--)`)
	row, command := regexp.MustCompile(`\{key:([^}]*)\}`), regexp.MustCompile(`\{command:[^ }][^}]*\}`)
	rows, commands := 0, 0
	for _, s := range append(textsOf(t, "ui/"), textsOf(t, "adminapi/")...) {
		if found := byHand.FindString(s.text); found != "" {
			t.Errorf("%s: %q is written by hand in %q", s.at, found, s.text)
		}
		for _, m := range row.FindAllStringSubmatch(s.text, -1) {
			if rows++; strings.HasPrefix(s.at, "ui/cli/") {
				t.Errorf("%s: a command has no rows: %s", s.at, m[0])
			} else if !strings.Contains(m[1], "…") && views.KeyOf(m[1]) == "" {
				t.Errorf("%s: no row %s has a key", s.at, m[1])
			}
		}
		for _, text := range command.FindAllString(s.text, -1) {
			commands++
			takes(t, s.at, operation.NameCommands(text, nil))
		}
	}
	if rows < 60 || commands < 40 {
		t.Errorf("%d rows and %d commands are named", rows, commands)
	}
}

// takes checks that a printed command, of which an ellipsis may be any word, exists and takes its
// flags and arguments.
func takes(t *testing.T, at, line string) {
	t.Helper()
	words := strings.Fields(strings.ReplaceAll(line, "'", ""))
	root := cli.Tree()
	cmd, rest, err := root.Find(words[1:])
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if errors.Is(err, pflag.ErrHelp) {
		return
	}
	if err == nil && cmd.Args != nil {
		err = cmd.Args(cmd, cmd.Flags().Args())
	}
	if err != nil || cmd != root && (!cmd.Runnable() || cmd.HasSubCommands()) {
		t.Errorf("%s: %q cannot be run: %v", at, line, err)
	}
}

// The words of commands that are put together with what they are about.
func TestEveryCommandThatIsPutTogetherExists(t *testing.T) {
	t.Parallel()
	for _, file := range sources(t) {
		ast.Inspect(file.tree, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is || !isSelector(call.Fun, "operation", "CommandText") || len(call.Args) != 2 {
				return true
			}
			if words, is := literal(call.Args[0]); is && words != "" && !strings.Contains(words, "…") {
				takes(t, file.at(n), "geodeck "+words+" X.MapServer")
			}
			return true
		})
	}
}
