package explain

import "strings"

// Lines writes an explanation for people, a fact a line, with the command of its next step.
func (x Explanation) Lines(command string) []string {
	lines := []string{x.Title, "", field("Why", x.Why())}
	add := func(name string, texts ...string) {
		for _, text := range texts {
			lines = append(lines, field(name, text))
			name = ""
		}
	}
	var evidence []string
	for _, e := range x.Evidence {
		evidence = append(evidence, e.Text+placeText(e.At))
	}
	add("Next", x.Next.Text)
	if command != "" {
		add("", command)
	}
	for _, s := range x.Forbidden() { // each line has the name: without it, it reads as an order
		add("Do not", s)
	}
	add("Then", x.Then...)
	add("Evidence", evidence...)
	add("Site now", x.Site...)
	add("Check", x.Look...)
	add("Run", x.Kubectl...)
	return lines
}

// field is a name in a column, and a text.
func field(name, text string) string { return name + strings.Repeat(" ", 10-len(name)) + text }

// placeText names where a fact stands, where the fact does not say so itself.
func placeText(at Place) string {
	switch at.Kind {
	case Test, Job, Deployment:
		if at.ID != "" {
			return "  [" + string(at.Kind) + " " + at.ID + "]"
		}
	}
	return ""
}
