package operation_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/upgrade/progress"
)

// What the site of [operationtest.Patched] lists, beside [operationtest.PatchBefore].
const (
	newestPatch = "pat_04122025_6835"
	earlyPatch  = "pat_11092025_6815"
	baseRelease = "rel_24062025_6745"
)

func TestARollbackLeadsToTheVersionThatWasConfirmed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ means, id, to, removes string }{
		"toward a patch":        {"toward", earlyPatch, "11.5.0.6815", "11.5.0.6835 11.5.0.6825 11.5.0.6820"},
		"toward the base":       {"toward", baseRelease, "11.5.0.6745", "11.5.0.6835 11.5.0.6825 11.5.0.6820 11.5.0.6815 11.5.0.6805"},
		"removal of the newest": {"removes", newestPatch, "11.5.0.6825", "11.5.0.6835"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := operationtest.Patched(t, tt.means)
			back := p.Rollback(t, tt.id)
			if back.Unsure != "" || back.From != "11.5.0.6835" || back.To != tt.to || strings.Join(back.Removed(), " ") != tt.removes {
				t.Fatalf("%+v", back)
			}
			if facts := p.UpgradeFacts(t.Context(), operation.Offer{}, operation.RollbackRequest(back)); facts.Rollback == nil || len(facts.Rollbacks.Value) != 5 {
				t.Errorf("%+v", facts.Rollbacks)
			}
			var sent string
			p.Intercept(func(_ http.ResponseWriter, r *http.Request, pass func()) {
				if strings.HasSuffix(r.URL.Path, "/rollback") {
					body, _ := io.ReadAll(r.Body)
					form, _ := url.ParseQuery(string(body))
					sent, r.Body = form.Get("versionManifest"), io.NopCloser(bytes.NewReader(body))
				}
				pass()
			})
			run := p.SendRollback(t, back)
			if sent != `{"id":"`+tt.id+`"}` {
				t.Errorf("%s was sent", sent)
			}
			if _, other := run.Confirmed(); other != "" {
				t.Errorf("the answer leads elsewhere than to %s", other)
			}
			records, err := p.Memory.Journal.Actions(0)
			if err != nil || len(records) != 1 || records[0].Subject != tt.to {
				t.Errorf("%+v, %v", records, err)
			}
			watch := watching.NewWatch(p.Site, run)
			last := operationtest.Polled(t, p, watch, 1)
			if last.Progress.Kind != progress.RollbackRun || last.Progress.To != tt.to {
				t.Errorf("a %s to %s", last.Progress.Kind, last.Progress.To)
			}
			for !last.Ended {
				if last = operationtest.Polled(t, p, watch, 1); last.Confirmed != "" {
					t.Fatalf("it leads elsewhere: %s", last.Elsewhere())
				}
			}
			if now, err := p.Client.Upgrades.Current(t.Context()); err != nil || now.FullVersion() != tt.to || last.Meaning != progress.StateSucceeded {
				t.Errorf("the site has %s, %v", now.FullVersion(), err)
			}
			p.WantSent(t, "POST rollback", 1)
		})
	}
}

func TestARollbackThatIsNotSureIsNotSent(t *testing.T) {
	t.Parallel()
	p := operationtest.Patched(t, "removes")
	back := p.Rollback(t, earlyPatch) // beside the newest: it may be what is removed
	if want := "This leads to 11.5.0.6815, or removes 11.5.0.6815 and leads to 11.5.0.6805."; !strings.Contains(back.Unsure, want) {
		t.Errorf("%q", back.Unsure)
	}
	operationtest.WantResult(t, adminapi.OutcomeNotSent, operation.ErrRollbackUnsure)(
		p.StartUpgrade(t.Context(), operation.RollbackRequest(back), nil))
	back.To, back.Unsure = "11.5.0.6805", "" // whoever asks
	operationtest.WantResult(t, adminapi.OutcomeNotSent, operation.ErrRollbackChanged)(
		p.StartUpgrade(t.Context(), operation.RollbackRequest(back), nil))
	p.WantSent(t, "POST rollback", 0)
}

func TestARollbackThatDoesSomethingElseByNowIsNotSent(t *testing.T) {
	t.Parallel()
	p := operationtest.Patched(t, "")
	confirmed := p.Rollback(t, earlyPatch)
	if end := operationtest.Follow(t, p, watching.NewWatch(p.Site, p.SendRollback(t, p.Rollback(t, operationtest.PatchBefore)))); !end.Ended {
		t.Fatal("the first rollback has not ended")
	}
	operationtest.WantResult(t, adminapi.OutcomeNotSent, operation.ErrRollbackChanged)(
		p.StartUpgrade(t.Context(), operation.RollbackRequest(confirmed), nil))
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/checkRollback") {
			_, _ = io.WriteString(w, `{"error":{"code":403,"message":"no","details":[]}}`)
			return
		}
		pass()
	})
	operationtest.WantResult(t, adminapi.OutcomeNotSent, adminapi.KindPrivilege)( // what it does by now is not known
		p.StartUpgrade(t.Context(), operation.RollbackRequest(confirmed), nil))
	p.Intercept(nil)
	gone := confirmed
	gone.Listed.ID = operationtest.PatchBefore
	operationtest.WantResult(t, adminapi.OutcomeNotSent, operation.ErrRollbackChanged)(
		p.StartUpgrade(t.Context(), operation.RollbackRequest(gone), nil))
	p.WantSent(t, "POST rollback", 1)
}

func TestALostAnswerOfARollbackIsAdoptedByItsFirstMessage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "done", // that of the site
		"Starting the rollback process from 11.5.0.6835 to 11.5.0.6820.": "nothing",
	} {
		p := operationtest.Patched(t, "")
		back := p.Rollback(t, operationtest.PatchBefore)
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			if strings.HasSuffix(r.URL.Path, "/rollback") {
				p.Direct.ServeHTTP(httptest.NewRecorder(), r)
				operationtest.HangUp(w)
				return
			}
			pass()
		})
		run, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), operation.RollbackRequest(back), nil))
		if outcome != adminapi.OutcomeUnknown || run == nil {
			t.Fatal(outcome, err)
		}
		if text != "" {
			p.ReportsStatus(fmt.Sprintf(`{"state":"in_progress","code":1,"messages":[{"code":2072,"message":%q,"when":%d}]}`, text, p.Clock.Now().UnixMilli()))
		}
		finding, _, _, err := findRun(t.Context(), run.Search())
		if err != nil || finding != want {
			t.Errorf("%q: %v, %v", text, finding, err)
		}
		p.WantSent(t, "POST rollback", 1)
		if text == "" {
			continue
		}
		if all, err := p.ResolveWrites(t.Context()); err != nil || len(all) != 1 || all[0].Outcome != adminapi.OutcomeUnknown {
			t.Errorf("%+v, %v", all, err)
		}
		if _, err := settleRun(t.Context(), p, run); !errors.Is(err, operation.ErrOutcomeUnknown) {
			t.Error(err)
		}
		if last := operationtest.Polled(t, p, watching.NewWatch(p.Site, nil), 1); last.Confirmed != "" {
			t.Errorf("nobody knows whose it is: %s", last.Elsewhere())
		}
	}
}
