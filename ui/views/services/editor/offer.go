package editor

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/jsonview"
)

// offer is a draft of this or another program that the user has to decide about.
type offer struct {
	from    journal.Draft
	saved   operation.EditDraft // as it was read
	rival   *journal.Draft      // another program that has the edit as well; nil for none
	edited  *document.Document  // nil where the text is broken
	open    opening             // of edited; of what was there before where the text is broken
	broken  *broken             // the text where it is broken
	unbreak bool                // the broken text is discarded, the changes from before it are not
	err     error               // why the draft cannot be read, or why its text is broken
	drifted bool                // the site has another document than the draft began with
	differs []document.Change   // what an editor has changed of the draft that it was given
	preview *preview            // the text is shown, read only; nil where it is not
	taking  bool                // it is being taken over
	sent    *journal.Record     // the request that has sent exactly this text since it was saved; nil for none
}

// unreadable reports whether the draft has no text that can be read.
func (o *offer) unreadable() bool { return o.saved.Edited == "" }

// openElsewhere reports whether another program has the edit and runs, or may run.
func (o *offer) openElsewhere() bool { return !o.from.Mine && o.from.Liveness != journal.Ended }

// name is what sentences call it.
func (o *offer) name() string {
	if o.from.Outside {
		return "your editor's text"
	}
	return "the draft"
}

// readOnly reports whether the draft can only be read, or taken over.
func (o *offer) readOnly() bool { return o.openElsewhere() && !o.unreadable() }

// discardable reports whether the draft can be removed; a damaged one is set aside.
func (o *offer) discardable() bool {
	switch {
	case o.preview != nil:
		return false
	case o.unreadable():
		return o.from.Damaged != nil
	}
	return !o.openElsewhere() || o.from.Liveness == journal.MaybeAlive
}

// finder reads drafts of a part of a service, in commands.
type finder struct {
	site   operation.Site
	target editing.Target
	widget Widget
}

func (t *Tab) finder() finder { return finder{t.Env.Site, t.Target, t.widget} }

// parse reads a text as what the widget edits.
func parse(w Widget, text []byte) (*document.Document, error) {
	d, err := document.Parse(text)
	if err == nil {
		err = w.Check(d)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (f finder) offer(now *document.Document, kept operation.SavedEdit) *offer {
	if kept.Err != nil {
		return &offer{from: kept.Draft, err: kept.Err}
	}
	o := &offer{from: kept.Draft, saved: kept.Edit}
	base := now // where the draft's own base cannot be read
	if was, err := parse(f.widget, []byte(kept.Edit.Base)); err == nil {
		base, o.drifted = was, len(document.Diff(was, now)) > 0
	}
	if o.edited, o.err = parse(f.widget, []byte(kept.Edit.Edited)); o.err != nil {
		o.broken = newBroken([]byte(o.saved.Edited), o.err)
		before, err := parse(f.widget, []byte(kept.Edit.Before))
		if err != nil {
			before = base
		}
		o.open = prepared(f.widget, before, base)
		return o
	}
	o.open = prepared(f.widget, o.edited, base)
	if sent, found := f.site.Memory.SentDraft(f.target, kept); found {
		o.sent = &sent
	}
	if before, err := document.Parse([]byte(kept.Edit.Before)); err == nil && o.from.Outside {
		o.differs = document.Diff(before, o.edited)
	}
	return o
}

// find returns the draft to offer: the one held in memory, else the first on disk that
// changes anything at the site, or in another draft; nil for none.
func (f finder) find(now *document.Document, held *operation.EditDraft) *offer {
	kept, err := f.site.Memory.SavedEdits(f.target)
	if held != nil {
		own := operation.SavedEdit{Draft: journal.Draft{Saved: f.site.Clock.Now(), Mine: true}, Edit: *held}
		kept, err = slices.DeleteFunc(kept, func(k operation.SavedEdit) bool { return k.Mine }), nil
		kept = slices.Insert(kept, 0, own)
	}
	if err != nil {
		return &offer{err: err}
	}
	for i, k := range kept {
		if k.Err == nil && k.Edit.Edited == now.Text() && k.Edit.Typed == nil && !k.Outside { // a text may take a draft back
			continue
		}
		o := f.offer(now, k)
		if o.from.Mine {
			var drafts []journal.Draft
			for _, other := range kept[i+1:] {
				drafts = append(drafts, other.Draft)
			}
			o.rival = journal.Holder(drafts)
		}
		return o
	}
	return nil
}

// findDraft reads the draft to offer, if it fits.
func (t *Tab) findDraft(fits func(*offer) bool) tea.Cmd {
	find, now := t.finder(), t.now
	return t.work("find", func() func() tea.Cmd {
		found := find.find(now, nil)
		if found != nil && !fits(found) {
			found = nil
		}
		return func() tea.Cmd { return t.draftFound(found) }
	})
}

// refreshOffer reads the draft to offer once more, own ones included or not.
func (t *Tab) refreshOffer(own bool) tea.Cmd {
	return t.findDraft(func(o *offer) bool { return own || !o.from.Mine })
}

// draftFound offers a draft, nil for none.
func (t *Tab) draftFound(found *offer) tea.Cmd {
	if t.left || t.begun() {
		return nil
	}
	before := t.offer
	t.offer = found
	switch {
	case before != nil && before.openElsewhere() && found == nil: // it may have been sent
		return t.load()
	case before != nil && before.preview != nil && found != nil && found.openElsewhere():
		found.preview = before.preview // the user is reading it
		return t.showPreview(false)
	}
	return nil
}

// continueDraft opens the draft. One that another program has left is taken over first.
func (t *Tab) continueDraft() tea.Cmd {
	switch o := t.offer; {
	case o.unreadable():
		t.offer = nil
		return nil // the present document is edited
	case o.from.Mine:
		return t.openDraft(o)
	}
	return t.takeOffer()
}

// resumes reports whether a draft opens without a question: the user edited it a moment ago in
// this program, and nobody else has changed or edited the same.
func (t *Tab) resumes(o *offer) bool {
	return o.from.Mine && o.rival == nil && !o.drifted && !o.unreadable() && t.saver.here
}

// holdsChanges reports whether the draft has changes from before its broken text.
func (o *offer) holdsChanges() bool {
	return o.broken != nil && o.open.edited.Text() != o.open.base.Text()
}

// openDraft opens a draft of this program in the widget.
func (t *Tab) openDraft(o *offer) tea.Cmd {
	t.offer, t.broken = nil, o.broken
	s := t.saver
	s.want, s.holder, s.first, s.here = &o.saved, o.rival, o.rival == nil, true
	cmd := t.begin(o.open)
	if o.unbreak {
		return tea.Batch(cmd, t.discard(o.broken, nil))
	}
	if held := s.held(); held != nil { // it could not be written before
		return tea.Batch(cmd, t.drafts.Save(t.Target, held))
	}
	return tea.Batch(cmd, t.resumeTyping(o.saved.Typed))
}

// compare shows how the edit, or the draft, differs from what the site has.
func (t *Tab) compare() tea.Cmd {
	edited, typed, title := t.now, t.typed(), "your changes"
	switch {
	case t.offer != nil:
		edited, typed, title = t.offer.edited, t.offer.saved.Typed, t.offer.name()+" against the present"
	case t.unfit == nil:
		edited = t.widget.Document()
	}
	text := "" // that was typed, and is in no document
	if typed != nil {
		text = strings.TrimSpace(plain.ClipMiddle(plain.Line(typed.Text), 32, t.inks.Glyphs.Ellipsis) + " typed, not applied")
		title += "; " + text
	}
	now, part := t.now, t.Target.Part
	return t.work("compare", func() func() tea.Cmd {
		differences := part.Comparison(now, edited)
		return func() tea.Cmd {
			switch {
			case t.left:
				return nil
			case text != "" && len(differences.Changes) == 0:
				return views.Tell(views.Info, "No differences; "+text+".")
			}
			return t.host.Compare(title, differences)
		}
	})
}

// preview is a text that can only be read: of another program's draft, or the site's.
type preview struct {
	site bool // what the site has is shown
}

// previewHead are the lines above the text.
const previewHead = 2

// togglePreview shows the text of the other program and what the site has, in turn.
func (t *Tab) togglePreview() tea.Cmd { return t.showPreview(t.preview() != nil && !t.preview().site) }

// showPreview lays the text out in a command: it may be long.
func (t *Tab) showPreview(site bool) tea.Cmd {
	o, th, text := t.offer, t.Env.Theme, t.offer.saved.Edited
	if site {
		text = t.now.Text()
	}
	return t.work("look at", func() func() tea.Cmd {
		v := jsonview.New(th)
		v.Set([]byte(text))
		return func() tea.Cmd {
			if t.offer == o {
				o.preview = &preview{site}
				t.reading.Replace(v)
			}
			return nil
		}
	})
}

// closePreview goes back from the preview to the offer.
func (t *Tab) closePreview() bool {
	switch {
	case t.preview() == nil:
		return false
	case t.reading.Filter() != "":
		t.reading.SetFilter("")
	default:
		t.offer.preview = nil
	}
	return true
}

// whose says whose text is previewed.
func (t *Tab) whose() string {
	if t.offer.preview.site {
		return "Read-only: the site's version"
	}
	return "Read-only: the draft of " + t.offer.from.Program.Who() + ", saved at " + t.Env.Times.Minute(t.offer.from.Saved)
}

// offerLines ask what to do with the draft.
func (t *Tab) offerLines() []string {
	o, k, p := t.offer, t.inks, t.page()
	if o.unreadable() {
		p.Signed(k.Glyphs.Warn, k.Warn, "The draft of the "+t.name()+" on this machine cannot be read")
		p.Gap()
		p.Text(k.Plain, views.Sentence(o.err.Error()))
		p.Gap()
		p.Key("enter", "continue without it; the file stays")
		if o.from.Damaged != nil {
			p.Key("X", "    set the file aside (asks first)")
		}
		return p.Lines
	}
	elsewhere, maybe := o.openElsewhere(), o.openElsewhere() && o.from.Liveness == journal.MaybeAlive
	unknown, saved := t.drafts.Unknown(t.Target), t.Env.Times.Minute(o.from.Saved)
	sign, ink, head := k.Glyphs.Warn, k.Warn, "Your draft of this "+t.name()+" from "+saved+" was not sent"
	var texts []string
	switch {
	case elsewhere:
		head = HeldBy(t.Env.Times, o.from, "this "+t.name())
		if maybe {
			texts = append(texts, "It was started on another host; whether it still runs is unknown.")
		}
		texts = append(texts, "Its draft was last saved at "+saved+". Take the edit over to change or send anything.")
	case unknown != "":
		sign, ink, head = k.Glyphs.Unknown, k.Unknown, "A change of this "+t.name()+" was sent: "+unknown
		texts = append(texts, "Your draft is from "+saved+".")
	case o.from.Outside:
		head = "Text that your editor saved at " + saved + " is in no draft yet"
	case o.sent != nil:
		head = "Your draft of this " + t.name() + " was sent at " + t.Env.Times.Minute(o.sent.Time) + ": " +
			operation.ResultOf(*o.sent).Text()
	}
	p.Signed(sign, ink, head)
	p.Gap()
	for _, text := range append(texts, t.offerNotes()...) {
		p.Text(k.Plain, text)
		p.Gap()
	}
	for _, row := range []struct {
		holds     bool
		key, does string
	}{
		{elsewhere, "enter", "view the text, read-only"},
		{!elsewhere, "enter", "continue with " + o.name()},
		{o.edited != nil, "v", "    show its changes against the site"},
		{unknown != "", "R", "    look for the outcome of what was sent"},
		{elsewhere, "O", "    take the edit over (asks first)"},
		{maybe, "X", "    discard the draft (asks first)"},
		{!elsewhere && o.holdsChanges(), "X", "    discard only the broken text (asks first)"},
		{!elsewhere && !o.holdsChanges(), "X", "    discard it (asks first)"},
		{elsewhere, "esc", "  leaves it"},
		{!elsewhere, "esc", "  leave it for later"},
	} {
		if row.holds {
			p.Key(row.key, row.does)
			if row.key == "enter" {
				p.Focus(len(p.Lines) - 1)
			}
		}
	}
	return p.Lines
}

// offerNotes say what to know about the draft before it is continued.
func (t *Tab) offerNotes() (notes []string) {
	o := t.offer
	if o.edited == nil {
		notes = append(notes, "Its text is broken: "+plain.Line(o.err.Error())+".")
	}
	if len(o.differs) > 0 {
		names := make([]string, len(o.differs))
		for i, c := range o.differs {
			names[i] = plain.Clip(c.Path.String(), 60)
		}
		notes = append(notes, "It differs from your earlier draft: "+plain.Listed(names, 3, ", ", " and ")+".")
	}
	if typed := o.saved.Typed; typed != nil {
		notes = append(notes, "It has text you were typing: "+plain.Clip(typed.Path.String(), 60)+".")
	}
	if o.holdsChanges() {
		notes = append(notes, "The draft also has your earlier changes.")
	}
	if o.drifted {
		notes = append(notes, "The "+t.name()+" was changed at the site since then. Sending the draft starts a merge; nothing is overwritten.")
	}
	if o.rival != nil {
		notes = append(notes, HeldBy(t.Env.Times, *o.rival, "this "+t.name())+" Your draft is saved separately.")
	}
	return notes
}

// HeldBy says who edits something, such as "this definition", and since when.
func HeldBy(times *views.Times, d journal.Draft, what string) string {
	ends := " and has it open."
	if d.Liveness == journal.MaybeAlive {
		ends = " and may still have it open."
	}
	return d.Program.String() + " has edited " + what + " since " + times.Minute(d.Since) + ends
}
