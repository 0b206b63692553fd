package sweep

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"time"

	"geodeck/adminapi/simulator"
)

// manner is how a site tells of its upgrades: what a program gets in place of an answer below them. What the
// site does, and what the second administrator reads, is the same.
type manner func(where string, answer []byte) []byte

// toldOtherwise is the platform with the manners of the day.
func (s *site) toldOtherwise(direct http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		where := below(r.URL.Path)
		if !strings.HasPrefix(where, "/system/upgrades") {
			direct.ServeHTTP(w, r)
			return
		}
		answered := httptest.NewRecorder()
		direct.ServeHTTP(answered, r)
		answer := answered.Body.Bytes()
		for _, tell := range s.day.plan.tells {
			answer = tell(where, answer)
		}
		answered.Body = bytes.NewBuffer(answer)
		hand(w, answered)
	})
}

// mannersOf are those that a play by a face can meet.
func mannersOf(play, face string) []Trouble {
	all := []Trouble{capitals, calledFailed}
	if play == "rollback" {
		all = append(all, unlisted, unlisted, skipped, skipped)
	}
	if face == dashboard {
		all = append(all, writable, writable, writable)
	}
	return all
}

var (
	upgradeState = regexp.MustCompile(`"state":\s*"[a-z_]+"`)
	inProgress   = regexp.MustCompile(`("state":\s*)"in_progress"`)
	stepBefore   = regexp.MustCompile(`("previousBuild":\s*)"6825"`)
)

// capitals are states such as IN_PROGRESS.
var capitals = oddity{"its states are in capitals", func(p *plan) {
	p.tells = append(p.tells, func(_ string, answer []byte) []byte {
		return upgradeState.ReplaceAllFunc(answer, func(state []byte) []byte {
			return append([]byte(`"state":`), bytes.ToUpper(state[len(`"state":`):])...)
		})
	})
}}

// calledFailed is a state that contradicts its code for two minutes, while the upgrade goes on.
var calledFailed = oddity{"a running upgrade is called failed for two minutes", func(p *plan) {
	var mu sync.Mutex
	var ran time.Time
	p.tells = append(p.tells, func(where string, answer []byte) []byte {
		mu.Lock()
		defer mu.Unlock()
		if where != "/system/upgrades" || !inProgress.Match(answer) {
			return answer
		}
		if ran.IsZero() {
			ran = time.Now()
		}
		if since := time.Since(ran); since < time.Minute || since > 3*time.Minute {
			return answer
		}
		p.day.meet("a running upgrade is called failed")
		return inProgress.ReplaceAll(answer, []byte(`$1"failed"`))
	})
}}

// unlisted is a newest patch that the list of what is installed lacks.
var unlisted = oddity{"the newest patch is not listed as installed", func(p *plan) {
	p.tells = append(p.tells, func(where string, answer []byte) []byte {
		var list struct {
			Updates []json.RawMessage `json:"updates"`
		}
		if where != "/system/upgrades/installed" || json.Unmarshal(answer, &list) != nil {
			return answer
		}
		kept := list.Updates[:0]
		for _, u := range list.Updates {
			if !bytes.Contains(u, []byte(rolledBack)) {
				kept = append(kept, u)
			}
		}
		list.Updates = kept
		less, err := json.Marshal(list)
		if err != nil {
			return answer
		}
		return less
	})
}}

// skipped is a patch that can be removed and names an earlier version than the one it was installed on.
var skipped = oddity{"the newest patch names a version before the one it was installed on", func(p *plan) {
	p.scenario.Upgrades.Rollback = "removes"
	p.tells = append(p.tells, func(_ string, answer []byte) []byte { return stepBefore.ReplaceAll(answer, []byte(`$1"6815"`)) })
}}

// writable is an administrator who lets the site take writes again, while the upgrade says that it does not.
var writable = oddity{"another ends the read-only mode of the upgrade", func(p *plan) {
	p.scenario.Upgrades.Lasts.Duration = max(20*time.Minute, p.scenario.Upgrades.Lasts.Duration) // time to see it
	off, event := false, simulator.Event{After: &simulator.Moment{Code: 2165}}
	event.At.Duration, event.ReadOnly = 5*time.Second, &off
	p.scenario.Events = append(p.scenario.Events, event)
}}

// wrongClocks are off by less than a day, and more than what an upgrade and its request may be apart. By the
// first of them an upgrade that runs would seem to be silent.
var wrongClocks = []Trouble{
	oddity{"the machine is fifty minutes ahead", func(p *plan) { p.skew = 50 * time.Minute }},
	oddity{"its clock is fifty minutes behind", func(p *plan) { p.scenario.ClockAhead.Duration = -50 * time.Minute }},
	oddity{"the machine is fifty minutes behind", func(p *plan) { p.skew = -50 * time.Minute }},
	oddity{"its clock is seventy minutes ahead", func(p *plan) { p.scenario.ClockAhead.Duration = 70 * time.Minute }},
}
