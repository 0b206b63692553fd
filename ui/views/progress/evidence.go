package progress

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// evidenceMade is what was gathered of a run.
type evidenceMade struct {
	name   string
	absent []string
	write  func(io.Writer) error
	err    error
}

// gather collects the evidence of the run that is shown.
func (s *shown) gather() tea.Cmd {
	site, id := s.Env.Site, s.reading.Transcript
	if s.reading.TranscriptErr != nil {
		id = "" // the site tells more of it
	}
	collect := s.Scope.Do("evidence", func(ctx context.Context) tea.Msg {
		e, err := site.GatherEvidence(ctx, id)
		return evidenceMade{e.Name, e.Absent, e.Write, err}
	})
	return tea.Batch(views.Tell(views.Info, "Gathering the evidence of this run"+s.inks.Glyphs.Ellipsis), collect)
}

// askEvidence asks for the file, and says what will not be in it.
func (s *shown) askEvidence(e evidenceMade) tea.Cmd {
	if e.err != nil {
		return failure("The evidence could not be gathered", e.err)
	}
	note := "One zip: summary, messages, phases, settings with secrets masked, health, checksums."
	for _, absent := range e.absent {
		note += "\n" + s.inks.Glyphs.Warn + " " + plain.Line(absent)
	}
	return s.promptPath("Write the evidence to", note, e.name, func(path string) tea.Cmd {
		return s.write(path, func(w io.Writer, _ string) error { return e.write(w) })
	})
}

// fileName names the run and the moment: what is written later does not stand in
// the way of it.
func (s *shown) fileName(what string) string {
	name := "geodeck-" + what
	if to := s.reading.Progress.To; to != "" {
		name += "-" + to
	}
	return name + "-" + s.Env.Clock.Now().UTC().Format("20060102T150405Z")
}

// promptPath asks for the path of a new file.
func (s *shown) promptPath(title, note, name string, then func(path string) tea.Cmd) tea.Cmd {
	return views.Send(views.Open{Dialog: widget.NewPrompt(s.Env.Theme, widget.PromptOptions{
		ID: "progress.file", Title: title, Note: note, Value: filepath.Join(s.Env.Folder, name),
		Check: func(path string) error {
			if strings.TrimSpace(path) == "" {
				return errors.New("give the path of a file")
			}
			return nil
		},
		Then: then,
	})})
}

// written is a file that was written, or not.
type written struct {
	path string
	err  error
}

// write writes a new file. content gets the path because its ending may decide.
func (s *shown) write(path string, content func(io.Writer, string) error) tea.Cmd {
	folder := s.Env.Folder
	return s.Scope.Do("write", func(context.Context) tea.Msg {
		path, err := views.ResolvePath(path, folder)
		if err != nil {
			return written{err: err}
		}
		path, err = operation.WriteNew(path, func(w io.Writer) error { return content(w, path) })
		return written{path, err}
	})
}

func (w written) tell() tea.Cmd {
	if w.err != nil {
		return failure("Nothing was written", w.err)
	}
	return views.Tell(views.Success, "Written to "+plain.Line(w.path))
}
