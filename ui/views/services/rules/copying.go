package rules

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// copy copies what the cursor is on.
func (b *Builder) copy() tea.Cmd {
	text, what := b.copied()
	if text == "" {
		b.note = "There is nothing to copy here."
		return nil
	}
	return views.Send(views.Copy{Text: text, What: what})
}

func (b *Builder) copied() (text, what string) {
	if b.side.inside {
		return b.side.copied()
	}
	switch key := b.cursor(); key.part {
	case itemRow:
		if id := b.item().DeploymentID; id != "" {
			return plain.Line(id), "deployment id"
		}
	case termRow:
		return b.textOf(key), "term"
	case lineRow:
		return b.textOf(key), "line"
	case tolerationRow:
		return b.textOf(key), "toleration"
	case keptRow:
		return strings.Join(b.item().Kept, "\n"), "paths"
	}
	return b.sentence(), "sentence"
}

// copied returns what the cursor of the panel is on, and what that is.
func (s *side) copied() (text, what string) {
	switch s.kind {
	case nodesPanel:
		return s.nodes.copied()
	case jsonPanel:
		return string(s.b.text), "policy"
	case checksPanel:
		return s.checks.copied()
	}
	return s.advice.copied()
}

func (t *textList) copied() (text, what string) {
	i, ok := t.chosen()
	if !ok {
		return "", ""
	}
	return t.paragraphs[i].copied, t.paragraphs[i].what
}

// textOf is a term, a line or a toleration in short; clean.
func (b *Builder) textOf(key rowKey) string {
	switch key.part {
	case lineRow:
		return placement.LineText(b.tree.line(key))
	case tolerationRow:
		return placement.TolerationText(b.item().Tolerations[key.at.Toleration])
	case termRow:
		lines := b.tree.term(key).Lines
		texts := make([]string, len(lines))
		for i := range lines {
			texts[i] = placement.LineText(lines[i])
		}
		if len(texts) == 0 {
			return "a term without lines"
		}
		return strings.Join(texts, " and ")
	}
	return ""
}
