package fleet

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/exit"
	healthcmd "geodeck/ui/cli/health"
	"geodeck/ui/cli/session"
)

func (f *commands) compareCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "compare SITE OTHER",
		Short: "Compare the newest health reports of two sites",
		Long: `Compare the newest health reports of two sites of config.yaml. What is new is what
fails at the second site and does not at the first one.`,
		Example: "  geodeck fleet compare staging production",
		Args:    cobra.ExactArgs(2),

		ValidArgsFunction: f.SiteNames,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.compare(cmd.Context(), args) },
	}
}

func (f *commands) compare(ctx context.Context, names []string) error {
	all, _, err := f.sites()
	if err != nil {
		return err
	}
	var reports [2]adminapi.Report
	for i, name := range names {
		report, err := f.newest(ctx, all, name)
		if err != nil {
			return err
		}
		reports[i] = report
	}
	c := health.Compare(reports[0], reports[1])
	if f.Out.JSON() {
		return f.Out.PrintValue(fleetComparison{names[0], names[1], c.JSON()})
	}
	c.Before.Name, c.After.Name = names[0]+": "+c.Before.Name, names[1]+": "+c.After.Name
	return healthcmd.PrintComparison(f.Out, c)
}

// fleetComparison is a comparison in JSON.
type fleetComparison struct {
	Site       string                `json:"site"`
	Other      string                `json:"other"`
	Comparison health.ComparisonJSON `json:"comparison"`
}

// newest fetches the newest report of a site.
func (f *commands) newest(ctx context.Context, all *session.Session, name string) (adminapi.Report, error) {
	if _, err := all.Settings(); err != nil {
		return adminapi.Report{}, err
	}
	file, err := all.SitesFile()
	if err != nil {
		return adminapi.Report{}, err
	}
	named, err := file.Site(name)
	if err != nil {
		return adminapi.Report{}, session.BadSites(err)
	}
	of := f.Exit.Alone(all.Of(named.Name, session.Variant{}), f.Out)
	failed := func(err error) error {
		known := of.Explain(err)
		known.Err = fmt.Errorf("%s: %w", named.Name, known.Err)
		return known
	}
	site, err := of.Session.Site(ctx)
	if err != nil {
		return adminapi.Report{}, failed(err)
	}
	defer site.Client.CloseIdleConnections()
	report, err := site.Reports().Newest(ctx)
	switch {
	case err != nil:
		return adminapi.Report{}, failed(err)
	case report == nil:
		return adminapi.Report{}, failed(exit.BadInput("Run one: {command:health run --site "+plain.ShellWord(named.Name)+"}",
			errors.New("no report yet")))
	}
	return *report, nil
}
