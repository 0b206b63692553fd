package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/ui/cli/output"
)

// Names of the environment for the nodes of the cluster.
const (
	envNodes        = "GEODECK_NODES"
	envNodesCommand = "GEODECK_NODES_COMMAND"
)

var (
	errTwoSources   = errors.New("give a file or a command for the nodes, not both")
	errNodesOfInput = errors.New("the dashboard reads keys from the standard input; nodes cannot come from there")
)

// nodes reads the nodes of the cluster from where flags or environment say: the API does
// not list them.
type nodes struct {
	shared
	flags nodeFlags
}

// nodeFlags say where the nodes are read from.
type nodeFlags struct{ file, command string }

func (n *nodes) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&n.flags.file, "nodes", "", "file with the output of kubectl get nodes -o json (or -o yaml); - is the standard input (or "+envNodes+")")
	cmd.Flags().StringVar(&n.flags.command, "nodes-command", "", "command that prints the nodes, such as \"kubectl get nodes -o json\"; run without a shell (or "+envNodesCommand+")")
	complete(cmd, "nodes-command", nil)
}

// on are the nodes of the cluster of another session: flags are for the chosen site alone.
func (n nodes) on(s *session) *nodes {
	if n.session = s; s.own != "" {
		n.flags = nodeFlags{}
	}
	return &n
}

// source is where the nodes are read from, or otherwise if nothing says so: flags, else the
// environment, else config.yaml.
func (n *nodes) source(otherwise nodesource.Source) (nodesource.Source, error) {
	chosen, fileName, commandName := n.flags, "--nodes", "--nodes-command"
	if chosen == (nodeFlags{}) {
		chosen, fileName, commandName = nodeFlags{n.session.ownEnv(envNodes), n.session.ownEnv(envNodesCommand)}, envNodes, envNodesCommand
	}
	if chosen == (nodeFlags{}) {
		s, err := n.session.settings()
		if err != nil {
			return otherwise, err
		}
		return s.nodeSource(otherwise)
	}
	switch {
	case chosen.file != "" && chosen.command != "":
		return otherwise, badInput("Leave out "+fileName+" or "+commandName+".", errTwoSources)
	case chosen.file == fromInput:
		if _, ok := output.Terminal(n.in); ok {
			return otherwise, badInputf("%s: %w", fileName, errInputTerminal)
		}
		return nodesource.Source{Input: n.in}, nil
	case chosen.file != "":
		return nodesource.Source{File: chosen.file}, nil
	case chosen.command == "":
		return otherwise, nil
	}
	source, err := nodesource.CommandSource(chosen.command)
	if err != nil {
		err = badInputf("%s: %w", commandName, err)
	}
	return source, err
}

// nodeSource is where config.yaml says that the nodes are read from, or otherwise.
func (s settings) nodeSource(otherwise nodesource.Source) (nodesource.Source, error) {
	switch {
	case s.nodes.value != "":
		return nodesource.Source{File: s.nodes.value}, nil
	case s.nodesCommand.value == "":
		return otherwise, nil
	}
	source, err := nodesource.CommandSource(s.nodesCommand.value)
	if err != nil {
		err = badInputf("%s: nodes: %w", s.nodesCommand.from, err)
	}
	return source, err
}

// adviceNodes says how to get the nodes.
const adviceNodes = "Give what kubectl prints, --nodes FILE, or the command itself: --nodes-command \"kubectl get nodes -o json\""

// sourceWith is where the nodes are read from together with those files: only one of them
// can be the standard input.
func (n *nodes) sourceWith(files ...string) (nodesource.Source, error) {
	source, err := n.source(nodesource.Source{})
	inputs := 0
	for _, file := range files {
		if file == fromInput {
			inputs++
		}
	}
	if source.Input != nil {
		inputs++
	}
	if err == nil && inputs > 1 {
		err = badInput("", errTwoInputs)
	}
	return source, err
}

// given reads the nodes where no file can be the standard input.
func (n *nodes) given(ctx context.Context) (nodesource.Nodes, error) {
	source, err := n.source(nodesource.Source{})
	if err != nil {
		return nodesource.Nodes{}, err
	}
	return n.read(ctx, source)
}

// read reads the nodes; none without a source. A list without a node, such as that of a
// label that no node has, is refused.
func (n *nodes) read(ctx context.Context, source nodesource.Source) (nodesource.Nodes, error) {
	if !source.Known() {
		return nodesource.Nodes{}, nil
	}
	nodes, err := source.Read(ctx, n.session.clock())
	switch {
	case err != nil && ctx.Err() != nil && n.exit.timedOut():
		return nodes, &failure{code: exitUnreachable, kind: adminapi.KindUnreachable.String(),
			err: fmt.Errorf("the nodes were not listed within %s by %s", adminapi.FormatDuration(n.exit.timeout), source)}
	case err != nil && ctx.Err() != nil:
		return nodes, ctx.Err()
	case err != nil:
		return nodes, badInput("", err)
	case len(nodes.List) == 0:
		return nodes, badInputf("no nodes came from %s", source)
	}
	return nodes, nil
}

// forDashboard is where the dashboard reads the nodes from, or otherwise if nothing says so.
func (n *nodes) forDashboard(otherwise nodesource.Source) (nodesource.Source, error) {
	source, err := n.source(otherwise)
	if err == nil && source.Input != nil {
		err = badInput("Write them into a file: kubectl get nodes -o json > nodes.json", errNodesOfInput)
	}
	return source, err
}
