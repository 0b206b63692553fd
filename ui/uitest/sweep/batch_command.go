package sweep

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/ui/cli/command"
	"geodeck/ui/uitest/sweep/oracle"
)

// byCommand is one attempt at all services by a command, in one of the forms of output. A person may stop it, or have it end
// by the time, and goes on with the plan of one that was stopped.
func (b batch) byCommand(r *run, left map[string]bool) []told {
	m := r.machine
	hand := m.day.random(r.name + " command")
	form := pick(hand, []string{"table", "json", "jsonl"})
	args := []string{"service", "edit"}
	var services []string
	for _, c := range b {
		services = append(services, c.target.Service.Path())
	}
	var plan *leftPlan
	if slices.ContainsFunc(b, func(c *changing) bool { return left[c.target.Service.Path()] }) {
		var forget func()
		plan, forget = b.planLeft(m)
		defer forget()
	}
	if plan != nil && hand.IntN(2) == 0 {
		services = plan.services
		args = []string{"service", "apply", "--plan", plan.file}
		m.day.meet("a batch is continued by its plan")
	} else {
		args = append(append(args, services...), "--set", "maxIdleTime="+b[0].raw)
	}
	args = append(args, "-o", form)
	if hand.IntN(3) == 0 {
		args = append(args, "--partial")
	}
	facts := oracle.Batch{Program: r.name, Form: form, Services: services, Has: map[string]func(string) bool{}}
	if hand.IntN(6) == 0 {
		args, facts.Ends = append(args, "--timeout", pick(hand, []string{"5s", "20s", "90s"})), true
	}
	if hand.IntN(4) == 0 {
		facts.Ends = true
		r.stopsAfter(time.Duration(hand.IntN(30000))*time.Millisecond+atNoRequest, hand.IntN(2) == 0)
	}
	for _, c := range b {
		facts.Has[c.target.Service.Path()] = func(text string) bool {
			d, err := document.Parse([]byte(text))
			return err == nil && c.has(d)
		}
	}
	p := r.change("", args...)
	facts.Code, facts.Out, facts.Err = p.code, p.out, p.err
	facts.Files, facts.Hurt = own(m.disk.Files()), r.hurt()
	lines := m.day.oracle.Batched(facts)
	if len(lines) > 0 && len(left) > 0 && plan != nil && !r.hurt() && args[1] == "edit" && !strings.Contains(p.err, "An edit of") {
		m.day.fail("a batch was stopped, and geodeck service edit says nothing of it: %.200s", p.err)
	}
	results := make([]told, len(b))
	for i, c := range b {
		results[i] = p.told()
		at := slices.IndexFunc(lines, func(l oracle.Line) bool { return l.Service == c.target.Service.Path() })
		switch {
		case at >= 0:
			results[i] = b.toldBy(lines[at])
		case len(lines) > 0: // the plan is not about it
			results[i] = told{outcome: adminapi.OutcomeNotSent, text: "it is in no line"}
		case p.code == codeSignIn || p.code == codeFailed:
			results[i] = told{outcome: adminapi.OutcomeUnknown, text: p.err}
		}
	}
	return results
}

// toldBy is what a line says of a service.
func (b batch) toldBy(l oracle.Line) told {
	said := told{text: l.Outcome + " " + l.Text}
	switch l.Outcome {
	case "done", "unchanged":
		said.outcome, said.ended = adminapi.OutcomeDone, true
	case "not sent":
		said.outcome, said.rest = adminapi.OutcomeNotSent, l.Stopped()
	case "refused":
		said.outcome = adminapi.OutcomeRefused
		if l.Sent != nil && !*l.Sent {
			said.outcome = adminapi.OutcomeNotSent
		}
	case "failed":
		said.outcome, said.broken = adminapi.OutcomeDone, true
	}
	return said
}

// stopsAfter lets a person stop the command of a program, or the machine end it.
func (r *run) stopsAfter(long time.Duration, terminated bool) {
	ctx, stop := context.WithCancelCause(r.ctx)
	r.until = ctx
	cause := error(context.Canceled)
	if terminated {
		cause = &command.Signalled{Signal: syscall.SIGTERM}
	}
	timer := time.AfterFunc(long, func() {
		r.machine.day.meet("a command is interrupted")
		r.machine.day.log("%s is interrupted: %v", r.name, cause)
		stop(cause)
	})
	context.AfterFunc(r.ctx, func() { timer.Stop() })
}

// leftPlan is the plan of a batch that was stopped, in a file.
type leftPlan struct {
	file     string
	services []string
}

// planLeft copies the plan of the newest batch that was interrupted out of the disk in memory, where commands read no plan; nil
// for none.
func (b batch) planLeft(m *machine) (plan *leftPlan, forget func()) {
	forget = func() {}
	j, err := m.journalOn(diskWith(m.disk.Files()))
	if err != nil {
		return nil, forget
	}
	defer j.Close()
	all, err := batching.AllInterrupted(operation.Memory{Journal: j})
	if err != nil || len(all) == 0 {
		return nil, forget
	}
	text, is := m.disk.Files()[all[0].Plan]
	if !is {
		return nil, forget
	}
	folder, err := realFolder("plan")
	if err != nil {
		return nil, forget
	}
	forget = func() { _ = os.RemoveAll(folder) }
	plan = &leftPlan{file: filepath.Join(folder, "plan.json")}
	if os.WriteFile(plan.file, text, 0o600) != nil {
		return nil, forget
	}
	kept, err := batching.ReadPlanFile(plan.file)
	if err != nil {
		m.day.fail("the plan of a batch that was stopped cannot be read: %v", err)
		return nil, forget
	}
	for _, e := range kept.Edits {
		if !b[0].has(e.Edited) { // of another batch
			return nil, forget
		}
		plan.services = append(plan.services, e.Service.Path())
	}
	return plan, forget
}

// others lets the second administrator edit the first service that a batch has left, or the same value of it, and reports
// whether it does.
func (b batch) others(m *machine, n int, left map[string]bool) (edited bool) {
	r := m.day.random(fmt.Sprint("others before attempt ", n))
	at := slices.IndexFunc(b, func(c *changing) bool { return left[c.target.Service.Path()] })
	if at < 0 || r.IntN(3) > 0 {
		return false
	}
	c := b[at]
	change := pick(r, []change{sets("description", fmt.Sprintf(`"theirs %d"`, n)), sets("maxIdleTime", fmt.Sprint(600+n))})
	theirs, err := change.make(m.truth(c.where()))
	if err != nil {
		return false
	}
	more := pick(r, []string{"", "async"})
	m.day.meet("others edit the first service that a batch has left")
	m.day.oracle.Undone(c.intent)
	if more != "" {
		m.day.oracle.Undoes()
	}
	m.edits(c.where(), theirs.Text(), more)
	time.Sleep(70 * time.Second) // of two that begin at once nobody could tell which job is whose
	return true
}
