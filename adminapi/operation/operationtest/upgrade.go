package operationtest

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/adminapi/upgrade"
)

// What the scenario "healthy" offers.
const (
	PatchID     = "pat_12082025_6805"
	NextPatchID = "pat_11092025_6815"
	ReleaseID   = "rel_11122025_7286"
)

// Request reads the offers and returns what is needed to ask for one of them, with a
// licence where one is wanted.
func (p *Platform) Request(t *testing.T, id string) operation.UpgradeRequest {
	t.Helper()
	offer, err := p.Offers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	entry, found := offer.Chain.Find(id)
	if !found {
		t.Fatalf("%s is not offered", id)
	}
	request := operation.UpgradeRequest{Target: entry.Update, Answers: upgrade.Answers{}}
	if request.Settings, err = p.UpgradeSettings(t.Context(), operation.UpgradeRequest{Target: entry.Update}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "licence.json")
	if err := os.WriteFile(path, simtest.Licence(entry.Version), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, field := range upgrade.Form(request.Settings) {
		if field.Kind == upgrade.File {
			request.Answers[field.ID] = upgrade.Answer{Path: path}
		}
	}
	if upgrade.StyleOf(entry.Update) == upgrade.Old {
		request.LicencePath = path
	}
	return request
}

// Start starts an upgrade that the site accepts: the last look comes right before the one post.
func (p *Platform) Start(t *testing.T, id string) *operation.UpgradeRun {
	t.Helper()
	var steps []operation.UpgradeStep
	run, outcome, err := Apart(p.StartUpgrade(t.Context(), p.Request(t, id), func(u operation.UpgradeProgress) {
		if len(steps) == 0 || steps[len(steps)-1] != u.Step {
			steps = append(steps, u.Step)
		}
	}))
	if err != nil || outcome != adminapi.OutcomeDone || run.First.State != adminapi.UpgradeInProgress {
		t.Fatalf("outcome %v, error %v", outcome, err)
	}
	if steps[len(steps)-1] != operation.StepSend || steps[len(steps)-2] != operation.StepCheckRunning {
		t.Errorf("steps %q: the last look must come right before the post", steps)
	}
	return run
}

// Started is a platform whose patch has been accepted just now.
func Started(t *testing.T) (*Platform, *operation.UpgradeRun) {
	t.Helper()
	p := WithJournal(t, "healthy")
	return p, p.Start(t, PatchID)
}

// Unanswered is a platform whose answer to an upgrade was lost; the upgrade has not begun.
func Unanswered(t *testing.T) (*Platform, *operation.UpgradeRun) {
	t.Helper()
	p := BuiltIn(t, "answer-lost-not-performed")
	run, outcome, _ := Apart(p.StartUpgrade(t.Context(), p.Request(t, PatchID), nil))
	if outcome != adminapi.OutcomeUnknown {
		t.Fatalf("outcome %v", outcome)
	}
	return p, run
}

// PatchBefore is the patch before the newest of [Patched].
const PatchBefore = "pat_23102025_6825"

// Patched is a site with every patch, at which a listed id means this.
func Patched(t *testing.T, means string) *Platform {
	t.Helper()
	script, _ := simulator.BuiltIn("upgraded")
	script.Upgrades.Rollback = means
	return NewOf(t, script).Remembering(t, t.TempDir())
}

// Rollback is what the site says of the rollback to an id.
func (p *Platform) Rollback(t *testing.T, id string) upgrade.Rollback {
	t.Helper()
	all, err := p.Rollbacks(t.Context())
	back, listed := upgrade.RollbackOf(all, id)
	if err != nil || !listed {
		t.Fatalf("%s is not listed: %v", id, err)
	}
	return back
}

// SendRollback starts a rollback that the site accepts.
func (p *Platform) SendRollback(t *testing.T, back upgrade.Rollback) *operation.UpgradeRun {
	t.Helper()
	run, outcome, err := Apart(p.StartUpgrade(t.Context(), operation.RollbackRequest(back), nil))
	if outcome != adminapi.OutcomeDone {
		t.Fatal(outcome, err)
	}
	return run
}

// ReportsStatus makes the Upgrades resource return a status.
func (p *Platform) ReportsStatus(status string) {
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.HasSuffix(r.URL.Path, "/system/upgrades") {
			pass()
			return
		}
		w.Header().Set("Date", p.Clock.Now().Add(time.Duration(p.Ahead.Load())).UTC().Format(http.TimeFormat))
		_, _ = fmt.Fprintf(w, `{"status":%s}`, status)
	})
}

// FirstMessage is the message that a run has begun, so much later than now.
func (p *Platform) FirstMessage(ahead time.Duration) string {
	return fmt.Sprintf(`{"code":2010,"message":"from 11.5.0.6745 to 11.5.0.6805","when":%d}`, p.Clock.Now().Add(ahead).UnixMilli())
}

// EndMessage is the message that a run was done, now.
func (p *Platform) EndMessage() string {
	return fmt.Sprintf(`{"code":2012,"message":"upgraded","when":%d}`, p.Clock.Now().UnixMilli())
}

// ToAnother is the status of a run that began now, and leads elsewhere than [PatchID].
func (p *Platform) ToAnother(state string) string {
	return `{"state":` + state + `,"messages":[` + strings.ReplaceAll(p.FirstMessage(0), "11.5.0.6805", "12.0.0.7286") + `]}`
}

// Canary is a secret that a message holds.
const Canary = "Xk3vQ9z-canary"

// ReportsRun makes the site report a run that goes on, with so many bytes in a text
// that holds a secret.
func (p *Platform) ReportsRun(bytes int, more string) {
	began := Start.UnixMilli()
	p.ReportsStatus(fmt.Sprintf(`{"state":"in_progress","code":1,"messages":[{"code":2010,"message":"from 11.5.0.6745 to 11.5.0.6805","when":%d},`+
		`{"code":2038,"message":"asked /x?token=%s&f=json %s","when":%d}%s]}`,
		began, Canary, strings.Repeat("token=a ", bytes/8), began+1, more))
}
