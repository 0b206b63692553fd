package services

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// switches starts and stops services.
type switches struct {
	views.Base
	states   *states
	writable *writable
	settled  func() tea.Cmd // what follows once a service has another state
}

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

// ask asks before a service is started or stopped. It is about one service, whatever is marked.
func (w *switches) ask(service adminapi.ServiceRef, marked int) tea.Cmd {
	path, known := service.Path(), w.states.known[service.Path()]
	switch why := w.writable.whyNot(); {
	case w.Env.Kept != nil:
		return views.Tell(views.Warning, views.NotYetAnswered)
	case why != "":
		return views.Tell(views.Warning, why)
	case w.states.sends(path) != "":
		return views.Tell(views.Warning, "Wait until the edit of "+plain.Line(path)+" is sent.")
	case w.states.switched[path] != nil:
		return views.Tell(views.Warning, plain.Line(path)+" is already starting or stopping.")
	case known.Configured == "":
		return tea.Batch(w.states.loadStates(service),
			views.Tell(views.Warning, "Still reading the state of "+plain.Line(path)+"; try again."))
	case known.amiss():
		return w.choose(service, known, marked)
	}
	return w.question(&switching{service, known.Configured != adminapi.ServiceStarted}, marked, false)
}

// choose asks what to do with a service that is not as it is configured: it may hang while it
// starts, or fail again and again.
func (w *switches) choose(service adminapi.ServiceRef, known knownState, marked int) tea.Cmd {
	start := known.Configured == adminapi.ServiceStarted
	choices := []string{"Stop it again", "Start it"}
	if start {
		choices = []string{"Start it again", "Stop it"}
	}
	return widget.Choose(w.Env.Theme, widget.FormOptions{
		ID: "services.switch-which", Title: "Start or stop", Note: plain.Line(service.Path() + ": " + known.Text() + "."), Action: "choose", Read: known.read,
	}, "What to do", choices, 0, func(chosen int) tea.Cmd {
		return w.question(&switching{service, start == (chosen == 0)}, marked, false)
	})
}

// question opens the question; unasked after a sign-in that was needed in between.
func (w *switches) question(s *switching, marked int, unasked bool) tea.Cmd {
	return w.Unlocked(func() tea.Cmd { return w.openQuestion(s, marked, unasked) }, nil)
}

func (w *switches) openQuestion(s *switching, marked int, unasked bool) tea.Cmd {
	known := w.states.known[s.service.Path()]
	consequence, word, no := "Users lose access until you start it again.", stopWord(operation.Switch{Service: s.service}), "keep it running"
	if known.Down() {
		consequence, no = "It stays stopped until you start it again.", "leave it"
	}
	if (operation.Switch{Service: s.service}).Internal() {
		consequence += " The platform itself uses it: other functions and health checks will fail."
	}
	if s.start {
		consequence, word, no = "It uses memory and CPU of the site.", "", "leave it"
	}
	if unknown := w.states.drafts.UnknownOf(s.service.Path()); unknown != "" {
		consequence += " An edit has its " + unknown + "; until that is known, this is refused."
	}
	verb, again := s.verb(), ""
	if known.amiss() && s.start == (known.Configured == adminapi.ServiceStarted) {
		again = " again"
	}
	if marked > 1 {
		consequence += fmt.Sprintf(" Only the service under the cursor is %s, not the %d marked.", pastVerb[s.start], marked)
	}
	return views.Send(views.Open{Unrequested: unasked, Dialog: widget.NewConfirm(w.Env.Theme, widget.Question{
		ID: "services.switch", Text: plain.Capital(verb) + " " + plain.Line(s.service.Path()) + again + " at " + w.Env.Address() + "?", Consequence: consequence,
		Word: word, Yes: verb + " it", No: no, Read: known.read,
		Copy: w.Copies(func() (operation.Change, tea.Cmd) {
			return operation.Switch{Service: s.service, Start: s.start}, nil
		}),
		Then: w.Scope.Call("switch confirmed", func() tea.Cmd { return w.confirmed(s) }),
	})})
}

// maxStopWord is the longest name, in characters, that has to be typed to stop a service.
const maxStopWord = 40

// stopWord is what has to be typed to stop a service, as the command wants it. A
// name that cannot be typed as it is shown, or is too long for that, stands as "stop".
func stopWord(w operation.Switch) string {
	name := w.Word()
	if plain.Line(name) != name || utf8.RuneCountInString(name) > maxStopWord {
		return "stop"
	}
	return name
}

var pastVerb = map[bool]string{true: "started", false: "stopped"}

// confirmed switches a service unless that is under way already.
func (w *switches) confirmed(s *switching) tea.Cmd {
	switch why := w.writable.whyNot(); {
	case w.states.switched[s.service.Path()] != nil:
		return nil
	case why != "": // it began while the question was open
		return views.Tell(views.Warning, why)
	}
	w.states.switched[s.service.Path()] = s
	w.states.changed()
	site := w.Env.Site
	return w.Scope.Write(func(ctx context.Context) tea.Msg {
		state, result := site.SwitchService(ctx, operation.Switch{Service: s.service, Start: s.start}, nil, nil)
		return views.Retry{Do: func() tea.Cmd { return w.switched(switched{result, s, state}) }}
	})
}

// switched is the outcome of starting or stopping a service.
type switched struct {
	operation.Result
	switching *switching
	state     availability.State
}

func (w *switches) switched(r switched) tea.Cmd {
	s := r.switching
	path := plain.Line(s.service.Path())
	delete(w.states.switched, s.service.Path())
	delete(w.states.reasons, s.service.Path()) // its job tells more
	if r.Done() && r.state.Err == nil {
		noted := w.states.noteState(s.service.Path(), r.state, w.Env.Clock.Now())
		w.states.changed()
		return tea.Batch(noted, w.settled(), r.tell(path))
	}
	read := w.states.loadStates(s.service)
	w.states.changed()
	switch {
	case r.Done():
		return tea.Batch(read, views.Send(views.Warned("Accepted, but the state of "+path+" cannot be read: "+r.state.Err.Error(), r.state.Err)))
	case r.WantsSignIn():
		what := "the request to " + s.verb() + " " + path + " was not sent"
		return tea.Batch(views.Tell(views.Warning, views.Sentence(what)), w.Scope.RetryAfterSignIn(fmt.Errorf("%s: %w", what, r.Err), "switch", func() tea.Cmd { return w.question(s, 0, true) }))
	case r.Touched():
		// The cause first: a narrow screen cuts the rest. W explains the service, which knows more.
		x := explain.Write(incident.WriteFactsOf(r.Result, incident.Surroundings{}))
		_, why, known := strings.Cut(x.Cause.Sentence, " failed: ")
		if !known {
			why = r.Err.Error()
		}
		return tea.Batch(read, views.Send(views.Notice{Level: views.Failure, Result: operation.Result{Outcome: r.Outcome},
			Text: "Not " + pastVerb[s.start] + ": " + strings.TrimSuffix(why, ".") + " (" + path + "). " + views.Sentence(r.Err.Error())}))
	}
	return tea.Batch(read, views.NotDone(r.Result))
}

// tell says which state the service has, as that the site accepted the switch is not enough.
func (r switched) tell(path string) tea.Cmd {
	change := operation.Switch{Service: r.switching.service, Start: r.switching.start}
	switch why := change.NotThere(r.Result, r.state); {
	case why != "":
		return views.Tell(views.Warning, views.Sentence(why))
	case change.Start:
		return views.Tell(views.Success, path+" is started.")
	}
	return views.Tell(views.Success, path+views.Keys(" is stopped. {key:services.switch} starts it again."))
}

// writable knows whether the site takes changes. Where that is not known, a refusal says so.
type writable struct{ views.Base }

// whyNot says why the site accepts no changes, empty where it does as far as is known.
func (w *writable) whyNot() string {
	if w.Env.Offline {
		return ""
	}
	state := &w.Env.State
	asOf := func(old, text string) string {
		if old != "" {
			text = strings.Replace(text, ": ", "; ", 1) // one colon is enough
		}
		return views.Sentence(old + text)
	}
	switch {
	case w.Env.Site.Client.ReadOnly():
		return "Started with --read-only: nothing is sent. To edit, start without it."
	case state.Runs():
		return asOf(views.AsOf(w.Env, state.Upgrade), state.Upgrade.Value.Progress.Kind.One()+" is running: until it ends the site accepts no changes.")
	case state.LeftFailed():
		return asOf(views.AsOf(w.Env, state.Mode), "The upgrade has failed, and the site is still in read-only mode: it accepts no changes.") // what it says is of before
	case state.Mode.Value.ReadOnly:
		text := asOf(views.AsOf(w.Env, state.Mode), "The site is in read-only mode: it takes no changes.")
		if said := plain.Line(state.Mode.Value.Message); said != "" {
			text += " The site says: " + said
		}
		return text
	}
	return ""
}
