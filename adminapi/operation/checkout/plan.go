package checkout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// Plan plans the edits that bring parts of a site to what their files have: definitions first, then rules, each
// in the order of the targets. What the file does not change goes out as the site wrote it, and so do the keys
// that no file has. What the site has changed since the pull, and the file overwrites, is the danger drift. A
// part that cannot be read, or that only one side has, is refused. report gets how many are done.
func (f *Folder) Plan(ctx context.Context, s operation.Site, targets []editing.Target, nodes []placement.Node, accepted editing.Accepted, report func(done int)) []batching.PlannedEdit {
	all, rules := make([]batching.PlannedEdit, len(targets)), make([]map[string]string, len(targets))
	keys := s.Memory.Keys()
	f.each(ctx, s, targets, report, func(i int, p pair) {
		all[i] = p.planned(editing.Edit{Target: p.Target, Why: "files of a folder", Accepted: accepted, Keys: keys, Nodes: nodes})
		rules[i] = p.rules()
	})
	refuseOdds(all, rules)
	slices.SortStableFunc(all, func(a, b batching.PlannedEdit) int { return cmp.Compare(a.Part, b.Part) })
	batching.Share(all)
	return all
}

// rules are checksums of what the file of a policy says of each deployment, by id.
func (p pair) rules() map[string]string {
	if p.Part != editing.Placement || p.file == nil || p.site == nil {
		return nil
	}
	whole, err := p.whole()
	if err != nil {
		return nil
	}
	policy, err := placement.FromDocument(whole)
	if err != nil {
		return nil
	}
	sums := map[string]string{}
	for i, id := range policy.DeploymentIDs() {
		if one, err := document.Parse([]byte(cmp.Or(policy.Rules(i), "{}"))); err == nil {
			sums[id] = one.Digest()
		}
	}
	return sums
}

// Why a file cannot be applied, as a [*FileError].
var (
	// ErrMissing says that the site has no part that a file is of: it is never made.
	ErrMissing = errors.New("the site has no such service or rules; publish the service, or remove the file")
	// ErrOddRules says that services share a deployment, and their files have other rules for it: whichever is
	// sent, the other file differs.
	ErrOddRules = errors.New("has other rules for pods that both services share; make them the same")

	errNoFile = errors.New("the folder has no such file; pull it first")
)

// refuseOdds refuses the edits of rules whose files contradict each other.
func refuseOdds(all []batching.PlannedEdit, rules []map[string]string) {
	first := map[string]int{}
	for i, sums := range rules {
		for id, sum := range sums {
			at, taken := first[id]
			if !taken {
				first[id] = i
				continue
			}
			if rules[at][id] == sum {
				continue
			}
			for _, e := range []*batching.PlannedEdit{&all[at], &all[i]} {
				e.Refused = cmp.Or[error](e.Refused, &FileError{FileOf(all[at].Target), fmt.Errorf("%s %w", plain.Line(FileOf(all[i].Target)), ErrOddRules)})
			}
		}
	}
}

func (p pair) planned(edit editing.Edit) batching.PlannedEdit {
	refused := func(err error) batching.PlannedEdit { return batching.PlannedEdit{Edit: edit, Refused: err} }
	c := p.compared(false)
	switch {
	case c.Err != nil:
		return refused(c.Err)
	case p.site == nil:
		return refused(&FileError{FileOf(p.Target), ErrMissing})
	case p.file == nil:
		return refused(&FileError{FileOf(p.Target), errNoFile})
	}
	edit.Base, edit.Edited = p.site, p.site
	if len(c.Changes) == 0 {
		return batching.PlannedEdit{Edit: edit}
	}
	var err error
	if edit.Edited, err = p.site.Apply(c.Changes); err != nil {
		return refused(&FileError{FileOf(p.Target), err})
	}
	if c.Drifted != "" {
		edit.Drift = []finding.Finding{editing.Gates.Finding(finding.Edit, editing.Overwrites, finding.Place{},
			plain.Capital(c.Drifted)+". The file overwrites it.")}
	}
	planned := batching.PlannedEdit{Edit: edit, Plan: edit.Plan()}
	planned.Refused = edit.Blocked()
	return planned
}

// Applied notes that the site has what the file of an edit has, and those of the edits of the same pods, where
// it is that of the pull. [Folder.Save] keeps it.
func (f *Folder) Applied(s operation.Site, e batching.PlannedEdit, planned []batching.PlannedEdit) error {
	if !f.IsOf(s) {
		return nil
	}
	f.Index.Address = journal.SiteOf(s.Client.Base()) // of a folder that was never pulled
	for _, one := range planned {
		if !one.Same(e.Target) && (one.Part != e.Part || one.With != e.Service.Path()) {
			continue
		}
		left, err := leaveOut(one.Part, one.Edited)
		if err != nil {
			return err
		}
		f.note(one.Target, left.Digest(), s.ServerNow())
	}
	return nil
}
