package command

import (
	"strings"

	"geodeck/adminapi/explain"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/ui/cli/exit"
)

// ExplainLong is what the helps of explanations have in common.
const ExplainLong = `

Prints the cause if it is known, the evidence, the state of the site, what not to do,
and the next step. A cause without evidence is "not known". Nothing is sent.
-o json prints {"title","fault","cause":{"id","known","sentence"},"evidence":[{"text","at"}],
"readOnly","site","avoid","then","look","kubectl","next":{"text","command"}}; an id never changes its meaning.

Exit codes: 0 nothing is wrong; 1 there is a fault`

// nextJSON is a next step for scripts. Command is its words, without the program's name.
type nextJSON struct {
	explain.Step
	Command string `json:"command,omitempty"`
}

// PrintExplanation prints an explanation; a fault is an error.
func (s Env) PrintExplanation(x explain.Explanation) error {
	command := ""
	if line, ok := operation.CommandOfAction(x.Next.Action); ok {
		command = line.InText()
	}
	var err error
	if s.Out.JSON() {
		err = s.Out.PrintValue(struct {
			explain.Explanation
			Next nextJSON `json:"next"`
		}{x, nextJSON{x.Next, strings.TrimPrefix(operation.NameCommands(command, nil), "geodeck ")}})
	} else {
		err = s.Out.PrintLines(explanationLines(x, s.Session.Commands(command))...)
	}
	if err == nil && x.Err != nil {
		return x.Err
	}
	if err == nil && x.Fault {
		return exit.NotPassed("", strings.TrimSuffix(x.Title, "."))
	}
	return err
}

// explanationLines writes an explanation for people, a fact a line, with the command of its next step.
func explanationLines(x explain.Explanation, command string) []string {
	lines := []string{x.Title, "", field("Why", x.Why())}
	add := func(name string, texts ...string) {
		for _, text := range texts {
			lines = append(lines, field(name, text))
			name = ""
		}
	}
	evidence := lists.Each(x.Evidence, func(e explain.Evidence) string { return e.Text + placeText(e.At) })
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

func field(name, text string) string { return name + strings.Repeat(" ", 10-len(name)) + text }

// placeText names where a fact stands, where the fact does not say so itself.
func placeText(at explain.Place) string {
	switch at.Kind {
	case explain.Test, explain.Job, explain.Deployment:
		if at.ID != "" {
			return "  [" + string(at.Kind) + " " + at.ID + "]"
		}
	}
	return ""
}
