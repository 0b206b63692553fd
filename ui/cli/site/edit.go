package site

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	if err != nil {
		return session.BadSites(err)
	}
	switch {
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
	if err := sites.Change(path, site, keys); err != nil {
		return session.BadSites(err)
	}
	file, err := s.Session.SitesFile()
	if err == nil {
		site, err = file.Site(name)
	}
	if err != nil {
		return session.BadSites(err)
	}
	s.Out.Note(notice)
	return s.done(name, "set "+strings.Join(keys, ", ")+" of "+name+" in "+plain.Line(file.Path()), s.next(site))
}

// editedJSON is what became of the file in an editor.
type editedJSON struct {
	Config  string `json:"config"`
	Changed bool   `json:"changed"`
}

// editFile opens a copy of the file in the user's editor.
func (s commands) editFile(ctx context.Context, path, name string) error {
	before, err := sites.Content(path)
	if errors.Is(err, fs.ErrNotExist) {
		return exit.BadInput(session.AdviceAdd, fmt.Errorf("there is no file %s yet", plain.Line(path)))
	}
	line := 0
	if err == nil {
		line, err = s.lineOf(name)
	}
	if err != nil {
		return session.BadSites(err)
	}
	if err := s.NoEditor(); err != nil {
		return exit.BadInputf("%w; nothing was changed", err)
	}
	folder, err := os.MkdirTemp(filepath.Dir(path), ".edit-") // private
	if err != nil {
		return exit.New(exit.Failed, "", err)
	}
	text := filepath.Join(folder, filepath.Base(path))
	if err := os.WriteFile(text, before, 0o600); err != nil {
		return exit.New(exit.Failed, "", err)
	}
	changed, err := s.editUntilValid(ctx, path, text, line, before)
	if _, is := errors.AsType[*sites.Error](err); is {
		err = session.BadSites(err)
	}
	if now, unread := os.ReadFile(text); err != nil && unread == nil && !bytes.Equal(now, before) {
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
	case !changed:
		return s.Out.PrintLine("done: nothing was changed")
	}
	return s.Out.PrintLines("done: replaced " + path)
}

// lineOf is the line of the file that names a site, or where the file is wrong; else the first.
func (s commands) lineOf(name string) (int, error) {
	file, err := s.Session.SitesFile()
	if wrong, is := errors.AsType[*sites.Error](err); is {
		return wrong.Line, nil
	}
	if err != nil || name == "" {
		return 1, err
	}
	site, err := file.Site(name)
	return site.Lines["url"] - 1, err
}

// editUntilValid runs the editor until it leaves a text without a mistake, which replaces the file. On
// a terminal the user can go back to the editor; otherwise the first mistake ends it.
func (s commands) editUntilValid(ctx context.Context, path, text string, line int, before []byte) (changed bool, err error) {
	ask := command.NewPrompter(s.Env)
	for {
		if _, err := s.RunEditor(operation.EditorOn(text, line, s.Session.Env)); err != nil {
			return false, exit.BadInputf("%w; nothing was changed", err)
		}
		after, err := os.ReadFile(text)
		if err != nil {
			return false, exit.BadInputf("the file that the editor saved cannot be read: %w; nothing was changed", err)
		}
		if bytes.Equal(after, before) {
			return false, nil
		}
		err = sites.Replace(path, before, after)
		wrong, is := errors.AsType[*sites.Error](err)
		if err == nil || ask == nil || !is || wrong.Line == 0 {
			return true, err
		}
		s.Out.Note(wrong.Error() + ". " + wrong.Advice)
		answer, err := ask.Ask(ctx, "Press enter to go back to the editor, or type leave:")
		if err == nil && answer != "" {
			err = command.LeftUnsent()
		}
		if err != nil {
			return false, err
		}
		line = wrong.Line
	}
}
