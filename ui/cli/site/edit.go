package site

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/sites"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/session"
)

// keysOf are the keys of a site by the flags that say them.
var keysOf = map[string]string{
	"url": "url", "production": "production", "read-only": "readOnly", "user": "user", "sign-in": "signIn", "client-id": "clientId",
	"auth-header": "authHeader", "ca": "ca", "client-cert": "clientCert", "client-key": "clientKey", "proxy": "proxy",
	"insecure": "insecure", "nodes": "nodes", "nodes-command": "nodes", "alarms": "alarms", "hook": "hook", "poll": "poll",
}

func (s commands) editCommand() *cobra.Command {
	var n newSite
	cmd := &cobra.Command{
		Use:   "edit [NAME]",
		Short: "Change a site of config.yaml, by flags or in your editor",
		Long: `Change a site of config.yaml. The site is not contacted.

Flags change what they say; comments, order and all else stay. An empty value, such as
--proxy "", removes the key. Without flags $VISUAL or $EDITOR opens the whole file, at the
site. What you save is checked, and replaces the file only where nothing is wrong with it;
else the line is named, and the file stays.`,
		Example: `  geodeck site edit staging --url https://gis-new.example.org/context/admin
  geodeck site edit staging --sign-in file=/home/me/.config/geodeck/staging.token
  geodeck site edit`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: s.SiteArgument,
		RunE:              func(cmd *cobra.Command, args []string) error { return s.edit(cmd, command.First(args), n) },
	}
	n.register(cmd)
	return cmd
}

func (s commands) edit(cmd *cobra.Command, name string, n newSite) error {
	flags := s.Session.Flags()
	if flags.Site != "" || len(flags.Unlock) > 0 || flags.TokenFile != "" {
		return exit.BadInputf("leave out --site, --unlock and --token-file: the argument names the site")
	}
	var keys []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if key := keysOf[f.Name]; key != "" {
			keys = append(keys, key)
		}
	})
	slices.Sort(keys)
	path, err := s.Session.SitesPath()
	switch {
	case err != nil:
		return session.BadSites(err)
	case len(keys) == 0:
		return s.editFile(cmd.Context(), path, name)
	case name == "":
		return exit.BadInput("List the sites: {command:site list}", errors.New("name the site whose "+strings.Join(keys, ", ")+" is to change"))
	}
	site, err := n.from(cmd, name, flags)
	if err != nil {
		return err
	}
	notice := baseOf(&site)
	before, _ := sites.Read(path, s.Session.Options().Config) // what is wrong with it is told by the change
	if err := sites.Change(path, site, keys, s.Session.Options().Config); err != nil {
		return session.BadSites(err)
	}
	s.Out.Note(notice)
	if file, err := s.Session.SitesFile(); err == nil {
		s.noteLocked(before, file, name)
	}
	next := ""
	if slices.Contains(keys, "signIn") {
		next = s.next(site)
	}
	return s.done(name, "set "+strings.Join(keys, ", ")+" of "+name+" in "+plain.Line(path), next)
}

// editedJSON is what became of the file in an editor.
type editedJSON struct {
	Config  string `json:"config"`
	Changed bool   `json:"changed"`
}

// editFile opens a copy of the file in the user's editor, at a site, and replaces the file by it. A copy
// with a mistake stays.
func (s commands) editFile(ctx context.Context, path, name string) error {
	before, err := sites.Content(path, s.Session.Options().Config)
	line := 1
	if file, wrong := s.Session.SitesFile(); err == nil && wrong == nil && name != "" { // a broken file is edited, too
		var site sites.Site
		site, err = file.Site(name)
		line = site.Lines["url"] - 1
	}
	if err != nil {
		return session.BadSites(err)
	}
	folder, err := os.MkdirTemp(filepath.Dir(path), ".edit-") // private
	if err != nil {
		return err
	}
	text := filepath.Join(folder, filepath.Base(path))
	if err := os.WriteFile(text, before, 0o600); err != nil {
		return err
	}
	after, err := s.editUntilValid(ctx, path, text, line, before)
	changed := !bytes.Equal(after, before)
	if err != nil && changed && len(after) > 0 {
		f := *s.Exit.Explain(err)
		f.Details = append(f.Details, "The file stays as it was; your text is in "+plain.Line(text)+".")
		return &f
	}
	_ = os.RemoveAll(folder)
	switch {
	case err != nil:
		return err
	case s.Out.JSON():
		return s.Out.PrintValue(editedJSON{path, changed})
	case changed:
		return s.Out.PrintLines("done: replaced " + path)
	}
	return s.Out.PrintLine("done: nothing was changed")
}

// editUntilValid runs the editor until it leaves a text without a mistake, which replaces the file, and
// returns the text. On a terminal the user can go back to the editor; otherwise the first mistake ends it.
func (s commands) editUntilValid(ctx context.Context, path, text string, line int, before []byte) (after []byte, _ error) {
	ask := command.NewPrompter(s.Env)
	for {
		_, err := s.RunEditor(operation.EditorOn(text, line, s.Session.Env))
		if errors.Is(err, command.ErrNoTerminal) {
			return before, exit.BadInput("Set EDITOR to one that needs none, or edit "+plain.Line(path), fmt.Errorf("%w; nothing was changed", err))
		}
		after, unread := os.ReadFile(text)
		if err = cmp.Or(err, unread); err != nil {
			return after, exit.BadInputf("%w; nothing was changed", err)
		}
		if bytes.Equal(after, before) {
			return after, nil
		}
		err = sites.Replace(path, before, after, s.Session.Options().Config)
		wrong, is := errors.AsType[*sites.Error](err)
		if !is {
			return after, err
		}
		if ask == nil || wrong.Line == 0 {
			return after, session.BadSites(err)
		}
		line = wrong.Line
		s.Out.Note(wrong.Error() + ". " + wrong.Advice)
		answer, err := ask.Ask(ctx, "Press enter to go back to the editor, or type leave:")
		if err == nil && answer != "" {
			err = command.LeftUnsent()
		}
		if err != nil {
			return after, err
		}
	}
}
