package progress

import (
	"bufio"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/go-json-experiment/json"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
)

// mostCopied is how many bytes are given to the clipboard of a terminal: beyond it
// many drop all of it without a word, so that a file is offered instead.
const mostCopied = 72_000

// copy copies the message that is open, the marked ones, or the one under the cursor.
func (m *Model) copy() tea.Cmd {
	if m.whole != nil {
		return views.Send(views.Copy{Text: lineOf(m.whole.message), What: "message"})
	}
	if chosen := m.list.Chosen(); len(chosen) > 0 {
		return m.copyRows(chosen)
	}
	message, ok := m.selected()
	if !ok {
		return nil
	}
	return views.Send(views.Copy{Text: lineOf(message), What: "message"})
}

func (m *Model) copyAll() tea.Cmd { return m.copyRows(m.visible()) }

// visible returns the messages that the filter lets through.
func (m *Model) visible() []int {
	all := make([]int, 0, m.list.Len())
	for i := range m.list.Visible() {
		all = append(all, i)
	}
	return all
}

// copyRows copies messages as lines, or offers a file where they are too many.
func (m *Model) copyRows(which []int) tea.Cmd {
	var b strings.Builder
	for _, i := range which {
		if b.WriteString(lineOf(m.log.At(i).UpgradeMessage) + "\n"); b.Len() > mostCopied {
			return m.offerFile(which)
		}
	}
	m.list.Unmark()
	return views.Send(views.Copy{Text: b.String(), What: plain.Plural(len(which), "message")})
}

func (m *Model) offerFile(which []int) tea.Cmd {
	return views.Send(views.Open{Dialog: views.NewConfirm(m.env.Theme, views.Question{
		ID: "progress.too-long", Text: "These " + strconv.Itoa(len(which)) + " messages are more than the clipboard of a terminal takes. Save them to a file?",
		Consequence: "Terminals drop what is longer than about " + strconv.Itoa(mostCopied/1000) + " kB without a word.",
		Yes:         "choose a file", Then: m.askFile(which),
	})})
}

// save asks for the file to write the marked messages to, or all that are shown.
func (m *Model) save() tea.Cmd {
	which := m.list.Chosen()
	if len(which) == 0 {
		which = m.visible()
	}
	return m.askFile(which)
}

func (m *Model) askFile(which []int) tea.Cmd {
	log := m.log.Log
	return m.askPath("Save "+plain.Plural(len(which), "message")+" as",
		"Lines of time in UTC, code and text; or a JSON object a line where the name ends in .jsonl.",
		m.fileName("messages")+".txt", func(path string) tea.Cmd {
			return m.write(path, func(w io.Writer, path string) error { return writeMessages(w, path, log, which) })
		})
}

// fileName names the run and the moment: what is written later does not stand in
// the way of it.
func (m *Model) fileName(what string) string {
	name := "geodeck-" + what
	if to := m.reading.Progress.To; to != "" {
		name += "-" + to
	}
	return name + "-" + m.env.Clock.Now().UTC().Format("20060102T150405Z")
}

// askPath asks for the path of a new file.
func (m *Model) askPath(title, note, name string, then func(path string) tea.Cmd) tea.Cmd {
	return views.Send(views.Open{Dialog: views.NewPrompt(m.env.Theme, views.Ask{
		ID: "progress.file", Title: title, Note: note, Value: filepath.Join(m.env.Folder, name),
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
func (m *Model) write(path string, content func(io.Writer, string) error) tea.Cmd {
	folder := m.env.Folder
	return m.scope.Do("write", func(context.Context) tea.Msg {
		path, err := views.ResolvePath(path, folder)
		if err != nil {
			return written{err: err}
		}
		path, err = operation.WriteNew(path, func(w io.Writer) error { return content(w, path) })
		return written{path, err}
	})
}

func (w written) apply(m *Model) tea.Cmd {
	if w.err != nil {
		return failure("Nothing was written", w.err)
	}
	m.list.Unmark()
	return views.Tell(views.Success, "Written to "+plain.Line(w.path))
}

// writeMessages writes messages as lines, or as JSON as the API told them.
func writeMessages(w io.Writer, path string, log progress.Log, which []int) error {
	b := bufio.NewWriter(w)
	for _, i := range which {
		m := log.At(i).UpgradeMessage
		if strings.EqualFold(filepath.Ext(path), ".jsonl") {
			if err := json.MarshalWrite(b, m); err != nil {
				return err
			}
		} else {
			_, _ = b.WriteString(lineOf(m))
		}
		_ = b.WriteByte('\n') // an error stays until Flush
	}
	return b.Flush()
}
