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
func (m *Model) writePods(p *rows.Page) {
	f := m.way.pods
	if f == nil {
		return
	}
	k := &m.inks
	p.Heading("Pods")
	if f.reading.At.IsZero() {
		p.Signed(k.Glyphs.Running, k.Running, "Asking how they stand")
	} else {
		for _, d := range f.reading.Deployments {
			m.writeDeployment(p, d)
		}
	}
	if err := f.reading.Refused(); err != nil {
		p.Text(k.Plain, "How the pods come back is not seen here. The change itself is at the site.")
		return
	}
	if f.away != nil {
		p.Signed(k.Glyphs.Warn, k.Warn, "The site does not tell at present, and is asked again: "+sentence(f.away.Err))
	}
	if f.over {
		return
	}
	said := "Leaving this page stops nothing."
	if !f.reading.At.IsZero() {
		said = "Read " + m.env.Times.Clock(f.reading.At) + ", and asked again by itself. " + said
	}
	if f.reading.Ready() {
		said = "Pods are replaced one after the other: the old ones answer until then. " + said
	}
	p.Text(k.Muted, said)
}

// writeDeployment says how the pods of one deployment stand.
func (m *Model) writeDeployment(p *rows.Page, d operation.DeploymentPods) {
	k, since := &m.inks, m.way.pods.since[d.ID]
	name := plain.Line(d.Name)
	if name == "" {
		name = plain.Line(d.ID)
	}
	told := strconv.Itoa(d.ReadyReplicas) + " of " + strconv.Itoa(d.TotalReplicas) + " ready"
	if d.State != "" {
		told += ", " + lower(plain.Line(d.State))
	}
	now := m.env.Clock.Now()
	switch {
	case d.Err != nil && d.TotalReplicas > 0:
		p.Signed(k.Glyphs.Unknown, k.Unknown, name+": "+told+" when it was told last. "+sentence(d.Err))
	case d.Err != nil:
		p.Signed(k.Glyphs.Unknown, k.Unknown, name+": the site does not tell. "+sentence(d.Err))
	case d.AllReady():
		p.Signed(k.Glyphs.Pass, k.OK, name+": "+told)
		answer := allAnswer(d.TotalReplicas)
		if since.began {
			answer += " since " + m.env.Times.Clock(since.when)
		}
		p.Indented(k.OK, "  ", answer)
	case d.TotalReplicas == 0:
		p.Signed(k.Glyphs.Skipped, k.Muted, name+": "+told+"; it has no pods, such as those of a stopped service")
	default:
		p.Signed(k.Glyphs.Running, k.Running, name+": "+told+"; not all are since "+m.env.Times.Clock(since.when))
		if now.Sub(since.when) >= longWait {
			m.writeWaiting(p, now.Sub(since.when))
		}
	}
}

func allAnswer(pods int) string {
	if pods == 1 {
		return "Its pod answers"
	}
	return "All " + strconv.Itoa(pods) + " pods answer"
}

// writeWaiting says what may be the reason where pods do not come back.
func (m *Model) writeWaiting(p *rows.Page, wait time.Duration) {
	p.Indented(m.inks.Warn, "  ", "Not all ready for "+strconv.Itoa(int(wait.Minutes()))+" minutes: they may wait for a node (Pending).")
	p.Indented(m.inks.Plain, "  ", "What can be done: correct the rules on the tab Placement, restore the ones from before on the tab History, "+
		"or label or untaint a node. That labels and taints fit is not all: a node also needs room.")
}
