package services

import (
	"strconv"
	"time"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views/rows"
)

// longWait is how long pods are not all ready before it is said what may be the reason.
const longWait = 2 * time.Minute

// writePods says how the pods stand.
func (m *Model) writePods(p *rows.Page, f *podsFollowed) {
	if f == nil {
		return
	}
	k := &m.inks
	p.Heading("Pods")
	if f.reading.At.IsZero() {
		p.Signed(k.Glyphs.Running, k.Running, "Asking how they stand")
	} else {
		for _, d := range f.reading.Deployments {
			m.writeDeployment(p, f, d)
		}
	}
	if err := f.reading.Refused(); err != nil {
		said := "How the pods stand is not seen here."
		if f.edited {
			said = "How the pods come back is not seen here. The change itself is at the site."
		}
		p.Text(k.Plain, said)
		return
	}
	if f.away != nil && !f.over {
		p.Signed(k.Glyphs.Warn, k.Warn, "The site does not tell at present, and is asked again: "+sentence(f.away.Err))
	}
	if !f.reading.At.IsZero() || f.over {
		p.Text(k.Muted, m.podsAsked(f))
	}
}

// podsAsked says of when the reading is, and whether others follow.
func (m *Model) podsAsked(f *podsFollowed) string {
	read := ""
	if !f.reading.At.IsZero() {
		read = "Read " + m.env.Times.Clock(f.reading.At) + ". "
	}
	switch {
	case f.settled():
		return read + strconv.Itoa(f.same) + " readings say the same: the site is not asked any more."
	case f.over && f.away == nil:
		return read + "Nothing changes: the site is not asked any more."
	case f.over:
		return read + "The site is not asked at present."
	case f.edited && f.reading.Ready():
		return read + "It is asked on for a while: a pod that answers may be one from before the change."
	}
	return read + "It is asked again by itself."
}

// writeDeployment says how the pods of one deployment stand.
func (m *Model) writeDeployment(p *rows.Page, f *podsFollowed, d operation.DeploymentPods) {
	k := &m.inks
	name := plain.Line(d.Name)
	if name == "" {
		name = plain.Line(d.ID)
	}
	told := strconv.Itoa(d.ReadyReplicas) + " of " + strconv.Itoa(d.TotalReplicas) + " ready"
	state := ""
	if d.State != "" {
		state = ", " + plain.Line(d.State)
	}
	switch {
	case d.Err != nil && d.TotalReplicas > 0:
		p.Signed(k.Glyphs.Unknown, k.Unknown, name+": "+told+state+" when it was told last. "+sentence(d.Err))
	case d.Err != nil:
		p.Signed(k.Glyphs.Unknown, k.Unknown, name+": the site does not tell. "+sentence(d.Err))
	case d.AllReady():
		p.Signed(k.Glyphs.Pass, k.OK, name+": "+told+state)
		p.Indented(k.OK, "  ", allAnswer(d.TotalReplicas)+m.beganAt(f.since[d.ID]))
	case d.TotalReplicas == 0:
		p.Signed(k.Glyphs.Skipped, k.Muted, name+": "+told+state+"; it has no pods, such as those of a stopped service")
	default:
		p.Signed(k.Glyphs.Running, k.Running, name+": "+told+m.sinceAtLeast(f.since[d.ID])+state)
		m.writeWaiting(p, f, d)
	}
}

// beganAt says since when something is so, where that was seen.
func (m *Model) beganAt(since podsSince) string {
	if !since.began {
		return ""
	}
	return " since " + m.env.Times.Clock(since.when)
}

// sinceAtLeast says since when something is so, or that it was so at the first reading.
func (m *Model) sinceAtLeast(since podsSince) string {
	if since.began {
		return m.beganAt(since)
	}
	return " since " + m.env.Times.Clock(since.when) + " or before"
}

func allAnswer(pods int) string {
	if pods == 1 {
		return "Its pod answers"
	}
	return "All " + strconv.Itoa(pods) + " pods answer"
}

// writeWaiting says why pods do not come back: that no node takes them was known when
// the rules were sent; else it is a guess once it takes long.
func (m *Model) writeWaiting(p *rows.Page, f *podsFollowed, d operation.DeploymentPods) {
	wait := m.env.Clock.Now().Sub(f.since[d.ID].when)
	switch {
	case f.nowhere[d.ID]:
		p.Indented(m.inks.Warn, "  ", "No node takes these pods, as was confirmed before the rules were sent: they wait (Pending) until one does.")
	case wait >= longWait:
		p.Indented(m.inks.Warn, "  ", "Not all ready for "+strconv.Itoa(int(wait.Minutes()))+" minutes: they may wait for a node (Pending).")
	default:
		return
	}
	p.Indented(m.inks.Plain, "  ", "What can be done: correct the rules on the tab Placement, restore the ones from before on the tab History, "+
		"or label or untaint a node. That labels and taints fit is not all: a node also needs room.")
}
