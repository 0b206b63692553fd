package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"geodeck/adminapi/operation"
)

// Names of the environment for the nodes of the cluster.
const (
	envNodes        = "GEODECK_NODES"
	envNodesCommand = "GEODECK_NODES_COMMAND"
)

var (
	errTwoSources   = errors.New("the nodes come from one place: a file or a command")
	errNodesOfInput = errors.New("the dashboard takes its keys from the standard input, so that nodes cannot come from there")
)

// nodeFlags say where the nodes of the cluster are read from: the API does not tell
// them.
type nodeFlags struct{ file, command string }

func (f *nodeFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "nodes", "", "file of what kubectl get nodes -o json (or -o yaml) printed; - is the standard input (or "+envNodes+")")
	cmd.Flags().StringVar(&f.command, "nodes-command", "", "program with arguments that prints the nodes, such as \"kubectl get nodes -o json\"; run without a shell (or "+envNodesCommand+")")
	complete(cmd, "nodes-command", nil)
}

// nodeSource is where the nodes are read from, else otherwise. Flags go before the
// environment.
func (p *program) nodeSource(otherwise operation.NodeSource) (operation.NodeSource, error) {
	chosen, fileName, commandName := p.nodes, "--nodes", "--nodes-command"
	if chosen == (nodeFlags{}) {
		chosen, fileName, commandName = nodeFlags{p.Env(envNodes), p.Env(envNodesCommand)}, envNodes, envNodesCommand
	}
	switch {
	case chosen.file != "" && chosen.command != "":
		return otherwise, badInput("Leave out "+fileName+" or "+commandName+".", errTwoSources)
	case chosen.file == fromInput:
		return operation.NodeSource{Input: p.In}, nil
	case chosen.file != "":
		return operation.NodeSource{File: chosen.file}, nil
	case chosen.command == "":
		return otherwise, nil
	}
	source, err := operation.CommandSource(chosen.command)
	if err != nil {
		err = badInput("", fmt.Errorf("%s: %w", commandName, err))
	}
	return source, err
}

// shownNodes is where the dashboard reads the nodes from, else otherwise.
func (p *program) shownNodes(otherwise operation.NodeSource) (operation.NodeSource, error) {
	source, err := p.nodeSource(otherwise)
	if err == nil && source.Input != nil {
		err = badInput("Write them into a file: kubectl get nodes -o json > nodes.json", errNodesOfInput)
	}
	return source, err
}
