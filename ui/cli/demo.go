package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/spelling"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/files"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/session"
)

// demoTokenLife outlasts a demonstration.
const demoTokenLife = 24 * time.Hour

func demoCommand(dash *dashboard) *cobra.Command {
	var w simulation
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Open the dashboard on a simulated platform",
		Long: `Open the dashboard on a simulated platform. Nothing real is read or changed.
The key ? lists the keys, and q leaves. In the scenario degraded, r runs a health check
that fails; W then explains why.`,
		Example: `  geodeck demo
  geodeck demo --scenario degraded --speed 10`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := w.refuse(cmd, "Leave it out. A demo removes its records at the end; to keep them: {command:serve}"); err != nil {
				return err
			}
			if w.list {
				return printScenarios(dash.Out)
			}
			of := dash.Session.Again(session.Variant{Offline: true})
			return dash.Exit.On(of).Explained(runDemo(cmd.Context(), dash, of, &w))
		},
	}
	w.register(cmd)
	dash.Register(cmd)
	dash.alarms.Register(cmd)
	dash.nodes.Register(cmd)
	return cmd
}

func runDemo(ctx context.Context, dash *dashboard, of *session.Session, w *simulation) (err error) {
	site, err := w.begin()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, site.close()) }()
	nodes, err := dash.nodes.On(of).ForDashboard(nodesource.Source{Demo: site.nodes})
	if err != nil {
		return err
	}
	return dash.openDemo(ctx, of, site, nodes)
}

// startingSite is the simulated site of a demo, which is made while the dashboard opens:
// the first requests wait at its listener.
type startingSite struct {
	root   string         // administrative root
	token  adminapi.Token // of the administrator
	clock  adminapi.Clock
	server func() (*simulator.Server, error) // waits until it serves
}

// begin starts to make the site of a demo. Mistakes in the scenario of a file may show only
// once the site is made, so that begin waits for that one.
func (w *simulation) begin() (*startingSite, error) {
	o, err := w.options()
	if err != nil {
		return nil, err
	}
	listener, err := simulator.Listen("127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &startingSite{root: simulator.Root(listener), token: o.SignIn(demoTokenLife), clock: o.Clock}
	s.server = sync.OnceValues(func() (*simulator.Server, error) { return serveOn(listener, o) })
	if w.ofFile {
		_, err = s.server()
	} else {
		go func() { _, _ = s.server() }()
	}
	return s, err
}

func serveOn(listener net.Listener, o simulator.Options) (*simulator.Server, error) {
	server, err := simulator.New(o)
	if err != nil {
		_ = listener.Close()
		return nil, exit.BadInput("", err)
	}
	return server, server.Serve(listener)
}

// open makes the client of the site, with the site's own clock. It signs in again when a
// scenario ends the sign-in: the user has no password.
func (s *startingSite) open(of *session.Session, records *session.Journal) (operation.Site, error) {
	header, err := session.TokenHeader(cmp.Or(of.Flags().AuthHeader, of.Env(session.EnvAuthHeader)))
	if err != nil {
		return operation.Site{}, err
	}
	var client *adminapi.Client
	client, err = adminapi.New(adminapi.Config{
		Base: s.root, ReadOnly: of.Flags().ReadOnly, AuthHeader: header, Clock: s.clock, UserAgent: of.Options().UserAgent,
		Token: s.token,
		Renew: func(ctx context.Context, _ secrets.Secret) (adminapi.Token, error) {
			server, err := s.server()
			if err != nil {
				return adminapi.Token{}, err
			}
			user := server.Users()[0]
			return client.Session.SignIn(ctx, user.Username, secrets.Secret(user.Password), demoTokenLife)
		},
		Observer: records, Trace: of.Options().Debug.Trace(),
	})
	return operation.Site{Client: client, Clock: s.clock, Line: of.LineByHand()}, err
}

// nodes are those of the simulated cluster.
func (s *startingSite) nodes() []byte {
	server, err := s.server()
	if err != nil {
		return nil
	}
	return server.Nodes()
}

func (s *startingSite) close() error {
	server, err := s.server()
	if err != nil {
		return err
	}
	return server.Close()
}

// simulation is what demo and serve simulate.
type simulation struct {
	scenario string
	ofFile   bool // the scenario is that of a file
	list     bool // list the scenarios instead
	speed    float64
	seed     int64
}

func (w *simulation) register(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&w.scenario, "scenario", "", "what to simulate: the name of a scenario, or a YAML file (default healthy)")
	set.BoolVar(&w.list, "scenarios", false, "list all scenarios and what they show")
	set.Float64Var(&w.speed, "speed", 1, "how fast simulated time passes: 60 is a minute per second")
	set.Int64Var(&w.seed, "seed", 0, "another variant of the scenario; the same seed gives the same variant")
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) { // that of all commands comes with the parent
		cmd.Long += "\n\nScenarios to begin with (--scenarios lists them all):\n" + scenarioLines(simulator.FeaturedScenarios(), "  ")
		cmd.Parent().HelpFunc()(cmd, args)
	})
	command.Complete(cmd, "scenario", simulator.ScenarioNames(), command.OrFile)
}

// realSite are the flags for the connection to a real site, and what is kept of it.
var realSite = []string{"site", "unlock", "config", "url", "token-file", "ca", "client-cert", "client-key", "insecure",
	"state-dir"}

// refuse refuses the flags of a real site, and more.
func (*simulation) refuse(cmd *cobra.Command, advice string, more ...string) error {
	for _, name := range append(more, realSite...) {
		if cmd.Flags().Changed(name) {
			return exit.BadInput(advice, fmt.Errorf("--%s does nothing in geodeck %s", name, cmd.Name()))
		}
	}
	return nil
}

// printScenarios prints all built-in scenarios, one per line.
func printScenarios(out *output.Output) error {
	names := simulator.ScenarioNames()
	if !out.JSON() {
		return out.PrintLine(scenarioLines(names, ""))
	}
	return output.PrintList(out, lists.Each(names, func(name string) scenarioJSON {
		scenario, _ := simulator.BuiltIn(name)
		return scenarioJSON{name, scenario.Description}
	}))
}

// scenarioLines describes scenarios, one per line.
func scenarioLines(names []string, indent string) string {
	longest := 0
	for _, name := range names {
		longest = max(longest, len(name))
	}
	return strings.Join(lists.Each(names, func(name string) string {
		scenario, _ := simulator.BuiltIn(name)
		return fmt.Sprintf("%s%-*s  %s", indent, longest, name, scenario.Description)
	}), "\n")
}

// options says which site to simulate.
func (w *simulation) options() (simulator.Options, error) {
	if !(w.speed > 0) || math.IsInf(w.speed, 0) {
		return simulator.Options{}, exit.BadInputf("--speed takes a number above 0")
	}
	scenario, err := w.find()
	if err != nil {
		return simulator.Options{}, err
	}
	return simulator.Options{Scenario: scenario, Seed: w.seed, Clock: simulator.NewScaledClock(w.speed)}, nil
}

// maxScenario is what is read of a scenario at most, in bytes.
const maxScenario = 4 << 20

func (w *simulation) find() (simulator.Scenario, error) {
	if w.scenario == "" {
		return simulator.Scenario{}, nil
	}
	if scenario, ok := simulator.BuiltIn(w.scenario); ok {
		return scenario, nil
	}
	content, err := files.Read(w.scenario, maxScenario)
	if errors.Is(err, os.ErrNotExist) {
		return simulator.Scenario{}, noScenario(w.scenario)
	}
	if err != nil {
		return simulator.Scenario{}, exit.BadInput("", err)
	}
	w.ofFile = true
	scenario, err := simulator.ReadScenario(content)
	if err != nil {
		return scenario, exit.BadInputf("%s: %w", w.scenario, err)
	}
	return scenario, nil
}

// noScenario is the error for a name that is neither a scenario nor a file. It suggests
// scenarios with similar names.
func noScenario(name string) error {
	var near []string
	if name != "list" { // who asks for all of them means none
		near = spelling.Near(name, simulator.ScenarioNames())
	}
	advice := strings.TrimSpace(spelling.Question(near...) + "\nAll scenarios: {command:serve --scenarios}")
	what := "scenario"
	if name != filepath.Base(name) || filepath.Ext(name) != "" {
		what = "file"
	}
	return exit.BadInput(advice, fmt.Errorf("there is no %s %q", what, name))
}

// scenarioJSON is a scenario of the simulated site.
type scenarioJSON struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}
