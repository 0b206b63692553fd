package command

import (
	"strings"

	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation"
	"geodeck/ui/cli/exit"
)

// ExplainLong is what the helps of explanations have in common.
const ExplainLong = `

Prints the cause if it is known, the evidence, the state of the site, what not to do,
and the next step. A cause without evidence is "not known". Nothing is sent.
-o json prints {"title", "fault", "cause": {"id", "known", "sentence"},
"evidence": [{"text", "at"}], "readOnly", "state", "avoid", "then", "look", "kubectl",
"next": {"text", "command", "later"}}, of a service also "service"; an id never changes its
meaning. "later" is there where the command follows the text, such as "check again".

Exit codes: 0 nothing is wrong; 1 there is a fault`

// ExplanationJSON is an explanation.
type ExplanationJSON struct {
	explain.Explanation
	Next nextJSON `json:"next"`
}

// nextJSON is a next step.
type nextJSON struct {
	explain.Step
	Command string `json:"command,omitempty"` // its words, without the program's name
}

// PrintExplanation prints an explanation; a fault is an error.
func (s Env) PrintExplanation(x explain.Explanation) error {
	command := ""
	if line, ok := operation.CommandOfAction(x.Next.Action); ok {
		command = line.InText()
	}
	var err error
	if s.Out.JSON() {
		err = s.Out.PrintValue(ExplanationJSON{x, nextJSON{x.Next, strings.TrimPrefix(operation.NameCommands(command, nil), "geodeck ")}})
	} else {
		err = s.Out.PrintLines(x.Lines(s.Session.Commands(command))...)
	}
	if err == nil && x.Err != nil {
		return x.Err
	}
	if err == nil && x.Fault {
		return exit.NotPassed("", strings.TrimSuffix(x.Title, "."))
	}
	return err
}
