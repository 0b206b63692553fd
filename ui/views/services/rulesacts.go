package services

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

const placementGroup = "Placement"

var (
	cmdPresets      = views.Command{ID: "services.presets", Binding: views.Key("presets", "P"), Name: "presets", Help: "Choose rules that are made already, such as for GPU nodes, for the deployment under the cursor; u takes them back.", Group: placementGroup}
	cmdCopyRules    = views.Command{ID: "services.copy-rules", Binding: views.Key("copy rules", "C"), Name: "copy rules from", Argument: "service", Help: "Copy the rules of another service into the deployment under the cursor; nothing is sent, u takes them back.", Group: placementGroup}
	cmdNodes        = views.Command{ID: "services.nodes", Binding: views.Key("nodes", "N"), Name: "name source of nodes", Help: "Name the file, or the command such as kubectl, that the nodes of the cluster are read from.", Group: placementGroup}
	cmdNodesAgain   = views.Command{ID: "services.nodes-again", Binding: views.Key("", "R"), Name: "read nodes again", Help: "Read the nodes of the cluster again, from where they were read before.", Group: placementGroup}
	cmdNodesFile    = views.Command{ID: "services.nodes-file", Name: "nodes from file", Argument: "file", Help: "Read the nodes from a file of what kubectl get nodes -o json or -o yaml has printed.", Group: placementGroup}
	cmdNodesCommand = views.Command{ID: "services.nodes-command", Name: "nodes from command", Argument: "command", Help: "Read the nodes from a command that prints them; it is run without a shell.", Group: placementGroup}
)

// rulesCommands are what can be done with rules beside building them.
func (p *placing) rulesCommands() []views.Command {
	from := cmdCopyRules
	from.Choices = p.otherPaths
	if p.m.nodes.Version() == 0 { // the first thing to do
		return []views.Command{cmdNodes, cmdPresets, from, cmdPods, cmdNodesAgain, cmdNodesFile, cmdNodesCommand}
	}
	return []views.Command{cmdPresets, from, cmdPods, quiet(cmdNodes), cmdNodesAgain, cmdNodesFile, cmdNodesCommand}
}

var placingActs = map[string]func(*placing, string) tea.Cmd{
	cmdPresets.ID:      func(p *placing, _ string) tea.Cmd { return p.askPreset() },
	cmdCopyRules.ID:    (*placing).copyFrom,
	cmdNodes.ID:        func(p *placing, _ string) tea.Cmd { return p.m.nodes.Ask() },
	cmdPods.ID:         func(p *placing, _ string) tea.Cmd { return p.showPods() },
	cmdNodesAgain.ID:   func(p *placing, _ string) tea.Cmd { return tea.Batch(p.m.nodes.Refresh(), p.m.tellNodes()) },
	cmdNodesFile.ID:    func(p *placing, path string) tea.Cmd { return tea.Batch(p.m.nodes.FromFile(path), p.m.tellNodes()) },
	cmdNodesCommand.ID: func(p *placing, line string) tea.Cmd { return tea.Batch(p.m.nodes.FromCommand(line), p.m.tellNodes()) },
}
