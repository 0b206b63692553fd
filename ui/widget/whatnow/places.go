package whatnow

import (
	"context"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/ui/views"
)

// None explains what a view cannot read, the upgrade where that failed, or a write of this
// machine whose outcome is unknown. Where there is none of these, it says why nothing is explained.
func None(env *views.Env, status views.Status, why string) tea.Cmd {
	err := status.Err
	if away := status.Unreachable; away != nil {
		err = away.Err
	}
	reads := explain.Step{Text: "Reading the site" + env.Theme.Glyphs.Ellipsis}
	switch {
	case err != nil:
		facts := incident.WriteFactsOf(operation.ResultOfRead(err), Around(env))
		facts.Title = "This cannot be read from the site"
		return Write(env, facts)
	case env.Upgrade.Failed():
		return views.Send(views.Navigate{View: "progress", Command: "progress.explain"})
	case env.State.LeftFailed():
		nothing := func(context.Context) explain.Explanation { return explain.Explanation{Title: why} }
		return Open(env, explain.Explanation{Title: why, Next: reads}, OrFailed(env, nothing), nil)
	case env.Offline || env.Site.Memory.Journal == nil:
		return views.Tell(views.Info, why)
	}
	site, around := env.Site, Around(env)
	asked := explain.Explanation{Title: "Requests without an answer", Next: reads}
	p := reading(env, asked, func(ctx context.Context) explain.Explanation {
		x, found := incident.ExplainOpen(ctx, site, around)
		if open, _ := site.Memory.OpenWrites(); !found && len(open) > 0 {
			x = explain.Explanation{Title: asked.Title, Cause: explain.Cause{Sentence: "The site shows by now how they ended."},
				Next: explain.Step{Text: "Read how they ended.", Action: explain.LookForWrite.To()}}
		}
		return x
	}, nil)
	p.none = why
	return p.open()
}

// OrFailed is a fetch that explains the upgrade that has left the site read-only where fetch finds no
// fault.
func OrFailed(env *views.Env, fetch Fetch) Fetch {
	if !env.State.LeftFailed() || env.Offline {
		return fetch
	}
	site, around := env.Site, Around(env)
	return func(ctx context.Context) explain.Explanation {
		x := fetch(ctx)
		if x.Fault || x.Err != nil {
			return x
		}
		if failed, found := incident.ExplainFailed(ctx, site, around); found {
			failed.Title = strings.TrimSuffix(x.Title, ".") + ". " + failed.Title
			return failed
		}
		return x
	}
}

// Notice explains the error of a notice.
func Notice(env *views.Env, n views.Notice) tea.Cmd {
	title, _, _ := strings.Cut(n.Text, ": ")
	facts := incident.WriteFactsOf(n.Result, Around(env))
	facts.Title = strings.TrimSuffix(title, ".")
	return Write(env, facts)
}

// Write opens the panel about a write that did not end well, or a read that failed, and reads
// the state of the site.
func Write(env *views.Env, facts explain.WriteFacts) tea.Cmd { return writing(env, facts).open() }

// Unasked is Write where no key opens the panel: keys typed for something else do nothing in it.
func Unasked(env *views.Env, facts explain.WriteFacts) tea.Cmd {
	p := writing(env, facts)
	p.unasked = true
	return p.open()
}

func writing(env *views.Env, facts explain.WriteFacts) *Panel {
	site, around := env.Site, Around(env)
	facts.Site.Times = around.Times
	fetch := func(ctx context.Context) explain.Explanation { return incident.ExplainWrite(ctx, site, facts, around) }
	return reading(env, explain.Write(facts), fetch, nil)
}

// Around is what explanations take from the dashboard.
func Around(env *views.Env) incident.Surroundings {
	times, state := env.Times.Site(), env.State
	return incident.Surroundings{State: &state, Times: func(at adminapi.Millis) string { return times.Moment(at.Time()) }}
}

// Elsewhere shows a place in the view that has it, nil where none has.
func Elsewhere(at explain.Place) tea.Cmd {
	to := views.Navigate{Argument: at.ID}
	switch at.Kind {
	case explain.Record:
		return views.Send(views.Navigate{Command: "unresolved"})
	case explain.Message:
		to.View, to.Command, to.Argument = "progress", "progress.message", strconv.Itoa(at.Number+1)
	case explain.Report:
		to.View, to.Command = "health", "health.report"
	case explain.Test: // its report: that is not shown
		to.View, to.Command, to.Argument = "health", "health.report", at.In
	case explain.ServiceAt:
		to.View, to.Command = "services", "services.status"
	case explain.Deployment:
		to.View, to.Command, to.Argument = "services", "services.status", at.In
	case explain.Rule:
		to.View, to.Command = "services", "services.placement"
	case explain.Node:
		if to.Argument = at.In; at.In != "" {
			to.View, to.Command, to.Argument = "services", "services.placement", at.In+" "+at.ID
		}
	}
	if to.View == "" || to.Argument == "" {
		return nil
	}
	return views.Send(to)
}
