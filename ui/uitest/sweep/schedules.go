package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"geodeck/ui/uitest/sweep/oracle"
)

// schedules lets commands say what rules in a file mean, what is wrong with them, and which nodes of a list in another file
// take the pods. Some lists are old, and some are none.
func (m *machine) schedules() {
	dir, err := realFolder("nodes")
	if err != nil {
		return
	}
	defer os.RemoveAll(dir)
	for _, what := range []string{"simulate", "simulate", "check", "explain"} {
		m.schedulesOnce(dir, what)
	}
}

func (m *machine) schedulesOnce(dir, what string) {
	hand := m.day.random(fmt.Sprint("schedule ", len(m.runs)))
	d := oracle.Draws(hand.IntN)
	rules, nodes := filepath.Join(dir, "rules.json"), filepath.Join(dir, "nodes")
	written := m.clock.Now().Add(-time.Duration(1+hand.IntN(90*24)) * time.Hour).Truncate(time.Second)
	if os.WriteFile(rules, []byte(d.Rules), 0o600) != nil || os.WriteFile(nodes, []byte(d.File), 0o600) != nil || os.Chtimes(nodes, written, written) != nil {
		return
	}
	in, args, form, by := "", []string{"placement", what, rules}, "json", hand.IntN(9)
	switch {
	case by == 0 && d.Wrong == "":
		in = d.File
		args = append(args, "--nodes", "-")
	case by == 1:
		args = append(args, "--nodes-command", "cat '"+nodes+"'")
	case by == 2:
		d.Wrong = "no such file"
		args = append(args, "--nodes", nodes+".gone")
	case by == 3 && what != "simulate":
		d.Nodes, d.Wrong = nil, ""
	default:
		args = append(args, "--nodes", nodes)
	}
	if what == "simulate" && hand.IntN(2) == 0 {
		form = "table"
	}
	r := m.begin()
	defer r.end()
	p := r.command(in, append(args, "-o", form)...)
	if r.dead.Load() {
		return
	}
	m.day.meet(fmt.Sprintf("placement %s, and nodes that are wrong: %v", what, d.Wrong != ""))
	if dated := written.UTC().Format("2006-01-02 15:04:05Z"); form == "table" && d.Wrong == "" && args[3] == "--nodes" && args[4] == nodes && !strings.Contains(p.out, dated) {
		m.day.fail("placement simulate does not say that its nodes are of %s: %.200s", dated, p.out)
	}
	m.day.oracle.Schedules(oracle.Scheduled{Command: what, Rules: d.Rules, Nodes: d.Nodes, Wrong: d.Wrong, Form: form, Code: p.code, Out: p.out, Err: p.err})
}
