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
	"geodeck/ui"
)

// demoTokenLife outlasts a demonstration.
const demoTokenLife = 24 * time.Hour

func (p *program) demoCommand() *cobra.Command {
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
				return p.printScenarios()
			}
			return p.demo(cmd.Context(), &w)
		},
	}
	w.register(cmd)
	p.alarms.register(cmd)
	p.nodes.register(cmd)
	return cmd
}

func (p *program) demo(ctx context.Context, w *world) (err error) {
	server, err := w.start("127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	nodes, err := p.shownNodes(operation.NodeSource{Demo: server.Nodes})
	if err != nil {
		return err
	}
	user := server.Users()[0]
	p.book = newBook(func() (*journal.Journal, error) { return journal.OpenThrowaway(journal.WithClock(server.Clock())) })
	site, err := p.demoSite(ctx, server, user)
	if err != nil {
		return err
	}
	p.site = site
	return p.show(ctx, ui.Options{
		Site: site, Name: "demo", Demo: true, User: user.Username, Clock: server.Clock(), Nodes: nodes,
		Notice: "a simulated platform; nothing real is asked or changed",
	})
}

// demoSite signs in to the simulated site with its own clock, and does so again
// where a scenario ends the sign-in: nobody was told a password.
func (p *program) demoSite(ctx context.Context, server *simulator.Server, user simulator.User) (operation.Site, error) {
	var client *adminapi.Client
	signIn := func(ctx context.Context) (adminapi.Token, error) {
		return client.SignIn(ctx, user.Username, adminapi.Secret(user.Password), demoTokenLife)
	}
	client, err := adminapi.New(adminapi.Config{
		Base: server.URL(), ReadOnly: p.flags.readOnly, Clock: server.Clock(), UserAgent: userAgent(), Renew: signIn,
		Observer: p.book,
	})
	if err != nil {
		return operation.Site{}, err
	}
	if _, err := signIn(ctx); err != nil {
		return operation.Site{}, err
	}
	return operation.Site{Client: client, Clock: server.Clock()}, nil
}
