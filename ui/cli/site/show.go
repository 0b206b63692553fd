package site

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/session"
)

func (s commands) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show [NAME]",
		Short: "Print each setting of a site, and where it comes from",
		Long: `Print each setting of a site, and where it comes from: a flag, a variable of the
environment, a line of config.yaml, or the default. Without NAME it is the chosen site.
With NAME the settings are those of --site NAME.

The site is not contacted. Of a token it prints only whether it is set.`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: s.SiteArgument,
		RunE:              command.RunsOn(s.show),
	}
}

// shownJSON are the settings of a site, for scripts.
type shownJSON struct {
	Name     string          `json:"name"` // empty for one given by its address
	Config   string          `json:"config"`
	Locked   bool            `json:"locked"`
	Settings []session.Shown `json:"settings"`
}

func (s commands) show(_ context.Context, name string) error {
	given, of := s.Session.Flags(), s.Session
	if name != "" {
		if (given.Site != "" && given.Site != name) || given.URL != "" {
			return exit.BadInput("Leave out --site and --url.", session.ErrTwoSites)
		}
		of = of.Named(name)
	}
	return s.Exit.On(of).Explained(s.showSettings(of, name))
}

func (s commands) showSettings(of *session.Session, name string) error {
	chosen, err := of.Settings()
	if err != nil {
		return err
	}
	if chosen.URL.Value == "" {
		return exit.BadInput("List the sites: {command:site list}", session.ErrNoSite)
	}
	if name != "" {
		chosen.Site.From = "the argument"
	}
	s.Out.Note(chosen.Which)
	shown := shownJSON{Name: chosen.Named.Name, Config: of.FilePath(), Locked: chosen.Locked(),
		Settings: of.Explained(chosen)}
	if s.Out.JSON() {
		return s.Out.PrintValue(shown)
	}
	return output.PrintEach(s.Out, shown.Settings, []string{"SETTING", "VALUE", "FROM"},
		func(l *output.Renderer, one session.Shown) []output.Cell {
			return l.Row(one.Key, cmp.Or(one.Value, "-"), one.From)
		})
}
