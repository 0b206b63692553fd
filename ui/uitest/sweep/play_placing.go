package sweep

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/placement"
	"geodeck/ui/uitest/sweep/oracle"
)

// ours and others are the tolerations by which the rules of the administrator and those of the second one are told.
const (
	ours   = `{"effect":"NoSchedule","key":"ours","operator":"Exists"}`
	others = `{"effect":"NoSchedule","key":"others","operator":"Exists"}`
)

func tolerates(raw string) oracle.Step {
	return oracle.Step{Do: "add", Kind: "tolerations", Line: -1, Raw: raw}
}

// editsOf draws edits of rules, the same for the same policy.
func (m *machine) editsOf(purpose, policy string, last oracle.Step) ([]oracle.Step, string) {
	return oracle.Edits(policy, m.day.random(purpose).IntN, last)
}

// replay makes such edits with the editor of rules.
func replay(d *document.Document, steps []oracle.Step) (*document.Document, error) {
	p, err := placement.FromDocument(d)
	for _, s := range steps {
		if err != nil {
			return nil, fmt.Errorf("%v: %w", s, err)
		}
		p, err = one(p, s)
	}
	return p.Document(), err
}

// one makes one of them.
func one(p placement.Policy, s oracle.Step) (_ placement.Policy, err error) {
	var raw struct {
		placement.Line
		placement.Toleration
		Key, Operator    string
		MatchExpressions []placement.Line
	}
	_ = json.Unmarshal([]byte(s.Raw), &raw)
	raw.Line.Key, raw.Line.Operator, raw.Toleration.Key, raw.Toleration.Operator = raw.Key, raw.Operator, raw.Key, raw.Operator
	if at := strings.Index(s.Raw, `tolerationSeconds":`); at >= 0 {
		raw.Seconds = strings.Trim(s.Raw[at+len(`tolerationSeconds":`):], "}")
	}
	kind := map[string]placement.Kind{"required": placement.Required, "preferred": placement.Preferred}[s.Kind]
	at := placement.AtTerm(0, kind, s.Term)
	switch {
	case kind == placement.None:
		at = placement.AtToleration(0, s.Term)
	case s.Line >= 0:
		at = placement.AtLine(0, kind, s.Term, s.Line)
	}
	switch {
	case s.Do == "add" && kind == placement.None:
		return p.AddToleration(at, raw.Toleration)
	case s.Do == "add" && s.Line >= 0:
		return p.AddLine(at, raw.Line)
	case s.Do == "add":
		return p.AddTerm(at, placement.Term{Lines: raw.MatchExpressions})
	case s.Do == "set" && kind == placement.None:
		return p.SetToleration(at, raw.Toleration)
	case s.Do == "set":
		return p.SetLine(at, raw.Line)
	case s.Do == "weight":
		return p.SetWeight(at, s.N)
	case s.Do == "copy":
		return p.Copy(at)
	case s.Do == "move":
		p, _, err = p.Move(at, s.N)
		return p, err
	case s.Do == "other":
		p, _, err = p.MoveToOther(at)
		return p, err
	}
	return p.Remove(at)
}

// placing is the wish for rules of pods that are made in one way or the other.
func placing(m *machine) *changing {
	c := &changing{m: m, target: editing.PlacementOf(cities), intent: &oracle.Intent{}}
	c.has = func(d *document.Document) bool { return strings.Contains(d.Text(), `"ours"`) }
	c.intent.Built = func(policy string) string {
		_, made := m.editsOf("edits of rules", policy, tolerates(ours))
		return made
	}
	c.change = func(d *document.Document) (*document.Document, error) {
		steps, _ := m.editsOf("edits of rules", d.Text(), tolerates(ours))
		edited, err := replay(d, steps)
		if err != nil {
			m.day.fail("rules cannot be edited: %v", err)
		}
		return edited, err
	}
	m.editsRules(m.site.ask("GET", c.where(), nil))
	hand := m.day.random("rules before")
	if hand.IntN(2) == 0 {
		m.othersRules(c.where(), oracle.Settles(m.site.ask("GET", c.where(), nil), hand.IntN))
	}
	return c
}

// editsRules makes edits of many rules with the editor, and presets by the nodes of many clusters. Nothing of it is sent.
func (m *machine) editsRules(policy string) {
	hand := m.day.random("many edits of rules")
	made := func(what, base, want string, d *document.Document, err error) {
		if err != nil || !oracle.Same(d.Text(), want) {
			m.day.fail("%s make of the rules %s: %s, and should make %s: %v", what, base, d.Text(), want, err)
		}
	}
	for range 12 {
		base := oracle.Settles(policy, hand.IntN)
		d, _ := document.Parse([]byte(base))
		steps, want := oracle.Edits(base, hand.IntN, tolerates(ours))
		edited, err := replay(d, steps)
		made(fmt.Sprint(steps), base, want, edited, err)
		drawn := oracle.Draws(hand.IntN)
		nodes, err := placement.ReadNodes(drawn.Nodes)
		preset := pick(hand, placement.Presets(nodes))
		key, value := pick(hand, []string{"pool", "gpu", "disk"}), pick(hand, []string{"gis", "gpu", "ssd", "a100"})
		p, wrong := placement.FromDocument(d)
		if err == nil && wrong == nil {
			p, err = preset.Apply(p, 0, key, value)
		}
		made(fmt.Sprint(preset.ID, " ", key, " ", value, " ", string(drawn.Nodes)), base, oracle.Preset(preset.ID, key, value, drawn.Nodes)(base), p.Document(), err)
	}
}

// othersRules sends a policy as the second administrator. With jobs nobody could tell theirs from one that was lost.
func (m *machine) othersRules(where, policy string) {
	if strings.HasPrefix(m.day.plan.scenario.Placement.Answer, "job") {
		return
	}
	m.day.oracle.Touched = time.Now()
	answer := m.site.ask("POST", where+"/edit", url.Values{"servicePlacementPolicy": {policy}})
	m.day.log("the second administrator sends rules: %.100s", answer)
	if strings.Contains(answer, "not valid") {
		m.day.fail("the second administrator's rules are refused: %.200s", answer)
	}
}

// othersEditRules lets the second administrator edit them.
func (m *machine) othersEditRules(where string) {
	m.day.meet("others edit rules meanwhile")
	_, made := m.editsOf(fmt.Sprint("edits of others ", len(m.runs)), m.site.ask("GET", where, nil), tolerates(others))
	m.othersRules(where, made)
}

// playPlacing makes rules in the editor of rules, on half of the days while others edit them.
func playPlacing(m *machine) {
	c := placing(m)
	if m.day.random("others edit rules").IntN(2) == 0 {
		m.site.atNext("GET "+c.where(), 2, func(*run) { m.othersEditRules(c.where()) })
	}
	m.insist(c.wish("placement"))
	r := m.begin()
	defer r.end()
	if r.open() == nil && !r.hurt() {
		c.plansForMany(r)
	}
}

// plansForMany plans edits of rules in other services, too. Nothing is sent.
func (c *changing) plansForMany(r *run) {
	content, err := editing.Read(r.ctx, r.site.Client, c.target)
	if err != nil {
		return
	}
	base := content.Document.Text()
	steps, made := c.m.editsOf("edits for many", base, tolerates(`{"key":"many","operator":"Exists"}`))
	edit := editing.Edit{Target: c.target, Base: content.Document}
	if edit.Edited, err = replay(edit.Base, steps); err != nil {
		c.m.day.fail("rules cannot be edited: %v", err)
		return
	}
	for _, p := range batching.PlanMany(r.ctx, r.site, append(c.m.site.services(3), cities), edit, nil) {
		if p.Base == nil || p.Edited == nil || r.dead.Load() {
			continue
		}
		c.m.day.meet("rules for several services")
		if want := oracle.Spread(base, made)(p.Base.Text()); !oracle.Same(p.Edited.Text(), want) {
			c.m.day.fail("of an edit from %s to %s is planned in %s to send %s, and should be %s: %v", base, made, p.Service.Path(), p.Edited.Text(), want, p.Refused)
		}
	}
}

// rulesByCommand are the ways in which a command takes rules.
func (c *changing) rulesByCommand(name string) wish {
	m := c.m
	hand := m.day.random("ways of rules")
	args, in := []string{"placement", "apply", cities.Path()}, ""
	service := m.site.services(1)[0]
	from := "/services/" + service.Path() + "/placementPolicy"
	way := pick(hand, []string{"preset", "preset", "from", "rules", "plan", "plan", "base", "base"})
	switch way {
	case "preset":
		of := pick(hand, [][]string{{"gpu", "gpu", ""}, {"gpu", "nvidia.com/gpu", ""}, {"zone", "topology.kubernetes.io/zone", "eu-1a"}, {"dedicated", "dedicated", "analysis"}, {"dedicated", "pool", "gpu"}, {"dedicated", "pool", "none"},
			{"prefer", "pool", "memory"}, {"avoid", "pool", "gis"}, {"anywhere", "", ""}})
		for i, flag := range []string{"--preset", "--key", "--value"} {
			if of[i] != "" {
				args = append(args, flag, of[i])
			}
		}
		c.intent.Built = oracle.Preset(of[0], of[1], of[2], nil)
	case "from":
		if hand.IntN(2) == 0 {
			m.othersRules(from, oracle.Settles(m.site.ask("GET", from, nil), hand.IntN))
			time.Sleep(time.Minute) // until its job has ended
		}
		args = append(args, "--from", service.Path())
		c.intent.Built = oracle.Puts(oracle.RulesOf(m.site.ask("GET", from, nil)))
	default:
		if way == "base" {
			args = append(args, "-f", "-")
			break
		}
		_, made := m.editsOf("edits of rules", m.site.ask("GET", c.where(), nil), tolerates(ours))
		in = oracle.RulesOf(made)
		c.intent.Built = oracle.Puts(in)
		in = pick(hand, []string{in, `{"podPlacementPolicy":` + in + `}`, made})
		args = append(args, "-f", "-")
	}
	c.has = func(d *document.Document) bool { return oracle.Same(c.intent.Built(d.Text()), d.Text()) }
	if way == "plan" || way == "base" { // what others make of the rest is there, too
		c.has = func(d *document.Document) bool { return strings.Contains(d.Text(), `"ours"`) }
	}
	w := c.wish(name)
	m.day.meet("rules by " + way)
	var accepted []string
	w.try = func(r *run) told {
		text, ok := m.read("placement", "get", cities.Path())
		now, err := document.Parse([]byte(text))
		if !ok || err != nil {
			return notSent("they cannot be read")
		}
		if c.has(now) {
			return told{outcome: adminapi.OutcomeDone, ended: true, text: "they are there"}
		}
		more := []string{}
		if len(accepted) > 0 {
			more = append(more, "--accept", strings.Join(accepted, ","))
		}
		if c.typed {
			more = append(more, "--again", cities.Path())
		}
		var p printed
		switch way {
		case "plan":
			p = c.byPlan(r, in, args, more)
		case "base":
			p = c.onBase(r, now.Text(), args, more)
		default:
			p = c.sendsBy(r, in, append(slices.Clone(args), more...)...)
		}
		m.notTooSoon(r, p.sendsAgain(), c.where()+"/edit")
		c.typed = p.code == codeUnknown && strings.Contains(p.err, "nothing was sent") && !strings.Contains(p.err, notRead) && p.sendsAgain()
		for _, word := range toAccept.FindAllStringSubmatch(p.err, -1) {
			accepted = append(accepted, word[1])
		}
		return p.told()
	}
	return w
}

// onBase sends rules that were made of those in a file, while others edit them at times. Who is told so overwrites that the next time.
func (c *changing) onBase(r *run, base string, args, more []string) printed {
	dir, err := realFolder("bases")
	if err != nil {
		return printed{code: codeUsage, err: err.Error()}
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "base.json")
	if c.intent.From == "" {
		c.intent.From = base
	}
	if c.intent.Chosen = nil; slices.Contains(strings.Split(strings.Join(more, ","), ","), "drift") {
		c.intent.Chosen = []string{"placementPolicy"}
	}
	if os.WriteFile(file, []byte(c.intent.From), 0o600) != nil {
		return printed{code: codeUsage}
	}
	if c.m.day.random(r.name+" others").IntN(2) == 0 {
		c.m.othersEditRules(c.where())
	}
	return c.sendsBy(r, oracle.RulesOf(c.intent.Built(c.intent.From)), append(append(args, "--base", file), more...)...)
}

// byPlan saves the plan of rules in a file, and sends that. Others may edit the rules meanwhile, and the file may be changed, or be
// one that others may use: nothing is sent then.
func (c *changing) byPlan(r *run, in string, args, more []string) printed {
	m, hand := c.m, c.m.day.random(r.name+" plan")
	dir, err := realFolder("plans")
	if err != nil {
		return printed{code: codeUsage, err: err.Error()}
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "plan.json")
	saved := r.command(in, r.unlocked(append(append(slices.Clone(args), more...), "--save-plan", file)...)...)
	text, err := os.ReadFile(file)
	if saved.code != codeDone || err != nil || r.dead.Load() {
		if err == nil && saved.code != codeDone {
			m.day.fail("no plan was saved, by the exit code %d, and it is there", saved.code)
		}
		return saved
	}
	apply := []string{"placement", "apply", "--plan"}
	planned := m.day.oracle.ReadBy(r.name, c.where())
	for by := range 4 {
		wrong := filepath.Join(dir, fmt.Sprint("wrong ", by))
		switch by {
		case 0:
			err = os.WriteFile(wrong, []byte(strings.Replace(string(text), "ours", "Ours", 1)), 0o600)
		case 1:
			err = os.WriteFile(wrong, text, 0o644)
		case 2:
			err = os.Symlink(file, wrong)
		case 3:
			err = os.WriteFile(wrong, []byte(in), 0o600)
		}
		if err == nil {
			r.sendsNothing("with a plan that is wrong", "", r.unlocked(append(append(slices.Clone(apply), wrong), more...)...)...)
		}
	}
	if hand.IntN(3) == 0 {
		m.othersEditRules(c.where())
		if now := m.site.ask("GET", c.where(), nil); !oracle.Same(now, planned) {
			r.sendsNothing("with a plan of what others have changed since", "", r.unlocked(append(append(apply, file), more...)...)...)
			return printed{code: codeRefused, err: "the plan fits no more"}
		}
	}
	return c.sendsBy(r, "", append(append(apply, file), more...)...)
}

// conflictIsNamed checks how a conflict of rules is said, and that taking the others' version leaves that alone.
func (c *changing) conflictIsNamed(merge editing.Merge, conflict document.Conflict) {
	if c.target.Part != editing.Placement {
		return
	}
	sides, place := merge.Sides(conflict), "tolerations"
	if strings.Contains(string(conflict.Path), "nodeAffinity") {
		place = "node affinity"
	} else if said := strings.Join(sides.Theirs, " "); !strings.Contains(said, "others") || strings.Contains(said, "ours") || !strings.Contains(strings.Join(sides.Mine, " "), "ours") {
		c.m.day.fail("of a conflict of tolerations the versions are said to be %q and %q", sides.Mine, sides.Theirs)
	}
	if !strings.HasPrefix(sides.Place, place+" of ") || slices.Equal(sides.Mine, sides.Theirs) {
		c.m.day.fail("a conflict at %s is said to be of %s: %q and %q", conflict.Path, sides.Place, sides.Mine, sides.Theirs)
	}
	chosen := document.Resolutions{}
	for _, one := range merge.Conflicts {
		chosen[one.Path] = one.Theirs
	}
	taken, left := merge.With(chosen)
	if theirs := oracle.Same(taken.Edited.Text(), merge.Theirs.Text()); len(left) > 0 || len(merge.Mine) == 0 && !theirs || theirs && !strings.HasPrefix(merge.Unsent(), "You took theirs: your ") {
		c.m.day.fail("the others' version of each conflict is taken, %v are left, and it is said %q", left, merge.Unsent())
	}
}
