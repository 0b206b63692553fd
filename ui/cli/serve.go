package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi/simulator"
)

func (p *program) serveCommand() *cobra.Command {
	var w world
	var address string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Offer the simulated platform to curl, scripts and rehearsals",
		Long: `Offer the simulated platform on this machine until it is interrupted.

One line on the standard output says where it is and who can sign in, as text or
with -o json.`,
		Example: `  geodeck serve --scenario degraded
  geodeck serve -o json > site.json &`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context(), &w, address) },
	}
	w.register(cmd)
	cmd.Flags().StringVar(&address, "listen", "127.0.0.1:0", "address of this machine to serve on; port 0 takes a free one")
	return cmd
}

// offer is the line that serve prints.
type offer struct {
	URL      string           `json:"url"`
	TokenURL string           `json:"tokenUrl"`
	Users    []simulator.User `json:"users"`
}

// serve runs until ctx ends, which is its good end.
func (p *program) serve(ctx context.Context, w *world, address string) error {
	server, err := w.start(address)
	if err != nil {
		return err
	}
	if err := p.printOffer(offer{URL: server.URL(), TokenURL: server.TokenURL(), Users: server.Users()}); err != nil {
		_ = server.Close()
		return err
	}
	<-ctx.Done()
	return server.Close()
}

func (p *program) printOffer(o offer) error {
	if p.json() {
		p.flags.output = outputJSONL // one line, whatever the form
		return p.printValue(o)
	}
	users := make([]string, len(o.Users))
	for i, user := range o.Users {
		users[i] = user.Username + " / " + user.Password
	}
	_, err := fmt.Fprintf(p.Out, "Simulated platform at %s, tokens at %s, users: %s. Ctrl+C ends it.\n",
		o.URL, o.TokenURL, strings.Join(users, ", "))
	return err
}
