package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/polling"
	"geodeck/ui/uitest/sweep/oracle"
)

// cities is the service that is edited.
var cities = adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}

// changing is a wish for one change of a part of a service.
type changing struct {
	m      *machine
	target editing.Target
	change func(*document.Document) (*document.Document, error)
	has    func(*document.Document) bool
	typed  bool // a person has typed the name of the service, to send again
	lost   bool // what became of the last attempt is unknown

	intent *oracle.Intent
	page   page   // where it is changed on the screen
	asks   string // the answer to its question, where that is not to send
	raw    string
	given  string   // what a backup has, to be restored
	cut    bool     // the line has dropped while the editor was open
	agrees []string // keys whose removal a person agrees to
	left   string   // what was saved as a draft last, and has not come to the site
	later  int      // how often others have changed something while the review was open
	editor *sitting // with an editor of one's own
}

// where is the path of what is read, and edited below /edit.
func (c *changing) where() string {
	where := "/services/" + c.target.Service.Path()
	if c.target.Part == editing.Placement {
		where += "/placementPolicy"
	}
	return where
}

func (c *changing) wish(name string) wish {
	try := c.try
	if c.m.day.Face == dashboard {
		try = c.onScreen
	}
	return wish{
		name: name, intent: c.intent,
		is:  func(p *post) bool { return p.path == c.where()+"/edit" && c.carries(p) },
		try: try,
		has: func() bool { return c.has(c.m.truth(c.where())) },
	}
}

// carries reports whether a write has the change.
func (c *changing) carries(p *post) bool {
	d, err := document.Parse([]byte(cmp.Or(p.fields.Get("service"), p.fields.Get("servicePlacementPolicy"))))
	if err == nil {
		return c.has(d)
	}
	return true // it cannot be seen, so it counts
}

// truth is a document as the site truly has it; nil where that is none.
func (m *machine) truth(where string) *document.Document {
	d, err := document.Parse([]byte(m.site.ask("GET", where, nil)))
	if err != nil {
		m.day.fail("the site has no document at %s: %v", where, err)
		d, _ = document.Parse([]byte("{}"))
	}
	return d
}

// try is an attempt through operations.
func (c *changing) try(r *run) told {
	if err := r.open(); err != nil {
		return told{outcome: adminapi.OutcomeNotSent, text: errorText(err)}
	}
	var content editing.Content
	err := r.retry(func() (err error) {
		content, err = editing.Read(r.ctx, r.site.Client, c.target)
		return err
	})
	if err != nil {
		return told{outcome: adminapi.OutcomeNotSent, text: errorText(err)}
	}
	if c.has(content.Document) {
		return told{outcome: adminapi.OutcomeDone, ended: true, text: "it is there"}
	}
	c.findsLeft(r)
	edit := editing.Edit{Target: c.target, Base: content.Document, Why: "an edit", Sync: c.m.day.plan.sync}
	if edit.Edited, err = c.change(edit.Base); err != nil {
		return told{outcome: adminapi.OutcomeNotSent, text: errorText(err)}
	}
	c.intent.From, c.intent.Mine, c.intent.Chosen, c.intent.Removes = edit.Base.Text(), edit.Edited.Text(), nil, c.agrees
	edit.Accepted = editing.AcceptedOf(edit.Plan().Found(), func(f finding.Finding) bool { return slices.Contains(c.agrees, f.At.Path) })
	draft := operation.EditDraft{Base: edit.Base.Text(), Edited: edit.Edited.Text()}
	if holder, err := r.site.Memory.SaveEditDraft(c.target, draft); err == nil && holder == nil && !r.dead.Load() {
		c.left = draft.Edited
	}
	for range 3 {
		said, drift := c.apply(r, edit)
		if drift == nil {
			return said
		}
		c.m.day.meet("drift")
		edit = c.merged(edit, drift.Theirs)
	}
	return told{outcome: adminapi.OutcomeNotSent, text: "it changes at the site all the time"}
}

// findsLeft checks that what an earlier attempt has saved is still there, as the site does not have it.
func (c *changing) findsLeft(r *run) {
	saved, err := r.site.Memory.SavedEdits(c.target)
	if c.left == "" || err != nil || r.hurt() || c.m.day.plan.foreign || c.has(c.m.truth(c.where())) {
		return
	}
	c.m.day.meet("what was edited is found again")
	if !slices.ContainsFunc(saved, func(s operation.SavedEdit) bool { return s.Err == nil && s.Edit.Edited == c.left }) {
		c.m.day.fail("%s: what was edited in %s is saved no more, and the site does not have it", r.name, c.target)
	}
}

// stillLeft checks that what the site has not made, or only in part, is still saved.
func (c *changing) stillLeft(r *run, sent editing.Edit) {
	saved, err := r.site.Memory.SavedEdits(c.target)
	if c.left != sent.Edited.Text() || err != nil || r.hurt() {
		return
	}
	c.m.day.meet("what failed is found again")
	if !slices.ContainsFunc(saved, func(s operation.SavedEdit) bool { return s.Edit.Edited == c.left }) {
		c.m.day.fail("%s: the site has not made all of the edit of %s, and it is saved no more", r.name, c.target)
	}
}

// merged is an edit on top of what the site has, with the version of the edit where both
// have changed the same. A person chooses that of what is named as such, and as overwritten.
func (c *changing) merged(edit editing.Edit, theirs *document.Document) editing.Edit {
	merge := edit.Merging(theirs)
	next := merge.WithMine()
	for _, conflict := range merge.Conflicts {
		if slices.ContainsFunc(next.Drift, func(f finding.Finding) bool {
			at := document.Path(f.At.Path)
			return at.Within(conflict.Path) || conflict.Path.Within(at)
		}) {
			c.m.day.meet("a conflict is shown")
			c.conflictIsNamed(merge, conflict)
			c.intent.Chosen = append(c.intent.Chosen, string(conflict.Path))
		}
	}
	next.Accepted = next.Accepted.And(editing.AcceptedOf(next.Drift, finding.Finding.Open))
	return next
}

// apply sends the edit, and searches for its outcome where the answer is lost.
func (c *changing) apply(r *run, edit editing.Edit) (told, *editing.DriftError) {
	ctx := r.ctx
	if c.typed {
		ctx = operation.WithOverride(ctx, c.target.Service.Path())
	}
	applied, result := r.site.ApplyEdit(ctx, edit, nil)
	outcome, err := result.Outcome, result.Err
	drift, drifted := errors.AsType[*editing.DriftError](err)
	if drifted {
		return told{}, drift
	}
	if open, is := errors.AsType[*operation.UnresolvedError](err); is {
		c.m.day.meet("an earlier write is in the way")
		c.m.notTooSoon(r, open.Wait == 0, open.Record.Path)
		c.typed = allows(open)
	}
	said := told{outcome: outcome, text: errorText(err)}
	c.notSentIsNotOpen(r, outcome)
	if left, are := errors.AsType[*editing.NotAcceptedError](err); are { // next time they agree to what is named
		for _, f := range left.Findings {
			c.agrees = append(slices.Clone(c.agrees), f.At.Path)
		}
	}
	if errors.Is(err, editing.ErrNothingChanged) {
		return told{outcome: adminapi.OutcomeDone, ended: true, text: "nothing to change"}, nil
	}
	if outcome == adminapi.OutcomeUnknown {
		found, searched := polling.Wait(r.ctx, r.site.Clock, applied.Search, nil)
		if err = searched; err == nil {
			err = found.Err
		}
		if searched != nil || errors.Is(err, operation.ErrOutcomeUnknown) {
			return told{text: "searched: " + errorText(err)}, nil
		}
		said = told{outcome: found.Outcome, text: "found: " + errorText(err)}
	}
	if said.outcome != adminapi.OutcomeDone {
		return said, nil
	}
	switch {
	case err == nil:
		said.ended = true
	case errors.Is(err, operation.ErrJobBroken), errors.As(err, new(*editing.NotStoredError)):
		said.broken = true
		c.stillLeft(r, edit)
	}
	return said, nil
}

// allows reports whether a person sends an edit over an open one: enough time has passed, and the site shows what it
// does with that.
func allows(open *operation.UnresolvedError) bool {
	return open.Wait == 0 && !strings.Contains(open.Found, notRead)
}

// notRead is how a program says that the site does not show what it does.
const notRead = "cannot be read"

// notSentIsNotOpen checks that the history calls no outcome unknown where none is open.
func (c *changing) notSentIsNotOpen(r *run, outcome adminapi.Outcome) {
	if outcome != adminapi.OutcomeNotSent && outcome != adminapi.OutcomeRefused || r.hurt() {
		return
	}
	versions, err := r.site.Memory.Versions(c.target, c.m.truth(c.where()))
	if err != nil || len(versions) == 0 || !strings.Contains(versions[0].Ended, "unknown") {
		return
	}
	if !slices.ContainsFunc(c.m.records(), func(k *oracle.Record) bool { return k.Outcome == "unknown" && below(k.Path) == c.where()+"/edit" }) {
		c.m.day.fail("%s: the history says of %s %q, and its newest edit was %s", r.name, c.target, versions[0].Ended, outcome)
	}
}

// setting is a wish to set a value of a definition.
func setting(m *machine, service adminapi.ServiceRef, path document.Path, raw string) *changing {
	c := sets(path, raw)
	return &changing{m: m, target: editing.DefinitionOf(service), page: definition(path), raw: raw,
		intent: &oracle.Intent{Key: string(path), Raw: raw}, change: c.make, has: c.has}
}

// playEdit sets a value of a definition. A second administrator may edit it, too.
func playEdit(m *machine) {
	c := setting(m, cities, "maxIdleTime", fmt.Sprint(900+m.day.random("value").IntN(900)))
	base := m.truth(c.where())
	w := c.wish("edit")
	if m.day.Face == commands {
		w = c.byCommand("edit")
	}
	said := m.insist(w)
	if m.day.Want != "restore" || said.outcome != adminapi.OutcomeDone || !said.ended {
		return
	}
	old, _ := base.Find("maxIdleTime")
	back := setting(m, cities, "maxIdleTime", old.Raw())
	w = back.wish("restore")
	if m.day.Face == commands {
		w = back.restoreByCommand("restore")
	}
	m.insist(w)
}

// playPlacement moves the pods of a service to other nodes, and follows them.
func playPlacement(m *machine) {
	if hand := m.day.random("rules"); m.day.Face == "operations" && hand.IntN(3) > 0 {
		playPlacing(m)
		return
	} else if m.day.Face == commands && hand.IntN(3) > 0 {
		c := placing(m)
		m.insist(c.rulesByCommand("placement"))
		return
	}
	const policy = `{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"pool","operator":"In","values":["spot"]}]}]}},"tolerations":[]}`
	c := &changing{m: m, target: editing.PlacementOf(cities), page: rules, raw: "spot", intent: &oracle.Intent{},
		change: func(d *document.Document) (*document.Document, error) { return editing.PolicyOnto(d, []byte(policy)) },
		has:    func(d *document.Document) bool { return strings.Contains(d.Text(), `"spot"`) },
	}
	w := c.wish("placement")
	if m.day.Face == commands {
		w = c.byCommand("placement")
	}
	if said := m.insist(w); said.outcome != adminapi.OutcomeDone || m.day.Face == dashboard {
		return
	}
	r := m.begin()
	defer r.end()
	if r.open() != nil {
		return
	}
	var pods []string
	if content, err := editing.Read(r.ctx, r.site.Client, c.target); err == nil {
		pods = editing.DeploymentsOf(editing.Placement, content.Document)
	}
	after := r.site.Availability().Wait(r.ctx, cities, pods, nil)
	if r.dead.Load() {
		return
	}
	m.day.meet("pods: " + after.Text())
}

// intrude sets a value of the definition as the second administrator.
func (m *machine) intrude(path document.Path, raw string) {
	if m.othersEdit(sets(path, raw)) && m.wants != nil && m.wants.intent.Key == string(path) {
		m.day.oracle.Undone(m.wants.intent)
	}
}

// othersEdit edits the definition as the second administrator, and reports whether the site took it, which answers at once.
// Some are asked for with more, such as async: it takes them, and makes them later.
func (m *machine) othersEdit(c change, more ...string) bool {
	where := "/services/" + cities.Path()
	edited, err := c.make(m.truth(where))
	if err != nil {
		m.day.fail("the second administrator cannot edit: %v", err)
		return false
	}
	fields := url.Values{"service": {edited.Text()}}
	for _, name := range more {
		fields.Set(name, "true")
	}
	m.day.oracle.Touched = time.Now()
	answer := m.site.ask("POST", where+"/edit", fields)
	m.day.log("the second administrator %s: %.100s", c.name, answer)
	return !refused([]byte(answer))
}

// edits sends a definition of a service as the second administrator.
func (m *machine) edits(where, text, more string) {
	fields := url.Values{"service": {text}}
	if more != "" {
		fields.Set(more, "true")
	}
	m.day.oracle.Touched = time.Now()
	m.day.log("the second administrator edits %s: %.100s", where, m.site.ask("POST", where+"/edit", fields))
}
