package incident_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/upgrade/progress"
)

// The beginning of its JSON is proof of the platform: nobody has to look for another address.
func TestHalfAnAnswerIsNoMissingPlatform(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/mode") {
			_, _ = io.WriteString(w, `{"isReadOnly":fal`)
			return
		}
		pass()
	})
	_, err := p.Client.Mode(t.Context())
	if advice := operation.Advice(err); !adminapi.IsTransient(err) || advice != "Half an answer came. Try again; check the proxy in between." {
		t.Errorf("%v: %q", err, advice)
	}
	if said := adminapi.UnreachableText(err); said != "half an answer" {
		t.Errorf("it is told as %q", said)
	}
	if x := explain.Write(incident.WriteFactsOf(operation.ResultOfRead(err), incident.Surroundings{})); x.Cause.ID != "answer-cut" {
		t.Errorf("%+v", x.Cause)
	}
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) {
		_, _ = io.WriteString(w, "<html>sign in</html>")
	})
	if _, err := p.Client.Mode(t.Context()); !strings.Contains(operation.Advice(err), "No platform answers") {
		t.Errorf("of a web page: %q", operation.Advice(err))
	}
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "<html>no backend</html>")
	})
	if _, err := p.Client.Mode(t.Context()); !strings.HasPrefix(operation.Advice(err), "A proxy in between answered") {
		t.Errorf("of the page of a proxy: %q", operation.Advice(err))
	}
}

// One resource that answers with nothing, or with other JSON, is no missing platform: its entrance is.
func TestAnEmptyAnswerOfOneResourceIsNoMissingPlatform(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "{}", "[1]", "soon"} {
		p := operationtest.BuiltIn(t, "healthy")
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			if strings.HasSuffix(r.URL.Path, "/mode") || strings.HasSuffix(r.URL.Path, "/admin") {
				_, _ = io.WriteString(w, body)
				return
			}
			pass()
		})
		_, err := p.Client.Mode(t.Context())
		if said := operation.Advice(err); !errors.Is(err, adminapi.KindNotJSON) || said != "Try again. The site's logs may give the reason." {
			t.Errorf("%q of the mode, %v: %q", body, err, said)
		}
		if _, err := p.Client.Root(t.Context()); !strings.HasPrefix(operation.Advice(err), "No platform answers at ") {
			t.Errorf("%q of the root, %v: %q", body, err, operation.Advice(err))
		}
	}
}

// A user who reads why a service is down changes nothing by that, on disk or for others.
func TestAnExplanationRecordsAndClaimsNothing(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	p.SlowToStart("STOPPED", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"jobs":[]}`) })
	ctx, ends := context.WithCancel(t.Context())
	defer ends()
	if _, outcome, _ := operationtest.Apart(p.SwitchService(ctx, operation.Switch{Service: operationtest.Cities, Start: true}, nil, func(error) { ends() })); outcome != adminapi.OutcomeUnknown {
		t.Fatalf("outcome %v", outcome)
	}
	p.Clock.Advance(time.Hour)
	before := contents(t, p.Memory.Journal.Folder())
	incident.ExplainService(t.Context(), p.Site, operationtest.Cities, incident.Surroundings{})
	x, found := incident.ExplainOpen(t.Context(), p.Site, incident.Surroundings{})
	if after := contents(t, p.Memory.Journal.Folder()); !maps.Equal(before, after) {
		t.Errorf("before %v\nafter %v", slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
	}
	if !found {
		t.Errorf("the lost start is not told: %+v", x)
	}
	p.WantOutcome(t, adminapi.OutcomeUnknown)
	if all, err := p.ResolveWrites(t.Context()); err != nil || len(all) != 1 || all[0].Outcome != adminapi.OutcomeRefused {
		t.Errorf("%+v, %v", all, err)
	}
}

// contents are the files in a folder with their content and the time of their last change.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && !entry.IsDir() {
			var text []byte
			text, err = os.ReadFile(path)
			files[path] = info.ModTime().String() + string(text)
		} else if err == nil {
			files[path] = info.ModTime().String() // which a file that comes and goes changes
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A refusal is explained by what the screen knows of the site: the review says what What now says.
func TestARefusalIsExplainedByWhatIsKnownOfTheSite(t *testing.T) {
	t.Parallel()
	readOnly := &adminapi.Error{Kind: adminapi.KindReadOnly, Explicit: true, Status: 200, Message: "The site is in read-only mode."}
	now := time.Date(2026, 11, 20, 15, 5, 0, 0, time.UTC)
	var state watching.State
	state.Mode.Take(now, adminapi.Mode{ReadOnly: true}, nil)
	state.Upgrade.Take(now, watching.Upgrade{Progress: progress.Progress{Meaning: progress.StateFailed}}, nil)
	cause := func(s *watching.State) explain.CauseID {
		facts := incident.WriteFactsOf(operation.Result{What: "start the upgrade", Outcome: adminapi.OutcomeRefused, Err: readOnly}, incident.Surroundings{State: s})
		return explain.Write(facts).Cause.ID
	}
	if id := cause(&state); id != "read-only-left" {
		t.Errorf("after a failed upgrade it is %s", id)
	}
	if id := cause(nil); id != "read-only" {
		t.Errorf("where nothing is known it is %s", id)
	}
	state.CutOff(&adminapi.Error{Kind: adminapi.KindSignIn})
	if id := cause(&state); id != "read-only" {
		t.Errorf("what is cut off is taken for known: %s", id)
	}
}
