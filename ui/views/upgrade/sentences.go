package upgrade

import (
	"errors"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// calm is a screen of its own where there is nothing to choose from: a site that
// is too old, and one that is being upgraded.
func (m *Model) calm() []string {
	p, k := &m.picker, &m.inks
	switch {
	case m.upgradeRuns():
		return m.runningSays()
	case errors.Is(p.Err, adminapi.KindVersionTooOld):
		version := firstOf(plain.Line(p.version), "an older version")
		return []string{
			k.Heading.On("No upgrades at this site"), "",
			"It runs " + k.Strong.On(version) + ", which does not offer them to programs.",
		}
	}
	return nil
}

// runningSays offers to watch the upgrade that runs.
func (m *Model) runningSays() []string {
	k, p := &m.inks, &m.picker
	lines := []string{
		k.Running.On(k.Glyphs.Running + " An upgrade is running"), "",
	}
	lines = append(lines, m.paragraph(k.Plain, "While it runs the site tells nothing of what it offers or has installed, and takes no other upgrade.")...)
	status := p.offer.Status
	if w := m.env.Upgrade; w.On && !w.Reading.At.IsZero() {
		status = w.Reading.Status
	}
	if n := len(status.Messages); n > 0 {
		last := status.Messages[n-1]
		lines = append(lines, "")
		lines = append(lines, m.paragraph(k.Muted, "Last message "+m.env.Times.Clock(last.When.Time())+": "+last.Message)...)
	}
	return append(lines, "", k.Key.On("w")+" watches it", k.Key.On("R")+" asks again whether it runs")
}

// unread says why the open shelf has nothing to show, nil where it has.
func (m *Model) unread() []string {
	p := &m.picker
	switch {
	case m.env.Offline:
		return []string{"There is no site."}
	case p.shelf == installed && p.installed.reading.IsZero():
		return m.pastSays("installed updates", p.installed.asking, p.installed.problem)
	case p.shelf == history && p.history.reading.IsZero():
		return m.pastSays("history", p.history.asking, p.history.problem)
	case p.shelf == offered && p.Updated.IsZero():
		return m.offersUnread()
	}
	return nil
}

func (m *Model) pastSays(what string, asking bool, problem error) []string {
	switch {
	case asking:
		return []string{"Reading the " + what + m.inks.Glyphs.Ellipsis}
	case errors.Is(problem, adminapi.KindSignIn):
		return []string{"Not signed in: the " + what + " could not be read.", "", "R asks again."}
	case problem != nil:
		return []string{views.Sentence(problem.Error()), "", "R asks again."}
	}
	return []string{"The " + what + " have not been read yet.", "", "R reads them."}
}

func (m *Model) offersUnread() []string {
	p := &m.picker
	switch {
	case errors.Is(p.Err, adminapi.KindSignIn):
		return []string{"Not signed in: what the site offers could not be read.", "", "R asks again."}
	case p.Err != nil:
		return []string{views.Sentence(p.Err.Error()), "", "R asks again."}
	case p.Away != nil:
		return []string{"The site does not answer. It is asked again by itself.", "", views.Sentence(p.Away.Err.Error())}
	}
	return []string{"Reading what the site offers" + m.inks.Glyphs.Ellipsis}
}

// listSays tells why the list is empty.
func (m *Model) listSays() []string {
	if unread := m.unread(); unread != nil {
		return unread
	}
	switch m.picker.shelf {
	case installed:
		return []string{"The site names no installed updates."}
	case history:
		return []string{"No upgrade and no rollback is recorded."}
	}
	return []string{
		"Nothing is offered: this site runs " + m.picker.offer.Installed.FullVersion() + ", and its manifest holds no update.",
		"", "A site without internet needs a version manifest from a file: m imports one.",
	}
}

// Status says what the frame shows for the view.
func (m *Model) Status() views.Status {
	p := &m.picker
	status := views.Status{Updated: p.Updated, Away: p.Away, Busy: m.busy(), Path: m.where()}
	if m.flow != nil && !m.flow.reading.IsZero() {
		status.Updated, status.Away = m.flow.reading, nil
	}
	return status
}

func (m *Model) busy() string {
	p, f := &m.picker, m.flow
	switch {
	case f != nil && f.run != nil && f.run.sending:
		return "starting the upgrade"
	case f != nil && f.run != nil && f.run.search != nil && f.run.search.finding != operation.FindingForeign:
		return "looking what became of it"
	case f != nil && f.asking:
		return "reading the pre-flight"
	case f != nil && f.form != nil && f.form.checking:
		return "checking the settings"
	case p.Loading && p.Away == nil:
		return "reading what is offered"
	case p.installed.asking:
		return "reading what is installed"
	case p.history.asking:
		return "reading the history"
	}
	return ""
}

// where says where in the view the user is.
func (m *Model) where() []string {
	var path []string
	if m.step() != choosing {
		path = []string{strings.ToLower(m.step().String()), m.flow.title()}
	}
	if m.raw != nil {
		path = append(path, "JSON")
	}
	return path
}
