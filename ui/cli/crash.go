package cli

import (
	"errors"
	"fmt"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/plain"
	"geodeck/ui"
)

// longestPanic is how many bytes of a panic's own text are shown and kept.
const longestPanic = 400

// crashed says that the program itself has failed. What a programmer needs goes to a
// file, and not to the screen.
func (p *program) crashed(e *ui.PanicError) *failure {
	what := p.panicText(e.Value)
	return &failure{
		code: exitFailed, kind: "crash", err: errors.New(e.Error() + ": " + what),
		details: []string{
			"Nothing more is sent from here.",
			"An upgrade at the site goes on by itself.",
			p.keepStacks(e.Error()+": "+what, e.Stack),
		},
		advice: "Look again with: geodeck upgrade status, geodeck job list",
	}
}

// panicText is what a panic says, without secrets. Of a value that is no text it is the
// type alone: what is inside could be anything.
func (p *program) panicText(value any) string {
	var text string
	switch value := value.(type) {
	case error:
		text = value.Error()
	case string:
		text = value
	default:
		return fmt.Sprintf("a value of type %T", value)
	}
	text = adminapi.Mask(text, adminapi.Secret(p.Env(envToken)))
	if p.site.Client != nil {
		text = p.site.Client.Clean(text)
	}
	return plain.Clip(plain.Line(text), longestPanic)
}

// keepStacks writes the stacks to a private file and returns the sentence that names it.
func (p *program) keepStacks(title string, stacks []byte) string {
	b := thisBuild()
	text := fmt.Appendf(nil, "geodeck %s %s %s %s\n%s\n\n%s", b.Version, b.Revision, b.Go, b.Platform, title, stacks)
	folder, err := p.stateFolder()
	if err != nil {
		folder = ""
	}
	path, err := journal.KeepCrash(folder, p.Clock.Now(), text)
	if err != nil {
		return "The stack could not be kept: " + err.Error()
	}
	return "The stack is in " + path
}
