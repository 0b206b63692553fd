package progress

import (
	"bufio"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/go-json-experiment/json"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// maxCopied is how many bytes are given to the clipboard of a terminal: beyond it
// many drop all of it without a word, so that a file is offered instead.
const maxCopied = 72_000

// copy copies the marked messages, or the one under the cursor.
func (p *messages) copy() tea.Cmd {
	if chosen := p.list.Chosen(); len(chosen) > 0 {
		return p.copyRows(chosen)
	}
	message, ok := p.selected()
	if !ok {
		return nil
	}
	return views.Send(views.Copy{Text: lineOf(message), What: "message"})
}

func (p *messages) copyAll() tea.Cmd { return p.copyRows(p.visible()) }

// visible returns the messages that the filter lets through.
func (p *messages) visible() []int {
	all := make([]int, 0, p.list.Len())
	for i := range p.list.Visible() {
		all = append(all, i)
	}
	return all
}

// copyRows copies messages as lines, or offers a file where they are too many.
func (p *messages) copyRows(which []int) tea.Cmd {
	var b strings.Builder
	for _, i := range which {
		if b.WriteString(lineOf(p.log.At(i).UpgradeMessage) + "\n"); b.Len() > maxCopied {
			return p.offerFile(which)
		}
	}
	p.list.Unmark()
	return views.Send(views.Copy{Text: b.String(), What: plain.Plural(len(which), "message")})
}

func (p *messages) offerFile(which []int) tea.Cmd {
	return views.Send(views.Open{Dialog: widget.NewConfirm(p.Env.Theme, widget.Question{
		ID: "progress.too-long", Text: "These " + strconv.Itoa(len(which)) + " messages are more than the clipboard of a terminal takes. Save them to a file?",
		Consequence: "Terminals drop what is longer than about " + strconv.Itoa(maxCopied/1000) + " kB without a word.",
		Yes:         "choose a file", Then: p.promptFile(which),
	})})
}

// save asks for the file to write the marked messages to, or all that are shown.
func (p *messages) save() tea.Cmd {
	which := p.list.Chosen()
	if len(which) == 0 {
		which = p.visible()
	}
	return p.promptFile(which)
}

func (p *messages) promptFile(which []int) tea.Cmd {
	log := p.log.Log
	return p.promptPath("Save "+plain.Plural(len(which), "message")+" as",
		"Lines of time in UTC, code and text; or a JSON object a line where the name ends in .jsonl.",
		p.fileName("messages")+".txt", func(path string) tea.Cmd {
			return p.write(path, func(w io.Writer, path string) error { return writeMessages(w, path, log, which) })
		})
}

// writeMessages writes messages as lines, or as JSON as the API sent them.
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
