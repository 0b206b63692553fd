package health

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/complete"
)

// files opens saved reports and exports reports.
type files struct {
	child
	host   fileHost
	folder string // where files are written and relative names are read from
	typed  string // the last text in the prompt for a file
}

// fileHost is what files need from the view.
type fileHost interface {
	// opened shows the report of a file.
	opened(path string, report *analysis) tea.Cmd
	// noReport says why there is no report to act on.
	noReport() string
	// chosenReport returns the one that is chosen; where it cannot be had, nil and what tells why.
	chosenReport() (*adminapi.Report, tea.Cmd)
	// knownBefore returns the reports before it that were read.
	knownBefore() []adminapi.Report
	// shownName names it.
	shownName() string
	// comparing reports whether a comparison is shown instead.
	comparing() bool
}

func newFiles(c child, host fileHost) files {
	return files{child: c, host: host, folder: c.Env.WholeFolder()}
}

// Commands returns the commands that export the shown report and open saved ones.
func (f *files) Commands() []views.Command {
	return []views.Command{
		{ID: "health.export", Name: "export", Argument: "format",
			Choices: func() []views.Choice { return views.Choices(formats()) }, Enabled: f.cannotExport, With: f.exportAs,
			Help: "Write the report to a file in a format: json, csv, md, html or junit."},
		{ID: "health.open-ask", Binding: views.Key("open file", "o"), Name: "open saved report", Run: func() tea.Cmd { return f.prompt("") },
			Help: "Open a saved report; no network is needed."},
		{ID: "health.open", Name: "open", Argument: "file", Files: true, With: f.openPath,
			Help: "Open a saved report file."},
	}
}

// cannotExport says why no report can be exported.
func (f *files) cannotExport() string {
	if f.host.comparing() {
		return f.Env.Commands("To export a comparison: {command:health compare BEFORE AFTER -o json}")
	}
	return f.host.noReport()
}

// prompt asks for a path, with the text that was typed before and the problem with it.
func (f *files) prompt(problem string) tea.Cmd {
	return views.Send(views.Open{Dialog: widget.NewPrompt(f.Env.Theme, widget.PromptOptions{
		ID: "health.open", Title: "Open a saved report", Action: "open", Note: "A JSON file. No network is needed.",
		Value: f.typed, Problem: problem, Complete: complete.Files(f.folder, "json"),
		Check: widget.NeedsPath,
		Left:  func(path string) { f.typed = path },
		Then: func(path string) tea.Cmd {
			f.typed = path
			return f.read(path, true)
		},
	})})
}

func (f *files) openPath(path string) tea.Cmd {
	if strings.TrimSpace(path) == "" {
		return f.prompt("")
	}
	return f.read(path, false)
}

// read reads a report from a file. The path is absolute, in the home folder (~), or
// relative to the folder in which the dashboard was started; prompt says that it was typed into the prompt.
func (f *files) read(path string, prompt bool) tea.Cmd {
	folder, by := f.folder, f.order
	return f.Scope.Work("open", func(context.Context) func() tea.Cmd {
		path, err := views.ResolvePath(path, folder)
		var report adminapi.Report
		if err == nil {
			report, err = operation.ReadReportFile(path)
		}
		if err != nil {
			return func() tea.Cmd { return f.notOpened(err, prompt) }
		}
		a := analyse(&report, by)
		return func() tea.Cmd {
			if prompt {
				f.typed = ""
			}
			return f.host.opened(path, a)
		}
	})
}

// notOpened says why a file could not be read, in the prompt where that is still wanted.
func (f *files) notOpened(err error, prompt bool) tea.Cmd {
	if prompt {
		return f.prompt(plain.Line(err.Error()))
	}
	return views.Send(views.Failed(plain.Line(err.Error()), err))
}

// promptExport asks for the format in which the report under the cursor is written.
func (f *files) promptExport() tea.Cmd {
	report, followed := f.host.chosenReport()
	if report == nil {
		return followed
	}
	return tea.Batch(followed, widget.Choose(f.Env.Theme, widget.FormOptions{
		ID: "health.export", Title: "Export the report " + f.host.shownName(), Note: "Into " + plain.Line(f.folder), Action: "export",
	}, "Format", formatTexts, 0, func(at int) tea.Cmd { return f.write(report, health.Formats[at]) }))
}

// formatTexts say what the formats are, in their order.
var formatTexts = []string{"JSON, as the site wrote it", "CSV, one line per test", "Markdown, for a ticket", "HTML, one page to mail", "JUnit XML, for pipelines"}

func formats() []string {
	names := make([]string, len(health.Formats))
	for i, f := range health.Formats {
		names[i] = string(f)
	}
	return names
}

func (f *files) exportAs(format string) tea.Cmd {
	format = strings.ToLower(strings.TrimSpace(format))
	if format == "" {
		return f.promptExport()
	}
	if !slices.Contains(health.Formats, health.Format(format)) {
		return views.Tell(views.Warning, "Unknown format "+plain.Line(format)+". Choose "+strings.Join(formats(), ", ")+".")
	}
	report, followed := f.host.chosenReport()
	if report == nil {
		return followed
	}
	return tea.Batch(followed, f.write(report, health.Format(format)))
}

// write writes a report into a new file.
func (f *files) write(report *adminapi.Report, format health.Format) tea.Cmd {
	folder, earlier := f.folder, f.host.knownBefore()
	return f.Scope.Work("export", func(context.Context) func() tea.Cmd {
		path, err := operation.WriteNew(filepath.Join(folder, health.FileName(*report, format)), func(w io.Writer) error {
			return health.Export(w, *report, format, earlier...)
		})
		return func() tea.Cmd {
			if err != nil {
				return views.TellFailed("The report was not exported", err)
			}
			return views.Wrote("Written to ", path, "")
		}
	})
}
