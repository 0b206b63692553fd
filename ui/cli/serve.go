package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"geodeck/adminapi/lists"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/simulator"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/files"
	"geodeck/ui/cli/output"
)

func serveCommand(out *output.Output) *cobra.Command {
	var w simulation
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the simulated platform to curl, scripts and rehearsals",
		Long: `Serve the simulated platform on this machine until it is interrupted.

One line on standard output has its URL and its users, as text or with -o json.
--write-nodes writes the nodes of its cluster to a file, to rehearse geodeck placement:
the API does not list them. --tls is for programs that speak https only;
--write-certificate writes the certificate that they have to trust.

--log writes every request and answer to a file, to compare with a real site. The file
has no tokens, passwords, licences or contents of files.`,
		Example: `  geodeck serve --scenario degraded
  geodeck serve -o json > site.json &
  geodeck serve --write-nodes nodes.json
  geodeck serve --tls --write-certificate site.pem
  geodeck serve --log exchanges.txt`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := w.refuse(cmd, "Leave it out, and give it to the commands that use the site.", "auth-header", "read-only"); err != nil {
				return err
			}
			if w.list {
				return printScenarios(out)
			}
			return serve(cmd.Context(), out, &w, o)
		},
	}
	w.register(cmd)
	set := cmd.Flags()
	set.StringVar(&o.address, "listen", "127.0.0.1:0", "address of this machine to serve on; port 0 picks a free one")
	set.StringVar(&o.nodes, "write-nodes", "", "new file for the nodes of the simulated cluster, in the form of kubectl get nodes -o json")
	set.BoolVar(&o.tls, "tls", false, "serve over https, with a new certificate each time")
	set.StringVar(&o.certificate, "write-certificate", "", "new file for that certificate, for --ca of other commands")
	set.StringVar(&o.log, "log", "", "new file for every request and answer, without secrets")
	return cmd
}

// siteAddress is the line that serve prints.
type siteAddress struct {
	URL      string           `json:"url"`
	TokenURL string           `json:"tokenUrl"`
	Users    []simulator.User `json:"users"`
}

// serveOptions are the flags of serve besides those of the simulation.
type serveOptions struct {
	address, nodes, certificate, log string
	tls                              bool
}

// serve runs until ctx ends. Ctrl+C is how a person ends it, and no error.
func serve(ctx context.Context, out *output.Output, w *simulation, o serveOptions) error {
	if o.certificate != "" && !o.tls {
		return exit.BadInput("Add --tls.", errors.New("--write-certificate is for a site over https"))
	}
	for _, name := range []string{o.nodes, o.certificate, o.log} {
		if err := files.CheckNew(name, false, "Choose another name."); err != nil {
			return err
		}
	}
	log, err := createExchangeFile(o.log, out.Err)
	if err != nil {
		return err
	}
	defer log.close()
	server, err := w.start(o.address, o.tls, log)
	if err != nil {
		return err
	}
	if err := o.writeFiles(server); err != nil {
		_ = server.Close()
		return err
	}
	if err := printAddress(out, siteAddress{URL: server.URL(), TokenURL: server.TokenURL(), Users: server.Users()}); err != nil {
		_ = server.Close()
		return err
	}
	<-ctx.Done()
	if err := server.Close(); err != nil {
		return err
	}
	if by := command.SignalIn(ctx); by != nil {
		return by
	}
	return nil
}

// writeFiles writes what users of the site need and its API does not tell.
func (o serveOptions) writeFiles(server *simulator.Server) error {
	if o.nodes != "" {
		if err := files.Write(o.nodes, server.Nodes()); err != nil {
			return err
		}
	}
	if o.certificate == "" {
		return nil
	}
	return files.Write(o.certificate, server.Certificate())
}

func printAddress(out *output.Output, o siteAddress) error {
	if out.JSON() {
		return out.PrintEvent(o)
	}
	users := lists.Each(o.Users, func(user simulator.User) string { return user.Username + " / " + user.Password })
	_, err := fmt.Fprintf(out.Out, "Simulated platform at %s, tokens at %s, users: %s. Ctrl+C ends it.\n",
		o.URL, o.TokenURL, strings.Join(users, ", "))
	return err
}

// start starts the simulated site.
func (w *simulation) start(address string, tls bool, log *exchangeFile) (*simulator.Server, error) {
	o, err := w.options()
	if err != nil {
		return nil, err
	}
	o.TLS = tls
	if log != nil {
		o.Exchanges = log
	}
	listener, err := simulator.Listen(address)
	if err != nil {
		err = fmt.Errorf("cannot serve on %s: %w", address, err)
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, err
		}
		return nil, exit.BadInput("Use an address of this machine, such as 127.0.0.1:0; port 0 picks a free one.", err)
	}
	return serveOn(listener, o)
}

// exchangeFile is the file of serve --log: only its owner can read it, and it holds whole
// exchanges alone. A full disk does not end the site.
type exchangeFile struct {
	file *os.File
	size int64
	errs io.Writer
	told bool // that it cannot be written
}

// createExchangeFile makes the file, which must be a new one; nil without a name.
func createExchangeFile(path string, errs io.Writer) (*exchangeFile, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, exit.BadInputf("--log: %w", err)
	}
	return &exchangeFile{file: file, errs: errs}, nil
}

func (f *exchangeFile) close() {
	if f != nil {
		_ = f.file.Close()
	}
}

// Write adds an exchange, or nothing of it. It is called by one at a time.
func (f *exchangeFile) Write(exchange []byte) (int, error) {
	n, err := f.file.WriteAt(exchange, f.size)
	if err == nil {
		f.size += int64(n)
		return n, nil
	}
	_ = f.file.Truncate(f.size)
	if !f.told {
		f.told = true
		fmt.Fprintf(f.errs, "geodeck: an exchange is missing from the log: %s. Serving continues.\n", plain.Line(err.Error()))
	}
	return 0, err
}
