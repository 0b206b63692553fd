package views

import (
	"time"

	"cmp"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
)

// Copies are the ways to copy what a review would send, for somebody who sends it in another way:
// as a geodeck command, and as the requests in JSON, with secrets masked. Both copy what is
// reviewed when they are called.
type Copies struct{ Command, JSON func() tea.Cmd }

// Copies returns the ways to copy the change that now returns; where there is none it says why.
func (b *Base) Copies(now func() (of operation.Change, why tea.Cmd)) *Copies {
	way := func(copy func(operation.Prepared) tea.Cmd) func() tea.Cmd {
		return func() tea.Cmd {
			of, why := now()
			if why != nil {
				return why
			}
			return copy(of.Prepare(b.Env.Site))
		}
	}
	return &Copies{Command: way(b.Env.copyCommand), JSON: way(b.Env.copyJSON)}
}

func (e *Env) copyCommand(of operation.Prepared) tea.Cmd {
	site := e.flags()
	return func() tea.Msg {
		lines, err := of.Commands()
		var texts, first []string
		for _, line := range lines {
			text, wrong := line.Text(site)
			if err = cmp.Or(err, wrong); line.First != "" {
				first = append(first, line.First)
			}
			texts = append(texts, text)
		}
		return copied(Copy{Text: strings.Join(texts, " && "), What: "command", Then: strings.Join(first, " ")}, err)
	}
}

// copied is a copy, or why there is none.
func copied(c Copy, err error) tea.Msg {
	if err != nil {
		return Failed("Not copied: "+err.Error(), err)
	}
	return c
}

// flags are how a command names the site and the way to it.
func (e *Env) flags() []string {
	if e.SiteFlags == nil && !e.Offline {
		return []string{"--url", e.Site.Client.Base().String()}
	}
	return e.SiteFlags
}

// Origin says where a text that is handed on comes from, when, and from whom, as lines before it.
func (e *Env) Origin() string {
	text := ""
	for _, fact := range incident.Origin(e.Site, e.SiteName, e.State.Version.Value.FullVersion) {
		text += fact[0] + ": " + fact[1] + "\n"
	}
	return text + "Times below: " + e.Times.Name() + "; those without a date are of " + e.Times.Day(e.Site.ServerNow(), time.DateOnly) + "\n\n"
}

// Commands writes the commands of a sentence so that they reach the site on the screen.
func (e *Env) Commands(sentence string) string { return operation.NameCommands(sentence, e.flags()) }

func (e *Env) copyJSON(of operation.Prepared) tea.Cmd {
	ctx := e.Context
	return func() tea.Msg {
		requests, err := of.Requests(ctx)
		var text string
		if err == nil {
			text, err = operation.RequestsJSON(requests)
		}
		return copied(Copy{Text: text, What: "request with secrets masked"}, err)
	}
}

// Rows are the commands of a page that is a review.
func (c *Copies) Rows(prefix, group string) []Command {
	return []Command{
		{ID: prefix + ".copy-command", Key: "Y", Name: "copy as a command", Group: group, Within: true, Run: c.Command,
			Help: "Copy a geodeck command that sends what is reviewed."},
		{ID: prefix + ".copy-json", Name: "copy as JSON", Group: group, Within: true, Run: c.JSON,
			Help: "Copy the request as JSON, without secrets."},
	}
}

// DialogRows are the keys of a dialog whose yes sends something; no text has them.
func (c *Copies) DialogRows(prefix string) []Command {
	if c == nil {
		return nil
	}
	return []Command{
		{ID: prefix + ".copy-command", Key: "ctrl+y", Word: "copy command", Group: dialogCopies, Run: c.Command,
			Help: "Before a change is sent: copy the command that sends the same."},
		{ID: prefix + ".copy-json", Key: "ctrl+o", Word: "copy JSON", Group: dialogCopies, Run: c.JSON,
			Help: "Copy the request as JSON, without secrets."},
	}
}

// dialogCopies gathers the keys in the help.
const dialogCopies = "Before a change"
