package cli

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/signin"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/files"
	"geodeck/ui/cli/session"
)

// tokenOptions are the flags of "geodeck token".
type tokenOptions struct {
	out  files.Out
	life time.Duration
}

func (c *loginCommands) tokenCommand() *cobra.Command {
	var o tokenOptions
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Sign in, and print the token or write it into a private file",
		Long: `Sign in, and print the token or write it into a private file: for machines without a keyring,
and for scripts. The site checks the password; nothing but the file of --out keeps anything.

The password is asked on the terminal, or read as one line from a pipe. --oauth prints an
address to sign in at, and takes the code from there. A token cannot be renewed: get another
one before it ends. The site may let it end sooner than --expires says. It is taken from
geodeck only: another program has to send the header "Referer: geodeck" with it.`,
		Example: `  geodeck token --site staging --user siteadmin --out ~/.config/geodeck/staging.token
  GEODECK_TOKEN=$(pass show gis | geodeck token --user siteadmin --expires 1h) &&
    export GEODECK_TOKEN && geodeck health run`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.runToken(cmd.Context(), o) },
	}
	set := cmd.Flags()
	set.StringVar(&c.user, "user", "", "who signs in (default user of the site)")
	set.BoolVar(&c.oauth, "oauth", false, "sign in at an address, for a site with a clientId")
	set.DurationVar(&o.life, "expires", loginLife, "how long the token is to be valid, such as 30m or 12h")
	o.out.Register(set, "file to write, which only you can read (default the standard output, also -)")
	return cmd
}

// tokenJSON is a token, or the file that it was written into.
type tokenJSON struct {
	Token   string     `json:"token,omitzero"`
	File    string     `json:"file,omitzero"`
	User    string     `json:"user"`
	Expires *time.Time `json:"expires"` // null where the site does not say
}

func (c *loginCommands) runToken(ctx context.Context, o tokenOptions) error {
	if o.life < time.Minute {
		return exit.BadInputf("--expires takes one minute or more, such as 30m or 12h")
	}
	if err := o.out.CheckPrinted(); err != nil {
		return err
	}
	of := c.Session.Again(session.Variant{Unsigned: true})
	site, notice, err := of.Open(ctx)
	if err != nil {
		return err
	}
	c.Session.Say(notice)
	c.Out.About = of.About
	s, err := of.Settings()
	if err != nil {
		return err
	}
	entry := signin.Entry{User: cmp.Or(strings.TrimSpace(c.user), s.User.Value)}
	if c.oauth {
		entry, err = c.byCode(ctx, site.Client, s, o.life)
	} else {
		err = c.byPassword(ctx, site.Client, &entry, o.life)
	}
	if errors.Is(err, adminapi.KindSignIn) {
		return exit.New(exit.SignIn, "Try again. A site locks the account of who is wrong a few times.", err)
	}
	if err != nil {
		return err
	}
	return c.giveToken(entry, o)
}

// giveToken prints the token, or writes it and says how it is used.
func (c *loginCommands) giveToken(entry signin.Entry, o tokenOptions) error {
	body := tokenJSON{User: entry.User, Token: entry.Token.Reveal(), Expires: entry.Expires.Moment()}
	if o.out.Printed() {
		if c.Out.JSON() {
			return c.Out.PrintValue(body)
		}
		c.Out.Note(ends(entry.Expires))
		return c.Out.PrintLine(body.Token)
	}
	path, err := o.out.Write([]byte(body.Token + "\n"))
	if err != nil {
		return err
	}
	if c.Out.JSON() {
		body.Token, body.File = "", path
		return c.Out.PrintValue(body)
	}
	c.Out.Note("signed in" + plain.Joined(" as ", plain.Line(entry.User)))
	c.Out.Note("written to " + plain.Line(path) + ". " + ends(entry.Expires))
	c.Out.Note("next: {command:whoami --token-file " + plain.ShellWord(path) + "}")
	return nil
}
