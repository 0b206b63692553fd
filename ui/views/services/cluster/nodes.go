// Package cluster is what the view of the services knows of the cluster: its nodes and
// where they are read from ([Nodes]), which services share a deployment ([Deployments]),
// and how the pods of deployments come back after a change ([Pods]). The placement tab
// and the flow of a change share them; start at [Nodes].
package cluster

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/complete"
)

// Nodes is what is known of the nodes, for all services.
type Nodes struct {
	views.Base
	folder  string // where the names of files begin
	source  nodesource.Source
	nodes   nodesource.Nodes
	version int    // counts the snapshots that came
	loading bool   // a request is under way
	from    string // its source, in words
	problem error  // of the last request
	stop    context.CancelFunc
	typed   string // what the prompt offers: what was left in it, or led to no nodes
	wrong   string // why it led to none, as a sentence; empty where that is not known
}

// NewNodes returns what is known at first: a source, or none.
func NewNodes(base views.Base) *Nodes {
	n := &Nodes{Base: base, source: base.Env.Nodes, folder: base.Env.Folder}
	if whole, err := filepath.Abs(n.folder); err == nil {
		n.folder = whole
	}
	return n
}

// List are the nodes that are known.
func (n *Nodes) List() []placement.Node { return n.nodes.List }

// Version counts the snapshots that came; zero while no nodes are known.
func (n *Nodes) Version() int { return n.version }

// Loading reports whether nodes are being read.
func (n *Nodes) Loading() bool { return n.loading }

// NodesMsg is what a command of [Nodes] leads to.
type NodesMsg struct{ then func() tea.Cmd }

// Update takes a reply. What shows nodes has to be notified afterwards: the nodes, or
// their note, may have changed.
func (n *Nodes) Update(msg NodesMsg) tea.Cmd { return msg.then() }

// Load reads the nodes once, when they are needed first.
func (n *Nodes) Load() tea.Cmd {
	if !n.source.Known() || n.loading || n.version > 0 || n.problem != nil {
		return nil
	}
	return n.read(n.source, "", false)
}

// read replaces a request that is under way, such as of a program that hangs. typed is how the source
// was typed into the prompt; empty for other requests. What failed is told where the user wanted it.
func (n *Nodes) read(source nodesource.Source, typed string, wanted bool) tea.Cmd {
	if n.stop != nil {
		n.stop()
	}
	clock := n.Env.Clock
	ctx, stop := context.WithCancel(n.Scope.Context())
	n.loading, n.from, n.stop = true, sourceName(source), stop
	return n.Scope.Do("nodes", func(context.Context) tea.Msg {
		defer stop()
		nodes, err := source.Read(ctx, clock)
		return NodesMsg{func() tea.Cmd {
			n.loading, n.stop, n.problem = false, nil, err
			switch {
			case err == nil:
				n.Take(nodes)
			case wanted:
				return n.failed(typed, err)
			}
			return nil
		}}
	})
}

// Take remembers a snapshot.
func (n *Nodes) Take(nodes nodesource.Nodes) {
	n.source, n.nodes, n.problem, n.typed, n.wrong = nodes.Source, nodes, nil, "", ""
	n.version++
}

// failed says what went wrong. The prompt does not open by itself, as the user may be
// typing: next time it offers what was typed, with what is wrong with it.
func (n *Nodes) failed(typed string, err error) tea.Cmd {
	text := "The nodes were not read: " + err.Error()
	if typed != "" {
		n.typed, n.wrong = typed, views.Sentence(err.Error())
		text = views.Sentence(text) + views.Keys(" Press {key:services.nodes} to correct it.")
	}
	return views.Send(views.Failed(text, err))
}

// Refresh reads the nodes from where they were read before, unless that is under way:
// a held key would read a large file many times at once.
func (n *Nodes) Refresh() tea.Cmd {
	switch {
	case n.loading:
		return views.Tell(views.Info, "Reading the nodes from "+n.from+views.Keys(". {key:services.nodes} chooses another source."))
	case !n.source.Known():
		return n.Ask()
	case n.version > 0 && !n.source.Repeatable():
		return views.Tell(views.Info, "The nodes came from "+sourceName(n.source)+views.Keys(", which has nothing newer. {key:services.nodes} chooses another source."))
	}
	return n.read(n.source, "", true)
}

// ForPlan reads the nodes where they are needed for a change and are not known yet;
// without them it goes on. It takes long: only commands may call what it returns.
func (n *Nodes) ForPlan() func(context.Context) nodesource.Nodes {
	known, source, clock := n.nodes, n.source, n.Env.Clock
	if n.version > 0 || !source.Known() || n.loading || n.problem != nil {
		return func(context.Context) nodesource.Nodes { return known }
	}
	return func(ctx context.Context) nodesource.Nodes {
		ctx, stop := context.WithTimeout(ctx, planWait)
		defer stop()
		nodes, err := source.Read(ctx, clock)
		if err != nil {
			return nodesource.Nodes{}
		}
		return nodes
	}
}

// planWait is how long a review waits for the nodes.
const planWait = 10 * time.Second

// Note says where the nodes are from and how old they are, or how to get any.
func (n *Nodes) Note() string {
	known, ellipsis := n.version > 0, n.Env.Theme.Glyphs.Ellipsis
	switch {
	case n.loading && known:
		return n.age() + "; refreshing" + ellipsis
	case n.loading:
		return "Reading the nodes from " + n.from + ellipsis
	case known && n.wrong != "":
		return n.age() + views.Keys("; others were not read. Press {key:services.nodes} to correct it: ") + plain.Line(n.wrong)
	case known && n.problem != nil:
		return n.age() + "; refreshing failed: " + plain.Line(n.problem.Error())
	case known:
		return n.age()
	case n.wrong != "":
		return views.Keys("No node list. Press {key:services.nodes} to correct it: ") + plain.Line(n.wrong)
	case n.problem != nil:
		return "No node list: " + views.Sentence(n.problem.Error()) + views.Keys(" {key:services.nodes-again} retries, {key:services.nodes} loads others.")
	}
	return views.Keys("No node list: placement was not checked. Press {key:services.nodes} to load nodes.")
}

// age says how many nodes are known, from where and of when: a moment, since an
// age would stand still on a screen that rests.
func (n *Nodes) age() string {
	count := plain.Plural(len(n.nodes.List), "node")
	if file := n.nodes.Source.File; file != "" {
		return count + ", from " + plain.Line(filepath.Base(file)) + ", written " + n.Env.Times.Here(n.nodes.Taken())
	}
	return count + ", from " + sourceName(n.nodes.Source) + ", updated " + n.Env.Times.Here(n.nodes.Read)
}

// sourceName names a source in the middle of a sentence.
func sourceName(s nodesource.Source) string {
	if s.Demo != nil || s.Input != nil {
		return "the " + s.String()
	}
	return s.String()
}

// commandSign marks a command where a file could be named as well.
const commandSign = "!"

// Ask asks where the nodes are read from.
func (n *Nodes) Ask() tea.Cmd {
	return views.Show(widget.NewPrompt(n.Env.Theme, widget.PromptOptions{
		ID: "services.nodes", Title: "Load nodes from", Action: "load",
		Note: "A file of nodes as JSON, or ! and a command: ! kubectl get nodes -o json. " +
			"It runs as you, without a shell.",
		Value:   cmp.Or(n.typed, n.source.File), // no command: one key would run it
		Problem: n.wrong, Complete: complete.Files(n.Env.Folder),
		Check: func(typed string) error {
			_, err := n.parse(typed)
			return err
		},
		Left: func(typed string) {
			if typed != n.typed {
				n.typed, n.wrong = typed, ""
			}
		},
		Then: func(typed string) tea.Cmd {
			return n.Scope.Do("nodes chosen", func(context.Context) tea.Msg {
				return NodesMsg{func() tea.Cmd { return n.choose(typed) }}
			})
		},
	}))
}

// choose reads the nodes from what was typed into the prompt.
func (n *Nodes) choose(typed string) tea.Cmd {
	source, err := n.parse(typed)
	if err != nil {
		return n.failed(typed, err)
	}
	return n.read(source, typed, true)
}

// FromFile reads the nodes from the file that the palette took.
func (n *Nodes) FromFile(path string) tea.Cmd {
	if path == "" {
		return n.Ask()
	}
	return n.choose(path)
}

// FromCommand reads the nodes from the command that the palette took.
func (n *Nodes) FromCommand(line string) tea.Cmd {
	if line == "" {
		return n.Ask()
	}
	return n.choose(commandSign + " " + strings.TrimPrefix(line, commandSign))
}

// parse returns the source that a text names.
func (n *Nodes) parse(typed string) (nodesource.Source, error) {
	typed = strings.TrimSpace(typed)
	line, command := strings.CutPrefix(typed, commandSign)
	if command {
		return nodesource.CommandSource(line)
	}
	if typed == "" {
		return nodesource.Source{}, errors.New("name a file, or ! and a command")
	}
	path, err := views.ResolvePath(typed, n.folder)
	return nodesource.Source{File: path}, err
}
