package services

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/ui/views"
	"geodeck/ui/views/jsonview"
	"geodeck/ui/views/rows"
)

// history is the section of the definitions and placement policies that were there
// before.
type history struct {
	m       *Model
	service adminapi.ServiceRef
	list    *rows.List[string]
	past    []pastPart
	read    bool
	problem error
	mark    string         // the key of the one that another is compared with; empty for none
	json    *jsonview.View // one of them, shown in place of the list
	shownID string         // of json
	size    box
}

var (
	cmdToNow      = views.Command{ID: "services.to-now", Binding: views.Key("difference to now", "enter"), Name: "difference to now", Help: "What has changed from this definition, or placement policy, to the present one.", Group: serviceGroup}
	cmdMark       = views.Command{ID: "services.compare", Binding: views.Key("compare", "c"), Name: "compare two", Help: "Mark a definition or placement policy; on a second one of the same kind, compare the two.", Group: serviceGroup}
	cmdRestore    = views.Command{ID: "services.restore", Binding: views.Key("restore", "r"), Name: "restore", Help: "Review putting this definition, or placement policy, back; it is sent from there.", Group: serviceGroup}
	cmdShow       = views.Command{ID: "services.json", Binding: views.Key("show", "o"), Name: "show", Help: "Show this definition, or placement policy, as it was kept.", Group: serviceGroup}
	cmdSwitchOpen = views.Command{ID: "services.switch-open", Binding: views.Key("start/stop", "s"), Name: "start or stop this service", Help: "On the tab of its state: start the open service, or stop it; asks first.", Group: serviceGroup}
)

func newHistory(m *Model, service adminapi.ServiceRef) section {
	return &history{m: m, service: service, list: rows.New[string](m.env.Theme)}
}

func (h *history) title() string       { return "History" }
func (h *history) asked() *views.Fetch { return nil }
func (h *history) update(msg tea.Msg) (cmd tea.Cmd) {
	if key, ok := msg.(tea.KeyMsg); ok {
		h.typist().Type(key)
	}
	return nil
}
func (h *history) leave() string      { return "" }
func (h *history) capturesText() bool { return h.typist().Typing() }

func (h *history) typist() interface {
	Typing() bool
	Type(tea.KeyMsg)
} {
	if h.json != nil {
		return h.json
	}
	return h.list
}

func (h *history) shown() tea.Cmd { return h.ask() }

// historyRead is what of a service is kept on this machine.
type historyRead struct {
	path string
	past []pastPart
	err  error
}

func (h *history) ask() tea.Cmd {
	site, service := h.m.env.Site, h.service
	return h.m.scope.Do("history", func(context.Context) tea.Msg {
		past, err := pastOf(site, service)
		return historyRead{service.Path(), past, err}
	})
}

func (r historyRead) apply(m *Model) tea.Cmd {
	if m.open == nil || m.open.service.Path() != r.path {
		return nil
	}
	for _, s := range m.open.sections {
		if h, ok := s.(*history); ok {
			h.read, h.problem = true, r.err
			if r.err == nil {
				h.past = r.past
			}
			h.lay()
		}
	}
	return nil
}

func (h *history) lay() { h.list.Set(&pastRows{h}) }

func (h *history) back() bool {
	switch {
	case h.json != nil && h.json.Filter() != "":
		h.json.SetFilter("")
	case h.json != nil:
		h.json = nil
	case h.list.Filter() != "":
		h.list.SetFilter("")
	case h.mark != "":
		h.mark = ""
		h.lay()
	default:
		return false
	}
	return true
}

func (h *history) commands() []views.Command {
	switch {
	case h.capturesText():
		return []views.Command{hinted(cmdEnter, "keep"), hinted(cmdBack, "clear")}
	case h.json != nil:
		return slices.Concat(rows.Moves(), rows.Filters(), rows.Folds())
	case h.list.Len() == 0:
		return []views.Command{cmdReread}
	}
	return slices.Concat([]views.Command{cmdToNow, cmdMark, cmdRestore, cmdShow}, rows.Filters(), rows.Moves(), []views.Command{cmdReread})
}

func (h *history) do(id, argument string) (tea.Cmd, bool) {
	b, chosen := h.selected()
	switch {
	case id == cmdReread.ID:
		return h.ask(), true
	case h.json != nil && id == rows.Search && argument != "":
		h.json.SetFilter(argument)
	case h.json != nil:
		return nil, h.json.Do(id)
	case id == cmdToNow.ID && chosen:
		return h.toNow(b), true
	case id == cmdMark.ID && chosen:
		return h.markOrCompare(b), true
	case id == cmdRestore.ID && chosen:
		return h.restore(b), true
	case id == cmdShow.ID && chosen:
		return h.show(b), true
	default:
		return nil, filtered(h.list, id, argument)
	}
	return nil, true
}

func (h *history) selected() (pastPart, bool) {
	i, ok := h.list.Selected()
	if !ok {
		return pastPart{}, false
	}
	return h.past[i], true
}

func (h *history) nameOf(b pastPart) string { return h.m.env.Times.Moment(b.Saved) }

func (h *history) setSize(width, height int) {
	h.size = box{width, height}
	h.list.SetSize(width, max(0, height-1))
	if h.json != nil {
		h.json.SetSize(width, height)
	}
}

func (h *history) notes() []string {
	if h.json != nil {
		return []string{h.json.Position()}
	}
	return []string{h.list.Position()}
}

func (h *history) view() string {
	m := h.m
	switch {
	case h.json != nil:
		return h.json.View()
	case h.problem != nil:
		return m.inks.Says([]string{"The history cannot be read: " + sentence(h.problem)}, h.size.width, h.size.height)
	case !h.read:
		return m.inks.Says([]string{"Reading the history" + m.inks.Glyphs.Ellipsis}, h.size.width, h.size.height)
	case len(h.past) == 0:
		return m.inks.Says([]string{"Nothing of this service was kept on this machine yet.", "", "Before an edit is sent, the definition or placement policy that it replaces is kept here.",
			"", "Rules of a deployment that services share are kept with the service through which they were changed."}, h.size.width, h.size.height)
	}
	head := "  " + m.inks.Label.On(fmt.Sprintf("%-20s %-*s %-14s %10s  %s", "Kept", whatWidth, "What", "Who", "Bytes", "Why"))
	return m.inks.Fit(head, h.size.width) + "\n" + h.list.View()
}
