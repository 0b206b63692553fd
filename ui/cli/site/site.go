// Package site has the commands of "geodeck site": the sites of config.yaml. None contacts a site.
//
// Start at [Command].
package site

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/sites"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/session"
)

// commands are the commands of "geodeck site". None contacts a site.
type commands struct{ command.Env }

// Command makes "geodeck site".
func Command(of command.Env) *cobra.Command {
	s := commands{of}
	return command.Group("site", "Name your sites in config.yaml, and choose one",
		command.Verb("list", "List the sites of config.yaml", cobra.NoArgs, command.Runs(s.list)),
		s.addCommand(), s.editCommand(), s.useCommand(), s.showCommand(), s.removeCommand(), s.schemaCommand())
}

// siteJSON is a site of config.yaml for scripts.
type siteJSON struct {
	Name       string `json:"name"`
	URL        string `json:"url"`
	Current    bool   `json:"current"`
	Production bool   `json:"production"`
	ReadOnly   bool   `json:"readOnly"`
	Locked     bool   `json:"locked"` // starts read-only
	SignIn     string `json:"signIn"` // keyring, ask, file, environment or command
}

func siteBody(site sites.Site, current string) siteJSON {
	return siteJSON{
		Name: site.Name, URL: site.URL, Current: site.Name == current, Production: site.Production, ReadOnly: site.ReadOnly,
		Locked: site.Locked(), SignIn: string(cmp.Or(site.SignIn.Kind, session.DefaultSignIn)),
	}
}

func (s commands) list(context.Context) error {
	file, err := s.Session.SitesFile()
	if err != nil {
		return err
	}
	all, current := file.Sites(), file.Current()
	if _, err := file.Site(current); current != "" && err != nil {
		s.Out.Note(fmt.Sprintf("warning: the current site %s is not in the file; choose another: {command:site use NAME}",
			plain.Clip(plain.Line(current), sites.MaxName)))
	}
	if len(all) == 0 && !s.Out.JSON() {
		return s.Out.PrintLines("There are no sites in "+cmp.Or(file.Path(), "config.yaml")+".",
			s.Session.Commands(session.AdviceAdd))
	}
	bodies := lists.Each(all, func(site sites.Site) siteJSON { return siteBody(site, current) })
	return output.PrintAll(s.Out, bodies, []string{"NAME", "CHOSEN", "STARTS", "SIGN-IN", "URL"},
		func(l *output.Renderer, site siteJSON) []output.Cell {
			chosen := "-"
			if site.Current {
				chosen = "current"
			}
			return l.Row(site.Name, chosen, startsAs(site), site.SignIn, site.URL)
		})
}

// startsAs says whether a site may be changed from the start.
func startsAs(site siteJSON) string {
	switch {
	case site.Production:
		return "read-only (production)"
	case site.ReadOnly:
		return "read-only"
	}
	return "writable"
}

func (s commands) useCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "use NAME",
		Short:             "Choose the site of the commands that name none",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: s.SiteArgument,
		RunE:              command.RunsOn(s.use),
	}
}

func (s commands) use(_ context.Context, name string) error {
	path, err := s.Session.SitesPath()
	if err == nil {
		err = sites.Use(path, name, s.Session.Options().Config)
	}
	if err != nil {
		return session.BadSites(err)
	}
	for _, variable := range []string{session.EnvSite, session.EnvURL} {
		if s.Session.Env(variable) != "" {
			s.Out.Note("warning: " + variable + " is set, and goes before it")
		}
	}
	return s.done(name, name+" is the current site", "")
}

// done says what became of a site of the file, and what comes next.
func (s commands) done(name, sentence, next string) error {
	if !s.Out.JSON() {
		if err := s.Out.PrintLine("done: " + sentence); err != nil || next == "" {
			return err
		}
		return s.Out.PrintLine("Next: " + next)
	}
	file, err := s.Session.SitesFile()
	if err != nil {
		return err
	}
	site, err := file.Site(name)
	if err != nil {
		return session.BadSites(err)
	}
	return s.Out.PrintValue(siteBody(site, file.Current()))
}

func (s commands) removeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a site from config.yaml",
		Long: `Remove a site from config.yaml, with the comments within its lines. What this machine has
recorded of the site stays, and so does what the keyring holds: the command says where.`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: s.SiteArgument,
		RunE:              command.RunsOn(s.remove),
	}
}

// removedJSON is a site that was removed.
type removedJSON struct {
	Removed siteJSON `json:"removed"`
	Records bool     `json:"records"` // of the site stay on this machine
	Keyring bool     `json:"keyring"` // may still hold its password or token
}

func (s commands) remove(_ context.Context, name string) error {
	file, err := s.Session.SitesFile()
	if err != nil {
		return err
	}
	site, err := file.Site(name)
	if err == nil {
		err = sites.Remove(file.Path(), name, s.Session.Options().Config)
	}
	if err != nil {
		return session.BadSites(err)
	}
	removed := removedJSON{Removed: siteBody(site, file.Current()), Keyring: site.SignIn.Kind == sites.Keyring}
	folder, _ := s.Session.StateFolder()
	if record, err := s.Session.RecordAt(site.URL); err == nil {
		removed.Records = record.Close() == nil
	}
	if s.Out.JSON() {
		return s.Out.PrintValue(removed)
	}
	if err := s.Out.PrintLine("done: removed " + name); err != nil {
		return err
	}
	if removed.Removed.Current {
		s.Out.Note("no site is the current one now; choose one: {command:site use NAME}")
	}
	if removed.Records {
		s.Out.Note("what was sent to it stays recorded in " + plain.Line(folder))
	}
	if removed.Keyring {
		s.Out.Note("the keyring may still hold its sign-in; remove that: " + operation.CommandText("logout --url", site.URL))
	}
	return nil
}

func (s commands) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of config.yaml, for editors",
		Example: `  geodeck site schema > ~/.config/geodeck/config.schema.json
  # and the first line of config.yaml: # yaml-language-server: $schema=config.schema.json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := s.Out.Out.Write(sites.Schema())
			return err
		},
	}
}

// Shapes are what these commands print as objects of ours.
func Shapes() output.Shapes {
	return output.Shapes{
		"site add":    {siteJSON{}},
		"site edit":   {siteJSON{}, editedJSON{}},
		"site list":   {[]siteJSON{}},
		"site remove": {removedJSON{}},
		"site show":   {shownJSON{}},
		"site use":    {siteJSON{}},
	}
}
