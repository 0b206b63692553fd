package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
)

// Fact says in one line what the state of a row is about, at a time of this machine's clock. A state may go on by what was
// read before: then that is said.
func (r Row) Fact(now time.Time) string {
	switch state := r.State(); state {
	case UpgradeFailed, UpgradeStalled, UpgradeUnknown, Upgrading, ReadOnly:
		if r.PartErr != nil {
			return join(r.fact(now), partText)
		}
	}
	return r.fact(now)
}

const partText = "not all of it may be read"

func (r Row) fact(now time.Time) string {
	site := adminapi.MillisOf(now.Add(r.Ahead))
	switch u := r.Upgrade; r.State() {
	case UpgradeFailed:
		return join("failed"+plain.Joined(" in ", u.Phase), u.counted(), ago(u.Last, site))
	case UpgradeStalled:
		return join("silent for "+adminapi.FormatCoarse(u.Quiet)+plain.Joined(" in ", u.Phase), u.counted())
	case UpgradeUnknown:
		return "neither runs nor has ended by its state"
	case Unreachable:
		return r.unreachable(now)
	case NeedsSignIn:
		return r.signInFact()
	case Upgrading:
		return u.Doing()
	case ReadOnly:
		return join("accepts no changes", r.report(site))
	case Unchecked:
		if r.PartErr != nil {
			return join(partText, r.report(site))
		}
	case Outdated:
		return join(r.Health.Verdict.String()+" "+cmp.Or(ago(r.Health.Started, site), "at an unknown time"),
			"older than "+adminapi.FormatCoarse(r.MaxAge))
	}
	return r.report(site)
}

// Told says what is known to be wrong at a site, or that nothing is, at a time of this machine's clock, and how
// that is marked; empty where the site was not read.
func (r Row) Told(now time.Time) (text string, marked Severity) {
	state, fact := r.State(), r.Fact(now)
	switch state {
	case Healthy:
		return "no known fault; " + fact, Good
	case Outdated:
		age := ago(r.Health.Started, adminapi.MillisOf(now.Add(r.Ahead)))
		return "the last report passed " + cmp.Or(age, "at an unknown time") + "; not checked since", NotKnown
	case UpgradeFailed:
		return "the upgrade " + fact, Failed
	case Unreachable, NeedsSignIn, Reading:
		return "", NotKnown
	}
	return state.String() + ": " + fact, state.Severity()
}

// Doing says how far a running upgrade is.
func (u *Upgrade) Doing() string {
	to := ""
	if u.To != "" {
		to = "to " + plain.Clip(plain.Line(u.To), 24)
	}
	if u.Phase == "" {
		return join("running", u.counted(), to)
	}
	return join(u.Phase, u.counted(), to)
}

// counted is how many deployments are upgraded.
func (u *Upgrade) counted() string {
	if percent, known := u.Percent(); known {
		return fmt.Sprintf("%d of %d deployments (%d %%)", u.Done, u.Total, percent)
	}
	return ""
}

func (r Row) unreachable(now time.Time) string {
	what := adminapi.UnreachableText(r.Err)
	if open, is := errors.AsType[*OpenError](r.Err); is {
		return plain.Line(open.Error())
	}
	if errors.Is(r.Err, syscall.ECONNREFUSED) {
		what = "connection refused"
	}
	if lasts := now.Sub(r.Since); lasts >= time.Minute {
		what += " for " + adminapi.FormatCoarse(lasts)
	}
	if u := r.Upgrade; u != nil && u.Meaning == progress.StateRunning {
		return join(what, "it was upgrading"+plain.Joined(" in ", u.Phase))
	}
	return what
}

func (r Row) signInFact() string {
	switch r.SignIn {
	case SignInNotKept:
		return "no sign-in is kept"
	case SignInRefused:
		return "the token is refused"
	}
	if errors.Is(r.TokenErr, context.DeadlineExceeded) {
		return "the token did not come in time"
	}
	if r.TokenErr != nil {
		return plain.Line(r.TokenErr.Error())
	}
	return "no token is kept"
}

// report says how the newest report ended. Its age is by the site's clock.
func (r Row) report(now adminapi.Millis) string {
	switch h := r.Health; {
	case h == nil && errors.Is(r.HealthErr, adminapi.KindVersionTooOld):
		return "health checks need " + adminapi.VersionHealth.String()
	case h == nil && r.HealthErr != nil:
		return "its reports cannot be read"
	case h == nil:
		return "no report yet"
	case h.Verdict == health.Unknown:
		return join("report of an unknown result", ago(h.Started, now))
	default:
		return join("report "+h.Verdict.String(), ago(h.Started, now))
	}
}

// Age says how long ago the row was read; empty where it never was.
func (r Row) Age(now time.Time) string {
	if r.Updated.IsZero() {
		return ""
	}
	return adminapi.FormatCoarse(max(0, now.Sub(r.Updated)))
}

var signInWords = [...]string{"not known", "signed in", "needed", "refused", "not kept"}

// String returns the sign-in in words.
func (s SignIn) String() string { return signInWords[s] }

func ago(then, now adminapi.Millis) string {
	if then.IsZero() {
		return ""
	}
	return adminapi.FormatCoarse(time.Duration(max(0, now-then))*time.Millisecond) + " ago"
}

// join puts facts behind each other, without empty ones.
func join(facts ...string) (text string) {
	for _, fact := range facts {
		switch {
		case fact == "":
		case text == "":
			text = fact
		default:
			text += ", " + fact
		}
	}
	return text
}

// RowJSON is a row for scripts: its names and words do not change between versions.
type RowJSON struct {
	Name       string       `json:"name"`
	URL        string       `json:"url"`
	Production bool         `json:"production"`
	Locked     bool         `json:"locked"` // read-only until it is unlocked
	State      string       `json:"state"`
	Fact       string       `json:"fact"`
	Version    string       `json:"version"`
	ReadOnly   *bool        `json:"readOnly"` // the mode of the site; null where it is not known
	SignIn     string       `json:"signIn"`
	Expires    *time.Time   `json:"tokenExpires"` // null where it is not known, as every time
	Updated    *time.Time   `json:"updated"`      // by this machine's clock
	Health     *HealthJSON  `json:"health"`
	Upgrade    *UpgradeJSON `json:"upgrade"`
	Error      *ErrorJSON   `json:"error"`
}

// HealthJSON is the newest report.
type HealthJSON struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Verdict string     `json:"verdict"`
	Started *time.Time `json:"startTime"`
	Ended   *time.Time `json:"endTime"`
}

// UpgradeJSON is an upgrade that runs, or has failed.
type UpgradeJSON struct {
	State   string     `json:"state"`
	Phase   string     `json:"phase"`
	Done    int        `json:"done"`
	Total   int        `json:"total"`
	Percent *int       `json:"percent"` // null where the site counts no deployments
	From    string     `json:"from"`
	To      string     `json:"to"`
	Began   *time.Time `json:"began"`
	Last    *time.Time `json:"last"`
	Stalled bool       `json:"stalled"`
}

// ErrorJSON is why a site could not be read.
type ErrorJSON struct {
	Kind    string     `json:"kind"`
	Message string     `json:"message"`
	Since   *time.Time `json:"since"`
}

// JSON returns the row for scripts.
func (r Row) JSON(now time.Time) RowJSON {
	row := RowJSON{
		Name: r.Name, URL: r.Address, Production: r.Production, Locked: r.Locked, State: stateKeys[r.State()], Fact: r.Fact(now),
		Version: r.Version, SignIn: signInKeys[r.SignIn], Expires: r.Expires.Moment(), Updated: adminapi.Moment(r.Updated),
	}
	if r.ModeTold() {
		row.ReadOnly = &r.ReadOnly
	}
	if h := r.Health; h != nil {
		row.Health = &HealthJSON{ID: h.ID, Name: h.Name, Verdict: h.Verdict.String(), Started: h.Started.Moment(), Ended: h.Ended.Moment()}
	}
	if u := r.Upgrade; u != nil {
		row.Upgrade = &UpgradeJSON{
			State: u.Meaning.String(), Phase: u.Phase, Done: u.Done, Total: u.Total, From: u.From, To: u.To, Began: u.Began.Moment(), Last: u.Last.Moment(), Stalled: u.Stalled,
		}
		if percent, known := u.Percent(); known {
			row.Upgrade.Percent = &percent
		}
	}
	if r.Err != nil {
		kind := "settings"
		if k, is := adminapi.KindOf(r.Err); is {
			kind = k.String()
		}
		row.Error = &ErrorJSON{Kind: kind, Message: r.Err.Error(), Since: adminapi.Moment(r.Since)}
	}
	return row
}
