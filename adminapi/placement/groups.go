package placement

import (
	"cmp"
	"slices"
	"strings"

	"geodeck/adminapi/lists"
)

// Standing says how near nodes are to taking pods.
type Standing uint8

// The standings, the best first.
const (
	Favoured    Standing = iota // they take the pods and are preferred
	Taking                      // they take the pods
	ButForTaint                 // their labels fit, a taint repels the pods
	Unfit                       // their labels do not fit
)

// Standing is that of the node.
func (v Verdict) Standing() Standing {
	switch {
	case v.Takes && v.Score > 0:
		return Favoured
	case v.Takes:
		return Taking
	case v.Matches:
		return ButForTaint
	}
	return Unfit
}

// Group is nodes that stand in the same way for the same reason.
type Group struct {
	Standing Standing
	Reason   string    // as [Verdict.Reason], clean
	Verdicts []Verdict // in the order of the nodes
}

// Groups gathers nodes by their standing and reason: those that take the pods first, then
// those that would but for a taint, then the rest, those that lack most last. It takes the
// reason of each node, which is too slow for an update loop.
func Groups(verdicts []Verdict) []Group {
	type key struct {
		standing Standing
		reason   string
	}
	type ranked struct {
		Group
		rank int // among those of its standing, the lowest first
	}
	at := map[key]int{}
	var found []ranked
	for _, v := range verdicts {
		k := key{v.Standing(), v.Reason()}
		i, known := at[k]
		if !known {
			i = len(found)
			at[k] = i
			found = append(found, ranked{Group: Group{Standing: k.standing, Reason: k.reason}, rank: v.rank()})
		}
		found[i].Verdicts = append(found[i].Verdicts, v)
	}
	slices.SortStableFunc(found, func(a, b ranked) int { return cmp.Or(int(a.Standing)-int(b.Standing), a.rank-b.rank) })
	return lists.Each(found, func(r ranked) Group { return r.Group })
}

// rank orders nodes of one standing.
func (v Verdict) rank() int {
	rank := 10 * len(v.Repelled())
	if v.Node.Ready == NotReady {
		rank++
	}
	if v.Takes {
		return rank - 100*v.Score + 10*len(v.Discouraged())
	}
	if _, fewest := v.nearest(); !v.Matches {
		rank += 1000 * cmp.Or(fewest, MaxLines)
	}
	return rank
}

// CommonSuffix returns what the names of all nodes end with, from a dot on, such as
// ".eu-central-1.compute.internal"; empty for fewer than two nodes.
func CommonSuffix(nodes []Node) string {
	if len(nodes) < 2 {
		return ""
	}
	_, domain, found := strings.Cut(nodes[0].Name, ".")
	for suffix := "." + domain; found; suffix = "." + domain {
		shared := true
		for i := range nodes {
			shared = shared && len(nodes[i].Name) > len(suffix) && strings.HasSuffix(nodes[i].Name, suffix)
		}
		if shared {
			return suffix
		}
		_, domain, found = strings.Cut(domain, ".")
	}
	return ""
}
