package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
)

func (p *program) healthCommand() *cobra.Command {
	return group("health", "Run health checks and read their reports",
		p.healthSuitesCommand(), p.healthRunCommand(), p.healthReportsCommand(),
		p.healthReportCommand(), p.healthOpenCommand(), p.healthCompareCommand(), p.healthExportCommand())
}

func (p *program) healthSuitesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "suites",
		Short: "List the suites of tests that the site offers",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return p.healthSuites(cmd.Context()) },
	}
}

func (p *program) healthSuites(ctx context.Context) error {
	site, err := p.connect()
	if err != nil {
		return err
	}
	suites, err := site.Client.Suites(ctx)
	if err != nil {
		return err
	}
	if p.json() {
		return printList(p, suites)
	}
	l := p.appearance()
	rows := make([][]cell, len(suites))
	for i, suite := range suites {
		rows[i] = l.words(suite.ID, suite.Name, strconv.Itoa(len(suite.Critical)), strconv.Itoa(len(suite.General)), whoRuns(suite))
	}
	return p.printTable([]string{"ID", "NAME", "CRITICAL", "GENERAL", "RUN BY"}, rows)
}

func whoRuns(suite adminapi.Suite) string {
	if suite.SystemOnly {
		return "the platform only"
	}
	return "anyone with the privilege"
}
