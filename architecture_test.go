package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// module is the path that every package of the program begins with. It sorts
// before github.com: package background relies on it.
const module = "geodeck"

// mayImport says which packages of the program a package may import. A pattern
// is matched by path.Match; a package that is not listed must be added here,
// with a thought about where it belongs.
var mayImport = []struct {
	pkg  string
	from []string
}{
	{".", []string{"ui/cli"}},
	{"ui/cli", []string{"ui/cli/*", "ui", "ui/keyboard", "theme", "adminapi", "adminapi/*"}},
	{"ui/cli/exit", []string{"ui/cli/output", "adminapi", "adminapi/finding", "adminapi/lists", "adminapi/operation", "adminapi/plain"}},
	{"ui/cli/files", []string{"ui/cli/exit", "ui/cli/output", "adminapi/document", "adminapi/operation", "adminapi/plain"}},
	{"ui/cli/session", []string{"ui/cli/exit", "ui/cli/files", "ui/cli/output", "adminapi", "adminapi/fleet", "adminapi/journal", "adminapi/operation", "adminapi/plain", "adminapi/secrets", "adminapi/signin", "adminapi/sites"}},
	{"ui/cli/command", []string{"ui/cli/exit", "ui/cli/files", "ui/cli/output", "ui/cli/session", "ui/paint",
		"adminapi", "adminapi/explain", "adminapi/finding", "adminapi/health", "adminapi/journal", "adminapi/lists", "adminapi/operation", "adminapi/plain", "adminapi/spelling", "adminapi/secrets"}},
	{"ui/cli/edits", []string{"ui/cli/command", "ui/cli/exit", "ui/cli/files", "ui/cli/output", "ui/cli/session",
		"adminapi", "adminapi/document", "adminapi/finding", "adminapi/journal", "adminapi/lists", "adminapi/operation", "adminapi/placement", "adminapi/plain"}},
	{"ui/cli/fleet", []string{"ui/cli/command", "ui/cli/exit", "ui/cli/health", "ui/cli/output", "ui/cli/session", "adminapi", "adminapi/*"}},
	{"ui/cli/output", []string{"theme", "theme/background", "adminapi", "adminapi/lists", "adminapi/plain"}},
	// The commands of a noun.
	{"ui/cli/*", []string{"ui/cli/command", "ui/cli/edits", "ui/cli/exit", "ui/cli/files", "ui/cli/output", "ui/cli/session", "adminapi", "adminapi/*", "adminapi/upgrade/progress"}},
	{"ui", []string{"ui/header", "ui/help", "ui/keyboard", "ui/paint", "ui/palette", "ui/views", "ui/views/*", "ui/widget", "ui/widget/rows", "ui/widget/whatnow", "theme", "theme/background", "adminapi", "adminapi/parallel", "adminapi/fleet", "adminapi/operation", "adminapi/upgrade/progress", "adminapi/pattern", "adminapi/plain", "adminapi/secrets"}},
	{"ui/header", []string{"ui/views", "adminapi", "adminapi/plain", "adminapi/upgrade/progress"}},
	{"ui/help", []string{"ui/views", "ui/widget", "ui/widget/rows", "theme"}},
	{"ui/palette", []string{"ui/views", "ui/widget", "ui/widget/complete", "ui/widget/rows"}},
	{"ui/keyboard", []string{"theme"}},
	{"ui/paint", []string{"theme"}},
	{"ui/views", []string{"theme", "adminapi", "adminapi/fleet", "adminapi/operation", "adminapi/upgrade/progress", "adminapi/pattern", "adminapi/plain"}},
	// Widgets and tools of tests serve every view, and know none.
	{"ui/widget", []string{"ui/views", "ui/widget/rows", "ui/widget/complete", "theme", "adminapi/finding", "adminapi/plain"}},
	{"ui/widget/complete", []string{"ui/views", "ui/widget/rows", "adminapi/plain"}},
	{"ui/widget/rows", []string{"ui/views", "theme", "adminapi/finding", "adminapi/operation", "adminapi/plain"}},
	{"ui/widget/jsonview", []string{"ui/views", "ui/widget/rows", "theme", "adminapi/plain"}},
	{"ui/widget/diff", []string{"ui/views", "ui/widget", "ui/widget/rows", "theme", "adminapi/document", "adminapi/finding", "adminapi/plain"}},
	{"ui/widget/whatnow", []string{"ui/views", "ui/widget", "ui/widget/rows", "theme", "adminapi", "adminapi/explain", "adminapi/operation", "adminapi/plain"}},
	{"ui/uitest/terminal", nil},
	{"ui/uitest/picture", []string{"ui/uitest/terminal"}},
	{"ui/uitest/texts", nil},
	{"ui/uitest/schema", nil},
	{"ui/uitest/mutants", nil},
	{"ui/uitest/changes", nil},
	{"ui/uitest/sbom", []string{"ui/cli/command"}},
	{"ui/uitest/packages", nil},
	{"ui/uitest/bench", []string{"ui/uitest/terminal"}},
	{"ui/uitest/sweep/oracle", nil},
	{"ui/uitest/sweep", []string{"ui", "ui/cli", "ui/cli/command", "ui/cli/session", "ui/keyboard", "ui/paint", "ui/uitest", "ui/uitest/sweep/oracle", "ui/uitest/terminal", "theme", "adminapi", "adminapi/*", "adminapi/simulator/simtest", "adminapi/upgrade/progress", "adminapi/journal/memdisk"}},
	{"ui/uitest/clitest", []string{"ui/cli", "ui/uitest/terminal", "adminapi", "adminapi/journal", "adminapi/secrets", "adminapi/simulator", "adminapi/simulator/simtest"}},
	{"ui/uitest/monkey", []string{"ui/uitest/bench", "adminapi/simulator"}},
	{"ui/uitest", []string{"ui/uitest/terminal", "ui/paint", "ui/views", "theme", "adminapi", "adminapi/operation", "adminapi/document", "adminapi/journal", "adminapi/secrets", "adminapi/simulator", "adminapi/simulator/simtest"}},
	// Views, and the widgets of one view alone.
	{"ui/views/services", []string{"ui/views", "ui/widget", "ui/widget/rows", "ui/widget/diff", "ui/widget/whatnow", "ui/views/services/*", "adminapi", "adminapi/explain", "adminapi/operation",
		"adminapi/upgrade/progress", "adminapi/document", "adminapi/journal", "adminapi/plain", "adminapi/secrets"}},
	{"ui/views/services/cluster", []string{"ui/views", "ui/widget", "ui/widget/complete", "ui/widget/rows", "ui/widget/whatnow", "adminapi", "adminapi/explain", "adminapi/operation", "adminapi/placement", "adminapi/plain"}},
	{"ui/views/services/editor", []string{"ui/views", "ui/widget", "ui/widget/complete", "ui/widget/rows", "ui/widget/jsonview", "ui/views/services/edits", "adminapi", "adminapi/operation", "adminapi/document", "adminapi/journal", "adminapi/plain"}},
	{"ui/views/services/definition", []string{"ui/views", "ui/widget/rows", "ui/views/services/editor", "ui/views/services/jsonedit", "adminapi", "adminapi/operation", "adminapi/document"}},
	{"ui/views/services/placement", []string{"ui/views", "ui/widget", "ui/widget/complete", "ui/widget/rows", "ui/widget/jsonview", "ui/views/services/cluster", "ui/views/services/editor", "ui/views/services/rules",
		"adminapi", "adminapi/operation", "adminapi/document", "adminapi/placement", "adminapi/plain"}},
	// A change: the flow leads from step to step, and no step knows the flow.
	{"ui/views/services/change", []string{"ui/views", "ui/widget/rows", "ui/widget/whatnow", "ui/views/services/cluster", "ui/views/services/editor",
		"ui/views/services/plan", "ui/views/services/review", "ui/views/services/conflict", "ui/views/services/sending", "ui/views/services/result",
		"adminapi", "adminapi/operation", "adminapi/document", "adminapi/journal", "adminapi/plain"}},
	{"ui/views/services/review", []string{"ui/views", "ui/widget", "ui/widget/rows", "ui/widget/jsonview", "ui/widget/diff", "ui/widget/whatnow", "ui/views/services/cluster", "ui/views/services/editor", "ui/views/services/plan",
		"adminapi", "adminapi/explain", "adminapi/operation", "adminapi/document", "adminapi/placement", "adminapi/journal", "adminapi/finding", "adminapi/plain"}},
	{"ui/views/services/conflict", []string{"ui/views", "ui/widget", "ui/widget/rows", "ui/widget/whatnow", "ui/views/services/plan",
		"adminapi", "adminapi/explain", "adminapi/operation", "adminapi/document", "adminapi/plain"}},
	{"ui/views/services/sending", []string{"ui/views", "ui/widget", "ui/widget/rows", "ui/views/services/plan",
		"adminapi", "adminapi/explain", "adminapi/operation", "adminapi/document", "adminapi/journal", "adminapi/plain"}},
	{"ui/views/services/result", []string{"ui/views", "ui/widget/rows", "ui/widget/whatnow", "ui/views/services/cluster", "ui/views/services/editor", "ui/views/services/plan", "ui/views/services/sending",
		"adminapi", "adminapi/explain", "adminapi/operation", "adminapi/plain"}},
	{"ui/views/services/history", []string{"ui/views", "ui/widget/rows", "ui/widget/jsonview", "ui/views/services/editor", "ui/views/services/plan",
		"adminapi", "adminapi/operation", "adminapi/document", "adminapi/plain"}},
	{"ui/views/services/plan", []string{"ui/views", "ui/widget/rows", "adminapi", "adminapi/operation", "adminapi/plain"}},
	{"ui/views/services/edits", []string{"ui/views", "ui/widget/rows", "adminapi/plain"}},
	{"ui/views/services/jsonedit", []string{"ui/views", "ui/widget", "ui/widget/rows", "ui/views/services/edits", "theme", "adminapi/document", "adminapi/pattern", "adminapi/finding", "adminapi/plain"}},
	{"ui/views/services/rules", []string{"ui/views", "ui/widget", "ui/widget/complete", "ui/widget/rows", "ui/widget/jsonview", "ui/views/services/edits", "theme", "adminapi/document", "adminapi/placement", "adminapi/finding", "adminapi/plain"}},
	{"ui/views/fleet", []string{"ui/views", "ui/widget/rows", "adminapi", "adminapi/parallel", "adminapi/fleet", "adminapi/health", "adminapi/operation", "adminapi/plain"}},
	{"ui/views/*", []string{"ui/views", "ui/widget", "ui/widget/complete", "ui/widget/rows", "ui/widget/jsonview", "ui/widget/diff", "ui/widget/whatnow", "theme", "adminapi", "adminapi/operation",
		"adminapi/explain", "adminapi/health", "adminapi/upgrade", "adminapi/upgrade/progress", "adminapi/journal", "adminapi/finding", "adminapi/plain", "adminapi/secrets"}},
	{"theme/background", nil},
	{"theme", []string{"theme/background"}},
	{"adminapi/plain", nil},
	{"adminapi/pattern", nil},
	{"adminapi/finding", nil},
	{"adminapi/lists", nil},
	{"adminapi/spelling", nil},
	{"adminapi/secrets", []string{"adminapi/internal/jsonx", "adminapi/pattern", "adminapi/plain"}},
	{"adminapi/internal/jsonx", nil},
	{"adminapi", []string{"adminapi/internal/jsonx", "adminapi/pattern", "adminapi/plain", "adminapi/secrets"}},
	{"adminapi/health", []string{"adminapi", "adminapi/internal/jsonx", "adminapi/finding", "adminapi/lists", "adminapi/plain"}},
	{"adminapi/upgrade", []string{"adminapi", "adminapi/internal/jsonx", "adminapi/upgrade/progress", "adminapi/lists", "adminapi/pattern", "adminapi/finding", "adminapi/plain", "adminapi/secrets"}},
	{"adminapi/upgrade/progress", []string{"adminapi", "adminapi/internal/jsonx", "adminapi/lists", "adminapi/pattern", "adminapi/plain"}},
	{"adminapi/document", []string{"adminapi", "adminapi/internal/jsonx", "adminapi/finding", "adminapi/lists", "adminapi/plain", "adminapi/secrets", "adminapi/spelling"}},
	{"adminapi/placement", []string{"adminapi", "adminapi/internal/jsonx", "adminapi/document", "adminapi/finding", "adminapi/lists", "adminapi/plain", "adminapi/spelling"}},
	{"adminapi/explain", []string{"adminapi", "adminapi/health", "adminapi/upgrade", "adminapi/upgrade/progress", "adminapi/placement", "adminapi/pattern", "adminapi/finding", "adminapi/plain"}},
	{"adminapi/journal", []string{"adminapi", "adminapi/internal/jsonx", "adminapi/lists", "adminapi/pattern", "adminapi/plain", "adminapi/secrets"}},
	{"adminapi/sites", []string{"adminapi", "adminapi/journal", "adminapi/lists", "adminapi/pattern", "adminapi/plain", "adminapi/secrets", "adminapi/spelling"}},
	{"adminapi/journal/memdisk", []string{"adminapi/journal"}},
	{"adminapi/program", []string{"adminapi/plain", "adminapi/secrets"}},
	{"adminapi/signin", []string{"adminapi", "adminapi/sites", "adminapi/journal", "adminapi/program", "adminapi/pattern", "adminapi/plain", "adminapi/secrets"}},
	{"adminapi/parallel", nil},
	{"adminapi/archive", nil},
	{"adminapi/operation/polling", []string{"adminapi"}},
	{"adminapi/operation/editing", []string{
		"adminapi", "adminapi/document", "adminapi/finding", "adminapi/lists", "adminapi/placement", "adminapi/plain"}},
	{"adminapi/operation/reporting", []string{"adminapi", "adminapi/health", "adminapi/parallel", "adminapi/plain"}},
	{"adminapi/operation/availability", []string{
		"adminapi", "adminapi/operation/polling", "adminapi/parallel", "adminapi/plain"}},
	{"adminapi/operation", []string{
		"adminapi", "adminapi/finding", "adminapi/document", "adminapi/explain", "adminapi/health", "adminapi/journal",
		"adminapi/operation/availability", "adminapi/operation/editing", "adminapi/operation/polling",
		"adminapi/operation/reporting", "adminapi/lists", "adminapi/parallel", "adminapi/plain", "adminapi/program", "adminapi/secrets",
		"adminapi/upgrade", "adminapi/upgrade/progress"}},
	{"adminapi/operation/nodesource", []string{
		"adminapi", "adminapi/operation", "adminapi/placement", "adminapi/plain", "adminapi/program",
		"adminapi/secrets"}},
	{"adminapi/operation/batching", []string{
		"adminapi", "adminapi/document", "adminapi/finding", "adminapi/journal", "adminapi/operation", "adminapi/operation/availability",
		"adminapi/operation/editing", "adminapi/placement", "adminapi/plain"}},
	{"adminapi/operation/checkout", []string{
		"adminapi", "adminapi/document", "adminapi/finding", "adminapi/journal", "adminapi/operation", "adminapi/operation/batching",
		"adminapi/operation/editing", "adminapi/lists", "adminapi/parallel", "adminapi/placement", "adminapi/plain"}},
	{"adminapi/operation/watching", []string{
		"adminapi", "adminapi/journal", "adminapi/operation", "adminapi/operation/polling", "adminapi/parallel",
		"adminapi/plain", "adminapi/program", "adminapi/upgrade/progress"}},
	{"adminapi/operation/offline", []string{
		"adminapi", "adminapi/journal", "adminapi/operation", "adminapi/operation/watching", "adminapi/plain", "adminapi/secrets"}},
	{"adminapi/operation/incident", []string{
		"adminapi", "adminapi/archive", "adminapi/explain", "adminapi/health", "adminapi/internal/jsonx",
		"adminapi/journal", "adminapi/lists", "adminapi/operation", "adminapi/operation/availability", "adminapi/operation/editing",
		"adminapi/operation/reporting", "adminapi/operation/watching", "adminapi/parallel", "adminapi/placement", "adminapi/plain", "adminapi/secrets",
		"adminapi/upgrade", "adminapi/upgrade/progress"}},
	// What their tests share: no program imports it.
	{"adminapi/operation/operationtest", []string{
		"adminapi", "adminapi/document", "adminapi/journal", "adminapi/lists", "adminapi/operation", "adminapi/operation/editing",
		"adminapi/operation/polling", "adminapi/secrets", "adminapi/simulator", "adminapi/simulator/simtest", "adminapi/upgrade"}},
	{"adminapi/fleet", []string{"adminapi", "adminapi/parallel", "adminapi/health", "adminapi/operation", "adminapi/upgrade/progress", "adminapi/plain"}},
	{"adminapi/doctor", []string{"adminapi", "adminapi/archive", "adminapi/parallel", "adminapi/internal/jsonx", "adminapi/journal", "adminapi/operation", "adminapi/pattern", "adminapi/plain", "adminapi/secrets", "adminapi/sites"}},
	{"adminapi/simulator", []string{"adminapi", "adminapi/internal/jsonx", "adminapi/health", "adminapi/lists", "adminapi/placement", "adminapi/pattern", "adminapi/plain", "adminapi/secrets"}},
	{"adminapi/simulator/simtest", []string{"adminapi", "adminapi/plain", "adminapi/secrets", "adminapi/simulator"}},
}

func TestImportsRunOneWay(t *testing.T) {
	t.Parallel()
	for _, file := range sources(t) {
		pkg := path.Dir(file.name)
		allowed, known := allowedFor(pkg)
		if !known {
			t.Errorf("%s: package %s has no place in mayImport", file.name, pkg)
			continue
		}
		for _, imported := range file.imports() {
			inside, ours := strings.CutPrefix(imported, module+"/")
			room := strings.HasPrefix(inside, "adminapi/operation/") && inside != "adminapi/operation/operationtest"
			if room && path.Dir(pkg) != "adminapi/operation" && matchesAny(allowed, "adminapi/operation") {
				continue // who may import operation may import its rooms, which name each other
			}
			if ours && !matchesAny(allowed, inside) {
				t.Errorf("%s: %s must not import %s", file.name, pkg, imported)
			}
		}
	}
}

func allowedFor(pkg string) (patterns []string, known bool) {
	for _, rule := range mayImport {
		if ok, _ := path.Match(rule.pkg, pkg); ok {
			return rule.from, true
		}
	}
	return nil, false
}

// Commands do without the screen: one file of theirs opens the dashboard.
func TestCommandsKnowNoScreen(t *testing.T) {
	t.Parallel()
	for _, file := range sources(t) {
		if path.Dir(file.name) == "ui/cli" && file.name != "ui/cli/dashboard.go" && slices.Contains(file.imports(), module+"/ui") {
			t.Errorf("%s imports %s/ui", file.name, module)
		}
	}
}

func TestTheWireKnowsNoTerminal(t *testing.T) {
	t.Parallel()
	screen := []string{
		"github.com/charmbracelet/bubbletea", "github.com/charmbracelet/bubbles/*",
		"github.com/charmbracelet/huh", "github.com/charmbracelet/lipgloss",
	}
	for _, file := range sources(t) {
		if !strings.HasPrefix(file.name, "adminapi/") {
			continue
		}
		for _, imported := range file.imports() {
			if matchesAny(screen, imported) {
				t.Errorf("%s imports %s", file.name, imported)
			}
		}
	}
}

func TestPurePackagesDoNoInputOrOutput(t *testing.T) {
	t.Parallel()
	pure := []string{"adminapi/finding", "adminapi/health", "adminapi/upgrade", "adminapi/upgrade/progress", "adminapi/document", "adminapi/placement", "adminapi/explain", "adminapi/plain", "adminapi/secrets", "adminapi/internal/jsonx"}
	for _, file := range sources(t) {
		if !slices.Contains(pure, path.Dir(file.name)) {
			continue
		}
		for _, imported := range file.imports() {
			if matchesAny([]string{"os", "os/*", "net", "net/*", "syscall"}, imported) {
				t.Errorf("%s imports %s", file.name, imported)
			}
		}
		for _, use := range file.uses("time") {
			if slices.Contains([]string{"Now", "Since", "Until", "Sleep", "After"}, use.name) {
				t.Errorf("%s has a clock of its own: time.%s", use.at, use.name)
			}
		}
	}
}

// What is not the same twice comes into the client, the operations and the journal as a
// value, so that a test can bring its own: time, chance, files.
func TestTimeChanceAndFilesAreValues(t *testing.T) {
	at := map[string][]string{ // where the values of the machine are made
		"time": {"adminapi/clock.go"},
		"os": {
			"adminapi/journal/disk.go",
			"adminapi/operation/files.go",             // what a person names
			"adminapi/operation/editor.go",            // what is run outside
			"adminapi/operation/batching/planfile.go", // a plan that a person names
			"adminapi/operation/checkout/checkout.go", // a folder that a person names
		},
		"os/exec": {"adminapi/operation/editor.go", "adminapi/operation/watching/alarm.go"},
		"os/user": {"adminapi/journal/disk.go"},
	}
	clocks := []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}
	for _, file := range sources(t) {
		dir := path.Dir(file.name)
		given := slices.Contains([]string{"adminapi", "adminapi/operation", "adminapi/journal"}, dir) || path.Dir(dir) == "adminapi/operation"
		if !given || dir == "adminapi/operation/operationtest" {
			continue
		}
		for _, imported := range file.imports() {
			if imported == "math/rand/v2" && file.name != "adminapi/clock.go" || imported == "math/rand" || imported == "crypto/rand" {
				t.Errorf("%s imports %s", file.name, imported)
			}
		}
		for pkg, made := range at {
			for _, use := range file.uses(pkg) {
				value := pkg == "time" && !slices.Contains(clocks, use.name) || pkg == "os" && strings.HasPrefix(use.name, "O_")
				if !value && !slices.Contains(made, file.name) {
					t.Errorf("%s is not given as a value: %s.%s", use.at, pkg, use.name)
				}
			}
		}
	}
}

// A panic on a goroutine of its own ends the program at once, and leaves the terminal as it is.
func TestAPanicOfAParallelFetchCanBeHandled(t *testing.T) {
	t.Parallel()
	for _, file := range sources(t) {
		pkg := path.Dir(file.name)
		if !strings.HasPrefix(pkg, "adminapi/operation") && pkg != "ui" && !strings.HasPrefix(pkg, "ui/views") && !strings.HasPrefix(pkg, "ui/widget") {
			continue
		}
		for _, use := range file.uses("sync") {
			if use.name == "WaitGroup" {
				t.Errorf("%s is not of parallel.Group", use.at)
			}
		}
		if slices.Contains(file.imports(), "golang.org/x/sync/errgroup") {
			t.Errorf("%s imports errgroup: see parallel.Group", file.name)
		}
	}
}

func TestTheBackgroundIsSettledByALeaf(t *testing.T) {
	t.Parallel()
	for _, file := range sources(t) {
		if path.Dir(file.name) != "theme/background" {
			continue
		}
		for _, imported := range file.imports() {
			if strings.Contains(imported, ".") && imported != "github.com/charmbracelet/lipgloss" {
				t.Errorf("%s imports %s: its init would run after that of Bubble Tea", file.name, imported)
			}
		}
	}
}

// A program that can call methods by their names has to keep them all: the templates of
// the standard library do that, and make it a quarter larger.
func TestNothingKeepsUnusedCodeInTheProgram(t *testing.T) {
	t.Parallel()
	for _, file := range sources(t) {
		for _, imported := range file.imports() {
			if imported == "text/template" || imported == "html/template" {
				t.Errorf("%s imports %s", file.name, imported)
			}
		}
	}
}

// Every command starts with the variables of all packages.
func TestPatternsAreCompiledAtTheirFirstUse(t *testing.T) {
	t.Parallel()
	constants := constantsOf(sources(t))
	for _, file := range sources(t) {
		for _, declared := range file.tree.Decls {
			if _, ok := declared.(*ast.GenDecl); !ok || strings.HasPrefix(file.name, "ui/uitest/") {
				continue
			}
			ast.Inspect(declared, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && isSelector(call.Fun, "regexp", "MustCompile") {
					t.Errorf("%s compiles a pattern at the start: see package pattern", file.at(n))
				}
				_, later := n.(*ast.FuncLit)
				return !later
			})
		}
		ast.Inspect(file.tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !isSelector(call.Fun, "pattern", "New") {
				return true
			}
			expression, ok := constants.text(path.Dir(file.name), call.Args[0])
			if !ok {
				t.Errorf("%s: the expression of a pattern is a constant, which this test compiles", file.at(n))
				return true
			}
			_, err := regexp.Compile(expression)
			if err != nil {
				t.Errorf("%s: %v", file.at(n), err)
			}
			return true
		})
	}
}

// texts are the values of constants by their package and name.
type texts map[string]ast.Expr

func constantsOf(files []source) texts {
	all := texts{}
	for _, file := range files {
		for _, declared := range file.tree.Decls {
			d, ok := declared.(*ast.GenDecl)
			if !ok || d.Tok != token.CONST {
				continue
			}
			for _, spec := range d.Specs {
				for i, value := range spec.(*ast.ValueSpec).Values {
					all[path.Dir(file.name)+"."+spec.(*ast.ValueSpec).Names[i].Name] = value
				}
			}
		}
	}
	return all
}

// text returns the text that a constant expression is.
func (all texts) text(pkg string, of ast.Expr) (string, bool) {
	switch e := of.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.Ident:
		value, known := all[pkg+"."+e.Name]
		if !known {
			return "", false
		}
		return all.text(pkg, value)
	case *ast.BinaryExpr:
		a, isText := all.text(pkg, e.X)
		b, both := all.text(pkg, e.Y)
		return a + b, isText && both && e.Op == token.ADD
	}
	return "", false
}

// Enter starts, writes, loads or signs in: the footer of a form and of a prompt says which.
func TestFormsAndPromptsNameWhatEnterDoes(t *testing.T) {
	t.Parallel()
	forms := 0
	for _, file := range sources(t) {
		ast.Inspect(file.tree, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && isSelector(call.Fun, "widget", "PromptFile") {
				return false // which has one of its own
			}
			form, ok := n.(*ast.CompositeLit)
			if !ok || !isSelector(form.Type, "widget", "FormOptions") && !isSelector(form.Type, "widget", "PromptOptions") {
				return true
			}
			forms++
			action := slices.IndexFunc(form.Elts, func(e ast.Expr) bool {
				field, ok := e.(*ast.KeyValueExpr)
				return ok && field.Key.(*ast.Ident).Name == "Action"
			})
			if action < 0 {
				t.Errorf("%s: a form or prompt without an Action", file.at(n))
				return true
			}
			if word, ok := form.Elts[action].(*ast.KeyValueExpr).Value.(*ast.BasicLit); ok && slices.Contains([]string{`""`, `"next"`, `"send"`, `"ok"`, `"accept"`}, word.Value) {
				t.Errorf("%s: the Action %s names nothing", file.at(n), word.Value)
			}
			return true
		})
	}
	if forms < 15 {
		t.Errorf("only %d were found", forms)
	}
}

func isSelector(n ast.Expr, pkg, name string) bool {
	s, ok := n.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != name {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == pkg
}

func TestStylesAreMadeInTheThemeOnly(t *testing.T) {
	t.Parallel()
	for _, file := range sources(t) {
		if strings.HasPrefix(file.name, "theme/") {
			continue
		}
		ast.Inspect(file.tree, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "NewStyle" {
				t.Errorf("%s makes a style", file.at(n))
			}
			return true
		})
	}
}

func TestNothingWritesBesideTheScreen(t *testing.T) {
	t.Parallel()
	forbidden := map[string]func(string) bool{
		"os":  func(name string) bool { return name == "Stdout" || name == "Stderr" },
		"fmt": func(name string) bool { return strings.HasPrefix(name, "Print") },
		"log": func(name string) bool { return name != "Logger" && name != "New" },
	}
	for _, file := range sources(t) {
		if slices.Contains([]string{"main.go", "ui/cli/run.go", "ui/uitest/texts/main.go", "ui/uitest/mutants/main.go", "ui/uitest/changes/main.go", "ui/uitest/sbom/main.go"}, file.name) {
			continue
		}
		for pkg, isForbidden := range forbidden {
			for _, use := range file.uses(pkg) {
				if isForbidden(use.name) {
					t.Errorf("%s uses %s.%s", use.at, pkg, use.name)
				}
			}
		}
		ast.Inspect(file.tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if f, ok := call.Fun.(*ast.Ident); ok && f.Obj == nil && (f.Name == "print" || f.Name == "println") {
				t.Errorf("%s uses the builtin %s", file.at(n), f.Name)
			}
			return true
		})
	}
}

// source is one file of the program, tests left out.
type source struct {
	name string // with slashes, from the root of the module
	set  *token.FileSet
	tree *ast.File
}

func sources(t *testing.T) []source {
	t.Helper()
	files, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// parsed reads the files once for all tests.
var parsed = sync.OnceValues(func() (files []source, err error) {
	set := token.NewFileSet()
	err = filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		tree, err := parser.ParseFile(set, name, nil, 0)
		files = append(files, source{name: filepath.ToSlash(name), set: set, tree: tree})
		return err
	})
	return files, err
})

func (s source) at(n ast.Node) string { return s.set.Position(n.Pos()).String() }

func (s source) imports() []string {
	var paths []string
	for _, spec := range s.tree.Imports {
		if imported, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, imported)
		}
	}
	return paths
}

// use is one mention of something of another package.
type use struct{ name, at string }

// uses finds what the file takes from a package of the standard library.
func (s source) uses(pkg string) []use {
	if !slices.Contains(s.imports(), pkg) {
		return nil
	}
	var found []use
	ast.Inspect(s.tree, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok && x.Name == path.Base(pkg) {
				found = append(found, use{name: selector.Sel.Name, at: s.at(n)})
			}
		}
		return true
	})
	return found
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, _ := path.Match(pattern, name)
		return ok
	})
}

// TestTheArchitecturePageNamesFilesThatExist looks for every file that the page names.
func TestTheArchitecturePageNamesFilesThatExist(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"architecture_test.go": true}
	for _, file := range sources(t) {
		for name := file.name; ; {
			known[name] = true // also by the end of its path, as the page writes it
			_, rest, longer := strings.Cut(name, "/")
			if !longer {
				break
			}
			name = rest
		}
	}
	for _, named := range regexp.MustCompile("`([a-z_/]+\\.go)`").FindAllStringSubmatch(string(page), -1) {
		if !known[named[1]] {
			t.Errorf("docs/architecture.md names %s, which is not there", named[1])
		}
	}
}
