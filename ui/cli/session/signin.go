package session

import (
	"context"
	"net/url"
	"path/filepath"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/signin"
	"geodeck/adminapi/sites"
	"geodeck/ui/cli/exit"
)

// Source returns where the token of the site comes from.
func (s *Session) Source(of Settings, base *url.URL) (signin.Source, error) {
	o := s.SignInOptions(of, base)
	if how := of.token; how.Kind != "" && !(s.as.quiet && how.Kind == sites.Command) {
		o.Kind, o.File, o.Variable, o.Command = how.Kind, how.File, how.Variable, how.Command
	}
	return signin.New(o)
}

// SignInOptions are those of a site that the user is asked for, with what the keyring needs.
func (s *Session) SignInOptions(of Settings, base *url.URL) signin.Options {
	site, keyring := journal.SiteOf(base), signin.NewKeyring(s.from.Env, nil, s.from.Keyring)
	keyring.Quiet = s.as.quiet
	return signin.Options{
		Kind: sites.Ask, Env: s.from.Env, Note: s.Say, Clock: s.from.Clock,
		Keyring: keyring, Site: site, User: of.User.Value,
		ClientID: of.ClientID.Value,
		Portal:   func() *adminapi.Session { return s.opened.soFar().Client.Session },
		Lock: func(ctx context.Context) (func(), error) {
			folder, err := s.StateFolder()
			if err != nil {
				return nil, err
			}
			return journal.LockSite(ctx, folder, site, "signin", journal.WithFiles(s.from.Disk))
		},
	}
}

// addToken lets the client renew its token, and gives it the one that a file or the
// environment holds. Without one the site refuses the first request.
func (s *Session) addToken(ctx context.Context, cfg *adminapi.Config, of Settings, base *url.URL) (signin.Source, error) {
	if s.as.Unsigned {
		of.token = sites.SignIn{Kind: sites.Ask}
	}
	tokens, err := s.Source(of, base)
	if err != nil {
		return nil, err
	}
	if s.as.quiet {
		cfg.Token, err = tokens.Token(ctx)
		return tokens, err
	}
	cfg.Renew = tokens.Renew
	cfg.RenewEarly = of.ofProgram()
	cfg.RenewFailed = func(err error) { s.Say("the sign-in ends soon and could not be renewed: " + err.Error()) }
	if !s.slowSignIn(of) {
		cfg.Token, err = tokens.Token(ctx)
	}
	return tokens, err
}

// slowSignIn reports whether the token comes from a program that may take long to answer.
func (s *Session) slowSignIn(of Settings) bool { return s.as.among || of.ofProgram() }

// ofProgram reports whether another program has the token.
func (s Settings) ofProgram() bool {
	return s.token.Kind == sites.Keyring || s.token.Kind == sites.Command
}

// SignIn gets the token of a keyring or a command.
func (s *Session) SignIn(ctx context.Context) error {
	of, err := s.Settings()
	opened := s.opened.soFar()
	if err != nil || !s.slowSignIn(of) || opened.Client.Session.Token().Known() {
		return err
	}
	token, err := opened.tokens.Token(ctx)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		advice := s.SignInAdvice(of)
		if signin.WithoutKeyring(err) {
			advice = s.WithoutKeyring()
		}
		return exit.New(exit.SignIn, advice, err)
	}
	if token.Known() {
		opened.Client.Session.SetToken(token)
	}
	return nil
}

// Kept says where the token of the site, which is open, is kept.
func (s *Session) Kept() string { return s.opened.soFar().tokens.Kept() }

// KeepSignIn returns what keeps a sign-in, nil for a site whose sign-in no keyring keeps.
func (s *Session) KeepSignIn(of Settings, base *url.URL) func(context.Context, signin.Entry) (string, error) {
	if of.Named.SignIn.Kind != sites.Keyring {
		return nil
	}
	o := s.SignInOptions(of, base)
	return func(ctx context.Context, entry signin.Entry) (string, error) { return signin.Keep(ctx, o, entry) }
}

// NoKeyring says why this machine keeps no sign-in in a keyring, nil where it may. It asks no keyring.
func (s *Session) NoKeyring() error {
	return signin.NewKeyring(s.from.Env, nil, s.from.Keyring).Available()
}

// WithoutKeyring says how to sign in on a machine whose keyring is missing, or does not take the sign-in.
func (s *Session) WithoutKeyring() string {
	of, err := s.Settings()
	name := of.Named.Name
	if err != nil || name == "" {
		return "For a token in a file: {command:token --out FILE}"
	}
	return s.InFile(name)
}

// InFile says how the token of a site of config.yaml is kept in a file.
func (s *Session) InFile(name string) string {
	config, _ := s.SitesPath() // it is known: the site is from there
	path, word := plain.ShellWord(filepath.Join(filepath.Dir(config), name+".token")), plain.ShellWord(name)
	return "Write a token into a file: {command:token --out " + path + " --site " + word + "}\n" +
		"Then use that file: {command:site edit " + word + " --sign-in file=" + path + "}"
}

// Renews reports whether another token may come for one that the site refuses.
func (s *Session) Renews() bool {
	of, err := s.Settings()
	return err == nil && (of.token.Kind == sites.FromFile || s.slowSignIn(of))
}

// SignInAdvice says how to get another token in a way that works on this machine.
func (s *Session) SignInAdvice(of Settings) string {
	if of.token.Kind == sites.Keyring && s.NoKeyring() != nil {
		return s.WithoutKeyring()
	}
	return of.signInAdvice()
}

func (s Settings) signInAdvice() string {
	switch how := s.token; {
	case s.signIn.From == "--token-file":
		return "Write a new token into the file given with --token-file: {command:token --out FILE --force}"
	case how.Kind == sites.FromFile:
		return "Write a new token into the file: {command:token --out " + plain.ShellWord(how.File) + " --force}"
	case how.Kind == sites.Environment:
		return "Put a new token into " + plain.Line(how.Variable) + "."
	case how.Kind == sites.Command:
		return "Run the command for tokens by hand: " + s.signIn.From + "."
	case how.Kind == sites.Keyring:
		return "Sign in: {command:login}"
	case s.Named.Name != "":
		return "Put a token into " + EnvToken + ", or give the site a signIn in config.yaml; the dashboard asks for user and password.\nGet a token: {command:token}"
	}
	return "Put a token into " + EnvToken + ", or into a file for --token-file; the dashboard asks for user and password.\nGet a token: {command:token}"
}
