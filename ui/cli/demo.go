package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator"
)

// demoTokenLife outlasts a demonstration.
const demoTokenLife = 24 * time.Hour

func demoCommand(dash *dashboard) *cobra.Command {
	var w world
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Open the dashboard on a simulated platform",
		Long: `Open the dashboard on a simulated platform in this process. Nothing real is
asked or changed.`,
		Example: `  geodeck demo
  geodeck demo --scenario degraded --speed 10`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if w.list {
				return printScenarios(dash.out)
			}
			return runDemo(cmd.Context(), dash, &w)
		},
	}
	w.register(cmd)
	dash.alarms.register(cmd)
	dash.nodes.register(cmd)
	return cmd
}

func runDemo(ctx context.Context, dash *dashboard, w *world) (err error) {
	server, err := w.start("127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	nodes, err := dash.nodes.forDashboard(operation.NodeSource{Demo: server.Nodes})
	if err != nil {
		return err
	}
	user := server.Users()[0]
	conn := dash.conn
	conn.journal = newLazyJournal(func() (*journal.Journal, error) { return journal.OpenThrowaway(journal.WithClock(server.Clock())) })
	if conn.opened, err = demoSite(ctx, conn, server, user); err != nil {
		return err
	}
	return dash.openDemo(ctx, conn.opened, user.Username, nodes)
}

// demoSite signs in to the simulated site with its own clock, and does so again
// where a scenario ends the sign-in: nobody was told a password.
func demoSite(ctx context.Context, conn *connection, server *simulator.Server, user simulator.User) (operation.Site, error) {
	var client *adminapi.Client
	signIn := func(ctx context.Context) (adminapi.Token, error) {
		return client.SignIn(ctx, user.Username, adminapi.Secret(user.Password), demoTokenLife)
	}
	client, err := adminapi.New(adminapi.Config{
		Base: server.URL(), ReadOnly: conn.readOnly, Clock: server.Clock(), UserAgent: userAgent(), Renew: signIn,
		Observer: conn.journal, Trace: conn.debug.trace(),
	})
	if err != nil {
		return operation.Site{}, err
	}
	if _, err := signIn(ctx); err != nil {
		return operation.Site{}, err
	}
	return operation.Site{Client: client, Clock: server.Clock()}, nil
}
