package cli

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/signin"
	"geodeck/adminapi/sites"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/files"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/session"
)

// loginCommands are login, logout and whoami.
type loginCommands struct {
	command.Env
	user         string
	token, oauth bool
}

// For how long a sign-in asks: a working day for a token, two weeks for its renewal by OAuth.
// The site may grant less.
const (
	loginLife = 8 * time.Hour
	oauthLife = 14 * 24 * time.Hour
	maxSecret = 64 << 10 // bytes
)

func (c *loginCommands) login() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "login",
		Short: "Sign in, and keep it in the system's keyring",
		Long: `Sign in to a site whose signIn in config.yaml is keyring. The site checks the password
before the system's keyring keeps it, with the token. Nothing is kept in a plain file.

The password is asked on the terminal, or read as one line from a pipe. --with-token takes
a token in its place. --oauth prints an address to sign in at, and takes the code from there.`,
		Example: `  geodeck login --site staging --user siteadmin
  geodeck login --site production --oauth
  vault read -field=token gis/staging | geodeck login --site staging --with-token`,
		Args: cobra.NoArgs,
		RunE: command.Runs(c.runLogin),
	}
	set := cmd.Flags()
	set.StringVar(&c.user, "user", "", "who signs in (default user of the site)")
	set.BoolVar(&c.oauth, "oauth", false, "sign in at an address, for a site with a clientId")
	set.BoolVar(&c.token, "with-token", false, "read a token in place of a password")
	cmd.MarkFlagsMutuallyExclusive("oauth", "with-token")
	return cmd
}

func (c loginCommands) logout() *cobra.Command {
	return command.Verb("logout", "Remove the sign-in of a site from the system's keyring", cobra.NoArgs,
		command.Runs(c.runLogout))
}

func (c loginCommands) whoami() *cobra.Command {
	return command.Verb("whoami", "Say who is signed in, until when, and where that is kept", cobra.NoArgs,
		c.OnSite(c.runWhoami))
}

// keyring makes the site, and returns how the keyring keeps its sign-in.
func (c loginCommands) keyring(ctx context.Context) (client *adminapi.Client, s session.Settings, o signin.Options, err error) {
	site, notice, err := c.Session.Open(ctx)
	if err != nil {
		return nil, s, o, err
	}
	c.Session.Say(notice)
	if s, err = c.Session.Settings(); err != nil {
		return nil, s, o, err
	}
	o = c.Session.SignInOptions(s, site.Client.Base())
	if s.Named.SignIn.Kind != sites.Keyring {
		advice := "Give the site in config.yaml the line: signIn: keyring\nFor a token that is kept nowhere: {command:token}"
		if none := o.Keyring.Available(); none != nil { // the way that works here
			return nil, s, o, exit.BadInput(c.Session.WithoutKeyring(),
				errors.New("the sign-in of this site is not kept in the keyring, and this machine has none"))
		}
		if name := s.Named.Name; name != "" {
			advice = "It needs signIn: keyring, by {command:site edit " + plain.ShellWord(name) + " --sign-in keyring}\nFor a token in a file: {command:token --out FILE}"
		}
		return nil, s, o, exit.BadInput(advice, errors.New("the sign-in of this site is not kept in the keyring"))
	}
	if err := o.Keyring.Available(); err != nil {
		return nil, s, o, &exit.Failure{Code: exit.Failed, Kind: "no keyring", Err: err, Advice: c.Session.WithoutKeyring()}
	}
	return site.Client, s, o, nil
}

func (c *loginCommands) runLogin(ctx context.Context) error {
	client, s, o, err := c.keyring(ctx)
	if err != nil {
		return err
	}
	entry := signin.Entry{User: cmp.Or(strings.TrimSpace(c.user), s.User.Value)}
	switch {
	case c.oauth:
		entry, err = c.byCode(ctx, client, s, oauthLife)
	case c.token:
		entry, err = c.byToken(ctx, client)
	default:
		err = c.byPassword(ctx, client, &entry, loginLife)
	}
	if err != nil {
		return err
	}
	where, err := signin.Keep(ctx, o, entry)
	if err != nil {
		return &exit.Failure{Code: exit.Failed, Kind: "not kept", Advice: c.Session.WithoutKeyring(),
			Err: fmt.Errorf("the site accepted the sign-in, but it is not kept: %w", err)}
	}
	lasts := "It is renewed by itself."
	if entry.Password == "" && entry.Refresh == "" {
		lasts = "It cannot be renewed."
	}
	return c.Out.PrintLines("Signed in"+plain.Joined(" as ", plain.Line(entry.User))+".", "Kept in "+where+". "+ends(entry.Expires)+" "+lasts)
}

// ends says when a token ends.
func ends(at adminapi.Millis) string {
	if at.IsZero() {
		return "When the token ends is not known."
	}
	return "The token ends at " + at.Time().Local().Format("2006-01-02 15:04 -0700") + "."
}

func (c loginCommands) byPassword(ctx context.Context, client *adminapi.Client, entry *signin.Entry, life time.Duration) (err error) {
	if entry.User == "" {
		if _, asks := output.Terminal(c.In); !asks {
			return exit.BadInput("Name the user with --user.", errors.New("it is not known who signs in"))
		}
		var user secrets.Secret
		if user, err = c.line(ctx, "User: ", true); err != nil {
			return err
		}
		entry.User = user.Reveal()
	}
	if entry.Password, err = c.line(ctx, "Password: ", false); err != nil {
		return err
	}
	token, err := client.Session.SignIn(ctx, entry.User, entry.Password, life)
	entry.Token, entry.Expires = token.Value, token.Expires
	return err
}

func (c loginCommands) byToken(ctx context.Context, client *adminapi.Client) (entry signin.Entry, err error) {
	text, err := c.line(ctx, "Token: ", false)
	if err != nil {
		return entry, err
	}
	token, err := signin.ParseToken(text.Reveal())
	if err != nil {
		return entry, exit.BadInputf("the line %w", err)
	}
	client.Session.SetToken(token)
	if _, err := client.Reach(ctx); err != nil {
		return entry, err
	}
	if client.Session.Token().Value != token.Value { // what is kept was renewed in its place
		return entry, exit.New(exit.SignIn, "", errors.New("the site refused this token"))
	}
	entry.Token = token.Value
	if self, err := client.Session.Self(ctx); err == nil {
		entry.User = self.Username
	}
	return entry, nil
}

func (c loginCommands) byCode(ctx context.Context, client *adminapi.Client, s session.Settings, life time.Duration) (entry signin.Entry, err error) {
	id := s.ClientID.Value
	if id == "" {
		return entry, exit.BadInput("Register geodeck at the site, and give the site in config.yaml its clientId.",
			errors.New("this site has no clientId for OAuth"))
	}
	verifier := secrets.Secret(rand.Text() + rand.Text())
	c.Out.Note("Sign in at this address, then enter the code here:\n" +
		client.Session.AuthorizeAddress(id, verifier, life))
	code, err := c.line(ctx, "Code: ", false)
	if err != nil {
		return entry, err
	}
	grant, err := client.Session.ExchangeCode(ctx, id, verifier, code)
	return signin.Entry{User: grant.User, Token: grant.Token.Value, Expires: grant.Token.Expires,
		Refresh: grant.Refresh}, err
}

// line asks for a line on the terminal, shown or not as it is typed, or reads one from a pipe.
func (c loginCommands) line(ctx context.Context, prompt string, shown bool) (secrets.Secret, error) {
	read, restore := func() ([]byte, error) {
		return bufio.NewReader(io.LimitReader(c.In, maxSecret+2)).ReadBytes('\n')
	}, func() {}
	if fd, asks := output.Terminal(c.In); asks {
		fmt.Fprint(c.Out.Err, prompt)
		if before, err := term.GetState(fd); err == nil && !shown {
			restore = func() {
				_ = term.Restore(fd, before)
				fmt.Fprintln(c.Out.Err)
			}
			read = func() ([]byte, error) { return term.ReadPassword(fd) }
		}
	}
	line, err := files.Until(ctx, read)
	restore()
	text := strings.TrimRight(string(line), "\r\n")
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil && !errors.Is(err, io.EOF):
		return "", err
	case text == "" || len(text) > maxSecret:
		what := strings.ToLower(strings.TrimSuffix(prompt, ": "))
		return "", exit.BadInput("Enter it on the terminal, or as one line of a pipe.", errors.New("no "+what+" was given"))
	}
	return secrets.Secret(text), nil
}

func (c loginCommands) runLogout(ctx context.Context) error {
	_, _, o, err := c.keyring(ctx)
	if err != nil {
		return err
	}
	entry, err := signin.Forget(ctx, o)
	if errors.Is(err, signin.ErrNoEntry) {
		return c.Out.PrintLine("The keyring holds nothing for this site.")
	}
	if err != nil {
		return &exit.Failure{Code: exit.Failed, Kind: "not removed", Err: err}
	}
	return c.Out.PrintLines("Removed from the system's keyring.", ends(entry.Expires)+" Until then the site takes it.")
}

// signedInJSON is who is signed in, for scripts.
type signedInJSON struct {
	Username   string     `json:"username"`
	FullName   string     `json:"fullName"`
	Role       string     `json:"role"`
	Privileges []string   `json:"privileges"` // empty where the site does not say
	Expires    *time.Time `json:"expires"`    // of the token; null if not known
	Kept       string     `json:"kept"`
}

func (c loginCommands) runWhoami(ctx context.Context, site operation.Site, _ string) error {
	if _, err := site.Client.Reach(ctx); err != nil { // also sites that do not say who it is
		return err
	}
	self, err := site.Client.Session.Self(ctx)
	if errors.Is(err, adminapi.KindSignIn) {
		return err
	}
	s, err := c.Session.Settings()
	if err != nil {
		return err
	}
	body := signedInJSON{
		Username: self.Username, FullName: self.FullName,
		Role: self.Role, Privileges: self.Privileges,
		Expires: site.Client.Session.Token().Expires.Moment(), Kept: c.Session.Kept(),
	}
	c.Out.Note(s.Which)
	if c.Out.JSON() {
		return c.Out.PrintValue(body)
	}
	l := c.Out.Renderer()
	privileges := cmp.Or(strings.Join(body.Privileges, ", "), "not known")
	return c.Out.PrintRows([][]output.Cell{
		l.Row("site", cmp.Or(s.Named.Name, site.Client.Base().String())), l.Row("user", cmp.Or(body.Username, "not known")),
		l.Row("name", cmp.Or(body.FullName, "-")), l.Row("role", cmp.Or(body.Role, "-")),
		l.Row("privileges", privileges), l.Row("session", ends(site.Client.Session.Token().Expires)), l.Row("kept", body.Kept),
	})
}
