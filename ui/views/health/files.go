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
	"geodeck/adminapi/lists"
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
	// handed returns the one that is chosen, and what is known around it; where it cannot be had, nil
	// and what tells why.
	handed() (*incident.Handed, tea.Cmd)
	// shownName names it.
	shownName() string
	// comparing reports whether a comparison is shown: then it is the newer report of that.
	comparing() bool
}

func newFiles(c child, host fileHost) files {
	return files{child: c, host: host, folder: c.Env.WholeFolder()}
}

// Commands returns the commands that export the shown report and open saved ones.
func (f *files) Commands() []views.Command {
	return []views.Command{
		{ID: "health.export", Name: "export", Argument: "format",
			Choices: func() []views.Choice { return views.Choices(names(f.formats())) }, Enabled: f.cannotExport, With: f.exportAs,
			Help: "Write the report to a file in a format: json, csv, md, html or junit; a comparison as md or html."},
		{ID: "health.copy-page", Binding: views.Key("copy", "Y"), Name: "copy for a ticket", Enabled: f.cannotExport, Run: f.copyPage,
			Help: "Copy the report or comparison as Markdown: site, version, what changed, what to do."},
		{ID: "health.open-ask", Binding: views.Key("open file", "o"), Name: "open saved report", Run: func() tea.Cmd { return f.prompt("") },
			Help: "Open a saved report; no network is needed."},
		{ID: "health.open", Name: "open", Argument: "file", Files: true, With: f.openPath,
			Help: "Open a saved report file."},
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

// promptExport asks for the format in which the report under the cursor, or the comparison, is written.
func (f *files) promptExport() tea.Cmd {
	of, followed := f.host.handed()
	if of == nil {
		return followed
	}
	title, offered := "Export the report "+f.host.shownName(), f.formats()
	if f.host.comparing() {
		title = "Export the comparison"
	}
	texts := lists.Each(offered, func(format health.Format) string { return formatTexts[format] })
	return tea.Batch(followed, widget.Choose(f.Env.Theme, widget.FormOptions{
		ID: "health.export", Title: title, Note: "Into " + plain.Line(f.folder), Action: "export",
	}, "Format", texts, 0, func(at int) tea.Cmd { return f.write(of, offered[at]) }))
}

// formatTexts say what the formats are.
var formatTexts = map[health.Format]string{
	health.JSON: "JSON, as the site wrote it", health.CSV: "CSV, one line per test", health.Markdown: "Markdown, for a ticket",
	health.HTML: "HTML, one page to mail", health.JUnit: "JUnit XML, for pipelines",
}

// formats are those that are offered: of a comparison the ones that have it.
func (f *files) formats() []health.Format {
	if f.host.comparing() {
		return []health.Format{health.Markdown, health.HTML}
	}
	return health.Formats
}

func names(formats []health.Format) []string {
	return lists.Each(formats, func(f health.Format) string { return string(f) })
}

func (f *files) exportAs(format string) tea.Cmd {
	format = strings.ToLower(strings.TrimSpace(format))
	if format == "" {
		return f.promptExport()
	}
	if !slices.Contains(f.formats(), health.Format(format)) {
		return views.Tell(views.Warning, "Unknown format "+plain.Line(format)+". Choose "+strings.Join(names(f.formats()), ", ")+".")
	}
	of, followed := f.host.handed()
	if of == nil {
		return followed
	}
	return tea.Batch(followed, f.write(of, health.Format(format)))
}

// write writes a report into a new file, with what those need who were not here.
func (f *files) write(of *incident.Handed, format health.Format) tea.Cmd {
	folder, site := f.folder, f.Env.Site
	return f.Scope.Work("export", func(ctx context.Context) func() tea.Cmd {
		with := incident.HandOver(ctx, site, *of)
		path, err := operation.WriteNew(filepath.Join(folder, health.FileName(of.Report, format)), func(w io.Writer) error {
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
	site, what := f.Env.Site, "report for a ticket"
	if f.host.comparing() {
		what = "comparison for a ticket"
	}
	return tea.Batch(followed, f.Scope.Work("export", func(ctx context.Context) func() tea.Cmd {
		var page strings.Builder
		_ = health.Export(&page, of.Report, health.Markdown, incident.HandOver(ctx, site, *of)) // memory takes it
		return func() tea.Cmd { return views.Send(views.Copy{Text: page.String(), What: what}) }
	}))
}
