package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// sameChange returns the services that the same change can be planned for: the one it was
// made in, and the marked ones.
func (d *pages) sameChange() []adminapi.ServiceRef {
	if d.step != reviewing {
		return nil
	}
	first := d.edits[0].Service
	others := slices.DeleteFunc(d.host.Marked(), func(s adminapi.ServiceRef) bool { return s.Path() == first.Path() })
	return append([]adminapi.ServiceRef{first}, others...)
}

// forAll reports whether the reviewed change is meant for all marked services: sending it goes on
// to their plan.
func (d *pages) forAll() bool {
	return !d.several && !d.alone && d.title == TitleEdit && d.host.Batch() && len(d.sameChange()) > 1
}

// planMarked plans the reviewed change for all marked services; after sending, for those
// that remain.
func (f *Flow) planMarked() tea.Cmd {
	if f.step == ended {
		return f.continueRemaining()
	}
	f.of = f.edits[0].Edit
	return f.planFor(f.sameChange())
}

// notSeveral says why the change is not planned for other services, empty where it can be.
func (d *pages) notSeveral() string {
	switch {
	case d.step != reviewing && d.step != ended, d.step == ended && !d.several:
		return "No change is in review."
	case d.step == ended && d.searching():
		return "Wait until the outcome is known."
	case d.step == ended && !d.canContinue():
		return "Every service has the change."
	case d.step == ended:
	case d.several:
		return "This plan already covers all marked services."
	case len(d.sameChange()) < 2:
		return "Mark other services in the list first (space). Your edit is saved."
	}
	return ""
}

// planFor plans the change on several services.
func (f *Flow) planFor(services []adminapi.ServiceRef) tea.Cmd {
	f.step, f.several, f.read, f.wanted = checking, true, 0, len(services)
	f.lay()
	of, version := f.of, f.nodes.Version()
	if version > 0 {
		of.Nodes = f.nodes.List()
	}
	f.progress = views.NewReports[report]()
	site, progress, read := f.Env.Site, f.progress, f.deployments.Reader(f.Env.Site.Client)
	plan := f.Scope.Do("plan", func(ctx context.Context) tea.Msg {
		defer close(progress)
		r := planned{services: services, version: version}
		r.edits = batching.PlanMany(ctx, site, services, of, func(done int) { progress.Send(report{read: done}) })
		r.shared, _ = read(ctx, movedIn(r.edits))
		return r
	})
	return tea.Batch(plan, f.listen())
}

// Continue plans what is left of a batch that a program has left. What the site has by now is not sent
// again.
func (f *Flow) Continue(batch batching.Interrupted) tea.Cmd {
	f.run++
	f.begin(TitleEdit, checking)
	f.several, f.wanted = true, len(batch.Sent)+len(batch.Left)
	f.lay()
	var nodes []placement.Node
	version := f.nodes.Version()
	if version > 0 {
		nodes = f.nodes.List()
	}
	site, read := f.Env.Site, f.deployments.Reader(f.Env.Site.Client)
	return f.Scope.Do("plan", func(ctx context.Context) tea.Msg {
		r := planned{version: version}
		plan, err := batching.ReadPlanFile(batch.Plan)
		if err == nil {
			r.edits, err = batching.PlanAgain(ctx, site, plan, nodes, nil, false)
		}
		if err != nil {
			return notPlanned{batch, err}
		}
		for _, e := range r.edits {
			r.services = append(r.services, e.Service)
		}
		r.shared, _ = read(ctx, movedIn(r.edits))
		return r
	})
}

// notPlanned is why an interrupted batch cannot be planned.
type notPlanned struct {
	batch batching.Interrupted
	err   error
}

func (f *Flow) notPlanned(r notPlanned) tea.Cmd {
	if f.step != checking {
		return nil
	}
	closed := f.close()
	if errors.Is(r.err, adminapi.KindSignIn) {
		return tea.Batch(closed, f.Scope.RetryAfterSignIn(r.err, "plan", func() tea.Cmd { return f.Continue(r.batch) }))
	}
	return tea.Batch(closed, views.TellError(r.err))
}

// services are those that are planned for.
func (s *state) services() (services []adminapi.ServiceRef) {
	for _, e := range s.edits {
		services = append(services, e.Service)
	}
	return services
}

// signIn is the error of a definition whose fetch needs a sign-in, nil for none.
func (r planned) signIn() error {
	for _, e := range r.edits {
		if errors.Is(e.Refused, adminapi.KindSignIn) {
			return e.Refused
		}
	}
	return nil
}

// replan plans the change for all marked services after a sign-in.
func (f *Flow) replan() tea.Cmd {
	if f.step != reviewing || f.notSeveral() != "" {
		return nil
	}
	return f.planMarked()
}

// remaining are those of several services that do not have the change, as far as is known:
// it failed, was not sent, or cannot be made there.
func (s *state) remaining() (services []adminapi.ServiceRef) {
	accepted := map[string]bool{}
	for _, r := range s.results {
		accepted[r.Service.Path()] = r.Kept()
	}
	if s.search.arrived() {
		accepted[s.search.edit.Service.Path()] = true
	}
	for _, e := range s.edits {
		if !e.Unchanged() && !accepted[e.Service.Path()] {
			services = append(services, e.Service)
		}
	}
	return services
}

// canContinue reports whether the change can be planned for the remaining services.
func (s *state) canContinue() bool {
	return s.several && s.step == ended && !s.searching() && len(s.remaining()) > 0
}

// continueRemaining plans the change for the remaining services, for one review.
func (f *Flow) continueRemaining() tea.Cmd {
	if !f.canContinue() {
		return nil
	}
	services := f.remaining()
	f.host.MarkOnly(services)
	return f.planFor(services)
}

// resumeRemaining plans the change for the remaining services after a sign-in, and asks then.
func (f *Flow) resumeRemaining() tea.Cmd {
	f.resuming = f.canContinue()
	return f.continueRemaining()
}

const (
	maxAside      = 4 // services that are named above a review as not taking part, in a low terminal fewer
	maxAsideLines = 3 // lines that each of them takes: the review needs the room
)

// overwritesText says that what others changed meanwhile does not stay.
const overwritesText = "You overwrite what others changed."

// theirsPreface says after a merge what others changed at the site: it is not part of the review.
func (d *pages) theirsPreface() []string {
	p := d.page()
	list := func(ink rows.Ink, text string, changes []string) {
		if len(changes) == 0 {
			return
		}
		most := min(len(changes), max(1, d.Height/6))
		p.Text(ink, text)
		for _, line := range changes[:most] {
			p.Line("  " + d.inks.Plain.On(plain.Clip(arrows(d.inks, line), max(8, p.Width-2))))
		}
		if more := len(changes) - most; more > 0 {
			p.Line("  " + d.inks.Muted.On("and "+plain.Plural(more, "more change")))
		}
		p.Gap()
	}
	list(d.inks.Warn, overwritesText, d.overwritten)
	list(d.inks.Label, "Others changed this; it stays as they left it", d.kept)
	return p.Lines
}

// sharedPreface says above the review of a definition who else is in the pods that restart with it.
func (d *pages) sharedPreface() []string {
	shared := d.sharedBy(d.edits[0])
	if shared == "" {
		return nil
	}
	p := d.page()
	p.Signed(d.inks.Glyphs.Warn, d.inks.Warn, "Pods shared "+shared+": they restart too.")
	p.Gap()
	return p.Lines
}

// sharedBy says who else is in the pods that an edit likely restarts, empty where nobody is known to be.
func (d *pages) sharedBy(e batching.PlannedEdit) string {
	restarts := func(r finding.Finding) bool { return r.ID == document.RestartLikely }
	if d.Sharing == nil || !slices.ContainsFunc(e.Plan.Risks, restarts) {
		return ""
	}
	return d.Sharing(e.Service.Path())
}

// sharedText says of the edits that likely restart pods who else is in them, and how often they may
// restart; empty where nobody is known to be in them.
func (d *pages) sharedText() string {
	var paths []string
	for _, e := range d.toSend() {
		if d.sharedBy(e) != "" {
			paths = append(paths, e.Service.Path())
		}
	}
	if len(paths) == 0 {
		return ""
	}
	text, most, others := "", 1, true
	if d.several {
		most, others = d.Together(paths)
	}
	if most > 1 {
		text = fmt.Sprintf("%d of these services share pods, which restart up to %[1]d times. ", most)
	}
	if others {
		text += "Other services share these pods and restart too."
	}
	return strings.TrimSpace(text)
}

// preface says above a review what happens to pods, or which of several services take no
// part and why.
func (d *pages) preface() []string {
	if d.step != reviewing {
		return nil
	}
	return drawnLines(d.cache.above.For(d.key(d.Width-d.beside(), d.Height), func() string { return strings.Join(d.aboveReview(), "\n") }))
}

func (d *pages) aboveReview() (lines []string) {
	k := d.inks
	if !d.several {
		return slices.Concat(d.theirsPreface(), d.sharedPreface(), d.movesPreface())
	}
	if shared := d.sharedText(); shared != "" {
		p := d.page()
		p.Signed(k.Glyphs.Warn, k.Warn, shared)
		lines = p.Lines
	}
	var named, left int
	add := func(sign string, ink rows.Ink, text string) {
		if named++; named > min(maxAside, max(2, d.Height/6)) {
			left++
			return
		}
		p := d.page()
		p.Signed(sign, ink, text)
		lines = append(lines, p.Lines[:min(len(p.Lines), maxAsideLines)]...)
	}
	with := map[string][]string{} // by the service whose pods they share
	for _, e := range d.edits {
		if e.Refused != nil {
			add(k.Glyphs.Warn, k.Warn, plain.Line(e.Service.Path())+" cannot take it: "+strings.TrimSuffix(e.Refused.Error(), "; nothing was sent"))
		} else if e.With != "" {
			with[e.With] = append(with[e.With], plain.Line(e.Service.Path()))
		}
	}
	for _, e := range d.edits {
		switch same := with[e.Service.Path()]; {
		case len(same) == 1:
			add(k.Glyphs.Skipped, k.Muted, same[0]+": same pods as "+plain.Line(e.Service.Path()))
		case len(same) > 1:
			add(k.Glyphs.Skipped, k.Muted, plain.Plural(len(same), "service")+": same pods as "+plain.Line(e.Service.Path()))
		case e.Unchanged() && e.With == "":
			add(k.Glyphs.Skipped, k.Muted, plain.Line(e.Service.Path())+" has it already")
		}
	}
	if left > 0 {
		lines = append(lines, k.Muted.On(fmt.Sprintf("  and %d more", left)))
	}
	if d.of.Part == editing.Placement && !d.sawNodes() {
		lines = append(lines, k.Unknown.On(k.Glyphs.Unknown+" "+noNodesSeen))
	}
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	return lines
}
