package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/files"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/session"
)

var (
	errTwoSources   = errors.New("give a file or a command for the nodes, not both")
	errNodesOfInput = errors.New("the dashboard reads keys from the standard input; nodes cannot come from there")
)

// Nodes reads the nodes of the cluster from where flags or environment say: the API does
// not list them.
type Nodes struct {
	Env
	flags nodeFlags
}

// nodeFlags say where the nodes are read from.
type nodeFlags struct{ file, command string }

// Register adds the flags of the nodes.
func (n *Nodes) Register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&n.flags.file, "nodes", "", "file with the output of kubectl get nodes -o json (or -o yaml); - is the standard input (or "+session.EnvNodes+")")
	cmd.Flags().StringVar(&n.flags.command, "nodes-command", "", "command that prints the nodes, such as \"kubectl get nodes -o json\"; run without a shell (or "+session.EnvNodesCommand+")")
	Complete(cmd, "nodes-command", nil)
}

// On are the nodes of the cluster of another session: flags are for the chosen site alone.
func (n Nodes) On(s *session.Session) *Nodes {
	if n.Session = s; !s.IsChosen() {
		n.flags = nodeFlags{}
	}
	return &n
}

// Source is where the nodes are read from, or otherwise if nothing says so: flags, else the
// environment, else config.yaml.
func (n *Nodes) Source(otherwise nodesource.Source) (nodesource.Source, error) {
	chosen, fileName, commandName := n.flags, "--nodes", "--nodes-command"
	if chosen == (nodeFlags{}) {
		fileName, commandName = session.EnvNodes, session.EnvNodesCommand
		chosen = nodeFlags{n.Session.OwnEnv(fileName), n.Session.OwnEnv(commandName)}
	}
	if chosen == (nodeFlags{}) {
		s, err := n.Session.Settings()
		if err != nil {
			return otherwise, err
		}
		return s.NodeSource(otherwise)
	}
	switch {
	case chosen.file != "" && chosen.command != "":
		return otherwise, exit.BadInput("Leave out "+fileName+" or "+commandName+".", errTwoSources)
	case chosen.file == files.Standard:
		if _, ok := output.Terminal(n.In); ok {
			return otherwise, exit.BadInputf("%s: %w", fileName, files.ErrInputTerminal)
		}
		return nodesource.Source{Input: n.In}, nil
	case chosen.file != "":
		return nodesource.Source{File: chosen.file}, nil
	case chosen.command == "":
		return otherwise, nil
	}
	source, err := nodesource.CommandSource(chosen.command)
	if err != nil {
		err = exit.BadInputf("%s: %w", commandName, err)
	}
	return source, err
}

// AdviceNodes says how to get the nodes.
const AdviceNodes = "Give what kubectl prints, --nodes FILE, or the command itself: --nodes-command \"kubectl get nodes -o json\""

// SourceWith is where the nodes are read from together with those files: only one of them
// can be the standard input.
func (n *Nodes) SourceWith(paths ...string) (nodesource.Source, error) {
	source, err := n.Source(nodesource.Source{})
	inputs := 0
	for _, path := range paths {
		if path == files.Standard {
			inputs++
		}
	}
	if source.Input != nil {
		inputs++
	}
	if err == nil && inputs > 1 {
		err = exit.BadInput("", files.ErrTwoInputs)
	}
	return source, err
}

// Given reads the nodes where no file can be the standard input.
func (n *Nodes) Given(ctx context.Context) (nodesource.Nodes, error) {
	source, err := n.Source(nodesource.Source{})
	if err != nil {
		return nodesource.Nodes{}, err
	}
	return n.Read(ctx, source)
}

// Read reads the nodes; none without a source. A list without a node, such as that of a
// label that no node has, is refused.
func (n *Nodes) Read(ctx context.Context, source nodesource.Source) (nodesource.Nodes, error) {
	if !source.Known() {
		return nodesource.Nodes{}, nil
	}
	nodes, err := source.Read(ctx, n.Session.Clock())
	switch {
	case err != nil && ctx.Err() != nil && n.Exit.TimedOut():
		return nodes, exit.New(exit.Unreachable, "",
			fmt.Errorf("the nodes were not listed within %s by %s", adminapi.FormatDuration(n.Exit.Timeout), source))
	case err != nil && ctx.Err() != nil:
		return nodes, ctx.Err()
	case err != nil:
		return nodes, exit.BadInput("", err)
	case len(nodes.List) == 0:
		return nodes, exit.BadInputf("no nodes came from %s", source)
	}
	return nodes, nil
}

// Around reads the nodes of the cluster where a source of them is given, and makes the site.
func (n *Nodes) Around(ctx context.Context) (site operation.Site, around incident.Surroundings, err error) {
	nodes, err := n.Given(ctx)
	if err == nil {
		site, err = n.Session.Site(ctx)
	}
	return site, incident.Surroundings{Nodes: nodes.List}, err
}

// ForDashboard is where the dashboard reads the nodes from, or otherwise if nothing says so.
func (n *Nodes) ForDashboard(otherwise nodesource.Source) (nodesource.Source, error) {
	source, err := n.Source(otherwise)
	if err == nil && source.Input != nil {
		err = exit.BadInput("Write them into a file: kubectl get nodes -o json > nodes.json", errNodesOfInput)
	}
	return source, err
}
