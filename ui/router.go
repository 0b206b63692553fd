package ui

import (
	"iter"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
	"geodeck/ui/views/activity"
	fleetview "geodeck/ui/views/fleet"
	"geodeck/ui/views/health"
	"geodeck/ui/views/progress"
	"geodeck/ui/views/services"
	upgradeview "geodeck/ui/views/upgrade"
)

// router keeps the views, one of each. A view is made when its commands are first needed,
// starts when it is first shown, and stays, so that its cursor is where it was.
type router struct {
	env           *views.Env
	makers        []views.Maker
	made          map[string]views.View
	mounted       map[string]views.View // those that have started
	shown         string                // the id of the view that is shown
	before        string                // the id of the one shown before it
	origins       []string              // the ids of those that led to a place in another one, oldest first
	width, height int
}

// active returns the view that is shown; nil only before the first size, which comes before
// everything else.
func (r *router) active() views.View { return r.mounted[r.shown] }

// resize passes the size on and shows the first view where none is.
func (r *router) resize(width, height int) tea.Cmd {
	r.width, r.height = width, height
	for _, v := range r.mounted {
		v.SetSize(width, height)
	}
	if r.shown == "" {
		return r.mount(r.makers[0].ID)
	}
	return nil
}

// show shows a view and remembers the one before; false where there is none of
// that id. From one to which a place in it led, back leads to where that was.
func (r *router) show(id string, led bool) (tea.Cmd, bool) {
	if r.maker(id).ID == "" {
		return nil, false
	}
	if id == r.shown {
		return nil, true
	}
	if !led {
		r.origins = nil
	} else {
		r.origins = append(r.origins, r.shown)
	}
	return r.mount(id), true
}

// back shows the view that led to this one; false where none did.
func (r *router) back() (tea.Cmd, bool) {
	last := len(r.origins) - 1
	if last < 0 {
		return nil, false
	}
	id := r.origins[last]
	r.origins = r.origins[:last]
	return r.mount(id), true
}

// mount makes the view where it is not there yet, and gives it the focus.
func (r *router) mount(id string) tea.Cmd {
	if r.shown != id {
		r.before = r.shown
	}
	r.shown = id
	var begun tea.Cmd
	v := r.view(id)
	if r.mounted[id] == nil {
		r.mounted[id] = v
		v.SetSize(r.width, r.height)
		begun = v.Init()
	}
	return tea.Batch(begun, v.Update(views.Shown))
}

// view returns the view of an id, which may not have started.
func (r *router) view(id string) views.View {
	if r.made[id] == nil {
		r.made[id] = r.maker(id).New(r.env)
	}
	return r.made[id]
}

// maker returns the maker of an id, the zero one where there is none.
func (r *router) maker(id string) (found views.Maker) {
	for _, maker := range r.makers {
		if maker.ID == id {
			found = maker
		}
	}
	return found
}

// unavailable returns the rows of the view that is shown which cannot be used at present.
func (r *router) unavailable() []views.Command {
	rows, possible := views.Rows(r.active()), map[string]bool{}
	for _, c := range views.Usable(rows) {
		possible[c.ID] = true
	}
	return slices.DeleteFunc(views.Distinct(rows), func(c views.Command) bool { return possible[c.ID] || c.Help == "" })
}

// started yields the views that have started, in the order of the tabs.
func (r *router) started() iter.Seq2[string, views.View] {
	return func(yield func(string, views.View) bool) {
		for _, maker := range r.makers {
			if v := r.mounted[maker.ID]; v != nil && !yield(maker.ID, v) {
				return
			}
		}
	}
}

// tell tells the views of an event, also those that are not shown.
func (r *router) tell(e views.Event) tea.Cmd {
	var cmds []tea.Cmd
	for _, v := range r.started() {
		cmds = append(cmds, v.Update(e))
	}
	return tea.Batch(cmds...)
}

// working says what goes on in views that are not shown, or in the one that is shown where that
// shows something else; empty for nothing.
func (r *router) working() string {
	for id, v := range r.started() {
		if says := v.Hooks().Working; says != nil {
			if working := says(); working != "" && (id != r.shown || working != v.Status().Busy) {
				return working
			}
		}
	}
	return ""
}

// leaveQuestions returns the questions of views before they are closed.
func (r *router) leaveQuestions() []string {
	var questions []string
	for _, v := range r.started() {
		if leave := v.Hooks().Leave; leave != nil {
			if question := leave(); question != "" {
				questions = append(questions, question)
			}
		}
	}
	return questions
}

// close closes every view.
func (r *router) close() {
	for _, v := range r.made {
		v.Replies().Close()
	}
}

// makers returns every view, in the order of the tabs; that of many sites only where there are
// many. To add a view, add its maker here.
func makers(many bool) []views.Maker {
	all := []views.Maker{health.Maker, upgradeview.Maker, services.Maker, progress.Maker, activity.Maker}
	if many {
		all = append(all, fleetview.Maker)
	}
	return all
}
