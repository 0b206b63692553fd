package sweep

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"sync"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/uitest/sweep/oracle"
)

// late is what a site, or a second administrator, makes of the first request for an upgrade while nobody
// is told: the answer is an error, or lost, and what happens then happens while it is looked for.
type late struct {
	begins time.Duration // the site begins the upgrade so long after the request; 0: never
	theirs time.Duration // another administrator's begins so long after it; 0: none
	away   span          // no request is answered, from and for so long after it
	grows  bool          // messages of no upgrade come meanwhile
	same   bool          // the other administrator wants the very same
	works  bool          // the request is answered as one that is accepted

	mu    sync.Mutex
	asked time.Time // the request; zero before it
	took  bool      // the site has just taken it
	ran   bool      // it has begun
	to    string    // the version that the other administrator wants, where it is another one
}

// The upgrades that begin late, and those of others that are begun right after a request was lost.
var lateUpgrades = []Trouble{
	oddity{"an upgrade begins after an outage", func(p *plan) {
		p.late = &late{begins: 100 * time.Second, away: span{3 * time.Second, 80 * time.Second}}
	}},
	oddity{"an upgrade begins after a short outage", func(p *plan) {
		p.late = &late{begins: 52 * time.Second, away: span{4 * time.Second, 40 * time.Second}}
	}},
	oddity{"an upgrade begins after messages", func(p *plan) { p.late = &late{begins: 70 * time.Second, grows: true} }},
}

// overnight is an upgrade that begins in a long outage, in which the administrator goes home.
var overnight = oddity{"an upgrade begins in an outage, and the administrator goes home", func(p *plan) {
	p.late, p.nights = &late{begins: 8 * time.Second, away: span{time.Second, 20 * time.Minute}}, 1
}}

// troublesAtStake are those by which the promises of a play are at stake, by what they are about: its days go through
// the first ones, and half of them have one of each of the others.
func troublesAtStake(play, face string) [][]Trouble {
	if of := map[string][]Trouble{week: inTheWeek(), starts: {cannotStart, madeBefore(starts), torn(1)}, stops: {madeBefore(stops), torn(1)}, "health": {olderCheck, theirCheck, torn(1)},
		keptData: {signInEnds, slowStart, silentLine}, severalSites: {lostBeforeLeaving(true), lostBeforeLeaving(false), signInEnds}}[play]; of != nil {
		return [][]Trouble{of}
	}
	if !slices.Contains([]string{"patch", "release", "rollback"}, play) {
		return nil
	}
	var request []Trouble
	if face != dashboard { // what a screen draws while it looks for a late upgrade differs from run to run
		request = append(slices.Clone(lateUpgrades), overnight, sameLater, triedAgain)
	}
	if face != dashboard && play != "release" { // which needs a licence
		request = append(request, unsentUpgrade(play))
	}
	if face != dashboard && play == "patch" {
		request = append(request, theirUpgrade, secondLost, secondLost)
	}
	if face == commands {
		request = append(request, refusedThenAway)
	}
	if face != dashboard {
		request = append(request, torn(1))
	}
	switch face { // a command knows a token, not the password
	case dashboard:
		if request = []Trouble{silentHour, repeating, repeating, repeating}; play == "release" {
			request = slices.Concat(formsAtStake, formsAtStake)
		}
	case "operations":
		request = append(request, repeating)
	}
	clocks := wrongClocks
	if face == dashboard {
		clocks = clocks[:2]
	}
	return [][]Trouble{request, clocks, mannersOf(play, face)}
}

// theirUpgrade is one of another version right after ours was lost.
var theirUpgrade = oddity{"another begins another patch after ours was lost", func(p *plan) {
	p.late, p.foreign = &late{theirs: 7 * time.Second}, true
}}

// sameLater is an upgrade of another administrator to the very same version, hours after ours was lost.
var sameLater = oddity{"another begins the same upgrade hours after ours was lost", func(p *plan) {
	p.late, p.foreign, p.nights = &late{theirs: 3 * time.Hour, same: true}, true, 1
}}

// triedAgain is an upgrade that the site accepts in an answer which takes half a minute, and shows within
// another. More than a minute after it was sent, and before it shows, another program asks for the same.
var triedAgain = oddity{"an accepted upgrade shows late, and it is asked for again", func(p *plan) {
	p.late, p.again = &late{begins: 82 * time.Second, works: true}, 37*time.Second
	for _, where := range []string{"upgrade", "rollback"} {
		p.scenario.Faults = append(p.scenario.Faults, simulator.Fault{Path: "admin/system/upgrades/" + where, Method: "POST", Times: 1, What: "slow",
			Delay: simulator.Duration{Duration: 3200 * time.Millisecond}})
	}
}}

// secondLost is an upgrade that fails while nobody watches. The next day it is asked for again, and that
// never arrives.
var secondLost = oddity{"the second try at an upgrade that failed is lost", func(p *plan) {
	failing.change(p)
	p.again = night
	p.scenario.Faults = append(p.scenario.Faults, simulator.Fault{Path: "admin/system/upgrades/upgrade", Method: "POST", After: 1, Times: 1, What: "close"})
}}

// refusedThenAway is a gateway that does not take the token for a moment, and a line that is cut right after that, for
// a quarter of an hour, while an upgrade is watched.
var refusedThenAway = oddity{"a token is refused for a moment, and then nobody answers for long", func(p *plan) {
	p.scenario.Upgrades.Lasts.Duration = max(40*time.Minute, p.scenario.Upgrades.Lasts.Duration) // a silence may be longer
	at := 3 * time.Minute
	for _, part := range []struct {
		what string
		long time.Duration
	}{{"token", 7 * time.Second}, {"close", 15 * time.Minute}, {"token", 7 * time.Second}} {
		f := simulator.Fault{Path: "**", What: part.what}
		f.From, f.For = &simulator.Moment{Plus: simulator.Duration{Duration: at}}, simulator.Duration{Duration: part.long}
		p.scenario.Faults = append(p.scenario.Faults, f)
		at += part.long
	}
}}

// unsentUpgrade is a line that drops right before the upgrade is sent, once its record is on disk. Another
// administrator begins the same one before the next attempt.
func unsentUpgrade(play string) Trouble {
	where, id := "/system/upgrades/upgrade", patch
	if play == "rollback" {
		where, id = "/system/upgrades/rollback", backTo
	}
	const name = "the line drops before an upgrade is sent"
	return oddity{name, func(p *plan) {
		p.foreign = true
		p.unsent = func(m *machine) {
			m.day.plan.unsent = nil
			m.day.meet(name)
			m.day.log("%s", name)
			m.day.leaves(20 * time.Second)
			time.AfterFunc(90*time.Second+atNoRequest, func() {
				if len(m.openUpgrades()) == 0 { // of one that may have been sent nobody could tell whose it is
					m.site.ask(http.MethodPost, where, url.Values{"versionManifest": {`{"id":"` + id + `"}`}, "upgradeSettings": {`{"userInputs":[]}`}})
				}
			})
		}
	}}
}

// inFront is what a program reaches of the site.
func (s *site) inFront(direct http.Handler) http.Handler {
	if len(s.day.plan.tells) > 0 {
		direct = s.toldOtherwise(direct)
	}
	if n := s.day.plan.jobs; n > 0 {
		direct = amongJobs(n, direct)
	}
	if e := s.day.plan.echo; e != nil {
		direct = e.inFront(s, direct)
	}
	if q := s.day.plan.quotes; q != nil {
		direct = q.inFront(direct)
	}
	l := s.day.plan.late
	if l == nil {
		return direct
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		where := below(r.URL.Path)
		l.mu.Lock()
		first := l.asked.IsZero() && r.Method == http.MethodPost && isUpgrade(&post{path: where})
		if first {
			l.asked, l.took = time.Now(), l.begins > 0
		}
		since, ran := time.Since(l.asked), l.ran
		out := !l.asked.IsZero() && l.away.from <= since && since < l.away.from+l.away.long
		grows := l.grows && !l.asked.IsZero()
		l.mu.Unlock()
		switch {
		case first:
			s.later(l, direct, r)
			switch {
			case l.begins == 0:
				panic(http.ErrAbortHandler)
			case l.works:
				_, _ = w.Write([]byte(`{"status":{"code":1,"messages":[],"state":"in_progress"}}`))
				return
			}
			_, _ = w.Write([]byte(`{"error":{"code":500,"message":"The request took too long.","details":[]}}`))
		case out:
			s.day.meet("an outage while an upgrade is looked for")
			panic(http.ErrAbortHandler)
		case grows && where == "/system/upgrades":
			answered := httptest.NewRecorder()
			direct.ServeHTTP(answered, r)
			if !ran {
				s.day.meet("messages come while an upgrade is looked for")
			}
			answered.Body = bytes.NewBuffer(l.grown(answered.Body.Bytes(), since, s.day.plan.scenario.ClockAhead.Duration))
			hand(w, answered)
		default:
			direct.ServeHTTP(w, r)
		}
	})
}

// later lets the site begin what was asked for, or what another administrator asks for.
func (s *site) later(l *late, direct http.Handler, r *http.Request) {
	var body bytes.Buffer
	_, _ = body.ReadFrom(r.Body)
	again := r.Clone(r.Context())
	text := body.Bytes()
	if l.theirs > 0 && !l.same {
		theirs, to := patch, patchVersion
		if bytes.Contains(text, []byte(patch)) {
			theirs, to = otherPatch, otherVersion
		}
		l.to, text = to, patches.ReplaceAll(text, []byte(theirs))
	}
	time.AfterFunc(l.begins+l.theirs+atNoRequest, func() {
		s.ask(http.MethodGet, "/system/upgrades", nil) // with a token that lasts, whatever has ended
		again.Header = again.Header.Clone()
		s.mu.Lock()
		for _, ended := range s.tokens {
			text = bytes.ReplaceAll(text, []byte(ended), []byte(s.token.Value.Reveal()))
		}
		s.mu.Unlock()
		again.Header.Set("Authorization", "Bearer "+s.token.Value.Reveal())
		again.Body, again.ContentLength = readable(text), int64(len(text))
		answered := httptest.NewRecorder()
		direct.ServeHTTP(answered, again)
		began := answered.Code == http.StatusOK && !refused(answered.Body.Bytes())
		s.day.log("the site: later POST %s → %d %.160s", below(again.URL.Path), answered.Code, answered.Body.String())
		l.mu.Lock()
		l.ran = began
		l.mu.Unlock()
		if began {
			s.day.meet(map[bool]string{false: "an upgrade begins late", true: "another's upgrade after ours was lost"}[l.theirs > 0])
		}
	})
}

// patches are the ids of patches in a request.
var patches = regexp.MustCompile(`pat_\d{8}_\d{4}`)

// atNoRequest keeps what happens by itself apart from the requests of the same moment.
const atNoRequest = 131*time.Millisecond + 77*time.Microsecond

// takes reports whether the site has just taken a request that it answers with an error.
func (l *late) takes() bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	took := l.took
	l.took = false
	return took
}

// grown adds a message of no upgrade for each ten seconds before the upgrade begins.
func (l *late) grown(answer []byte, since, ahead time.Duration) []byte {
	var notes []string
	for n := 5 * time.Second; n < min(since, l.begins); n += 10 * time.Second {
		notes = append(notes, fmt.Sprintf(`{"code":2900,"message":"A request waits.","when":%d}`, l.asked.Add(n+ahead).UnixMilli()))
	}
	return withMessages(answer, notes)
}

// notTheirs checks that nobody is told that the upgrade of another administrator is the one that was
// asked for: it leads to another version, and the site has not accepted ours.
func (m *machine) notTheirs(said told) {
	l := m.day.plan.late
	if l == nil || l.theirs == 0 || said.outcome != adminapi.OutcomeDone || len(m.site.sent(func(p *post) bool { return isUpgrade(p) && p.accepted })) > 0 {
		return
	}
	if truth, err := m.site.upgrades(); err == nil && progress.LastRun(truth).To == l.to {
		m.day.fail("told that the upgrade is done, and the one to %s is another administrator's: %s", l.to, said.text)
	}
}

// notTheirsInLog checks the same of the log.
func (m *machine) notTheirsInLog(records []*oracle.Record) {
	l := m.day.plan.late
	if l == nil || l.theirs == 0 {
		return
	}
	for _, k := range records {
		ours := m.site.sent(func(p *post) bool { return isUpgrade(p) && p.accepted })
		if isUpgrade(&post{path: below(k.Path)}) && k.Outcome == "done" && len(ours) == 0 {
			m.day.fail("the log says that POST %s is done, and it was another administrator's", below(k.Path))
		}
	}
}
