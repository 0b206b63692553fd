package editor

import (
	"slices"

	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
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

// resumes reports whether the draft opens without a question: the user edited it a moment ago in this
// program, here, and nobody else has changed or edited the same.
func (o *offer) resumes(here bool) bool {
	return o.from.Mine && o.rival == nil && !o.drifted && !o.unreadable() && here
}

// finder reads drafts of a part of a service, in commands.
type finder struct {
	site   operation.Site
	target editing.Target
	widget Widget
}

func (e *edit) finder() finder { return finder{e.env.Site, e.target, e.widget} }

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
// changes anything at the site, or in another draft; nil for none. It discards those that programs which have ended
// have left and that change nothing, and reports whether there was one.
func (f finder) find(now *document.Document, held *operation.EditDraft) (found *offer, discarded bool) {
	kept, err := f.site.Memory.SavedEdits(f.target)
	if held != nil {
		own := operation.SavedEdit{Draft: journal.Draft{Saved: f.site.Clock.Now(), Mine: true}, Edit: *held}
		kept, err = slices.DeleteFunc(kept, func(k operation.SavedEdit) bool { return k.Mine }), nil
		kept = slices.Insert(kept, 0, own)
	}
	if err != nil {
		return &offer{err: err}, false
	}
	for i, k := range kept {
		if k.Err == nil && k.Edit.Edited == now.Text() && k.Edit.Typed == nil && !k.Outside { // a text may take a draft back
			if k.Liveness == journal.Ended { // nothing is lost with it
				discarded = f.site.Memory.Journal.DiscardDraft(k.Draft) == nil || discarded
			}
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
		return o, discarded
	}
	return nil, discarded
}

// holdsChanges reports whether the draft has changes from before its broken text.
func (o *offer) holdsChanges() bool {
	return o.broken != nil && o.open.edited.Text() != o.open.base.Text()
}

// notes say what to know about the draft, of a part with this name, before it is continued.
func (o *offer) notes(times *views.Times, name string) (notes []string) {
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
		note := "It has text you were typing: " + plain.Clip(typed.Path.String(), 60) + "."
		if _, err := document.Parse([]byte(typed.Text)); err != nil && !typed.Line {
			note += " It does not parse: " + plain.Line(err.Error()) + "."
		}
		notes = append(notes, note)
	}
	if o.holdsChanges() {
		notes = append(notes, "The draft also has your earlier changes.")
	}
	if o.drifted {
		notes = append(notes, "The "+name+" was changed at the site since then. Sending the draft starts a merge; nothing is overwritten.")
	}
	if o.rival != nil {
		notes = append(notes, HeldBy(times, *o.rival, "this "+name)+" Your draft is saved separately.")
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
