package sweep

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"geodeck/adminapi/simulator"
)

// manner is how a site tells of its upgrades: what a program gets in place of an answer. What the site does, and
// what the second administrator reads, is the same.
type manner func(where string, answer []byte) []byte

func mannered(name string, tell manner) oddity {
	return oddity{name, func(p *plan) { p.tells = append(p.tells, tell) }}
}

// toldOtherwise is the platform with the manners of the day.
func (s *site) toldOtherwise(direct http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		where := below(r.URL.Path)
		answered := httptest.NewRecorder()
		direct.ServeHTTP(answered, r)
		if strings.HasPrefix(where, "/system/upgrades") {
			answer := answered.Body.Bytes()
			for _, tell := range s.day.plan.tells {
				answer = tell(where, answer)
			}
			answered.Body = bytes.NewBuffer(answer)
		}
		hand(w, answered)
	})
}

// mannersOf are those that a play by a face can meet.
func mannersOf(play, face string) []Trouble {
	all := []Trouble{capitals, calledFailed, long}
	if play == "rollback" {
		all = append(all, unlisted, unlisted, skipped, skipped, turned, turned)
	}
	if face == dashboard {
		all = append(all, writable, writable, writable)
	}
	return all
}

var (
	upgradeState = regexp.MustCompile(`"state":\s*"[a-z_]+"`)
	inProgress   = regexp.MustCompile(`("state":\s*)"in_progress"`)
	codeOfIt     = regexp.MustCompile(`"code":\s*1\b`)
	stepBefore   = regexp.MustCompile(`("previousBuild":\s*)"6825"`)
)

// capitals are states such as IN_PROGRESS.
var capitals = mannered("its states are in capitals", func(_ string, answer []byte) []byte {
	return upgradeState.ReplaceAllFunc(answer, func(state []byte) []byte {
		return bytes.Replace(bytes.ToUpper(state), []byte("STATE"), []byte("state"), 1)
	})
})

// calledFailed is a state that contradicts its code for so many messages, while the upgrade goes on.
var calledFailed = mannered("a running upgrade is called failed for a while", func(_ string, answer []byte) []byte {
	if told := bytes.Count(answer, []byte(`"when"`)); told < 8 || told > 20 || !codeOfIt.Match(answer) {
		return answer
	}
	return inProgress.ReplaceAll(answer, []byte(`$1"failed"`))
})

// long is a log of which a program reads only what is new.
var long = mannered("its log is longer than what is read at once", func(_ string, answer []byte) []byte {
	return bytes.ReplaceAll(answer, []byte(`"when"`), append(bytes.Repeat([]byte{' '}, 5000), `"when"`...))
})

// unlisted is a newest patch that the list of what is installed lacks.
var unlisted = mannered("the newest patch is not listed as installed", func(where string, answer []byte) []byte {
	list := map[string][]json.RawMessage{}
	if where != "/system/upgrades/installed" || json.Unmarshal(answer, &list) != nil {
		return answer
	}
	list["updates"] = slices.DeleteFunc(list["updates"], func(u json.RawMessage) bool { return bytes.Contains(u, []byte(rolledBack)) })
	answer, _ = json.Marshal(list)
	return answer
})

// skipped is a newest patch that can be removed, and names an earlier version than the one it was installed on.
var skipped = oddity{"the newest patch names a version before the one it was installed on", func(p *plan) {
	p.scenario.Upgrades.Rollback = "removes"
	p.tells = append(p.tells, func(_ string, answer []byte) []byte { return stepBefore.ReplaceAll(answer, []byte(`$1"6815"`)) })
}}

// rollbackList is where a site tells what can be rolled back.
const rollbackList = "/system/upgrades/checkRollback"

// turned is a site whose newest patch names another version once somebody has decided to roll it back: what it lists
// is another thing the second time, and nothing may be sent for that.
var turned = oddity{"what a rollback does changes once it is confirmed", func(p *plan) {
	p.scenario.Upgrades.Rollback = "removes"
	var mu sync.Mutex
	asked := map[string]int{}
	p.tells = append(p.tells, func(where string, answer []byte) []byte {
		mu.Lock()
		defer mu.Unlock()
		asked[where]++
		second := asked[where] == 2
		if where == rollbackList {
			p.turned.Store(second)
		}
		if !second {
			return answer
		}
		return stepBefore.ReplaceAll(answer, []byte(`$1"6815"`))
	})
}}

// confirmedIsSo checks that a rollback is sent only where it does what its administrator has confirmed.
func (m *machine) confirmedIsSo(p *post) {
	if p.path == "/system/upgrades/rollback" && m.day.plan.turned.Load() {
		m.day.fail("%s was confirmed, the site says by now that the rollback leads elsewhere, and it was sent", backToVersion)
	}
}

// writable is an administrator who lets the site take writes again, while the upgrade says that it does not.
var writable = oddity{"another ends the read-only mode of the upgrade", func(p *plan) {
	p.scenario.Upgrades.Lasts.Duration = max(20*time.Minute, p.scenario.Upgrades.Lasts.Duration) // time to see it
	event := simulator.Event{After: &simulator.Moment{Code: 2165}, ReadOnly: new(bool)}
	event.At.Duration = 5 * time.Second
	p.scenario.Events = append(p.scenario.Events, event)
}}

// wrongClocks are off by less than a day, and more than what an upgrade and its request may be apart. By the
// first two an upgrade that runs would seem to be silent.
var wrongClocks = []Trouble{
	oddity{"the machine is fifty minutes ahead", func(p *plan) { p.skew = 50 * time.Minute }},
	oddity{"its clock is fifty minutes behind", func(p *plan) { p.scenario.ClockAhead.Duration = -50 * time.Minute }},
	oddity{"the machine is fifty minutes behind", func(p *plan) { p.skew = -50 * time.Minute }},
	oddity{"its clock is seventy minutes ahead", func(p *plan) { p.scenario.ClockAhead.Duration = 70 * time.Minute }},
}
