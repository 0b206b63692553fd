package health

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// mostFile is the largest file that is opened: what a report of the site may
// take as well.
const mostFile = 64 << 20

// askFile asks for the path of a saved report.
func (m *Model) askFile() tea.Cmd { return m.askFileAgain("") }

// askFileAgain asks with what was typed before, and with what was wrong with it.
func (m *Model) askFileAgain(problem string) tea.Cmd {
	return views.Send(views.Open{Dialog: views.NewPrompt(m.env.Theme, views.Ask{
		ID: "health.open", Title: "Open a saved report", Note: "A JSON file. No network is needed.",
		Value: m.typed, Problem: problem,
		Check: func(path string) error {
			if strings.TrimSpace(path) == "" {
				return errors.New("give the path of a file")
			}
			return nil
		},
		Left: func(path string) { m.typed = path },
		Then: func(path string) tea.Cmd {
			m.typed = path
			return m.readFile(path, true)
		},
	})})
}

// fileRead is a report from a file.
type fileRead struct {
	path  string
	study *study
	err   error
	asked bool // for the path, by the prompt
}

// openFile reads a report from a file: an absolute path, one from the home
// folder (~), or one from where the dashboard was started.
func (m *Model) openFile(path string) tea.Cmd { return m.readFile(path, false) }

func (m *Model) readFile(path string, asked bool) tea.Cmd {
	folder, order := m.folder, m.order
	return m.scope.Do("open", func(context.Context) tea.Msg {
		path, err := views.ResolvePath(path, folder)
		if err != nil {
			return fileRead{err: err, asked: asked}
		}
		report, err := readFile(path)
		if err != nil {
			return fileRead{err: err, asked: asked}
		}
		return fileRead{path: path, study: newStudy(report, order), asked: asked}
	})
}

func readFile(path string) (*adminapi.Report, error) {
	info, err := os.Stat(path) // before it is opened: a pipe without a writer would never open
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no file %s", path)
	case err != nil:
		return nil, fmt.Errorf("cannot look at %s: %w", path, err)
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder, not a report", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	file, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%s may not be read by you", path)
	case err != nil:
		return nil, fmt.Errorf("cannot open %s: %w", path, err)
	}
	defer file.Close()
	body, err := io.ReadAll(io.LimitReader(file, mostFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	case len(body) > mostFile:
		return nil, fmt.Errorf("%s is larger than 64 MiB", path)
	}
	report, err := adminapi.DecodeReport(body)
	if err != nil {
		return nil, fmt.Errorf("%s holds no health check report: %w", path, err)
	}
	return &report, nil
}

func (r fileRead) apply(m *Model) tea.Cmd {
	switch {
	case r.err != nil && r.asked:
		return m.askFileAgain(plain.Line(r.err.Error()))
	case r.err != nil:
		return views.Send(views.Notice{Level: views.Failure, Text: plain.Line(r.err.Error()), Err: r.err})
	case r.asked:
		m.typed = ""
	}
	e := entry{entryKey{fromFile, r.path}, summaryOf(*r.study.report)}
	m.store.put(e.key, r.study)
	m.catalog.addFile(e)
	delete(m.chosen.folds, e.key)
	m.compare, m.raw = nil, nil
	m.showEntries()
	m.catalog.list.SetFilter("")
	m.catalog.list.Select(e.key)
	m.chosen.key = entryKey{}
	shown := m.followNow()
	if !m.layout.shown(treePane) {
		m.goTo(treePane)
	}
	return tea.Batch(shown, views.Tell(views.Info, "Opened "+plain.Line(r.path)))
}

// askExport asks for the format.
func (m *Model) askExport() tea.Cmd {
	switch {
	case m.compare != nil:
		return comparisonExport()
	case m.report() == nil:
		return views.Tell(views.Warning, "There is no report to export.")
	}
	format := health.JSON
	return views.Send(views.Open{Dialog: views.NewForm(m.env.Theme, views.FormOptions{
		ID: "health.export", Title: "Export the report", Note: "Into " + plain.Line(m.folder),
		Build: func() *huh.Form {
			options := []huh.Option[health.Format]{
				huh.NewOption("JSON, as the site wrote it", health.JSON), huh.NewOption("CSV, a line a test", health.CSV),
				huh.NewOption("Markdown, for a ticket", health.Markdown), huh.NewOption("JUnit XML, for pipelines", health.JUnit),
			}
			return huh.NewForm(huh.NewGroup(huh.NewSelect[health.Format]().Title("Format").Options(options...).Value(&format)))
		},
		Submit: func() tea.Cmd { return m.export(format) },
	})})
}

// comparisonExport tells what writes a comparison down.
func comparisonExport() tea.Cmd {
	return views.Tell(views.Info, "A comparison is exported by the command line: geodeck health compare BEFORE AFTER -o json")
}

// exported is a file that was written, or not.
type exported struct {
	path string
	err  error
}

// export writes the shown report into a new file.
func (m *Model) export(format health.Format) tea.Cmd {
	report, folder := m.report(), m.folder
	if m.compare != nil {
		return comparisonExport()
	}
	if report == nil {
		return views.Tell(views.Warning, "There is no report to export.")
	}
	return m.scope.Do("export", func(context.Context) tea.Msg {
		path, err := operation.WriteNew(filepath.Join(folder, health.FileName(*report, format)), func(w io.Writer) error {
			return health.Export(w, *report, format)
		})
		return exported{path, err}
	})
}

func (r exported) apply(m *Model) tea.Cmd {
	if r.err != nil {
		return views.Send(views.Notice{Level: views.Failure, Text: "The report was not exported: " + plain.Line(r.err.Error()), Err: r.err})
	}
	return views.Tell(views.Success, "Written to "+plain.Line(r.path))
}
