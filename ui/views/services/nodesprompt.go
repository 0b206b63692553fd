package services

import (
	"context"
	"errors"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// commandSign stands before a command where a file could stand as well.
const commandSign = "!"

// askNodes asks where the nodes are read from.
func (m *Model) askNodes() tea.Cmd {
	c := &m.cluster
	return views.Send(views.Open{Dialog: views.NewPrompt(m.env.Theme, views.Ask{
		ID: "services.nodes", Title: "Read the nodes of the cluster from",
		Note: "A file of what kubectl get nodes -o json has printed, or, after an exclamation mark, a command that prints it. " +
			"It is run as you, without a shell.",
		Value: m.offeredNodes(), Problem: c.wrong,
		Check: func(typed string) error {
			_, err := m.nodesFrom(typed)
			return err
		},
		Left: func(typed string) {
			if typed != c.typed {
				c.typed, c.wrong = typed, ""
			}
		},
		Then: func(typed string) tea.Cmd {
			return m.scope.Do("nodes chosen", func(context.Context) tea.Msg { return nodesChosen{typed} })
		},
	})})
}

// offeredNodes is what was typed into the prompt to no end, else the present source as it is typed.
func (m *Model) offeredNodes() string {
	switch s := m.cluster.source; {
	case m.cluster.typed != "":
		return m.cluster.typed
	case s.File != "":
		return s.File
	case len(s.Command) > 0 && !hidesWords(s):
		return commandSign + " " + commandLine(s.Command)
	}
	return commandSign + " kubectl get nodes -o json"
}

// hidesWords tells whether a command has words that are not for the screen.
func hidesWords(s operation.NodeSource) bool {
	return !strings.Contains(s.String(), plain.Line(strings.Join(s.Command, " ")))
}

// commandLine writes words so that they are read as the same words again.
func commandLine(words []string) string {
	var line []string
	for _, word := range words {
		if word == "" || strings.ContainsAny(word, " \t\n\"'\\") {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		line = append(line, word)
	}
	return strings.Join(line, " ")
}

// nodesFrom is the source that somebody names.
func (m *Model) nodesFrom(typed string) (operation.NodeSource, error) {
	typed = strings.TrimSpace(typed)
	line, command := strings.CutPrefix(typed, commandSign)
	if command {
		return operation.CommandSource(line)
	}
	if typed == "" {
		return operation.NodeSource{}, errors.New("name a file, or a command after an exclamation mark")
	}
	path, err := views.ResolvePath(typed, m.folder)
	return operation.NodeSource{File: path}, err
}

// nodesChosen says where somebody wants the nodes to be read from.
type nodesChosen struct{ typed string }

func (r nodesChosen) apply(m *Model) tea.Cmd {
	source, err := m.nodesFrom(r.typed)
	if err != nil {
		failed := nodesRead{nodesAsked: nodesAsked{typed: r.typed}, err: err}.failed(m)
		return tea.Batch(failed, m.tellNodes())
	}
	return m.readNodes(nodesAsked{source: source, typed: r.typed})
}

// nodesFromFile reads the nodes from the file that the palette took.
func (p *placing) nodesFromFile(path string) tea.Cmd {
	if path == "" {
		return p.m.askNodes()
	}
	return nodesChosen{path}.apply(p.m)
}

// nodesFromCommand reads the nodes from the command that the palette took.
func (p *placing) nodesFromCommand(line string) tea.Cmd {
	if line == "" {
		return p.m.askNodes()
	}
	return nodesChosen{commandSign + " " + strings.TrimPrefix(line, commandSign)}.apply(p.m)
}
