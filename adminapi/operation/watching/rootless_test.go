package watching_test

import (
	"errors"
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
