package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Built makes rules of a policy for pods, as a person has asked for them.
type Built func(policy string) string

// Step is an edit of a part of the rules of a deployment. Of a toleration Term is its place; a Line of -1 is the whole term.
type Step struct {
	Do, Kind      string // such as "move", and "required", "preferred" or "tolerations"
	Term, Line, N int
	Raw           string // what is put there
}

// Edits are some edits of the first deployment of a policy, and what they make of it. The last is given. pick draws a number
// below another.
func Edits(policy string, pick func(int) int, last Step) (steps []Step, made string) {
	t := treeOf(policy)
	rules := t.rules()
	for range pick(6) {
		s := drawsStep(rules, pick)
		s.on(rules)
		steps = append(steps, s)
	}
	last.on(rules)
	return append(steps, last), t.text()
}

// rules are those of the first deployment of a policy.
func (t *tree) rules() *tree {
	return t.at("placementPolicy").kids[0].child("podPlacementPolicy", "{}")
}

// child is a member of an object, which is made where it is missing and there is something to make it of.
func (t *tree) child(key, missing string) *tree {
	if i := t.kid(key); i >= 0 {
		return t.kids[i]
	}
	if missing == "" {
		return &tree{open: '['}
	}
	t.put(key, treeOf(missing))
	return t.kids[len(t.kids)-1]
}

func (t *tree) put(key string, kid *tree) {
	if i := t.kid(key); i >= 0 {
		t.kids[i] = kid
		return
	}
	t.keys, t.kids = append(t.keys, strconv.Quote(key)), append(t.kids, kid)
}

func (t *tree) drop(key string) {
	if i := t.kid(key); i >= 0 {
		t.keys, t.kids = slices.Delete(t.keys, i, i+1), slices.Delete(t.kids, i, i+1)
	}
}

var affinityKeys = map[string]string{"required": requiredKey, "preferred": preferredKey}

// list is that of the terms of a kind, or of the tolerations; it is made where it is missing and that is wanted.
func (t *tree) list(kind string, made bool) (list *tree, weighted bool) {
	if kind == "tolerations" {
		return t.child(kind, map[bool]string{true: "[]"}[made]), false
	}
	affinity := t.child("nodeAffinity", "{}")
	if affinity.kid(affinityKeys[kind]) < 0 && !made {
		return &tree{open: '['}, false
	}
	if list = affinity.child(affinityKeys[kind], "{}"); list.open == '[' {
		return list, true
	}
	return list.child("nodeSelectorTerms", "[]"), false
}

// expressions are the lines of a term by labels.
func (t *tree) expressions(weighted bool) *tree {
	if weighted {
		t = t.child("preference", "{}")
	}
	return t.child("matchExpressions", "[]")
}

func drawsStep(rules *tree, pick func(int) int) Step {
	s := Step{Kind: some(pick, "required", "required", "preferred", "tolerations"), Line: -1}
	list, weighted := rules.list(s.Kind, false)
	n, line := len(list.kids), some(pick, drawnLines[:5]...)
	line = strings.Replace(strings.Replace(line, `"Exists"}`, `"Exists","values":[]}`, 1), "spot", "memory", 1)
	if s.Raw = `{"matchExpressions":[` + line + `]}`; s.Kind == "tolerations" {
		s.Raw = some(pick, drawnTolerations[3:]...)
	}
	if n == 0 {
		s.Do = "add"
		return s
	}
	s.Term = pick(n)
	if s.Kind != "tolerations" && pick(2) == 0 {
		s.Line, s.Raw = pick(len(list.kids[s.Term].expressions(weighted).kids)), drawnLines[pick(4)]
	}
	switch s.Do = some(pick, "add", "copy", "move", "remove", "set"); {
	case s.Do == "move":
		s.N = pick(5) - 2
	case s.Line < 0 && s.Kind != "tolerations" && weighted && pick(2) == 0:
		s.Do, s.N = "weight", 1+pick(100)
	case s.Line < 0 && s.Kind != "tolerations" && (s.Do == "set" || pick(3) == 0):
		s.Do = "other"
	}
	return s
}

// on makes the edit in the rules of a deployment.
func (s Step) on(rules *tree) {
	list, weighted := rules.list(s.Kind, s.Do == "add")
	at, terms := s.Term, list
	if s.Line >= 0 {
		list, at = list.kids[s.Term].expressions(weighted), s.Line
	}
	switch s.Do {
	case "add":
		kid := treeOf(s.Raw)
		if weighted && s.Line < 0 {
			kid = treeOf(`{"weight":1,"preference":` + s.Raw + `}`)
		}
		list.kids = slices.Insert(list.kids, at, kid)
	case "copy":
		list.kids = slices.Insert(list.kids, at+1, treeOf(list.kids[at].text()))
	case "move":
		kid := list.kids[at]
		list.kids = slices.Insert(slices.Delete(list.kids, at, at+1), min(max(at+s.N, 0), len(list.kids)-1), kid)
	case "set":
		list.kids[at] = treeOf(s.Raw)
	case "weight":
		list.kids[at].put("weight", treeOf(strconv.Itoa(s.N)))
	case "other":
		raw := list.kids[at].text()
		if weighted {
			raw = list.kids[at].child("preference", "{}").text()
		}
		other := map[string]string{"required": "preferred", "preferred": "required"}[s.Kind]
		there, _ := rules.list(other, false)
		Step{Do: "add", Kind: other, Term: len(there.kids), Line: -1, Raw: raw}.on(rules)
		Step{Do: "remove", Kind: s.Kind, Term: at, Line: -1}.on(rules)
	case "remove": // the last line takes its term with it, and the last term its affinity
		if list.kids = slices.Delete(list.kids, at, at+1); len(list.kids) == 0 && s.Line >= 0 {
			terms.kids = slices.Delete(terms.kids, s.Term, s.Term+1)
		}
		if len(terms.kids) == 0 && s.Kind != "tolerations" {
			rules.child("nodeAffinity", "{}").drop(affinityKeys[s.Kind])
		}
	}
}

// Settles are other rules for the first deployment of a policy, all of which a site takes.
func Settles(policy string, pick func(int) int) string {
	t := treeOf(policy)
	for {
		d := treeOf(Draws(pick).Rules)
		if d.kid("nodeAffinity") < 0 {
			continue
		}
		t.at("placementPolicy").kids[0].put("podPlacementPolicy", d)
		if r := rulesIn(t.text()).PodPlacementPolicy; len(r.broken()) == 0 && !slices.ContainsFunc(append(r.required(), r.preferred()...), func(t term) bool { return len(t.MatchFields) > 0 || len(t.MatchExpressions) == 0 }) {
			return strings.ReplaceAll(t.text(), "spot", "memory")
		}
	}
}

// Puts gives the first deployment of a policy these rules.
func Puts(rules string) Built {
	return func(policy string) string {
		t := treeOf(policy)
		t.at("placementPolicy").kids[0].put("podPlacementPolicy", treeOf(rules))
		return t.text()
	}
}

// Spread gives the first deployment of a policy what somebody has made of the affinity, and of the tolerations, of another one.
func Spread(from, mine string) Built {
	was, is := treeOf(from).rules(), treeOf(mine).rules()
	return func(policy string) string {
		t := treeOf(policy)
		for key, none := range map[string]string{"nodeAffinity": "{}", "tolerations": "[]"} {
			if now := is.child(key, none); now.meaning(true) != was.child(key, none).meaning(true) {
				t.rules().put(key, now)
			}
		}
		return t.text()
	}
}

// RulesOf are the rules of the first deployment of a policy.
func RulesOf(policy string) string { return treeOf(policy).rules().text() }

// Same reports whether two policies mean the same.
func Same(a, b string) bool {
	one, other := treeOf(a), treeOf(b)
	return one != nil && other != nil && one.meaning(true) == other.meaning(true)
}

// Preset gives the first deployment of a policy the ready-made rules of a name. The tolerations that it adds answer the taints
// that all nodes have which its label picks; where no such node is known, a taint of that label.
func Preset(name, key, value string, nodes []byte) Built {
	of := map[string][]string{"gpu": {"required", "Exists", "Exists"}, "zone": {"required", "In", ""}, "dedicated": {"required", "In", "Equal"},
		"prefer": {"preferred", "In", ""}, "avoid": {"required", "NotIn", ""}}[name]
	return func(policy string) string {
		t := treeOf(policy)
		rules := t.rules()
		affinity := rules.child("nodeAffinity", "{}")
		affinity.drop(requiredKey)
		affinity.drop(preferredKey)
		if of == nil {
			return t.text()
		}
		line := expression{Key: key, Operator: of[1], Values: []string{value}}
		if of[1] == "Exists" {
			line.Values = []string{}
		}
		raw, _ := json.Marshal(map[string]any{"key": key, "operator": of[1], "values": line.Values})
		Step{Do: "add", Kind: of[0], Line: -1, Raw: `{"matchExpressions":[` + string(raw) + `]}`}.on(rules)
		if of[2] == "" {
			return t.text()
		}
		picked := slices.DeleteFunc(nodesIn(nodes), func(n node) bool { return !line.fits(n) })
		answered := []taint{{key, strings.Join(line.Values, ""), "NoSchedule"}}
		if len(picked) > 0 {
			answered = slices.DeleteFunc(slices.Clone(picked[0].Spec.Taints), func(t taint) bool {
				return t.Effect == "PreferNoSchedule" || t == cordon || slices.ContainsFunc(picked, func(n node) bool { return !slices.Contains(n.Spec.Taints, t) })
			})
		}
		for _, answer := range answered {
			if of[2] == "Exists" {
				answer.Value = ""
			}
			if !slices.ContainsFunc(rulesIn(t.text()).PodPlacementPolicy.Tolerations, func(own toleration) bool {
				return own.answers(answer) && own.TolerationSeconds == "" && (own.Operator == "Exists" || of[2] != "Exists")
			}) {
				raw := fmt.Sprintf(`{"effect":%q,"key":%q,"operator":%q`, answer.Effect, answer.Key, of[2])
				if answer.Value != "" {
					raw += fmt.Sprintf(`,"value":%q`, answer.Value)
				}
				Step{Do: "add", Kind: "tolerations", Term: len(rules.child("tolerations", "[]").kids), Line: -1, Raw: raw + "}"}.on(rules)
			}
		}
		return t.text()
	}
}

// rulesValues are the values of a policy by their places; a list whose elements have no names is one.
func rulesValues(text string) map[string]string {
	all := map[string]string{}
	var add func(path string, t *tree)
	add = func(path string, t *tree) {
		names := t.names(path)
		for _, key := range t.keys {
			names = append(names, unquoted(key))
		}
		for i, name := range names {
			add(t.below(path, name), t.kids[i])
		}
		if len(names) == 0 && (t.open == 0 || len(t.kids) > 0) {
			all[path] = t.meaning(true)
		}
	}
	if t := treeOf(text); t != nil {
		add("", t)
	}
	return all
}
