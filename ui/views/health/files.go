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
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/complete"
)

// files opens saved reports and exports reports.
type files struct {
	child
	host  fileHost
	typed string // the last text in the prompt for a file
}

// fileHost is what files need from the view.
type fileHost interface {
	// opened shows the report of a file.
	opened(path string, report *analysis) tea.Cmd
	// noReport says why there is no report to act on.
	noReport() string
	// handed returns the one that is chosen, and what is known around it; where it cannot be had, nil
	// and what tells why.
	handed() (*incident.Handed, tea.Cmd)
	// shownName names it.
	shownName() string
	// comparing reports whether a comparison is shown: then it is the newer report of that.
	comparing() bool
}

// Commands returns the commands that export the shown report and open saved ones.
func (f *files) Commands() []views.Command {
	return []views.Command{
		{ID: "health.export", Key: "x", Word: "export", Name: "export", Argument: "format", Optional: true,
			Choices: func() []views.Choice { return views.Choices(formats()) }, Enabled: f.cannotExport, With: f.exportAs,
			Help: "Write the report or comparison to a file: md for a ticket, html for a mail, junit, csv, json."},
		{ID: "health.copy-page", Key: "Y", Word: "copy", Name: "copy for a ticket", Enabled: f.cannotExport, Run: f.copyPage,
			Help: "Copy the report or comparison as Markdown: site, version, what changed, what to do."},
		{ID: "health.open", Key: "o", Word: "open file", Name: "open file", Argument: "file", Optional: true, Files: true, With: f.openPath,
			Help: "Open a saved report; no network is needed."},
	}
}

// cannotExport says why no report can be exported.
func (f *files) cannotExport() string {
	if f.host.comparing() {
		return ""
	}
	return f.host.noReport()
}

// prompt asks for a path, with the text that was typed before and the problem with it.
func (f *files) prompt(problem string) tea.Cmd {
	return views.Show(widget.NewPrompt(f.Env.Theme, widget.PromptOptions{
		ID: "health.open", Title: "Open a saved report", Action: "open", Note: "A JSON file. No network is needed.",
		Value: f.typed, Problem: problem, Complete: complete.Files(f.Env.Folder, "json"),
		Check: widget.NeedsPath,
		Left:  func(path string) { f.typed = path },
		Then: func(path string) tea.Cmd {
			f.typed = path
			return f.read(path, true)
		},
	}))
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
	folder, by := f.Env.Folder, f.order
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

// promptExport asks for the format in which the report under the cursor, or the comparison, is written.
func (f *files) promptExport() tea.Cmd {
	of, followed := f.host.handed()
	if of == nil {
		return followed
	}
	title, first := "Export the report "+f.host.shownName(), 0
	if f.host.comparing() {
		title, first = "Export the comparison", slices.Index(health.Formats, health.Markdown) // the others have none
	}
	return tea.Batch(followed, widget.Choose(f.Env.Theme, widget.FormOptions{
		ID: "health.export", Title: title, Note: "Into " + plain.Line(f.Env.Folder), Action: "export",
	}, "Format", formatTexts[first:], 0, func(at int) tea.Cmd { return f.write(of, health.Formats[first+at]) }))
}

// formatTexts say what the formats are, in their order.
var formatTexts = []string{"JSON, as the site wrote it", "CSV, one line per test", "Markdown, for a ticket", "HTML, one page to mail", "JUnit XML, for pipelines"}

func formats() (names []string) {
	for _, f := range health.Formats {
		names = append(names, string(f))
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
	of, followed := f.host.handed()
	if of == nil {
		return followed
	}
	return tea.Batch(followed, f.write(of, health.Format(format)))
}

// write writes a report into a new file, with what those need who were not here.
func (f *files) write(of *incident.Handed, format health.Format) tea.Cmd {
	folder, site := f.Env.Folder, f.Env.Site
	return f.Scope.Work("export", func(ctx context.Context) func() tea.Cmd {
		with := incident.HandOver(ctx, site, *of)
		path, err := operation.WriteNew(filepath.Join(folder, health.FileName(of.Report, format, of.Before != nil)), func(w io.Writer) error {
			return health.Export(w, of.Report, format, with)
		})
		return func() tea.Cmd {
			if err != nil {
				return views.TellFailed("The report was not exported", err)
			}
			return views.Wrote("Written to ", path, "")
		}
	})
}

// copyPage copies what is written for a ticket.
func (f *files) copyPage() tea.Cmd {
	of, followed := f.host.handed()
	if of == nil {
		return followed
	}
	site := f.Env.Site
	return tea.Batch(followed, f.Scope.Work("export", func(ctx context.Context) func() tea.Cmd {
		var page strings.Builder
		_ = health.Export(&page, of.Report, health.Markdown, incident.HandOver(ctx, site, *of)) // memory takes it
		return func() tea.Cmd { return views.CopyText(page.String(), "page for a ticket") }
	}))
}
