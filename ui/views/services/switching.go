package services

import (
	"context"
	"errors"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// switching is a service that is being started or stopped.
type switching struct {
	service adminapi.ServiceRef
	start   bool
}

func (s *switching) word() string {
	if s.start {
		return "starting"
	}
	return "stopping"
}

func (s *switching) verb() string {
	if s.start {
		return "start"
	}
	return "stop"
}

// askSwitch asks before a service is stopped, or started: what it is configured to
// be decides which of the two.
func (m *Model) askSwitch() tea.Cmd {
	service, ok := m.selectedService()
	if !ok {
		return views.Tell(views.Warning, "A folder is neither started nor stopped.")
	}
	known := m.catalog.states[service.Path()]
	switch why := m.noChanges(); {
	case why != "":
		return views.Tell(views.Warning, why)
	case m.switches[service.Path()] != nil:
		return views.Tell(views.Warning, plain.Line(service.Path())+" is being switched already.")
	case known.Configured == "":
		return tea.Batch(m.askStates([]adminapi.ServiceRef{service}),
			views.Tell(views.Warning, "The state of "+plain.Line(service.Path())+" is not known yet; it is being read."))
	}
	return m.switchQuestion(service, known.Configured != adminapi.ServiceStarted, false)
}

// switchQuestion is asked unasked when a sign-in was needed in between.
func (m *Model) switchQuestion(service adminapi.ServiceRef, start, unasked bool) tea.Cmd {
	s := &switching{service, start}
	consequence := "Whoever uses it is cut off until it is started again."
	if strings.EqualFold(service.Folder, "System") || strings.EqualFold(service.Folder, "Utilities") {
		consequence += " The platform itself uses it: other functions and health checks fail meanwhile."
	}
	if start {
		consequence = "It takes requests from then on, and memory and processors of the site."
	}
	if n := len(m.marked()); m.open == nil && n > 1 {
		consequence += " This is about the one under the cursor only, not about the " + plain.Plural(n, "service") + " that are marked."
	}
	then := m.scope.Do("switch confirmed", func(context.Context) tea.Msg { return switchConfirmed{s} })
	verb := s.verb()
	return views.Send(views.Open{Unasked: unasked, Dialog: views.NewConfirm(m.env.Theme, views.Question{
		ID: "services.switch", Text: strings.ToUpper(verb[:1]) + verb[1:] + " " + plain.Line(service.Path()) + "?", Consequence: consequence,
		Yes: verb + " it", No: "leave it", Then: then,
	})})
}

type switchConfirmed struct{ switching *switching }

// apply switches once: what is being switched already is left alone.
func (r switchConfirmed) apply(m *Model) tea.Cmd {
	s := r.switching
	if m.switches[s.service.Path()] != nil {
		return nil
	}
	m.switches[s.service.Path()] = s
	m.redrawStates()
	site := m.env.Site
	return m.scope.Write(func(ctx context.Context) tea.Msg {
		state, outcome, err := site.SwitchService(ctx, s.service, s.start, nil)
		if outcome == adminapi.OutcomeUnknown && ctx.Err() == nil {
			if state, outcome = site.FindSwitch(ctx, s.service, s.start, err); outcome == adminapi.OutcomeDone {
				err = nil
			}
		}
		return switched{s, state, outcome, err}
	})
}

// switched is what became of starting or stopping a service.
type switched struct {
	switching *switching
	state     operation.ServiceState
	outcome   adminapi.Outcome
	err       error
}

func (r switched) apply(m *Model) tea.Cmd {
	s := r.switching
	path := plain.Line(s.service.Path())
	delete(m.switches, s.service.Path())
	if r.outcome == adminapi.OutcomeDone && r.err == nil && r.state.Err == nil {
		m.noteState(s.service.Path(), r.state, m.env.Clock.Now())
		m.redrawStates()
		return r.told(path)
	}
	again := m.askStates([]adminapi.ServiceRef{s.service})
	m.redrawStates()
	notice := views.Notice{Level: views.Failure, Err: r.err}
	switch {
	case errors.Is(r.err, adminapi.KindSignIn) && r.outcome != adminapi.OutcomeDone:
		return m.scope.RetryAfterSignIn(r.err, "switch", func() tea.Cmd { return m.switchQuestion(s.service, s.start, true) })
	case r.err == nil:
		notice.Level, notice.Err = views.Warning, r.state.Err
		notice.Text = "The site took it, but the state of " + path + " cannot be read: " + r.state.Err.Error()
	case r.outcome == adminapi.OutcomeUnknown:
		notice.Text = "It is not known whether the site took it. Nothing is sent again; :unsettled requests looks again."
	case r.outcome == adminapi.OutcomeRefused:
		notice.Text = "The site refused to " + s.verb() + " " + path + ": " + r.err.Error()
	case errors.Is(r.err, operation.ErrUnsettled):
		return tea.Batch(again, views.NotSent("", r.err))
	case r.outcome == adminapi.OutcomeNotSent:
		notice.Text = "Nothing was sent: " + r.err.Error()
	case !errors.Is(r.err, operation.ErrJobBroken):
		notice.Level, notice.Text = views.Warning, "The site took it, but its end was not seen; the state of "+path+" is read again: "+r.err.Error()
	default:
		notice.Text = "It did not work to " + s.verb() + " " + path + ": " + r.err.Error()
	}
	return tea.Batch(again, views.Send(notice))
}

// told says how the service is now: that the site took it is not enough.
func (r switched) told(path string) tea.Cmd {
	wanted := adminapi.ServiceStopped
	if r.switching.start {
		wanted = adminapi.ServiceStarted
	}
	if r.state.RealTime == wanted {
		return views.Tell(views.Success, path+" is "+lower(wanted)+".")
	}
	return views.Tell(views.Warning, "The site took it, but "+path+" is still "+lower(plain.Line(r.state.RealTime))+" after two minutes.")
}
