package services

import (
	"context"
	"path/filepath"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// cluster is what is known of the nodes, for all services.
type cluster struct {
	source  operation.NodeSource
	nodes   operation.Nodes
	version int    // counts the readings that came
	asking  bool   // a reading is under way
	asked   string // the source of it, in words
	problem error  // of the last reading
	stop    context.CancelFunc
	typed   string // what the prompt offers: what was left in it, or led to no nodes
	wrong   string // why it led to none, as a sentence; empty where that is not known
}

// nodesAsked is a reading of the nodes.
type nodesAsked struct {
	source operation.NodeSource
	typed  string // as it was typed into the prompt; empty where nobody has
	again  bool   // somebody waits for it
}

// nodesRead is what came of it.
type nodesRead struct {
	nodesAsked
	nodes operation.Nodes
	err   error
}

// needNodes reads the nodes once, when somebody needs them first.
func (m *Model) needNodes() tea.Cmd {
	c := &m.cluster
	if !c.source.Known() || c.asking || c.version > 0 || c.problem != nil {
		return nil
	}
	return m.readNodes(nodesAsked{source: c.source})
}

// readNodes reads the nodes. It takes the place of a reading that is under way, such as
// of a program that hangs.
func (m *Model) readNodes(ask nodesAsked) tea.Cmd {
	c, clock := &m.cluster, m.env.Clock
	if c.stop != nil {
		c.stop()
	}
	ctx, stop := context.WithCancel(m.scope.Context())
	c.asking, c.asked, c.stop = true, sourceName(ask.source), stop
	return tea.Batch(m.tellNodes(), m.scope.Do("nodes", func(context.Context) tea.Msg {
		defer stop()
		nodes, err := ask.source.Read(ctx, clock)
		return nodesRead{ask, nodes, err}
	}))
}

func (r nodesRead) apply(m *Model) tea.Cmd {
	c := &m.cluster
	c.asking, c.stop, c.problem = false, nil, r.err
	if r.err != nil {
		return tea.Batch(m.tellNodes(), r.failed(m))
	}
	c.take(r.nodes)
	return tea.Batch(m.tellNodes(), m.planWithNodes())
}

func (c *cluster) take(nodes operation.Nodes) {
	c.source, c.nodes, c.problem, c.typed, c.wrong = nodes.Source, nodes, nil, "", ""
	c.version++
}

// failed says what went wrong. No prompt comes back by itself, somebody may be typing:
// what was typed is offered, with what is wrong with it, when it is asked for next.
func (r nodesRead) failed(m *Model) tea.Cmd {
	if r.typed == "" && !r.again {
		return nil
	}
	text := "The nodes were not read: " + r.err.Error()
	if r.typed != "" {
		m.cluster.typed, m.cluster.wrong = r.typed, sentence(r.err)
		text = views.Sentence(text) + " N offers what was typed."
	}
	return views.Send(views.Notice{Level: views.Failure, Text: text, Err: r.err})
}

// rereadNodes reads the nodes from where they were read before, unless that is under way:
// a held key would read a large file many times at once.
func (m *Model) rereadNodes() tea.Cmd {
	switch c := &m.cluster; {
	case c.asking:
		return views.Tell(views.Info, "The nodes are being read from "+c.asked+". N names another source.")
	case !c.source.Known():
		return m.askNodes()
	case c.version > 0 && !c.source.Again():
		return views.Tell(views.Info, "The nodes came from "+sourceName(c.source)+", which tells nothing newer. N names another source.")
	}
	return m.readNodes(nodesAsked{source: m.cluster.source, again: true})
}

// tellNodes gives the builder what is known of the nodes, and has it judge anew.
func (m *Model) tellNodes() tea.Cmd {
	p := m.placing()
	if p == nil {
		return nil
	}
	p.tellNodes()
	return p.judge()
}

func (p *placing) tellNodes() {
	p.builder.SetNodes(p.m.cluster.nodes.List, p.m.nodesNote())
}

// nodesNote says where the nodes are from and how old they are, or how to get any.
func (m *Model) nodesNote() string {
	c := &m.cluster
	known := c.version > 0
	switch {
	case c.asking:
		note := "Reading the nodes from " + c.asked + m.inks.Glyphs.Ellipsis
		if known {
			note = m.nodesAge() + "; reading them again" + m.inks.Glyphs.Ellipsis
		}
		return note
	case known && c.wrong != "":
		return m.nodesAge() + "; others were not read, N offers what was typed: " + plain.Line(c.wrong)
	case known && c.problem != nil:
		return m.nodesAge() + "; reading them again failed: " + plain.Line(c.problem.Error())
	case known:
		return m.nodesAge()
	case c.wrong != "":
		return "No nodes are known, N offers what was typed: " + plain.Line(c.wrong)
	case c.problem != nil:
		return "No nodes are known: " + sentence(c.problem) + " R tries again, N names another source."
	}
	return "No nodes are known, and the site does not tell them: N names a file, or a command such as kubectl get nodes -o json."
}

// nodesAge says how many nodes are known, from where and of when: a moment, since an
// age would stand still on a screen that rests.
func (m *Model) nodesAge() string {
	nodes := m.cluster.nodes
	count := plain.Plural(len(nodes.List), "node")
	if nodes.Source.File != "" {
		return count + ", from " + plain.Line(filepath.Base(nodes.Source.File)) + ", written " + m.env.Times.Here(nodes.Taken())
	}
	return count + ", from " + sourceName(nodes.Source) + ", read " + m.env.Times.Here(nodes.Read)
}

// sourceName names a source in the middle of a sentence.
func sourceName(s operation.NodeSource) string {
	if s.Demo != nil || s.Input != nil {
		return "the " + s.String()
	}
	return s.String()
}

// knownNodes reads the nodes where they are needed for a change and are not known yet;
// without them it goes on. It takes long: only commands may call what it returns.
func (m *Model) knownNodes() func(context.Context) operation.Nodes {
	c, clock := m.cluster, m.env.Clock
	return func(ctx context.Context) operation.Nodes {
		if c.version > 0 || !c.source.Known() || c.asking || c.problem != nil {
			return c.nodes
		}
		ctx, stop := context.WithTimeout(ctx, nodesWait)
		defer stop()
		nodes, err := c.source.Read(ctx, clock)
		if err != nil {
			return operation.Nodes{}
		}
		return nodes
	}
}

// nodesWait is how long a review waits for the nodes.
const nodesWait = 10 * time.Second
