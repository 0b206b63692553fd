package oracle

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// message is one of an upgrade, as the site tells it.
type message struct {
	Code    int
	When    int64
	Message string
}

// phaseNames are the phases of an upgrade, in their order, and codesOf the codes of the messages of each.
var (
	phaseNames = []string{"Launch", "Diagnostics", "Plan", "PostgreSQL", "Components", "Content", "Search", "Finish"}
	codesOf    = [][]int{{2010, 2072, 2168}, {2287, 2281, 2288}, {2270, 2271, 2165},
		{2094, 2108, 2087, 2144, 2145, 2090, 2151, 2092, 2093, 2153, 2148, 2149, 2109},
		{2291, 2101, 2134, 2038, 2132, 2103, 2173, 2175}, {2179, 2180, 2181, 2178, 2185, 2187, 2188}, {2191, 2192}, {2166, 2011, 2012}}
	// endsOf are the codes of the ends of steps, by those of their begins; 0 where a step ends with its phase.
	endsOf    = map[int]int{2287: 2288, 2144: 2145, 2148: 2149, 2108: 2109, 2101: 2103, 2134: 2132, 2180: 2181, 2178: 2185, 2187: 2188, 2191: 2192, 2168: 0, 2291: 0, 2179: 0}
	ofRelease = []int{2101, 2103, 2134, 2132, 2175, 2108, 2109}
)

// phaseOf is the phase of a code, -1 for none.
func phaseOf(code int) int {
	return slices.IndexFunc(codesOf, func(codes []int) bool { return slices.Contains(codes, code) })
}

// phase is one of a run, in milliseconds by the clock of the site.
type phase struct {
	began, spent, silence int64
	messages              int
	stands                bool // a step of it was begun and not completed
}

// upgradeRun is an upgrade or a rollback, by its messages alone.
type upgradeRun struct {
	messages        []message
	state           string // succeeded, failed, in progress
	kind, from, to  string
	phases          []phase
	newest          int // phase of the newest message that has one
	stopped         int // where it is if it fails now, without the way back
	done, total     int
	back, backAgain bool  // a patch that failed is planned to go back, and its deployments are counted again
	readOnly, until int64 // 0 for not yet
	took            time.Duration
	open            []message
	strange         map[int][]message // of unknown codes
	newestStores    string
}

var (
	twoVersions = regexp.MustCompile(`from (\d+\.\d+\.\d+(?:\.\d+)?) to (\d+\.\d+\.\d+(?:\.\d+)?)`)
	countedOf   = regexp.MustCompile(`^(\d+) of (\d+) deployments `)
	endedAfter  = regexp.MustCompile(`ended after (?:(\d+) h )?(?:(\d+) min )?(\d+) s\.$`)
)

// runOf follows the messages of one run.
func runOf(messages []message, state string) *upgradeRun {
	r := &upgradeRun{messages: messages, state: state, phases: make([]phase, len(phaseNames)), newest: -1, stopped: -1, strange: map[int][]message{}}
	var last message
	for i, m := range messages {
		if i > 0 && r.newest >= 0 && m.When > last.When {
			p := &r.phases[r.newest]
			p.spent += m.When - last.When
			p.silence = max(p.silence, m.When-last.When)
		}
		if last.When = max(last.When, m.When); phaseOf(m.Code) < 0 {
			r.strange[m.Code] = append(r.strange[m.Code], m)
			continue
		}
		r.newest = phaseOf(m.Code)
		p := &r.phases[r.newest]
		if p.messages++; p.messages == 1 {
			p.began = m.When
		}
		r.reads(m)
		r.steps(m, slices.Index(messages, m) < i)
	}
	r.kinds()
	if r.kind == "rollback" && r.state == "failed" && r.backAgain { // on which version those are is not known
		r.done, r.total = 0, 0
	}
	if r.kind != "patch" || r.state == "succeeded" {
		r.back, r.backAgain = false, false
	}
	for _, m := range r.open {
		r.phases[phaseOf(m.Code)].stands = true
	}
	if state == "succeeded" {
		r.open = nil
	}
	return r
}

// reads takes what a message tells beside its step.
func (r *upgradeRun) reads(m message) {
	switch m.Code {
	case 2010, 2072:
		if v := twoVersions.FindStringSubmatch(m.Message); v != nil {
			r.from, r.to = v[1], v[2]
		}
	case 2165:
		if r.readOnly == 0 || r.until != 0 && m.When > r.until {
			r.readOnly, r.until = m.When, 0
		}
	case 2166:
		if r.readOnly != 0 && r.until == 0 {
			r.until = m.When
		}
	case 2153:
		r.newestStores = m.Message
	case 2011:
		if v := endedAfter.FindStringSubmatch(m.Message); v != nil {
			h, _ := strconv.Atoi(cmp.Or(v[1], "0"))
			min, _ := strconv.Atoi(cmp.Or(v[2], "0"))
			s, _ := strconv.Atoi(v[3])
			r.took = time.Duration(3600*h+60*min+s) * time.Second
		}
	case 2270:
		if !r.back && strings.Contains(m.Message, "rollback") && r.has(2291) && !r.has(2072) && !r.has(ofRelease...) {
			r.back, r.done, r.total = true, 0, 0
		}
	case 2173, 2175:
		r.backAgain = r.back
		if v := countedOf.FindStringSubmatch(m.Message); v != nil && (m.Code == 2175 || !r.has(2175)) {
			r.done, _ = strconv.Atoi(v[1])
			r.total, _ = strconv.Atoi(v[2])
		}
	}
	if m.Code != 2166 && !r.back {
		r.stopped = r.newest
	}
}

// steps begins or ends a step. Of what goes on beside each other, that ends which was begun last; what is told twice is one.
func (r *upgradeRun) steps(m message, again bool) {
	end, begins := endsOf[m.Code]
	r.open = slices.DeleteFunc(r.open, func(o message) bool {
		return endsOf[o.Code] == 0 && (phaseOf(o.Code) < r.newest || o.Code == m.Code)
	})
	if again && end != 0 || again && !begins {
		return
	}
	if begins {
		r.open = append(r.open, m)
		return
	}
	for i, o := range slices.Backward(r.open) {
		if endsOf[o.Code] == m.Code {
			r.open = slices.Delete(r.open, i, i+1)
			return
		}
	}
}

// kinds finds out what kind of run it is: by its codes, else by its versions.
func (r *upgradeRun) kinds() {
	a, b := numbersOf(r.from), numbersOf(r.to)
	switch {
	case r.has(2072):
		r.kind = "rollback"
	case r.has(ofRelease...):
		r.kind = "release"
	case r.from != "" && slices.Compare(a, b) > 0:
		r.kind = "rollback"
	case r.from != "" && !slices.Equal(a[:3], b[:3]):
		r.kind = "release"
	case r.has(2291, 2173) || r.from != "" && !slices.Equal(a, b):
		r.kind = "patch"
	}
}

// has reports whether it has a message of one of some codes.
func (r *upgradeRun) has(codes ...int) bool {
	return slices.ContainsFunc(r.messages, func(m message) bool { return slices.Contains(codes, m.Code) })
}

func numbersOf(version string) (all []int) {
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part)
		all = append(all, n)
	}
	return all
}

// furthest is the last phase that has messages.
func (r *upgradeRun) furthest() (last int) {
	for i, p := range r.phases {
		if p.messages > 0 {
			last = i
		}
	}
	return last
}

// stateOf is the word for the state of a phase.
func (r *upgradeRun) stateOf(i int) string {
	p := r.phases[i]
	none := p.messages == 0 || r.state == "failed" && r.backAgain && i > r.stopped && !p.stands
	switch {
	case none && r.absent(i):
		return "absent"
	case none:
		return "ahead"
	case r.state == "succeeded":
		return "done"
	case r.state == inProgress && (p.stands || i == r.furthest() || i == r.newest || i == 0 && !r.has(2168) && r.furthest() <= 2):
		return "open"
	case r.state == "failed" && (p.stands || i == r.stopped):
		return "stopped"
	}
	return "done"
}

// absent reports whether runs of its kind have no such phase.
func (r *upgradeRun) absent(i int) bool {
	return r.kind == "rollback" && i == 1 || (r.kind == "patch" || r.kind == "rollback") && (i == 3 || i == 5 || i == 6)
}

// inProgress is the state of a run that has not ended.
const inProgress = "in progress"

// statusTold is what the site says of its upgrade, with its messages.
func statusTold(text string) (state string, messages []message) {
	var s struct {
		Status struct {
			State    string
			Messages []message
		}
	}
	_ = json.Unmarshal([]byte(text), &s)
	return map[string]string{"success": "succeeded", failed: "failed", running: inProgress}[strings.ToLower(s.Status.State)], s.Status.Messages
}
