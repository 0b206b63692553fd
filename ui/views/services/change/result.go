package change

import (
	"errors"
	"strconv"
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
	"geodeck/ui/widget/whatnow"
)

// last is the result of the edit that was sent last.
func (s *state) last() result { return s.results[len(s.results)-1] }

// next is what is offered first after the result.
type next int

const (
	nextNothing next = iota
	nextSearch       // for the outcome
	nextHealth       // check
	nextEarlier      // outcome that is unknown: nothing was sent
)

func (s *state) next() next {
	if s.step != ended {
		return nextNothing
	}
	switch {
	case s.search != nil && !s.search.arrived() && !s.search.result().Refused():
		return nextSearch
	case errors.Is(s.last().Err, operation.ErrUnresolved):
		return nextEarlier
	case s.last().Touched() || s.search != nil || len(s.results) > 1:
		return nextHealth
	}
	return nextNothing
}

// writeResult writes the outcome of the change, and what can be done next.
func (d *pages) writeResult(p *rows.Page) {
	if d.several {
		d.writeOutcomes(p)
		if d.canContinue() {
			p.Text(d.inks.Plain, "Left: "+plain.Plural(len(d.remaining()), "service")+". They stay marked in the list.")
		}
		p.Gap()
	}
	switch {
	case d.search != nil:
		d.writeSearch(p)
	case d.several && d.last().Down():
		p.Signed(d.inks.Glyphs.Fail, d.inks.Fail, "Stopped: "+plain.Line(d.last().Service.Path())+" does not answer after its edit.")
		p.Indented(d.inks.Plain, "  ", "Its History tab restores the old definition. The others were not sent.")
	case d.several && d.last().Done():
		p.Text(d.inks.Plain, "The change was sent to "+plain.Plural(len(d.results), "service")+". History restores the old versions.")
	default:
		d.writeEnding(p, d.last())
	}
	d.followed.Write(p)
	if d.followed.Followed() {
		p.Text(d.inks.Muted, "You can leave: the list follows the service.")
	}
	p.Gap()
	if d.search == nil || d.search.settled() {
		d.writeNext(p)
	}
}

// writeOutcomes lists the outcome of each of several: first of those that were sent, then of
// those that were to be.
func (d *pages) writeOutcomes(p *rows.Page) {
	k := d.inks
	line := func(glyph, word string, ink rows.Ink, services ...editing.Target) {
		if len(services) > maxAside {
			p.Line(ink.On(glyph+" "+k.Fit(word, 22)) + " " + plain.Plural(len(services), "service"))
			return
		}
		for _, e := range services {
			p.Line(ink.On(glyph+" "+k.Fit(word, 22)) + " " + plain.ClipMiddle(e.Service.Path(), max(8, p.Width-25), k.Glyphs.Ellipsis))
		}
	}
	for _, r := range d.results {
		tone, word := d.brief(r)
		glyph, ink := k.Tone(tone)
		line(glyph, word, ink, r.Target)
	}
	for _, e := range d.toSend()[len(d.results):] {
		line(k.Glyphs.Skipped, "not sent", k.Muted, e.Target)
	}
	var refused, shared, unchanged []editing.Target
	for _, e := range d.edits {
		switch {
		case e.Refused != nil:
			refused = append(refused, e.Target)
		case e.With != "":
			shared = append(shared, e.Target)
		case e.Unchanged():
			unchanged = append(unchanged, e.Target)
		}
	}
	line(k.Glyphs.Warn, "cannot take it", k.Warn, refused...)
	line(k.Glyphs.Skipped, "shares its pods", k.Muted, shared...)
	line(k.Glyphs.Skipped, "has it already", k.Muted, unchanged...)
}

// brief says in a few words how one edit ended, as far as the search has shown.
func (d *pages) brief(r result) (operation.Tone, string) {
	switch l := d.search; {
	case l == nil || l.edit.Service.Path() != r.Service.Path():
		return r.Brief()
	case l.arrived():
		return operation.ToneGood, "done"
	case l.result().Refused():
		return operation.ToneBad, "refused"
	case l.partly():
		return operation.ToneWarn, "neither old nor new"
	}
	return operation.ToneUnknown, "not known"
}

// writeEnding writes how an edit ended, and what follows from that.
func (d *pages) writeEnding(p *rows.Page, r result) {
	k := d.inks
	glyph, ink := k.Tone(r.Tone())
	if r.Done() {
		glyph, ink, _ = d.followed.Answer(k)
	}
	p.Signed(glyph, ink, r.Headline())
	notKept, isNotKept := errors.AsType[*editing.NotStoredError](r.Err)
	drift, isDrift := errors.AsType[*editing.DriftError](r.Err)
	earlier, isEarlier := errors.AsType[*operation.UnresolvedError](r.Err)
	switch {
	case r.Done():
		d.writeAnswer(p)
		if r.Applied.ReadBackErr != nil {
			p.Signed(k.Glyphs.Warn, k.Warn, "The site accepted the change, but could not be read back. Whether it kept everything is unknown. "+views.Sentence(r.Applied.ReadBackErr.Error()))
		} else {
			p.Text(k.Plain, "Read back: the site has everything that was sent.")
		}
		d.writeTrace(p, r)
	case isNotKept:
		d.writeAnswer(p)
		p.Heading("Sent, compared with the site now")
		writeChanges(p, notKept.Changes)
		d.writeTrace(p, r)
		p.Gap()
		p.Text(k.Muted, "What the site left out stays in the editor as your change. History restores the old "+r.Part.String()+".")
	case isDrift:
		p.Heading("Changed at the site")
		writeChanges(p, drift.Changes)
	case r.Touched():
		d.writeFailed(p, r)
	case isEarlier:
		writeWhy(p, errors.New("the outcome of an earlier request is unknown. It was sent at "+d.Env.Times.Clock(earlier.Record.Time)+" by "+plain.Line(earlier.Record.By)))
		if earlier.Found != "" {
			p.Text(k.Plain, views.Sentence(earlier.Found))
		}
	default:
		writeWhy(p, r.Err)
	}
}

// writeAnswer says whether the service answers, where it is followed.
func (d *pages) writeAnswer(p *rows.Page) {
	if _, ink, answer := d.followed.Answer(d.inks); answer != "" {
		p.Indented(ink, "  ", answer)
	}
}

func writeWhy(p *rows.Page, err error) {
	if err != nil {
		p.Gap()
		p.Text(p.Inks.Plain, views.Sentence(err.Error()))
	}
}

// writeTrace writes where the old version is kept, and which job replaced it.
func (d *pages) writeTrace(p *rows.Page, r result) {
	p.Gap()
	d.writeBackup(p, r)
	if job := r.Applied.Job; job.ID != "" {
		p.Fact("Job", plain.Line(job.ID)+", "+strings.ToLower(plain.Line(job.Status)))
		p.Fact("Request", plain.Line(job.RequestID))
		if !job.UpdatedTime.IsZero() {
			p.Fact("Job updated", d.Env.Times.Site().Moment(job.UpdatedTime.Time()))
		}
	}
}

// writeBackup writes where the old version is kept.
func (d *pages) writeBackup(p *rows.Page, r result) {
	if b := r.Applied.Backup; b.ID != "" {
		p.Fact("Saved before", d.Env.Times.Moment(b.Saved)+", "+strconv.Itoa(b.Bytes)+" bytes; History restores it")
	}
}

func (d *pages) writeFailed(p *rows.Page, r result) {
	k, text := d.inks, views.Sentence(r.Applied.Stored.Text(r.Part))
	why := r.Err
	if job, is := errors.AsType[*operation.JobError](why); is && len(job.Job.Reasons()) > 0 { // its ids stand below
		why = errors.New("it ended as " + plain.Line(job.Job.Status) + ": " + plain.Line(strings.Join(job.Job.Reasons(), "; ")))
	}
	writeWhy(p, why)
	p.Gap()
	switch r.Applied.Stored {
	case operation.StoredUnread:
		p.Signed(k.Glyphs.Unknown, k.Unknown, text)
	case operation.StoredOld:
		p.Text(k.Plain, text)
	default:
		p.Signed(k.Glyphs.Warn, k.Warn, text+" The History tab restores the old one.")
	}
	d.writeTrace(p, r)
}

// maxChanges bounds the changes that a page lists.
const maxChanges = 40

// writeChanges lists changes in short: the path, the old and the new value.
func writeChanges(p *rows.Page, changes []document.Change) {
	k := p.Inks
	value := func(sign, raw string) {
		if raw != "" {
			p.Line("    " + k.Muted.On(sign) + plain.Clip(raw, max(8, p.Width-8)))
		}
	}
	for _, c := range document.Masked(changes[:min(len(changes), maxChanges)]) {
		p.Line("  " + k.Strong.On(plain.Clip(string(c.Path), max(8, p.Width-14))) + "  " + k.Muted.On(c.Kind.String()))
		value("- ", c.Old)
		value("+ ", c.New)
	}
	if n := len(changes) - maxChanges; n > 0 {
		p.Line("  " + k.Muted.On("and "+strconv.Itoa(n)+" more"))
	}
}

// writeNext writes what can be done now, and where esc leads.
func (d *pages) writeNext(p *rows.Page) {
	switch d.next() {
	case nextHealth:
		p.Key("r", "  run a health check")
	case nextEarlier:
		p.Key("R", "  look for it")
	}
	if d.wentWrong() {
		p.Key(whatnow.Key, "  what now")
	}
	if d.canContinue() {
		p.Key("M", "  continue with "+plain.Plural(len(d.remaining()), "service")+" (review first)")
	}
	tab, changed := d.host.Origin(d.last().Target)
	if d.several || tab == "" {
		p.Key("esc", "back to the list")
		return
	}
	where := "back to " + tab
	if changed {
		where += "; your change is saved"
	}
	if d.followed.Over() {
		p.Key("R", "  refresh the pods")
	}
	p.Key("esc", where)
}

// leadIn is how much of what two values have in common is shown before they differ.
const leadIn = 24

// sameStart is how many bytes at the beginning of the values are the same, as shown.
func sameStart(values ...string) (same int) {
	first := ""
	for _, v := range values {
		if v = plain.Line(v); v == "" {
			continue
		}
		if first == "" {
			first, same = v, len(v)
		}
		n := 0
		for n < min(same, len(v)) && v[n] == first[n] {
			n++
		}
		same = n
	}
	return same
}
