package help

import (
	"embed"
	"strings"
)

// Topic is a part of a page with a title. One with a name is what "geodeck help NAME" says, and a section
// of docs/scripting.md and of geodeck(1).
type Topic struct {
	Name, Title, Short string
	parts              []part
}

// part is a paragraph, an example, a list, and rows of a word and what it means. Words of a command line
// stand in backticks.
type part struct {
	prose string
	block string // keeps its lines
	list  []string
	rows  [][2]string
}

// Texts are the topics as Markdown.
//
//go:embed topics
var Texts embed.FS

// Topics are those of the docs.
func Topics() []Topic {
	return []Topic{
		parsed("environment", "Variables that geodeck reads"),
		parsed("exit-codes", "What each exit code means"),
		parsed("output", "Tables, JSON, colours, and where errors go"),
	}
}

// parsed reads a topic: a heading, paragraphs, lists and tables.
func parsed(name, short string) Topic {
	content, _ := Texts.ReadFile("topics/" + name + ".md") // it is part of the program
	t := Topic{Name: name, Short: short}
	for block := range strings.SplitSeq(strings.TrimSpace(string(content)), "\n\n") {
		var p part
		switch block[:2] {
		case "##":
			t.Title = block[3:]
			continue
		case "| ":
			for _, line := range strings.Split(block, "\n")[2:] {
				word, means, _ := strings.Cut(strings.Trim(line, "| "), " | ")
				p.rows = append(p.rows, [2]string{word, means})
			}
		case "- ":
			p.list = strings.Split(strings.ReplaceAll(block[2:], "\n  ", " "), "\n- ")
		default:
			p.prose = strings.ReplaceAll(block, "\n", " ")
		}
		t.parts = append(t.parts, p)
	}
	return t
}
