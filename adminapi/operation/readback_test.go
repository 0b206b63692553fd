package operation_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
)

// A site may answer an edit of the rules with success and do something else: only what
// is read back afterwards tells.
func TestRulesThatTheSiteDoesNotKeepAreSaid(t *testing.T) {
	t.Parallel()
	for name, instead := range map[string]string{"something else": onPool("gpu"), "the old rules": ""} {
		t.Run(name, func(t *testing.T) {
			p := editing(t, "healthy")
			edit := p.replacing(t, onPool("spot"))
			kept := edit.Base
			if instead != "" {
				kept = p.replacing(t, instead).Edited
			}
			p.spoilWith(func(_ http.ResponseWriter, r *http.Request, pass func()) {
				if strings.HasSuffix(r.URL.Path, "/placementPolicy/edit") {
					takesInstead(t, r, kept.Text())
				}
				pass()
			})
			applied, outcome, err := p.ApplyEdit(t.Context(), edit, nil)
			missing, ok := errors.AsType[*operation.NotStoredError](err)
			if !ok || outcome != adminapi.OutcomeDone {
				t.Fatalf("%v, %v", outcome, err)
			}
			want := document.Diff(edit.Edited, kept)
			if len(missing.Changes) != len(want) || missing.Changes[0].Path != want[0].Path {
				t.Errorf("changes %+v, want %+v", missing.Changes, want)
			}
			if applied.Now.Text() != kept.Text() || p.policy(t).Text() != kept.Text() {
				t.Errorf("it is said to have %s", applied.Now.Text())
			}
			p.sentEdits(t, 1)
		})
	}
}

// takesInstead puts another policy in place of the one that was sent.
func takesInstead(t *testing.T, r *http.Request, policy string) {
	if err := r.ParseForm(); err != nil {
		t.Error(err)
	}
	r.PostForm.Set("servicePlacementPolicy", policy)
	body := r.PostForm.Encode()
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
}

func TestRulesThatCannotBeReadBackAreNotSaidToBeThere(t *testing.T) {
	t.Parallel()
	p := editing(t, "healthy")
	edit := p.replacing(t, onPool("spot"))
	sent := false
	p.spoilWith(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/placementPolicy") && sent {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		sent = sent || strings.HasSuffix(r.URL.Path, "/placementPolicy/edit")
		pass()
	})
	applied, outcome, err := p.ApplyEdit(t.Context(), edit, nil)
	if err != nil || outcome != adminapi.OutcomeDone || applied.Now != nil || applied.ReadBackErr == nil {
		t.Errorf("%v, %v, read back as %v because of %v", outcome, err, applied.Now, applied.ReadBackErr)
	}
	p.sentEdits(t, 1)
}
