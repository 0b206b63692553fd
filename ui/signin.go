package ui

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// tokenLife is the lifetime that a sign-in requests: a working day. The site may grant less.
const tokenLife = 8 * time.Hour

const signInID = "signin"

// The methods of signing in.
const (
	byPassword = "password"
	byToken    = "token"
)

// credentials are what the form's fields are bound to.
type credentials struct{ method, user, password, token string }

// signIn is the dialog that asks who the user is. It stays until the site has
// accepted the answer.
type signIn struct {
	*widget.Form
	env     *views.Env
	scope   *views.Scope
	entered *credentials
	// known says that the method is: the site did not take the first answer, or a session
	// that began with it has ended.
	known bool
	keep  func(context.Context, SignedIn) (where string, err error) // may be nil
}

// signedIn says that the site has accepted the user.
type signedIn struct {
	user, method string
	kept         string // where the sign-in is kept for later; empty where it is not
	unkept       error  // why it is not, where it should be
}

// newSignIn returns the dialog; method is that of the session that has ended, empty for none.
func (s *session) newSignIn(reason, method string) *signIn {
	env, base := s.env, s.env.Site.Client.Base()
	d := &signIn{env: env, keep: s.options.Keep, scope: views.NewScope(env.Context), known: method != "",
		entered: &credentials{method: cmp.Or(method, byPassword), user: s.user}}
	d.Form = widget.NewForm(env.Theme, widget.FormOptions{
		ID: signInID, Title: "Sign in to " + base.Host + strings.TrimSuffix(base.Path, "/admin"), Note: reason,
		Build: d.fields, Submit: d.submit, Action: "sign in", Letters: func() bool { return true }, Stay: true,
	})
	return d
}

// Replies is what the site's answer is addressed to.
func (d *signIn) Replies() *views.Scope { return d.scope }

// fields asks for the method, unless it is known, and then for its fields.
func (d *signIn) fields() *huh.Form {
	in := d.entered
	password := huh.NewGroup(
		huh.NewInput().Title("User").Value(&in.user).Validate(required("the user name")),
		huh.NewInput().Title("Password").Value(&in.password).EchoMode(huh.EchoModePassword).Validate(required("the password")))
	token := huh.NewGroup(
		huh.NewInput().Title("Token").Value(&in.token).EchoMode(huh.EchoModePassword).Validate(required("the token")))
	switch {
	case d.known && in.method == byToken:
		return huh.NewForm(token)
	case d.known:
		return huh.NewForm(password)
	}
	method := huh.NewSelect[string]().Title("How").Value(&in.method).Options(
		huh.NewOption("user and password", byPassword), huh.NewOption("token", byToken))
	return huh.NewForm(huh.NewGroup(method),
		password.WithHideFunc(func() bool { return in.method != byPassword }),
		token.WithHideFunc(func() bool { return in.method != byToken }))
}

func required(what string) func(string) error {
	return func(s string) error {
		if strings.TrimSpace(s) == "" {
			return errors.New(what + " is missing")
		}
		return nil
	}
}

// submit sends what was entered, once, and forgets the secrets.
func (d *signIn) submit() tea.Cmd {
	client, sent, keep := d.env.Site.Client, *d.entered, d.keep
	d.entered.password, d.entered.token = "", ""
	d.Wait("signing in")
	return d.scope.Work("sign in", func(ctx context.Context) func() tea.Cmd {
		by, err := sent.signIn(ctx, client)
		if err != nil {
			return func() tea.Cmd { return d.refused(err) }
		}
		kept, unkept := "", error(nil)
		if keep != nil {
			kept, unkept = keep(ctx, by)
		}
		return func() tea.Cmd {
			user := ""
			if d.entered.method == byPassword {
				user = strings.TrimSpace(d.entered.user)
			}
			return d.ShutThen(views.Send(signedIn{user, d.entered.method, kept, unkept}))
		}
	})
}

// signIn has the site accept what was entered; a token that it does not take is not kept.
func (c credentials) signIn(ctx context.Context, client *adminapi.Client) (by SignedIn, err error) {
	if c.method == byToken {
		before := client.Session.Token()
		client.Session.SetToken(adminapi.Token{Value: secrets.Secret(strings.TrimSpace(c.token))})
		if _, err = client.Reach(ctx); err != nil {
			client.Session.SetToken(before)
		}
		return SignedIn{Token: client.Session.Token()}, err
	}
	by.User, by.Password = strings.TrimSpace(c.user), secrets.Secret(c.password)
	by.Token, err = client.Session.SignIn(ctx, by.User, by.Password, tokenLife)
	return by, err
}

// refused shows the dialog again with the site's reason.
func (d *signIn) refused(err error) tea.Cmd {
	d.known = true
	if d.entered.method == byPassword {
		reason := err.Error()
		if errors.Is(err, adminapi.KindSignIn) {
			reason = "Wrong user name or password."
		}
		return d.RetryAt(reason, 1) // the user's name is most likely right
	}
	return d.Retry(err.Error())
}

// session is who is signed in, and what is retried after the next sign-in.
type session struct {
	part
	user    string         // of the last session, offered in the dialog
	retries []views.SignIn // what waits for a sign-in
	refused secrets.Secret // the token that the site did not take, if it is still in use
	method  string         // of the last sign-in here; empty for none
	begun   bool           // the site has told who is signed in
	waits   bool           // for the user to sign in again, which the footer says
	resumes time.Time      // when the session last went on by itself
	wentOn  bool           // somebody has run a command since a write was not done for want of a sign-in
}

// ask opens the dialog, unless it is open, and remembers the request to retry. A session that
// has begun and ends takes no screen away, and who has left the dialog is not asked by what the
// site refuses later: the footer says so, with the key that opens the dialog.
func (s *session) ask(request views.SignIn) tea.Cmd {
	if s.env.Offline {
		return views.Tell(views.Warning, "no site to sign in to: geodeck runs offline")
	}
	if request.Retry != nil {
		s.retries = append(s.retries, request)
		s.wentOn = s.wentOn && request.Undone == ""
	}
	s.expire()
	if s.begun || s.waits || s.shows(signInID) {
		return nil
	}
	return s.tell(views.Open{Dialog: s.newSignIn(s.undone(request.Reason), ""), Unrequested: true})
}

// expire notes that the site has refused the present token.
func (s *session) expire() {
	s.refused, s.waits = s.token().Value, s.waits || s.begun
}

// left notes that the dialog is closed: who has left it without an answer is not asked again before the key for it.
func (s *session) left() { s.waits = s.waits || !s.env.Site.Client.Session.Accepted() }

// renewed notes that the site has taken the token.
func (s *session) renewed() { s.refused, s.begun, s.waits = "", true, false }

// taken notes that the site has answered to the token of a user, empty where it does not say
// whose; who is asked to sign in still is until the session resumes.
func (s *session) taken(user string) {
	s.user = cmp.Or(user, s.user)
	if !s.waits {
		s.renewed()
	}
}

// resumePause is how long a session that went on by itself and ended again waits at least: a
// part of the site that takes no token is not asked over and over.
const resumePause = 30 * time.Second

// resumed ends the wait for a sign-in once the site takes the token again, as one that restarts
// refuses it for a moment. What was read is read again; what was written is not.
func (s *session) resumed() tea.Cmd {
	if !s.waits || !s.env.Site.Client.Session.Accepted() || s.shows(signInID) {
		return nil
	}
	now := s.env.Clock.Now()
	if now.Sub(s.resumes) < resumePause {
		return nil
	}
	cmds := []tea.Cmd{s.tell(fetchSite{})}
	for _, request := range s.retries {
		if request.Undone == "" {
			cmds = append(cmds, request.Retry)
		}
	}
	if undone := s.undone(""); undone != "" {
		cmds = append(cmds, views.Tell(views.Warning, undone+" You are signed in again; try again."))
	}
	s.retries, s.resumes = nil, now
	s.renewed()
	return tea.Batch(cmds...)
}

// beforeCommand notes that a command runs: it may be the one that sends again what was not done.
func (s *session) beforeCommand(c views.Command) {
	s.wentOn = s.wentOn || c.Name != "" && !c.Browses && c.ID != "signin"
}

// undone puts what was not done for want of a sign-in before a text, unless somebody has gone on since: then it may have
// been sent again.
func (s *session) undone(text string) string {
	var all []string
	for _, request := range s.retries {
		if request.Undone != "" && !s.wentOn && !slices.Contains(all, request.Undone) {
			all = append(all, request.Undone)
		}
	}
	if text != "" {
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

// reason says why a sign-in is needed.
func (s *session) reason() string {
	switch {
	case !s.token().Known():
		return ""
	case s.env.Upgrade.On:
		return "Session expired. Sign in to keep watching." + s.env.LastSeen()
	}
	return "Session expired. Sign in to continue."
}

// refreshKeys refresh the site, too, and open the dialog where a screen waits for a sign-in.
var refreshKeys = []string{"R", "f5"}

// waiting says on every screen that a sign-in is needed; empty where none is, or where the
// screen itself says so. A screen with its own keys is closed first, with what is typed there. What
// was not done is cut, rather than what is to be done.
// Over is the id of the dialog that is open, and typing says that the view captures text.
func (s *session) waiting(over, shown string, typing bool, width int) string {
	undone := s.undone("")
	if !s.waits || over == signInID || undone == "" && shown == progressID && s.env.Upgrade.Refused() != nil {
		return ""
	}
	why, next := "Session expired. ", "Press {key:health.refresh} to sign in."
	if !s.token().Known() {
		why = "You are not signed in. "
	}
	switch open := over != "" || typing; {
	case undone != "" && open:
		next = " Finish here, then press {key:health.refresh} to sign in."
	case undone != "":
		next = " " + why + next
	case open:
		next = why + "Finish here, then press {key:health.refresh} to sign in."
	case s.env.Upgrade.On:
		next = why + next + s.env.LastSeen()
	case s.token().Known():
		next = why + "Press {key:health.refresh} to sign in and continue."
	default:
		next = why + next
	}
	const sign = 4
	next = views.Keys(next)
	return plain.ClipMiddle(undone, max(sign, width-sign-len(next)), s.env.Theme.Glyphs.Ellipsis) + next
}

// signedOff reports whether requests have no token, or one that the site has refused.
func (s *session) signedOff() bool {
	if s.env.Offline {
		return false
	}
	token := s.token()
	return !token.Known() || token.Value == s.refused
}

// requested opens the dialog because the user wants to sign in.
func (s *session) requested() tea.Cmd {
	if s.env.Offline {
		return s.ask(views.SignIn{})
	}
	reason, method := "", ""
	if s.waits {
		reason, method = s.undone(s.reason()), s.method
	}
	return s.tell(views.Open{Dialog: s.newSignIn(reason, method)})
}

// signedIn returns the requests to retry, once.
func (s *session) signedIn(user signedIn) []tea.Cmd {
	s.user = cmp.Or(user.user, s.user)
	retries := make([]tea.Cmd, 0, len(s.retries))
	for _, request := range s.retries {
		retries = append(retries, request.Retry)
	}
	s.retries, s.method = nil, user.method
	s.renewed()
	return retries
}

// signOut forgets the token, and whose it was.
func (s *session) signOut() tea.Cmd {
	if s.env.Offline || !s.token().Known() {
		return views.Tell(views.Info, "you are not signed in")
	}
	s.env.State.Self = adminapi.Fact[adminapi.Self]{}
	s.env.Site.Client.Session.SetToken(adminapi.Token{})
	if s.env.Demo { // which signs in by itself
		return views.Tell(views.Success, "signed out; the demo signs in again at the next refresh")
	}
	return views.Tell(views.Success, "signed out; type :sign in to sign in again")
}
