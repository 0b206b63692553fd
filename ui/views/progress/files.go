package progress

import (
	"bufio"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// gather collects the evidence of the run that is shown.
func (p *messages) gather() tea.Cmd {
	p.gathering = true
	site, name, id := p.Env.Site, p.Env.SiteName, ""
	if p.record { // of the run that is watched the site tells more, such as that it has stalled
		id = p.snapshot.Transcript
	}
	return p.Scope.Work("evidence", func(ctx context.Context) func() tea.Cmd {
		e, err := incident.GatherEvidence(ctx, site, name, id)
		return func() tea.Cmd {
			if p.gathering = false; err != nil {
				return views.TellFailed("The evidence could not be gathered", err)
			}
			return p.promptEvidence(e)
		}
	})
}

// promptEvidence asks for the file, and says what will not be in it.
func (p *messages) promptEvidence(e incident.Evidence) tea.Cmd {
	note := "One zip: summary, messages, phases, settings with secrets masked, health, checksums."
	if len(e.Absent) > 0 {
		note += "\nMissing from the zip:"
	}
	for _, absent := range e.Absent {
		note += "\n" + p.inks.Glyphs.Warn + " " + plain.Line(absent)
	}
	return widget.PromptFile(p.Env, widget.PromptOptions{ID: "progress.file", Title: "Write the evidence to", Note: note, Value: e.Name, Then: func(path string) tea.Cmd {
		return p.write(path, func(w io.Writer, _ string) error { return e.Write(w) })
	}})
}

// write writes a new file. content gets the path, whose extension may decide the format.
func (p *messages) write(path string, content func(io.Writer, string) error) tea.Cmd {
	folder := p.Env.Folder
	return p.Scope.Work("write", func(context.Context) func() tea.Cmd {
		path, err := views.ResolvePath(path, folder)
		if err == nil {
			path, err = operation.WriteNew(path, func(w io.Writer) error { return content(w, path) })
		}
		return func() tea.Cmd {
			if err != nil {
				return views.TellFailed("Nothing was written", err)
			}
			p.list.Unmark()
			return views.Wrote("Written to ", path, "")
		}
	})
}

// export asks what is to be written: the evidence of the run, or messages.
func (p *messages) export() tea.Cmd {
	count := p.list.Marked()
	which := plain.Plural(count, "marked message")
	if count == 0 {
		which = plain.Plural(p.list.Len(), "message")
	}
	choices := []string{"Evidence of the run (zip)", which + " (text or JSON lines)"}
	exports := []func() tea.Cmd{p.gather, p.save}
	return widget.Choose(p.Env.Theme, widget.FormOptions{ID: "progress.export", Title: "Export", Action: "export"},
		"What", choices, 0, func(chosen int) tea.Cmd { return exports[chosen]() })
}

// maxCopied is how many bytes are copied to the clipboard of a terminal. Many terminals
// silently drop what is longer, so a file is offered instead.
const maxCopied = 72_000

// copy copies the marked messages, or the one under the cursor.
func (p *messages) copy() tea.Cmd {
	if chosen := p.list.Chosen(); len(chosen) > 0 {
		return p.copyRows(chosen)
	}
	return copied(p.selected())
}

func copied(m adminapi.UpgradeMessage) tea.Cmd {
	return views.CopyText(lineOf(m), "message")
}

// visible returns the messages that pass the filter.
func (p *messages) visible() []int { return slices.Collect(p.list.Visible()) }

// copyRows copies messages as lines, or offers a file where they are too many.
func (p *messages) copyRows(which []int) tea.Cmd {
	var b strings.Builder
	for _, i := range which {
		if b.WriteString(lineOf(p.log.At(i).UpgradeMessage) + "\n"); b.Len() > maxCopied {
			return p.offerFile(which)
		}
	}
	p.list.Unmark()
	return views.CopyText(b.String(), plain.Plural(len(which), "message"))
}

func (p *messages) offerFile(which []int) tea.Cmd {
	return views.Show(widget.NewConfirm(p.Env.Theme, widget.Question{
		ID: "progress.too-long", Text: "These " + strconv.Itoa(len(which)) + " messages are too many for the terminal's clipboard. Save them to a file?",
		Consequence: "Terminals may silently discard more than about " + strconv.Itoa(maxCopied/1000) + " kB.",
		Yes:         "choose a file", Then: p.promptFile(which),
	}))
}

// save prompts for a file for the marked messages, or for all that are visible.
func (p *messages) save() tea.Cmd {
	which := p.list.Chosen()
	if len(which) == 0 {
		which = p.visible()
	}
	return p.promptFile(which)
}

func (p *messages) promptFile(which []int) tea.Cmd {
	log, name := p.log.Log, "geodeck-messages"
	origin := incident.Origin(p.Env.Site, p.Env.SiteName, p.Env.State.Version.Value.FullVersion)
	if to := p.snapshot.Progress.To; to != "" {
		name += "-" + views.FileSafe(to)
	}
	name += "-" + p.Env.Clock.Now().UTC().Format("20060102T150405Z") + ".txt" // no other file has it
	return widget.PromptFile(p.Env, widget.PromptOptions{ID: "progress.file", Title: "Save " + plain.Plural(len(which), "message") + " as",
		Note: "Lines of UTC time, code and text below site and version. A name in .jsonl: one JSON object per line.", Value: name, Then: func(path string) tea.Cmd {
			return p.write(path, func(w io.Writer, path string) error { return writeMessages(w, path, origin, log, which) })
		}})
}

// writeMessages writes messages as lines below where they come from, or as JSON lines as the API sent them,
// each with that in a member of its own: a reader of such lines takes no other line.
func writeMessages(w io.Writer, path string, origin [][2]string, log progress.Log, which []int) error {
	b, asJSON, from := bufio.NewWriter(w), strings.EqualFold(filepath.Ext(path), ".jsonl"), map[string]string{}
	for _, fact := range origin {
		if from[strings.ToLower(fact[0])] = fact[1]; !asJSON {
			_, _ = b.WriteString(fact[0] + ": " + fact[1] + "\n")
		}
	}
	member, err := adminapi.JSONLine(from)
	if err != nil {
		return err
	}
	if !asJSON {
		_, _ = b.WriteString("Times below: UTC\n\n")
	}
	for _, i := range which {
		m := log.At(i).UpgradeMessage
		if asJSON {
			line, err := adminapi.JSONLine(m)
			if err != nil {
				return err
			}
			_, _ = b.WriteString(strings.TrimSuffix(string(line), "}") + `,"origin":` + string(member) + "}")
		} else {
			_, _ = b.WriteString(lineOf(m))
		}
		_ = b.WriteByte('\n') // Flush returns the error
	}
	return b.Flush()
}
