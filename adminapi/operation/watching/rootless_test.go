package watching_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
)

// A site may show no root. It is there all the same, asks for a sign-in, and has no version to show.
func TestASiteThatShowsNoRootIsReachedByItsUpgrades(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "contract-only")
	all := watching.Refresh{Site: true, Upgrade: true}
	state := watching.NewStateReader(p.Site).Read(t.Context(), watching.State{}, all)
	if state.Reach.Err != nil || !state.Version.Known() || state.Version.Value.FullVersion != "" || !state.Upgrade.Known() {
		t.Errorf("signed in: %+v", state)
	}
	if state = watching.NewStateReader(p.Site).Read(t.Context(), state, watching.Refresh{Site: true}); state.Reach.Err != nil {
		t.Errorf("while an upgrade is watched: %v", state.Reach.Err)
	}
	p.Client.Session.SetToken(adminapi.Token{})
	state = watching.NewStateReader(p.Site).Read(t.Context(), watching.State{}, all)
	if !errors.Is(state.Reach.Err, adminapi.KindSignIn) {
		t.Errorf("signed out: %v", state.Reach.Err)
	}
}

// What is not known to be there is not reached: the root alone tells nothing.
func TestASiteThatShowsNoRootIsNotReachedBeforeItsUpgradesAnswer(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "contract-only")
	if state := watching.NewStateReader(p.Site).Read(t.Context(), watching.State{}, watching.Refresh{Site: true}); state.Reach.Err == nil || state.Version.Known() {
		t.Errorf("%+v", state)
	}
}

// A site that had a root, and has none any more, is not taken for one without a version.
func TestASiteWhoseRootIsGoneIsNotReached(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	all := watching.Refresh{Site: true, Upgrade: true}
	first := watching.NewStateReader(p.Site).Read(t.Context(), watching.State{}, all)
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/admin") {
			_, _ = io.WriteString(w, `{"error":{"code":404,"message":"not found","details":[]}}`)
			return
		}
		pass()
	})
	next := watching.NewStateReader(p.Site).Read(t.Context(), first, all)
	if !adminapi.IsMissing(next.Reach.Err) || next.Version.Err == nil || next.Version.Value.FullVersion != first.Version.Value.FullVersion {
		t.Errorf("%v, version %+v", next.Reach.Err, next.Version)
	}
}
