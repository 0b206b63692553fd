package batching

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// PlanFile is a reviewed change as a file holds it: parts of one or several services, what they
// were, and exactly what is to be sent. It may hold secrets, as definitions do: the file is
// private. See [WritePlan], [ReadPlanFile] and [PlanAgain].
type PlanFile struct {
	Site  string // as [journal.SiteOf] writes it
	Made  time.Time
	Edits []editing.Edit
	texts []planTextEdit // of each edit
}

// planFormat counts the forms of the file; another one is not read.
const planFormat = 1

type planText struct {
	Format   int            `json:"geodeckPlan"`
	Site     string         `json:"site"`
	Made     time.Time      `json:"made"`
	Part     string         `json:"part"`
	Edits    []planTextEdit `json:"edits"`
	Checksum string         `json:"sha256"` // of this text without it
}

type planTextEdit struct {
	Service    string          `json:"service"`
	Part       string          `json:"part,omitempty"` // where it is another than that of the plan
	Why        string          `json:"why,omitempty"`
	BaseSum    string          `json:"baseSha256"`
	Base       string          `json:"base"` // as it was read; sent only where the site still has it
	Send       string          `json:"send"`
	AllowLost  []document.Path `json:"allowLost,omitempty"`
	AllowNone  bool            `json:"allowNone,omitzero"` // of older plans
	Accept     []string        `json:"accept,omitempty"`   // words of findings
	Drift      []planDrift     `json:"drift,omitempty"`    // what was accepted of others' changes: the base has them already
	NoNode     []string        `json:"noNode,omitempty"`   // deployments that no node took when the plan was written
	NodesKnown int             `json:"nodes,omitzero"`     // then; nothing depends on it
	Unread     *planUnread     `json:"unread,omitempty"`   // of a site that did not show what it has
	Sync       *bool           `json:"sync,omitempty"`     // chosen: the site answers at its end
}

type planUnread struct {
	File string `json:"file,omitempty"` // that the base is from
}

type planDrift struct {
	Path string `json:"path,omitempty"`
	Name string `json:"name,omitempty"`
	Text string `json:"text"`
}

// PlanFileError says why a file of a plan cannot be applied. Nothing was sent. Exit code 4, or
// 2 where it is no plan at all.
type PlanFileError struct {
	Why    string
	Advice string // what to do, may be empty
	NoPlan bool   // it is not a file of a plan
}

// Error is the reason.
func (e *PlanFileError) Error() string { return e.Why + "; nothing was sent" }

// checksum is that of the text without its own checksum.
func (t planText) checksum() (string, error) {
	t.Checksum = ""
	text, err := json.Marshal(t)
	return operation.SumOf(string(text)), err
}

// WritePlan writes edits into a new private file, which [ReadPlanFile] reads. Those
// that cannot be made, or change nothing, are left out; of none the plan is empty. A name that is taken gets a number; it
// returns the path of the file.
func WritePlan(s operation.Site, path string, edits []PlannedEdit) (string, error) {
	t, err := planOf(s, edits)
	if err != nil {
		return "", err
	}
	return operation.WriteJSON(path, t)
}

// planOf is the text of a plan.
func planOf(s operation.Site, edits []PlannedEdit) (planText, error) {
	t := planText{Format: planFormat, Site: journal.SiteOf(s.Client.Base()), Made: s.Clock.Now().UTC()}
	for _, e := range ToSend(edits) {
		t.Part = cmp.Or(t.Part, e.Part.Kind())
		one := planTextEdit{Service: e.Service.Path(), Why: e.Why, BaseSum: operation.SumOf(e.Base.Text()), Base: e.Base.Text(), Send: e.Edited.Text(),
			AllowLost: e.Accepted.Removed, Accept: e.Accepted.Words, NoNode: e.Plan.Unschedulable(), NodesKnown: len(e.Nodes), Sync: e.Sync}
		if e.Unread != nil {
			one.Unread = &planUnread{e.Unread.File}
		}
		if e.Part.Kind() != t.Part {
			one.Part = e.Part.Kind()
		}
		for _, f := range e.Drift {
			one.Drift = append(one.Drift, planDrift{f.At.Path, f.At.Name, f.Text})
		}
		t.Edits = append(t.Edits, one)
	}
	var err error
	t.Checksum, err = t.checksum()
	return t, err
}

// maxPlanFile is the size of the largest file of a plan that is read, in bytes.
const maxPlanFile = 64 << 20

// UnsentReview is in the text of a review that is handed on, which is no plan.
const UnsentReview = "A review, not sent. "

// ReadPlanFile reads a plan from a private file: no link, and open to nobody else. What cannot
// be applied, such as a file that was changed since [WritePlan], is a [*PlanFileError].
func ReadPlanFile(path string) (PlanFile, error) {
	content, err := readPrivate(path, maxPlanFile)
	if err != nil {
		return PlanFile{}, err
	}
	var t planText
	if err := json.Unmarshal(content, &t, json.RejectUnknownMembers(true)); err != nil || t.Format == 0 {
		if bytes.Contains(content, []byte(UnsentReview)) {
			return PlanFile{}, &PlanFileError{Why: "this is the text of a review", NoPlan: true, Advice: "Its last lines name the command, and the file of its plan."}
		}
		return PlanFile{}, &PlanFileError{Why: plain.Line(path) + " is not a plan that geodeck has saved", NoPlan: true,
			Advice: "Save one from a review, or with --save-plan."}
	}
	if t.Format != planFormat {
		return PlanFile{}, &PlanFileError{Why: fmt.Sprintf("another version of geodeck has saved this plan (form %d)", t.Format), NoPlan: true}
	}
	const again = "Save the plan again, from a review."
	if sum, err := t.checksum(); err != nil || sum != t.Checksum {
		return PlanFile{}, &PlanFileError{Why: "the plan was changed since it was saved", Advice: again}
	}
	plan := PlanFile{Site: t.Site, Made: t.Made}
	for _, one := range t.Edits {
		edit := editing.Edit{Why: one.Why, Sync: one.Sync, Accepted: editing.Accepted{Words: one.Accept, Removed: one.AllowLost}}
		if one.AllowNone {
			edit.Accepted.Words = append(edit.Accepted.Words, editing.Gates.Of(editing.NoNode).Accept)
		}
		for _, d := range one.Drift {
			edit.Drift = append(edit.Drift, editing.Gates.Finding(finding.Edit, editing.Overwrites, finding.Place{Path: plain.Line(d.Path), Name: plain.Line(d.Name)}, plain.Line(d.Text)))
		}
		part := slices.IndexFunc(editing.Parts, func(p editing.Part) bool { return p.Kind() == cmp.Or(one.Part, t.Part) })
		if part < 0 {
			break
		}
		service, err := adminapi.ParseServicePath(one.Service)
		if err == nil {
			edit.Base, err = document.Parse([]byte(one.Base))
		}
		if err == nil {
			edit.Edited, err = document.Parse([]byte(one.Send))
		}
		if err != nil || operation.SumOf(one.Base) != one.BaseSum {
			return PlanFile{}, &PlanFileError{Why: "the plan of " + plain.Line(one.Service) + " cannot be read", Advice: again}
		}
		edit.Target = editing.Target{Service: service, Part: editing.Part(part)}
		plan.Edits = append(plan.Edits, edit)
		plan.texts = append(plan.texts, one)
	}
	if len(plan.Edits) < len(t.Edits) {
		return PlanFile{}, &PlanFileError{Why: "the plan names what cannot be changed", Advice: again}
	}
	return plan, nil
}

// PlanAgain plans what the file of a plan holds, against what the site has now: nothing else is
// sent. An edit whose base is another than the site's is refused with a [*editing.DriftError]; one that
// the site has already changes nothing; of several, one whose end was not seen is not sent again. accepted is what is accepted besides. A plan of another site is a [*PlanFileError].
func PlanAgain(ctx context.Context, s operation.Site, plan PlanFile, nodes []placement.Node, accepted editing.Accepted) ([]PlannedEdit, error) {
	if here := journal.SiteOf(s.Client.Base()); here != plan.Site {
		return nil, &PlanFileError{Why: "the plan is for " + plain.Line(plan.Site) + ", and this is " + plain.Line(here), Advice: "Name the site of the plan."}
	}
	planned := make([]PlannedEdit, len(plan.Edits))
	for i, edit := range plan.Edits {
		edit.Nodes, edit.Accepted = nodes, edit.Accepted.And(accepted)
		if len(plan.Edits) > 1 {
			if sent := s.EditGoesOn(ctx, edit); sent != nil {
				planned[i] = PlannedEdit{Edit: edit, Sent: sent}
				continue
			}
		}
		planned[i] = planEditAgain(ctx, s, edit, plan.texts[i])
		if err := cmp.Or(planned[i].Refused, ctx.Err()); errors.Is(err, adminapi.KindSignIn) || ctx.Err() != nil {
			return nil, err
		}
	}
	return planned, nil
}

func planEditAgain(ctx context.Context, s operation.Site, edit editing.Edit, text planTextEdit) PlannedEdit {
	now, err := s.Read(ctx, edit.Target)
	if text.Unread != nil && editing.Unreadable(err) {
		now.Document, edit, err = edit.Base, edit.WithoutReading(err, text.Unread.File), nil
	}
	if err != nil {
		return PlannedEdit{Edit: edit, Refused: err}
	}
	if len(document.Diff(edit.Edited, now.Document)) == 0 {
		edit.Base, edit.Accepted = now.Document, editing.Accepted{}
		state := s.Availability().States(ctx, []adminapi.ServiceRef{edit.Service})[0]
		return PlannedEdit{Edit: edit, NotBack: state.Configured == adminapi.ServiceStarted && !state.Running()}
	}
	edit.Keys = s.Memory.Keys()
	p := PlannedEdit{Edit: edit, Plan: edit.Plan()}
	if changes := document.Diff(edit.Base, now.Document); len(changes) > 0 {
		p.Refused = &editing.DriftError{Part: edit.Part, Theirs: now.Document, Changes: changes}
	} else if p.Refused = edit.Sendable(); p.Refused == nil && len(text.NoNode) > 0 && len(edit.Nodes) == 0 {
		at := finding.Place{Name: plain.Line(strings.Join(text.NoNode, ", "))}
		none := editing.Gates.Finding(finding.Rules, editing.NoNode, at, "No node took the pods when the plan was saved.")
		if !edit.Accepted.By()(none) {
			p.Refused = &editing.NotAcceptedError{Findings: []finding.Finding{none}}
		}
	}
	return p
}

// readPrivate reads a regular file that nobody else may use, and no link. What is refused is a
// [*PlanFileError].
func readPrivate(path string, limit int64) ([]byte, error) {
	name := plain.Line(path)
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, &PlanFileError{Why: name + " is a link, not a file", Advice: "Give the path of the file itself.", NoPlan: true}
	}
	if err != nil {
		return nil, &PlanFileError{Why: operation.PlainPathError(name, err).Error(), NoPlan: true}
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &PlanFileError{Why: name + " is not a regular file", NoPlan: true}
	case info.Mode().Perm()&0o077 != 0:
		return nil, &PlanFileError{Why: "others on this machine may use the plan " + name, Advice: "Make it private: chmod 600 " + plain.ShellWord(path)}
	}
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = &PlanFileError{Why: fmt.Sprintf("%s is larger than %d MiB", name, limit>>20), NoPlan: true}
	}
	return content, err
}
