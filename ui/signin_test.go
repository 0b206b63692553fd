package ui_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/health"
	"geodeck/ui/views/progress"
	"geodeck/ui/views/services"
	"geodeck/ui/views/upgrade"
	"geodeck/ui/widget"
)

// stranger returns a client of a simulated site that has no token, and the
// site's administrator.
func stranger(t testing.TB) (operation.Site, simulator.User) {
	t.Helper()
	site := uitest.NewSite(t, simulator.Scenario{})
	client, err := adminapi.New(adminapi.Config{Base: site.Server.URL(), Clock: site.Steps, Transport: transport(t)})
	if err != nil {
		t.Fatal(err)
	}
	return operation.Site{Client: client, Clock: site.Steps}, site.Server.Users()[0]
}

func transport(t testing.TB) *http.Transport {
	t.Helper()
	x, err := adminapi.NewTransport(adminapi.TLS{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.CloseIdleConnections)
	return x
}

func atTheDoor(t testing.TB) (*driver, simulator.User, operation.Site) {
	t.Helper()
	site, user := stranger(t)
	_, maker := fake("alpha", "Alpha")
	d := start(t, ui.Options{Site: site, Clock: site.Clock, Name: "prod"}, 80, 24, maker)
	base := site.Client.Base()
	d.see("Sign in to " + base.Host + strings.TrimSuffix(base.Path, "/admin"))
	return d, user, site
}

// fill types into the form, waiting for each field.
func (d *driver) fill(user, password string) {
	d.t.Helper()
	d.see("user and password")
	d.keys("enter")
	d.see("Password")
	d.keys("ctrl+u") // the last user may be there
	d.text(user)
	d.keys("enter")
	d.text(password)
	d.keys("enter")
}

func TestSignInWithUserAndPassword(t *testing.T) {
	t.Parallel()
	d, user, _ := atTheDoor(t)
	d.see("not signed in")
	d.fill(user.Username, user.Password)
	d.see("done: signed in")
	d.see(user.Username + " · session until")
	d.see("11.5")
	d.see("this is alpha")
}

func TestAfterASignInTheFooterSaysWhatIsWrongAtTheSiteOrThatNothingIs(t *testing.T) {
	t.Parallel()
	for scenario, says := range map[string]string{
		"healthy":               "note: signed in; the last report passed 2 days ago; not checked since",
		"readonly":              "warning: signed in; read-only: accepts no changes",
		"running-release-fails": "warning: signed in; the upgrade failed in PostgreSQL",
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			site := uitest.NewSite(t, uitest.Scenario(t, scenario))
			user := site.Server.Users()[0]
			client, err := adminapi.New(adminapi.Config{Base: site.Server.URL(), Clock: site.Steps, Transport: transport(t)})
			if err != nil {
				t.Fatal(err)
			}
			site.Steps.Advance(3 * time.Hour)
			_, maker := fake("alpha", "Alpha")
			d := start(t, ui.Options{Site: operation.Site{Client: client, Clock: site.Steps}, Clock: site.Steps, Name: "prod"}, 120, 24, maker)
			d.fill(user.Username, user.Password)
			d.see(says)
		})
	}
}

func TestASignInIsKeptAndTheFooterSaysWhere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		says string
	}{
		"kept":     {nil, "signed in; kept in the system's keyring"},
		"not kept": {errors.New("the keyring is locked"), "Signed in. It is not kept: the keyring is locked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site, user := stranger(t)
			_, maker := fake("alpha", "Alpha")
			var got []ui.SignedIn
			d := start(t, ui.Options{Site: site, Clock: site.Clock, Keep: func(_ context.Context, by ui.SignedIn) (string, error) {
				got = append(got, by)
				return "the system's keyring", c.err
			}}, 100, 24, maker)
			d.fill(user.Username, "wrong")
			d.see("Wrong user name or password.")
			if len(got) > 0 {
				t.Errorf("a refused sign-in was kept: %+v", got)
			}
			d.text(user.Password)
			d.keys("enter")
			d.see(c.says)
			if len(got) != 1 || got[0].User != user.Username || got[0].Password.Reveal() != user.Password || got[0].Token != site.Client.Session.Token() {
				t.Errorf("kept %+v", got)
			}
		})
	}
}

func TestTheLogOfMessagesHoldsNothingThatIsTyped(t *testing.T) {
	t.Parallel()
	site, user := stranger(t)
	_, maker := fake("alpha", "Alpha")
	var kinds []string
	d := start(t, ui.Options{Site: site, Clock: site.Clock, Debug: func(kind string) { kinds = append(kinds, kind) }}, 80, 24, maker)
	d.fill(user.Username, user.Password)
	d.see("done: signed in")
	if !slices.Contains(kinds, "tea.KeyMsg") {
		t.Errorf("no key is in the log: %q", kinds)
	}
	for _, kind := range kinds {
		if kind != "tea.KeyMsg" && strings.HasPrefix(kind, "tea.KeyMsg") || strings.Contains(kind, user.Password) {
			t.Errorf("the log holds %q", kind)
		}
	}
}

func TestRefusedSignInAsksAgainAndKeepsTheUser(t *testing.T) {
	t.Parallel()
	d, user, site := atTheDoor(t)
	d.fill(user.Username, "wrong")
	d.see("Wrong user name or password.")
	uitest.Fits(t, d.model.View(), 80, 24)
	if strings.Contains(d.model.View(), "wrong") {
		t.Errorf("the password is on the screen\n%s", d.model.View())
	}
	d.see(user.Username)
	d.send(uitest.Paste(user.Password + "\r\n"))
	d.keys("enter")
	d.see("done: signed in")
	if !site.Client.Session.Token().Known() {
		t.Error("the client has no token")
	}
}

func TestAWrongPasswordThatIsTheUsersNameMasksNoName(t *testing.T) {
	t.Parallel()
	d, user, _ := atTheDoor(t)
	d.fill(user.Username, user.Username)
	d.see("Wrong user name or password.")
	d.text(user.Password)
	d.keys("enter")
	d.see("done: signed in")
	d.see(user.Username + " · session until")
	if strings.Contains(d.model.View(), "[secret]") {
		t.Errorf("a name is masked\n%s", d.model.View())
	}
}

func TestKeysTypedAheadLandInTheFieldTheyWereMeantFor(t *testing.T) {
	t.Parallel()
	d, user, _ := atTheDoor(t)
	d.see("user and password")
	d.keys("enter")
	d.text(user.Username)
	d.keys("tab")
	d.text(user.Password)
	d.keys("enter")
	d.await("sign-in", func() bool {
		if strings.Contains(d.model.View(), user.Password) {
			t.Fatalf("the password is on the screen\n%s", d.model.View())
		}
		return strings.Contains(d.model.View(), "done: signed in")
	})
}

// Who types the name at once, without the enter that chooses how, has it in the field of the name,
// and the password out of sight: letters that move in a list or close one among them.
func TestANameTypedWhereTheMethodIsChosenGoesIntoItsField(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "qjkgG/", "pasted"} {
		d, user, _ := atTheDoor(t)
		d.see("user and password")
		wanted := name
		switch name {
		case "pasted":
			wanted = user.Username
			d.send(uitest.Paste(strings.Repeat("x", 65)))
			d.send(uitest.Paste(wanted))
		case "":
			wanted = user.Username
			fallthrough
		default:
			d.text(wanted)
		}
		d.keys("enter")
		d.text(user.Password)
		d.see("│ " + wanted)
		if strings.Contains(d.model.View(), user.Password) || strings.Contains(d.model.View(), "xxx") {
			t.Fatalf("a secret is on the screen\n%s", d.model.View())
		}
		d.keys("enter")
		if wanted == user.Username {
			d.see("done: signed in")
		} else {
			d.see("Wrong user name or password.")
		}
	}
}

func TestSignInWithAToken(t *testing.T) {
	t.Parallel()
	d, _, site := atTheDoor(t)
	token := uitest.NewSite(t, simulator.Scenario{}).Client.Session.Token().Value.Reveal()
	d.see("user and password")
	d.keys("down enter")
	d.see("Token")
	d.send(uitest.Paste(token + "x"))
	d.keys("enter")
	d.see("Sign in to")
	d.see("✗ ")
	if site.Client.Session.Token().Known() {
		t.Error("a token that the site refused is kept")
	}
	if strings.Contains(d.model.View(), token) {
		t.Errorf("the token is on the screen\n%s", d.model.View())
	}
}

func TestRequestsThatWaitForASignInRunOnceEach(t *testing.T) {
	t.Parallel()
	d, user, _ := atTheDoor(t)
	var reports, suites atomic.Int32
	for _, runs := range []*atomic.Int32{&reports, &suites} {
		d.send(views.SignIn{Reason: "It has ended.", Retry: func() tea.Msg { runs.Add(1); return nil }})
	}
	d.fill(user.Username, user.Password)
	d.see("done: signed in")
	d.close() // the last command has ended
	if reports.Load() != 1 || suites.Load() != 1 {
		t.Errorf("they ran %d and %d times", reports.Load(), suites.Load())
	}
}

func TestASessionThatExpiresTakesNoScreenAway(t *testing.T) {
	t.Parallel()
	site, user := stranger(t)
	v, maker := fake("alpha", "Alpha")
	d := start(t, ui.Options{Site: site, Clock: site.Clock, Name: "prod"}, 80, 24, maker)
	d.fill(user.Username, user.Password)
	d.see("done: signed in")
	d.see("11.5")
	d.idle() // the notice has its timer
	d.pace.Advance(time.Minute)
	d.gone("done: signed in")
	name, runs := "", atomic.Int32{}
	d.send(views.Open{Dialog: widget.NewPrompt(uitest.Theme(), widget.PromptOptions{ID: "p", Title: "Name of the report", Then: func(typed string) tea.Cmd { name = typed; return nil }})})
	d.text("weekly")
	site.Client.Session.SetToken(adminapi.Token{Value: "expired"})
	d.send(views.SignIn{Retry: func() tea.Msg { runs.Add(1); return nil }})
	d.see("Session expired. Finish here, then press R to sign in.")
	d.see("weekly")
	d.keys("R enter")
	d.gone("Name of the report")
	if name != "weeklyR" {
		t.Errorf("the name is %q", name)
	}
	v.texting = true
	d.keys("R")
	d.see("Finish here")
	if !slices.Contains(v.told, "key R") {
		t.Errorf("the view heard %v", v.told)
	}
	v.texting = false
	d.see("Session expired. Press R to sign in and continue.")
	d.see("this is alpha")
	d.keys("R")
	d.see("Session expired. Sign in to continue.")
	d.keys("esc")
	d.see("this is alpha")
	d.keys("f5")
	d.see("Sign in to 127.0.0.1")
	d.see("Password")
	d.gone("user and password") // the method is known
	d.keys("enter")
	d.text(user.Password)
	d.keys("enter")
	d.await("the retry", func() bool { return runs.Load() == 1 })
	d.gone("Session expired")
}

func TestAWriteThatASessionEndedIsNamedUntilItGoesOn(t *testing.T) {
	t.Parallel()
	site, user := stranger(t)
	v, maker := fake("alpha", "Alpha")
	d := start(t, ui.Options{Site: site, Clock: site.Clock, Name: "prod"}, 80, 24, maker)
	d.fill(user.Username, user.Password)
	d.see("11.5")
	valid, read, written := site.Client.Session.Token(), atomic.Int32{}, atomic.Int32{}
	expires := func() {
		site.Client.Session.SetToken(adminapi.Token{Value: "expired"})
		d.send(views.SignIn{Reason: "Session expired.", Retry: func() tea.Msg { read.Add(1); return struct{}{} }})
		d.send(views.SignIn{Reason: "Session expired.", Undone: "The rules were not sent.", Retry: func() tea.Msg { written.Add(1); return nil }})
		d.idle() // the notice fades
		d.pace.Advance(time.Minute)
		d.see("The rules were not sent. Session expired. Press R to sign in.")
	}
	goesOn := func() {
		t.Helper()
		site.Client.Session.SetToken(valid)
		if _, err := site.Client.Root(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.send(landed{})
	}
	expires()
	v.texting = true
	d.see("The rules were not sent. Finish here, then press R to sign in.")
	v.texting = false
	d.send(tea.WindowSizeMsg{Width: 60, Height: 15})
	d.see("t sent. Session expired. Press R to sign in.") // the key is not cut
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	d.keys("R")
	d.see("The rules were not sent. Session expired. Sign in to continue.")
	goesOn()
	d.see("Sign in to continue.") // what is typed there stays
	d.keys("esc")
	d.see("The rules were not sent. You are signed in again; try again.")
	d.await("the read", func() bool { return read.Load() == 1 })
	if written.Load() != 0 {
		t.Error("the write came back by itself")
	}
	expires() // a part of the site takes no token
	goesOn()
	d.see("The rules were not sent. Session expired.")
	if err := site.Clock.Sleep(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	d.send(landed{})
	d.see("try again.")
	d.await("the read", func() bool { return read.Load() == 2 })
	expires()
	if err := site.Clock.Sleep(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	d.keys("r") // as who sends it again
	if shown := d.model.View(); strings.Contains(shown, "The rules were not sent") {
		t.Errorf("it may have been sent since:\n%s", shown)
	}
	goesOn()
	d.await("the read", func() bool { return read.Load() == 3 })
	d.gone("The rules were not sent") // it was
}

func TestARefusalRightBehindEscapeOpensNoSignIn(t *testing.T) {
	t.Parallel()
	d, _, _ := atTheDoor(t)
	d.send(views.Shut{ID: "signin"}) // as esc closes it
	d.send(views.SignIn{Reason: "The site refused what was asked before."})
	if shown := d.model.View(); !strings.Contains(shown, "Press R to sign in.") {
		t.Errorf("who left the dialog has it again:\n%s", shown)
	}
}

func TestEscapeLeavesTheSignInAndSaysHowToComeBack(t *testing.T) {
	t.Parallel()
	d, _, _ := atTheDoor(t)
	d.keys("esc")
	d.see("You are not signed in. Press R to sign in.")
	d.see("this is alpha")
	d.send(views.SignIn{Reason: "The site refused what was asked before."})
	d.see("Press R to sign in.") // nobody is asked again
	d.keys("R")
	d.see("Sign in to 127.0.0.1")
	d.keys("esc palette")
	d.text("sign in")
	d.keys("enter")
	d.see("Sign in to 127.0.0.1")
}

func TestSignOutForgetsTheToken(t *testing.T) {
	t.Parallel()
	d, user, site := atTheDoor(t)
	d.fill(user.Username, user.Password)
	d.see("done: signed in")
	d.keys("palette")
	d.text("sign out")
	d.keys("enter")
	d.see("not signed in")
	if site.Client.Session.Token().Known() {
		t.Error("the client still has the token")
	}
}

// held lets requests pass once it is open.
type held struct {
	http.RoundTripper
	open chan struct{}
}

func (h held) RoundTrip(r *http.Request) (*http.Response, error) {
	<-h.open
	return h.RoundTripper.RoundTrip(r)
}

// What the site answers after a sign-out, to a request from before it, is about nobody any more.
func TestADemoThatIsSignedOutWhileItsSiteIsReadAsksForNoPassword(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, simulator.Scenario{})
	token, line := site.Client.Session.Token(), held{transport(t), make(chan struct{})}
	client, err := adminapi.New(adminapi.Config{Base: site.Server.URL(), Clock: site.Steps, Transport: line, Token: token,
		Renew: func(context.Context, secrets.Secret) (adminapi.Token, error) { return token, nil }})
	if err != nil {
		t.Fatal(err)
	}
	_, maker := fake("alpha", "Alpha")
	d := start(t, ui.Options{Site: operation.Site{Client: client, Clock: site.Steps}, Clock: site.Steps, Name: "demo", Demo: true}, 100, 24, maker)
	d.see("this is alpha")
	d.palette("sign out")
	d.see("signed out; the demo signs in again")
	close(line.open)
	d.idle()
	d.gone("Sign in to")
	d.palette("refresh site")
	d.see("session until")
}

// away fails requests while it is set.
type away struct {
	http.RoundTripper
	gone atomic.Bool
	page bool // while gone, a proxy answers with a page
}

func (a *away) RoundTrip(r *http.Request) (*http.Response, error) {
	switch {
	case a.gone.Load() && a.page:
		w := httptest.NewRecorder()
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.WriteString("<html><title>Bad gateway</title></html>")
		return w.Result(), nil
	case a.gone.Load():
		return nil, errors.New("no route to host")
	}
	return a.RoundTripper.RoundTrip(r)
}

// withoutAnswer opens the dashboard on a site that is not reachable over the line.
func withoutAnswer(t *testing.T, line *away) *driver {
	t.Helper()
	line.gone.Store(true)
	site := uitest.NewSite(t, simulator.Scenario{})
	client, err := adminapi.New(adminapi.Config{Base: site.Server.URL(), Clock: site.Steps, Transport: line, Token: site.Client.Session.Token()})
	if err != nil {
		t.Fatal(err)
	}
	_, maker := fake("alpha", "Alpha")
	return start(t, ui.Options{Site: operation.Site{Client: client, Clock: site.Steps}, Clock: site.Steps}, 80, 24, maker)
}

func TestSiteThatIsAwayIsSaidOnceAndComesBackByItself(t *testing.T) {
	t.Parallel()
	line := &away{RoundTripper: transport(t)}
	d := withoutAnswer(t, line)
	d.see("site not reachable")
	d.see("this is alpha")
	d.keys("! ")
	d.see("unreachable")
	d.keys("esc")
	d.gone("unreachable")
	for range 3 {
		d.timers(1)
		d.pace.Advance(30 * time.Second)
		d.next() // the pause is over
		d.next() // and nothing answers
	}
	if strings.Contains(d.model.View(), "error: ") {
		t.Errorf("it is said again\n%s", d.model.View())
	}
	line.gone.Store(false)
	d.timers(1)
	d.pace.Advance(30 * time.Second)
	d.see("the site answers again")
	d.gone("site not reachable")
}

func TestSiteBehindAProxyThatAnswersInItsPlaceComesBackByItself(t *testing.T) {
	t.Parallel()
	line := &away{RoundTripper: transport(t), page: true}
	d := withoutAnswer(t, line)
	d.see("site answers with a web page")
	line.gone.Store(false)
	d.timers(1)
	d.pace.Advance(30 * time.Second)
	d.see("the site answers again")
	d.gone("site answers with")
}

// answering is a site that has one answer to everything.
type answering struct {
	status int
	body   string
}

func (a answering) RoundTrip(*http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	w.WriteHeader(a.status)
	_, _ = w.WriteString(a.body)
	return w.Result(), nil
}

// withoutToken opens the dashboard on whatever answers through the transport.
func withoutToken(t *testing.T, line http.RoundTripper) *driver {
	t.Helper()
	clock := simtest.NewSteppedClock(uitest.Start)
	client, err := adminapi.New(adminapi.Config{Base: "https://gis.example.org/geodeck/admin", Clock: clock, Transport: line})
	if err != nil {
		t.Fatal(err)
	}
	_, maker := fake("alpha", "Alpha")
	return start(t, ui.Options{Site: operation.Site{Client: client, Clock: clock}, Clock: clock}, 120, 40, maker)
}

func TestNoPasswordIsAskedForWhereNoPlatformAnswers(t *testing.T) {
	t.Parallel()
	gone := &away{}
	gone.gone.Store(true)
	for name, c := range map[string]struct {
		line               http.RoundTripper
		chip, says, advice string
	}{
		"nothing answers":       {gone, "site not reachable", "no route to host", "Check the address, the network"},
		"a page of a portal":    {answering{200, "<html><title>Welcome</title></html>"}, "site answers with a web page", "web page", "administrative root"},
		"nothing at that place": {answering{404, ""}, "site not found", "Not Found", "administrative root"},
		"another context":       {answering{404, `{"error":{"code":404,"message":"no such resource"}}`}, "site not found", "no such resource", "/admin. The administrative root is usually /arcgis/admin"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := withoutToken(t, c.line)
			d.see("▲ " + c.chip + " ")
			d.keys("notice")
			d.see(c.says)
			d.see(c.advice)
			if strings.Contains(d.model.View(), "Sign in to") {
				t.Errorf("a sign-in is asked for\n%s", d.model.View())
			}
		})
	}
}

func TestASiteThatFailsWithoutAWordIsNotCalledServer(t *testing.T) {
	t.Parallel()
	d := withoutToken(t, answering{200, `{"success":false}`})
	d.see("site answers with errors")
	d.keys("notice")
	d.see("gives no reason")
	d.see("The site's logs may give the reason.")
}

func TestASiteThatTellsItsVersionToEverybodyAsksForASignIn(t *testing.T) {
	t.Parallel()
	d := withoutToken(t, answering{200, `{"fullVersion":"11.5.0.6745","currentVersion":"11.5"}`})
	d.see("Sign in to gis.example.org")
	d.see("11.5.0.6745")
	d.see("not signed in")
}

func TestARefusedTokenIsNoSignIn(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, simulator.Scenario{})
	client, err := adminapi.New(adminapi.Config{Base: site.Server.URL(), Clock: site.Steps, Transport: transport(t), Token: adminapi.Token{Value: "old"}})
	if err != nil {
		t.Fatal(err)
	}
	_, maker := fake("alpha", "Alpha")
	d := start(t, ui.Options{Site: operation.Site{Client: client, Clock: site.Steps}, Clock: site.Steps}, 80, 24, maker)
	d.see("Sign in to")
	d.see("not signed in")
	d.keys("esc")
	d.see("this is alpha")
	d.see("not signed in")
}

func TestWhoHadATokenOnlyIsOfferedAsUserOnceItEnds(t *testing.T) {
	t.Parallel()
	site := signedInSite(t, simulator.Scenario{Name: "token"})
	_, maker := fake("alpha", "Alpha")
	d := start(t, ui.Options{Site: site, Clock: site.Clock}, 80, 24, maker)
	d.see("admin")
	d.expire()
	d.keys("R enter")
	d.see("> admin")
	d.see("Password")
}

func TestADeadAddressIsToldOnceInEveryViewWithWhatToDo(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	clock := simtest.NewSteppedClock(uitest.Start)
	client, err := adminapi.New(adminapi.Config{Base: server.URL + "/geodeck/admin", Clock: clock, Transport: transport(t)})
	if err != nil {
		t.Fatal(err)
	}
	d := start(t, ui.Options{Site: operation.Site{Client: client, Clock: clock}, Clock: clock}, 80, 24, health.Maker, upgrade.Maker, services.Maker, progress.Maker)
	for _, view := range []string{"view.health", "view.upgrade", "view.services", "view.progress"} {
		d.keys(view)
		d.see("Check the address, the network and HTTPS_PROXY.")
		screen := d.model.View()
		told := strings.Count(screen, "not reachable") + strings.Count(screen, "unreachable") + strings.Count(screen, "! no answer")
		if told != 1 || strings.Count(screen, "refused") != 1 || strings.Contains(screen, "error:") || strings.Contains(screen, "signed in") {
			t.Errorf("view %s\n%s", view, screen)
		}
	}
}
