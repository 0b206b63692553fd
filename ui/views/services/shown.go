package services

import (
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/views"
	"geodeck/ui/views/services/change"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/history"
	"geodeck/ui/views/services/placement"
	"geodeck/ui/widget/rows"
)

// shown is what the view holds: what is on the screen, and what can be said of that and of what is
// going on. Its methods only read: what is done is the [Model]'s.
type shown struct {
	views.Base
	inks     rows.Inks
	writable writable
	catalog  *catalog
	detail   *detail
	switches *switches
	drafts   *editor.Drafts
	shared   placement.Shared
	flow     *change.Flow // shown in place of all else while it is active
	open     *opened      // the service that was entered last; at first none
	inside   bool         // it is shown

	noHistory *history.Model // of no service: help knows the rows of one that was not shown from it
}

// editor returns the tab of a part of a service that is still open; nil where it is not.
func (v *shown) editor(target editing.Target) *editor.Tab {
	for _, tab := range v.open.editors() {
		if v.inside && tab.Target.Same(target) {
			return tab
		}
	}
	return nil
}

// selected is the service that commands are about: the open one, or the one under the
// cursor.
func (v *shown) selected() (adminapi.ServiceRef, bool) {
	if v.inside {
		return v.open.service, true
	}
	row, ok := v.catalog.selected()
	if !ok || row.service == nil {
		return adminapi.ServiceRef{}, false
	}
	return *row.service, true
}

// showsState reports whether the detail of the list, or the tab Status, is on the screen.
func (v *shown) showsState() bool {
	if v.inside {
		_, status := v.open.tab().(*statusTab)
		return status
	}
	return v.detail.Width > 0
}

// CapturesText reports whether typed keys are text.
func (v *shown) CapturesText() bool {
	switch {
	case v.flow.Active():
		return v.flow.CapturesText()
	case v.comparing():
		return v.open.comparison.review.CapturesText()
	case v.inside:
		return v.open.tab().CapturesText()
	}
	return v.catalog.list.Typing()
}

// Filtering reports whether a filter or a search is being typed: enter keeps it and esc clears it.
func (v *shown) Filtering() bool {
	switch {
	case v.flow.Active():
		return v.flow.Filtering()
	case v.comparing():
		return v.open.comparison.review.Filtering()
	case v.inside:
		return v.open.tab().Filtering()
	}
	return v.catalog.list.Typing()
}

// Takes says whether a question of an editor is open: a burst of keys may be a paste.
func (v *shown) Takes() views.Takes {
	tab, editing := v.open.tab().(interface{ GuardsPaste() bool })
	return views.Takes{Question: v.onTabs() && editing && tab.GuardsPaste()}
}

// Busy reports whether an edit of a long definition goes on in a command: keys have to wait.
func (v *shown) Busy() bool {
	return v.onTabs() && v.open.tab() == tab(v.open.definition) && v.open.definition.Busy()
}

// Leave asks where an edit, or the outcome of a change, would be lost.
func (v *shown) Leave() string {
	if q := v.flow.Leave(); q != "" {
		return q
	}
	if v.inside {
		if q := v.open.tab().Leave(); q != "" {
			return q
		}
	}
	if target, unsaved := v.drafts.Unsaved(); unsaved {
		return "The changes to the " + target.String() + " are not saved on this machine."
	}
	return ""
}

// Working says that a change is being sent, which goes on while its page is not shown.
func (v *shown) Working() string { return v.flow.Working() }

// Status says what the frame shows for the view.
func (v *shown) Status() views.Status {
	status := views.Status{Busy: v.busy(), Err: v.catalog.Err, Kept: v.catalog.Kept}
	status.Updated, status.Unreachable = v.freshness()
	if v.inside {
		tab := v.open.tab()
		status.Path = []string{v.open.service.Path(), strings.ToLower(tab.Title())}
		if fetch := tab.Fetch(); fetch != nil {
			status.Updated, status.Unreachable, status.Err, status.Kept = fetch.Updated, fetch.Unreachable, fetch.Err, false
		}
	}
	if v.flow.Active() {
		status.Path = append(status.Path, v.flow.Step())
	}
	if _, at := v.flow.Read(); v.flow.Active() && at.After(status.Updated) {
		status.Updated = at
	}
	if v.flow.Active() && v.flow.PodsInFront() || !v.flow.Active() && v.inside && v.open.tab() == tab(v.open.placement) && v.open.placement.PodsInFront() {
		status.Updated, status.Unreachable = v.shared.Pods.Now().Updated()
	}
	return status
}

func (v *shown) busy() string {
	var fetch *views.Fetch
	if v.inside {
		fetch = v.open.tab().Fetch()
	}
	switch {
	case v.flow.Active() && v.flow.Busy() != "":
		return v.flow.Busy()
	case fetch != nil && fetch.Loading:
		return "reading " + strings.ToLower(v.open.tab().Title())
	case v.shared.Pods.Now().Followed():
		return "following the service"
	case v.shared.Nodes.Loading() && v.inside:
		return "reading nodes"
	case v.catalog.Loading && v.catalog.Unreachable == nil:
		return "reading services"
	case v.catalog.sweeping() && v.catalog.Unreachable == nil:
		return "reading states, " + v.catalog.sweepText()
	}
	return ""
}

// Origin is the title of the tab behind a change, and whether its target is still changed.
func (v *shown) Origin(target editing.Target) (title string, changed bool) {
	if !v.inside {
		return "", false
	}
	tab := v.editor(target)
	return v.open.tab().Title(), tab != nil && tab.Differs()
}

// Services are those of the site, as far as they are known.
func (v *shown) Services() []adminapi.ServiceRef { return v.catalog.services() }

// NoChanges says why the site accepts no changes.
func (v *shown) NoChanges() string { return v.writable.whyNot() }

// Batch reports whether what is edited is meant for all marked services.
func (v *shown) Batch() bool { return v.inside && v.open.batch }

// Marked are the services that are marked in the list.
func (v *shown) Marked() []adminapi.ServiceRef { return v.catalog.marked() }
