package cli

import (
	"context"
	"errors"
	"net/url"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/signin"
	"geodeck/adminapi/sites"
)

// source returns where the token of the site comes from.
func (s *session) source(of settings, base *url.URL) (signin.Source, error) {
	o := s.signInOptions(of, base)
	if how := of.token; how.Kind != "" {
		o.Kind, o.File, o.Variable, o.Command = how.Kind, how.File, how.Variable, how.Command
	}
	return signin.New(o)
}

// signInOptions are those of a site that the user is asked for, with what the keyring needs.
func (s *session) signInOptions(of settings, base *url.URL) signin.Options {
	site := journal.SiteOf(base)
	return signin.Options{
		Kind: sites.Ask, Env: s.from.env, Note: s.say, Clock: s.from.clock,
		Keyring: signin.NewKeyring(s.from.env, nil, s.from.keyring), Site: site, User: of.user.value, ClientID: of.clientID.value,
		Portal: func() *adminapi.Session { return s.opened.soFar().Client.Session },
		Lock: func(ctx context.Context) (func(), error) {
			folder, err := s.stateFolder()
			if err != nil {
				return nil, err
			}
			return journal.LockSite(ctx, folder, site, "signin", journal.WithFiles(s.from.disk))
		},
	}
}

// addToken lets the client renew its token, and gives it the one that a file or the
// environment holds. Without one the site refuses the first request.
func (s *session) addToken(ctx context.Context, cfg *adminapi.Config, of settings, base *url.URL) (signin.Source, error) {
	tokens, err := s.source(of, base)
	if err != nil {
		return nil, err
	}
	cfg.Renew = tokens.Renew
	cfg.RenewEarly = of.ofProgram()
	cfg.RenewFailed = func(err error) { s.say("the sign-in ends soon and could not be renewed: " + err.Error()) }
	if !s.slowSignIn(of) {
		cfg.Token, err = tokens.Token(ctx)
	}
	return tokens, err
}

// slowSignIn reports whether the token comes from a program that may take long to answer.
func (s *session) slowSignIn(of settings) bool { return s.as.among || of.ofProgram() }

// ofProgram reports whether another program has the token.
func (s settings) ofProgram() bool {
	return s.token.Kind == sites.Keyring || s.token.Kind == sites.Command
}

// signIn gets the token of a keyring or a command.
func (s *session) signIn(ctx context.Context) error {
	of, err := s.settings()
	opened := s.opened.soFar()
	if err != nil || !s.slowSignIn(of) || opened.Client.Session.Token().Known() {
		return err
	}
	token, err := opened.tokens.Token(ctx)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		advice := of.signInAdvice()
		if errors.Is(err, signin.ErrNoKeyring) {
			advice = "" // it says what to do
		}
		return &failure{code: exitSignIn, kind: adminapi.KindSignIn.String(), err: err, advice: advice}
	}
	if token.Known() {
		opened.Client.Session.SetToken(token)
	}
	return nil
}

// kept says where the token of the site, which is open, is kept.
func (s *session) kept() string { return s.opened.soFar().tokens.Kept() }

// keepSignIn returns what keeps a sign-in, nil for a site whose sign-in no keyring keeps.
func (s *session) keepSignIn(of settings, base *url.URL) func(context.Context, signin.Entry) (string, error) {
	if of.named.SignIn.Kind != sites.Keyring {
		return nil
	}
	o := s.signInOptions(of, base)
	return func(ctx context.Context, entry signin.Entry) (string, error) { return signin.Keep(ctx, o, entry) }
}

// renews reports whether another token may come for one that the site refuses.
func (s *session) renews() bool {
	of, err := s.settings()
	return err == nil && (of.token.Kind == sites.FromFile || s.slowSignIn(of))
}

// signInAdvice says how to get another token.
func (s settings) signInAdvice() string {
	switch how := s.token; {
	case s.signIn.from == "--token-file":
		return "Write a new token into the file given with --token-file."
	case how.Kind == sites.FromFile:
		return "Write a new token into " + plain.Line(how.File) + "."
	case how.Kind == sites.Environment:
		return "Put a new token into " + plain.Line(how.Variable) + "."
	case how.Kind == sites.Command:
		return "Run the command for tokens by hand: " + s.signIn.from + "."
	case how.Kind == sites.Keyring:
		return "Sign in: {command:login}"
	case s.named.Name != "":
		return "Put a token into " + envToken + ", or give the site a signIn in config.yaml; the dashboard asks for user and password."
	}
	return "Put a token into " + envToken + ", or into a file for --token-file; the dashboard asks for user and password."
}
