package before

import "strconv"

// Summary counts verdicts.
type Summary struct {
	Total     int
	Taking    int
	Preferred int // taking, and matching a preferred term
	Unmatched int // kept out by labels
	Repelled  int // matching, but kept out by a taint
}

// Summarize counts verdicts.
func Summarize(verdicts []Verdict) (s Summary) {
	s.Total = len(verdicts)
	for _, v := range verdicts {
		switch {
		case v.Takes:
			s.Taking++
			if v.Score > 0 {
				s.Preferred++
			}
		case !v.matches:
			s.Unmatched++
		default:
			s.Repelled++
		}
	}
	return s
}

// None tells that no node takes the pods, though nodes are known: they wait.
func (s Summary) None() bool { return s.Total > 0 && s.Taking == 0 }

// String says in one sentence how many nodes take the pods.
func (s Summary) String() string {
	nodes := counted(s.Total, "node")
	switch {
	case s.Total == 0:
		return "no nodes are known"
	case s.Taking == 0:
		return "none of " + nodes + " takes these pods: they will wait (Pending) until one does" + s.whyNot()
	case s.Preferred > 0:
		return takes(s.Taking, nodes) + ", " + strconv.Itoa(s.Preferred) + " of them preferred"
	}
	return takes(s.Taking, nodes)
}

func takes(n int, of string) string {
	if n == 1 {
		return "1 of " + of + " takes these pods"
	}
	return strconv.Itoa(n) + " of " + of + " take these pods"
}

func (s Summary) whyNot() string {
	switch {
	case s.Repelled == 0:
		return "; no label fits"
	case s.Unmatched == 0:
		return "; taints repel them everywhere"
	}
	return "; " + strconv.Itoa(s.Repelled) + " would fit but for a taint"
}
