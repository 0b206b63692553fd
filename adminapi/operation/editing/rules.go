package editing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// policies are the two versions of a policy. One that cannot be read has no items.
func (e Edit) policies() (base, edited placement.Policy, err error) {
	base, _ = placement.FromDocument(e.Base) // a broken base does not stop an edit
	edited, err = placement.FromDocument(e.Edited)
	return base, edited, err
}

// placementFindings are the rules that a policy breaks. Those that the base breaks do not
// block.
func (e Edit) placementFindings() []finding.Finding {
	base, edited, err := e.policies()
	if err != nil {
		return []finding.Finding{{Strength: finding.Block, At: finding.Place{Line: 1}, Text: "Not a placement policy: " + err.Error() + "."}}
	}
	if edited.Form() != placement.WholePolicy {
		return []finding.Finding{{Strength: finding.Block, At: finding.Place{Line: 1}, Text: "The list placementPolicy is missing: the site accepts whole policies only."}}
	}
	all := placement.Check(edited, e.Nodes)
	fresh := map[placement.Finding]bool{}
	for _, f := range placement.Introduced(all, placement.Check(base, e.Nodes)) {
		fresh[f] = true
	}
	found, items := make([]finding.Finding, len(all)), edited.Items()
	for i, f := range all {
		found[i] = f.Finding
		found[i].At = e.locate(f.At.Path)
		if f.In.Item < len(items) {
			item := items[f.In.Item]
			name := item.DeploymentType
			if len(items) > 1 {
				name += " " + item.DeploymentID
			}
			found[i].At.Name = plain.Line(name + ": " + f.In.Name())
		}
		switch found[i].ID = cmp.Or(f.ID, RuleBroken); {
		case f.Strength > finding.Note && !fresh[f]: // it is so at the site
			found[i].Strength = finding.Note
		case f.Strength == finding.Danger, f.ID == placement.NoNode: // no node can match a term of it
			found[i].Accept = Gates.Of(NoNode).Accept
		case f.Strength == finding.Caution:
			found[i].Accept = Gates.Of(RuleBroken).Accept
		}
	}
	return found
}

// locate finds a place in the text.
func (e Edit) locate(clean string) finding.Place {
	path, err := document.ParsePath(clean)
	if err != nil {
		return finding.Place{}
	}
	n, there := e.Edited.Find(path)
	if !there {
		return finding.Place{Path: string(path)}
	}
	start, _ := n.Span()
	line, _ := e.Edited.Position(start)
	return finding.Place{Path: string(n.Path()), Line: line}
}

// Unschedulable returns the ids of the deployments whose rules the plan changes and whose
// pods no node takes then, nor one that a pool may make; where the nodes are not known, whose rules
// no node can match.
func (p Plan) Unschedulable() (ids []string) {
	for _, move := range p.Moves {
		if move.Never != "" || move.To.Stuck() {
			ids = append(ids, cmp.Or(move.After.DeploymentID, move.After.DeploymentType, move.Path.String()))
		}
	}
	return ids
}

// placementRisks says what happens to the pods of each deployment whose rules change, and
// to those that the edit does not name.
func (e Edit) placementRisks(moves []Move) (risks []finding.Finding) {
	for _, m := range moves {
		switch {
		case m.Never != "":
			risks = append(risks, m.risk(m.Cause, NoNode, "No node can match these rules: "+m.Never+"."))
		case m.To.Makeable:
			caution := m.risk(m.Cause, NoNode, "No node has it now; a pool may make one.")
			caution.Strength = finding.Caution
			risks = append(risks, caution)
		case m.To.None():
			risks = append(risks, m.risk(m.Cause, NoNode, plain.Capital(m.To.String())+"."))
		case m.To.Taking == 1:
			risks = append(risks, m.risk(m.Path, OneNode, "A single node takes them: if it fails, they stay Pending."))
		}
		risks = append(risks, m.risk(m.Path, PodsReplaced, "The pods are replaced; requests may fail meanwhile."))
	}
	_, leftOut := e.changedRules()
	for _, path := range leftOut {
		risks = append(risks, risk(path, LeftOut, "The policy no longer names it; the site may keep its rules."))
	}
	return risks
}

// risk is what the new rules may do, at a path that people read as a part of the deployment.
func (m Move) risk(path document.Path, id, text string) finding.Finding {
	found := risk(path, id, text)
	found.At.Name = plain.Line(m.After.DeploymentType)
	if path != m.Path {
		found.At.Name += ": " + m.where
	}
	return found
}

// PolicyOnto replaces rules in the policy of a site by those of a text: a whole policy, deployment by deployment; or one deployment, or bare rules, where the
// policy has only that one. Deployments that the text does not name stay as they are.
// One that the site does not have is an error, and so is a text that is no policy. Without a base, a whole
// policy is taken as it is.
func PolicyOnto(base *document.Document, text []byte) (*document.Document, error) {
	given, err := placement.Parse(text)
	if err != nil {
		return nil, err
	}
	if given.Form() == placement.StoreRules {
		return nil, errors.New("it places stores when a site is configured; a service takes placementPolicy")
	}
	if len(given.Items()) == 0 {
		return nil, errors.New("it names no deployment and has no rules")
	}
	if base == nil && given.Form() != placement.WholePolicy {
		return nil, errors.New("the site was not read: give a whole policy with all ids, or a base")
	} else if base == nil {
		return given.Document(), nil
	}
	onto, err := placement.FromDocument(base)
	if err != nil || onto.Form() != placement.WholePolicy {
		return nil, errors.New("the site's answer is not a placement policy; its rules cannot be changed")
	}
	result, taken := base, map[int]bool{}
	for i, item := range given.Items() {
		at, err := deploymentOf(onto, given.Form(), item)
		if err != nil {
			return nil, err
		}
		if taken[at] {
			return nil, fmt.Errorf("the text has the deployment %s twice", plain.Line(item.DeploymentID))
		}
		taken[at] = true
		rules, raw := onto.RulesPath(at), cmp.Or(given.Rules(i), "{}")
		if _, there := result.Find(rules); !there && raw == "{}" {
			continue
		}
		if result, err = put(result, rules, raw); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// ReadPolicy fetches the placement policy of a service, to copy rules from.
func ReadPolicy(ctx context.Context, client *adminapi.Client, service adminapi.ServiceRef) (placement.Policy, error) {
	read, err := Read(ctx, client, PlacementOf(service))
	if err != nil {
		return placement.Policy{}, err
	}
	return placement.FromDocument(read.Document)
}

// deploymentOf finds the deployment of a site's policy that rules belong to: the one that
// they name, else the only one.
func deploymentOf(onto placement.Policy, form placement.Form, item placement.Item) (int, error) {
	items, id := onto.Items(), item.DeploymentID
	if id == "" {
		if form != placement.WholePolicy && len(items) == 1 {
			return 0, nil
		}
		return 0, fmt.Errorf("the text names no deployment, and the site has %d: give a whole policy with all ids", len(items))
	}
	found := -1
	for i, there := range items {
		switch {
		case there.DeploymentID != id:
		case found >= 0:
			return 0, fmt.Errorf("the site has the deployment %s twice", plain.Line(id))
		default:
			found = i
		}
	}
	if found < 0 {
		return 0, fmt.Errorf("the site has no deployment %s in this policy", plain.Line(id))
	}
	return found, nil
}

// put gives a member of an object a value, and adds it where it is missing.
func put(d *document.Document, path document.Path, raw string) (*document.Document, error) {
	if n, there := d.Find(path); there {
		return d.SetValue(n.Path(), raw)
	}
	last, _ := path.Last()
	return d.Add(path.Parent(), last.Key, raw, -1)
}

// Move is a deployment whose rules an edit of a placement policy changes: its pods are
// replaced, perhaps on other nodes.
type Move struct {
	Path        document.Path   // of the deployment in the edited policy
	Before      *placement.Item // nil where the base does not have it, or is not known
	After       placement.Item
	From        placement.Summary      // the nodes that took its pods; zero where nodes are not known
	To          placement.Summary      // the nodes that take them with the new rules
	Differences []placement.Difference // what is different in its rules, in words
	Never       string                 // why no node whatever can match the new rules; empty where one may
	Cause       document.Path          // what keeps every node away: of it something changed; empty where a node may take them

	item    int    // its place in the edited policy
	where   string // names the cause for people
	was, is string // the rules as they are written
}

// None reports whether no node takes the pods with the new rules, as far as is known.
func (m Move) None() bool { return m.Never != "" || m.To.None() }

// Moves returns the deployments whose rules the edit changes, in the order of the policy. It
// compares with every node, which is too slow for an update loop.
func (e Edit) Moves() (moves []Move) {
	if e.Part != Placement {
		return nil
	}
	moves, _ = e.changedRules()
	_, edited, _ := e.policies()
	for i := range moves {
		move := &moves[i]
		verdicts := placement.Explain(move.After, e.Nodes)
		move.To = placement.Summarize(verdicts)
		if move.Before != nil {
			move.From = placement.Summarize(placement.Explain(*move.Before, e.Nodes))
		}
		if move.None() {
			at, _ := move.After.Cause(move.item, verdicts)
			move.Cause, move.where = edited.PathOf(at), at.Name()
			if !slices.ContainsFunc(move.Differences, func(d placement.Difference) bool { return d.Path.Within(move.Cause) || move.Cause.Within(d.Path) }) {
				move.Cause = move.Path // what changed is elsewhere, such as a toleration that was removed
			}
		}
	}
	return moves
}

// changedRules returns the deployments whose rules the edit changes, in the order of the
// policy and without their nodes, and the paths in the base of those that it leaves out.
func (e Edit) changedRules() (changed []Move, leftOut []document.Path) {
	base, edited, err := e.policies()
	if err != nil {
		return nil, nil
	}
	was, different := base.Items(), placement.Differences(base, edited)
	left := map[string][]int{} // an id may be missing, or not unique
	for i, item := range was {
		left[item.DeploymentID] = append(left[item.DeploymentID], i)
	}
	for i, item := range edited.Items() {
		move := Move{Path: deploymentPath(edited, i), After: item, Never: item.Never(), item: i, is: edited.Rules(i)}
		if same := left[item.DeploymentID]; len(same) > 0 {
			left[item.DeploymentID] = same[1:]
			if move.was = base.Rules(same[0]); sameRules(move.was, move.is) {
				continue
			}
			if e.Unread.Blank() { // it stands for nothing at the site
				changed = append(changed, move)
				continue
			}
			move.Before = &was[same[0]]
			move.Differences = slices.DeleteFunc(slices.Clone(different), func(d placement.Difference) bool { return !d.Path.Within(move.Path) })
		}
		changed = append(changed, move)
	}
	for i, item := range was {
		if slices.Contains(left[item.DeploymentID], i) {
			leftOut = append(leftOut, deploymentPath(base, i))
		}
	}
	return changed, leftOut
}

// deploymentPath is the path of the i-th deployment of a policy, by its name where that is
// unique.
func deploymentPath(p placement.Policy, i int) document.Path {
	path := p.RulesPath(i).Parent()
	if n, ok := p.Document().Find(path); ok {
		return n.Path()
	}
	return path
}

// sameRules reports whether rules mean the same: a change of the layout replaces no pod.
func sameRules(before, after string) bool {
	if before == after {
		return true
	}
	was, err := document.Parse([]byte(before))
	if err != nil {
		return false
	}
	is, err := document.Parse([]byte(after))
	return err == nil && len(document.Diff(was, is)) == 0
}

// RuleSentences fetches where the pods of a service may run, in words: each rule once, with the
// type of its deployment where there are several. It is empty where the site does not tell.
func RuleSentences(ctx context.Context, client *adminapi.Client, service adminapi.ServiceRef) (sentences []string) {
	text, err := client.Services.Placement(ctx, service)
	if err != nil {
		return nil
	}
	policy, _ := placement.Parse(text)
	items := policy.Items()
	for _, item := range items {
		sentence := placement.Sentence(item)
		if len(items) > 1 {
			sentence = plain.Line(item.DeploymentType) + ": " + sentence
		}
		if !slices.Contains(sentences, sentence) {
			sentences = append(sentences, sentence)
		}
	}
	return sentences
}

// DeploymentsOf returns the ids of the deployments that a part of a service names, its own
// first; none where it names none.
func DeploymentsOf(part Part, d *document.Document) (ids []string) {
	if d == nil {
		return nil
	}
	if part == Placement {
		policy, err := placement.FromDocument(d)
		if err != nil {
			return nil
		}
		return policy.DeploymentIDs()
	}
	if n, ok := d.Find("deploymentId"); ok && n.Kind() == document.String && n.Text() != "" {
		return []string{n.Text()}
	}
	return nil
}
