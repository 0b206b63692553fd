package fleet_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/fleet"
	"geodeck/adminapi/health"
	"geodeck/adminapi/upgrade/progress"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// known is a row of a healthy site, changed.
func known(change func(*fleet.Row)) fleet.Row {
	row := fleet.Row{Name: "site", SignIn: fleet.SignedIn, Updated: noon, MaxAge: fleet.DefaultMaxAge, Health: &fleet.Health{Verdict: health.Passed, Started: adminapi.MillisOf(noon.Add(-3 * time.Hour))}}
	if change != nil {
		change(&row)
	}
	return row
}

// reported makes the newest report that old.
func reported(age time.Duration) func(*fleet.Row) {
	return func(r *fleet.Row) { r.Health.Started = adminapi.MillisOf(noon.Add(-age)) }
}

func upgradeIn(meaning progress.State, change func(*fleet.Upgrade)) func(*fleet.Row) {
	return func(r *fleet.Row) {
		r.Upgrade = &fleet.Upgrade{Meaning: meaning, Phase: progress.PhaseComponents, Done: 26, Total: 63, To: "12.0", Last: adminapi.MillisOf(noon.Add(-2 * time.Hour))}
		if change != nil {
			change(r.Upgrade)
		}
	}
}

func verdict(v health.Verdict) func(*fleet.Row) {
	return func(r *fleet.Row) { r.Health.Verdict = v }
}

var unanswered = &adminapi.Error{Kind: adminapi.KindUnreachable, Message: "no answer within 10 s"}

// each state with its fact, worst first.
var states = []struct {
	row   fleet.Row
	state fleet.State
	fact  string
}{
	{known(upgradeIn(progress.StateFailed, nil)), fleet.UpgradeFailed, "failed in Components, 26 of 63 deployments (41 %), 2 h ago"},
	{known(upgradeIn(progress.StateRunning, func(u *fleet.Upgrade) { u.Stalled, u.Quiet = true, 42*time.Minute })), fleet.UpgradeStalled, "silent for 42 min in Components, 26 of 63 deployments (41 %)"},
	{known(upgradeIn(progress.StateUnknown, nil)), fleet.UpgradeUnknown, "neither runs nor has ended by its state"},
	{known(verdict(health.Failed)), fleet.Unhealthy, "report failed, 3 h ago"},
	{known(verdict(health.Unknown)), fleet.Unhealthy, "report of an unknown result, 3 h ago"},
	{known(func(r *fleet.Row) { verdict(health.Failed)(r); r.PartErr = adminapi.KindPrivilege }), fleet.Unhealthy, "report failed, 3 h ago"},
	{known(func(r *fleet.Row) { r.Err, r.Since = unanswered, noon.Add(-4*time.Minute) }), fleet.Unreachable, "no answer for 4 min"},
	{known(func(r *fleet.Row) {
		r.Err, r.Since, r.SignIn = unanswered, noon.Add(-4*time.Minute), fleet.SignInRefused // as it was read last
	}), fleet.Unreachable, "no answer for 4 min"},
	{known(func(r *fleet.Row) {
		upgradeIn(progress.StateFailed, nil)(r) // which does not go on
		r.Err, r.Since = unanswered, noon.Add(-4*time.Minute)
	}), fleet.Unreachable, "no answer for 4 min"},
	{known(func(r *fleet.Row) {
		upgradeIn(progress.StateRunning, nil)(r)
		r.Err, r.Since = unanswered, noon.Add(-4*time.Minute)
	}), fleet.Unreachable, "no answer for 4 min, it was upgrading in Components"},
	{known(func(r *fleet.Row) { r.Err, r.Since = unanswered, noon.Add(-time.Minute) }), fleet.Unreachable, "no answer for 1 min"},
	{known(func(r *fleet.Row) {
		r.Err, r.Since = &adminapi.Error{Kind: adminapi.KindUnreachable, Err: syscall.ECONNREFUSED}, noon.Add(-59*time.Second)
	}), fleet.Unreachable, "connection refused"},
	{fleet.Row{Err: &fleet.OpenError{Err: errors.New("ca.pem: no such file")}, Since: noon}, fleet.Unreachable, "ca.pem: no such file"},
	{known(func(r *fleet.Row) { r.SignIn = fleet.SignInNotKept }), fleet.NeedsSignIn, "no sign-in is kept"},
	{known(func(r *fleet.Row) { r.SignIn = fleet.SignInNeeded }), fleet.NeedsSignIn, "no token is kept"},
	{known(func(r *fleet.Row) { r.SignIn, r.TokenErr = fleet.SignInNeeded, errors.New("the keyring is locked") }), fleet.NeedsSignIn, "the keyring is locked"},
	{known(func(r *fleet.Row) { r.SignIn, r.TokenErr = fleet.SignInNeeded, context.DeadlineExceeded }), fleet.NeedsSignIn, "the token did not come in time"},
	{known(func(r *fleet.Row) {
		r.SignIn, r.Err = fleet.SignInRefused, &adminapi.Error{Kind: adminapi.KindSignIn}
	}), fleet.NeedsSignIn, "the token is refused"},
	{known(verdict(health.Warning)), fleet.Warned, "report warning, 3 h ago"},
	{known(func(r *fleet.Row) { reported(40 * time.Hour)(r); r.Health.Verdict = health.Warning }), fleet.Warned, "report warning, 40 h ago"},
	{known(upgradeIn(progress.StateRunning, nil)), fleet.Upgrading, "Components, 26 of 63 deployments (41 %), to 12.0"},
	{known(upgradeIn(progress.StateRunning, func(u *fleet.Upgrade) { *u = fleet.Upgrade{Meaning: progress.StateRunning} })), fleet.Upgrading, "running"},
	{known(func(r *fleet.Row) { r.ReadOnly = true }), fleet.ReadOnly, "accepts no changes, report passed, 3 h ago"},
	{known(func(r *fleet.Row) { r.Health = nil }), fleet.Unchecked, "no report yet"},
	{known(verdict(health.Running)), fleet.Unchecked, "report running, 3 h ago"},
	{known(func(r *fleet.Row) { r.Health, r.HealthErr = nil, adminapi.KindVersionTooOld }), fleet.Unchecked, "health checks need 11.2"},
	{known(func(r *fleet.Row) { r.Health, r.HealthErr = nil, adminapi.KindPrivilege }), fleet.Unchecked, "its reports cannot be read"},
	{known(func(r *fleet.Row) { r.PartErr = adminapi.KindPrivilege }), fleet.Unchecked, "not all of it may be read, report passed, 3 h ago"},
	{known(reported(40 * time.Hour)), fleet.Outdated, "passed 40 h ago, older than 24 h"},
	{known(func(r *fleet.Row) { reported(8 * 24 * time.Hour)(r); r.MaxAge = 7 * 24 * time.Hour }), fleet.Outdated, "passed 8 days ago, older than 7 days"},
	{known(func(r *fleet.Row) { r.Health.Started = 0 }), fleet.Outdated, "passed at an unknown time, older than 24 h"},
	{known(reported(24 * time.Hour)), fleet.Healthy, "report passed, 24 h ago"},
	{known(func(r *fleet.Row) { r.Ahead = -3 * time.Hour; reported(26 * time.Hour)(r) }), fleet.Healthy, "report passed, 23 h ago"},
	{known(nil), fleet.Healthy, "report passed, 3 h ago"},
	{fleet.Row{}, fleet.Reading, "no report yet"},
}

func TestWhatMattersMostOfARowIsItsState(t *testing.T) {
	t.Parallel()
	for _, c := range states {
		if got := c.row.State(); got != c.state {
			t.Errorf("%s: %s, want %s", c.fact, got, c.state)
		}
		if got := c.row.Fact(noon); got != c.fact {
			t.Errorf("%s: %q, want %q", c.state, got, c.fact)
		}
	}
}

func TestWhatIsToldAtASignInIsWhatIsWrongOrThatNothingIs(t *testing.T) {
	t.Parallel()
	for _, c := range states {
		told, marked := c.row.Told(noon)
		unread := c.state == fleet.Unreachable || c.state == fleet.NeedsSignIn || c.state == fleet.Reading
		nothing := strings.HasPrefix(told, "no known fault; ")
		switch {
		case unread != (told == ""), nothing != (c.state == fleet.Healthy), (marked == fleet.Good) != (c.state == fleet.Healthy):
			t.Errorf("%s: %q, marked %d", c.state, told, marked)
		case !unread && c.state != fleet.Outdated && (!strings.HasSuffix(told, " "+c.fact) || marked != c.state.Severity()):
			t.Errorf("%s: %q lacks %q, or is marked %d", c.state, told, c.fact, marked)
		}
	}
	if told, _ := known(func(r *fleet.Row) { r.Health.Started = 0 }).Told(noon); told != "the last report passed at an unknown time; not checked since" {
		t.Errorf("told %q", told)
	}
}

func TestNothingUnknownReadsAsHealthy(t *testing.T) {
	t.Parallel()
	for _, c := range states {
		if c.row.State() != fleet.Healthy && c.row.JSON(noon).State == "healthy" {
			t.Errorf("%s is %s in JSON", c.state, c.row.JSON(noon).State)
		}
	}
	if fleet.Unchecked.Bad() || !fleet.NeedsSignIn.Bad() || fleet.Upgrading.Bad() {
		t.Error("bad is what somebody has to look after, up to a missing sign-in")
	}
}

// A script reads of a row what is known of it, and null for what is not.
func TestARowForScriptsHasAllThatIsKnown(t *testing.T) {
	t.Parallel()
	whole := known(func(r *fleet.Row) {
		r.Address, r.Version, r.Production, r.Locked, r.ModeRead = "https://gis.example.org/admin", "11.5.0.6745", true, true, true
		r.Expires = adminapi.MillisOf(noon.Add(time.Hour))
		*r.Health = fleet.Health{ID: "r1", Name: "nightly", Verdict: health.Warning, Started: adminapi.MillisOf(noon.Add(-3 * time.Hour)), Ended: adminapi.MillisOf(noon.Add(-2 * time.Hour))}
		upgradeIn(progress.StateRunning, func(u *fleet.Upgrade) {
			u.From, u.Began, u.Stalled, u.Quiet = "11.5", adminapi.MillisOf(noon.Add(-4*time.Hour)), true, time.Hour
		})(r)
	})
	away := func(r *fleet.Row) {
		r.Err = &adminapi.Error{Kind: adminapi.KindUnreachable, Operation: "read the root", Message: "no answer within 10 s"}
		r.Since, r.ModeRead, r.ReadOnly = noon.Add(-4*time.Minute), true, true
	}
	const began = `{"name":"site","url":"","production":false,"locked":false,`
	const report = `"health":{"id":"","name":"","verdict":"passed","startTime":"2026-11-20T09:00:00Z","endTime":null},"upgrade":null,`
	for want, row := range map[string]fleet.Row{
		`{"name":"site","url":"https://gis.example.org/admin","production":true,"locked":true,"state":"upgradeStalled","fact":"silent for 1 h in Components, 26 of 63 deployments (41 %)",` +
			`"version":"11.5.0.6745","readOnly":false,"signIn":"signedIn","tokenExpires":"2026-11-20T13:00:00Z","updated":"2026-11-20T12:00:00Z",` +
			`"health":{"id":"r1","name":"nightly","verdict":"warning","startTime":"2026-11-20T09:00:00Z","endTime":"2026-11-20T10:00:00Z"},` +
			`"upgrade":{"state":"in progress","phase":"Components","done":26,"total":63,"percent":41,"from":"11.5","to":"12.0","began":"2026-11-20T08:00:00Z","last":"2026-11-20T10:00:00Z","stalled":true},"error":null}`: whole,
		began + `"state":"unreachable","fact":"no answer for 4 min","version":"","readOnly":true,"signIn":"signedIn","tokenExpires":null,"updated":"2026-11-20T12:00:00Z",` +
			report + `"error":{"kind":"unreachable","message":"cannot read the root: no answer within 10 s","since":"2026-11-20T11:56:00Z"}}`: known(away),
		// The mode that was read with a token is not that of the present once there is none.
		began + `"state":"signInNeeded","fact":"no token is kept","version":"","readOnly":null,"signIn":"needed","tokenExpires":null,"updated":"2026-11-20T12:00:00Z",` +
			report + `"error":null}`: known(func(r *fleet.Row) { r.SignIn, r.ModeRead = fleet.SignInNeeded, true }),
		`{"name":"","url":"","production":false,"locked":false,"state":"unreachable","fact":"ca.pem: no such file","version":"","readOnly":null,"signIn":"unknown","tokenExpires":null,"updated":null,` +
			`"health":null,"upgrade":null,"error":{"kind":"settings","message":"ca.pem: no such file","since":null}}`: {Err: &fleet.OpenError{Err: errors.New("ca.pem: no such file")}},
	} {
		if got, err := json.Marshal(row.JSON(noon)); err != nil || string(got) != want {
			t.Errorf("%s, %v; want\n%s", got, err, want)
		}
	}
}

func TestRowsAreSortedWorstFirstAndThenAsTheFileHasThem(t *testing.T) {
	t.Parallel()
	var rows []fleet.Row
	for place, c := range states {
		row := c.row
		row.Place = place
		rows = append(rows, row)
	}
	want := slices.Clone(rows)
	slices.Reverse(rows)
	fleet.WorstFirst(rows)
	for i := range rows {
		if rows[i].Place != want[i].Place {
			t.Fatalf("row %d is that of place %d (%s), want %s", i, rows[i].Place, rows[i].State(), want[i].State())
		}
	}
	// Another percentage moves no row.
	at := slices.IndexFunc(rows, func(r fleet.Row) bool { return r.State() == fleet.Upgrading })
	further := *rows[at].Upgrade
	further.Done++
	rows[at].Upgrade = &further
	fleet.WorstFirst(rows)
	if rows[at].State() != fleet.Upgrading || rows[at].Place != want[at].Place {
		t.Error("a row has moved though no state has changed")
	}
}

func TestEachWordOfAFilterIsFound(t *testing.T) {
	t.Parallel()
	rows := []fleet.Row{
		known(func(r *fleet.Row) { r.Name, r.Production, r.Version = "gis-east", true, "11.5.0.6745" }),
		known(func(r *fleet.Row) {
			r.Name = "gis-west"
			upgradeIn(progress.StateRunning, nil)(r)
		}),
		{Name: "lab", Address: "https://lab.example.org/portal/admin", Err: unanswered},
	}
	for text, want := range map[string]string{
		"": "gis-east gis-west lab", "GIS": "gis-east gis-west", "gis upgrading": "gis-west", "production": "gis-east", "example": "lab", "unreach": "lab", "components": "gis-west", "11.5": "gis-east", "12.0": "gis-west", "gis lab": "",
	} {
		var got []string
		for _, row := range fleet.Filter(rows, text) {
			got = append(got, row.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
}

func TestARowThatWasNeverReadHasNoAge(t *testing.T) {
	t.Parallel()
	if row := (fleet.Row{}); row.Age(noon) != "" || row.Checked() {
		t.Errorf("its age is %q, checked %v", row.Age(noon), row.Checked())
	}
	if percent, is := (fleet.Row{}).Upgrade.Percent(); percent != 0 || is {
		t.Errorf("of no upgrade %d %% are done, known %v", percent, is)
	}
	if age := known(nil).Age(noon.Add(3 * time.Minute)); age != "3 min" {
		t.Errorf("the age is %q", age)
	}
	if age := known(nil).Age(noon.Add(-time.Hour)); age != "0 s" { // the clock was set back
		t.Errorf("the age is %q", age)
	}
}
