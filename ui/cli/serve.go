package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi/simulator"
)

func serveCommand(out *output) *cobra.Command {
	var w world
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Offer the simulated platform to curl, scripts and rehearsals",
		Long: `Offer the simulated platform on this machine until it is interrupted.

One line on the standard output says where it is and who can sign in, as text or
with -o json. The nodes of its cluster, which the API does not tell, are written into
a file before that line: --write-nodes, to rehearse geodeck placement.`,
		Example: `  geodeck serve --scenario degraded
  geodeck serve -o json > site.json &
  geodeck serve --write-nodes nodes.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if w.list {
				return printScenarios(out)
			}
			return serve(cmd.Context(), out, &w, o)
		},
	}
	w.register(cmd)
	cmd.Flags().StringVar(&o.address, "listen", "127.0.0.1:0", "address of this machine to serve on; port 0 takes a free one")
	cmd.Flags().StringVar(&o.nodes, "write-nodes", "", "new file for the nodes of the simulated cluster, as kubectl get nodes -o json prints them")
	return cmd
}

// offer is the line that serve prints.
type offer struct {
	URL      string           `json:"url"`
	TokenURL string           `json:"tokenUrl"`
	Users    []simulator.User `json:"users"`
}

// serveOptions are the flags of serve beside the world.
type serveOptions struct{ address, nodes string }

// serve runs until ctx ends, which is its good end.
func serve(ctx context.Context, out *output, w *world, o serveOptions) error {
	if err := checkNewFile(o.nodes, false, "Choose another name."); err != nil {
		return err
	}
	server, err := w.start(o.address)
	if err != nil {
		return err
	}
	if o.nodes != "" {
		if err := writeFile(o.nodes, server.Nodes()); err != nil {
			_ = server.Close()
			return err
		}
	}
	if err := printOffer(out, offer{URL: server.URL(), TokenURL: server.TokenURL(), Users: server.Users()}); err != nil {
		_ = server.Close()
		return err
	}
	<-ctx.Done()
	return server.Close()
}

func printOffer(out *output, o offer) error {
	if out.json() {
		return out.printEvent(o)
	}
	users := make([]string, len(o.Users))
	for i, user := range o.Users {
		users[i] = user.Username + " / " + user.Password
	}
	_, err := fmt.Fprintf(out.out, "Simulated platform at %s, tokens at %s, users: %s. Ctrl+C ends it.\n",
		o.URL, o.TokenURL, strings.Join(users, ", "))
	return err
}
