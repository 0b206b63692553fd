package operation

import (
	"context"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
)

// PlannedEdit is the same change on one of several services.
type PlannedEdit struct {
	Edit
	Plan EditPlan
	// Refused is why the change cannot be made there: the definition could not be
	// read, a place is missing, the result breaks a rule. nil where it can.
	Refused error
}

// Unchanged tells that the service has all of it already.
func (p PlannedEdit) Unchanged() bool { return p.Refused == nil && len(p.Plan.Changes) == 0 }

// PlanMany reads the definition of each service and makes the changes in it,
// whatever value stands there now. Nothing is sent. Each is reported as it is ready.
func (s Site) PlanMany(ctx context.Context, services []adminapi.ServiceRef, changes []document.Change, report func(done int)) []PlannedEdit {
	planned := make([]PlannedEdit, len(services))
	for i, service := range services {
		planned[i] = s.planOne(ctx, service, changes)
		if report != nil {
			report(i + 1)
		}
	}
	return planned
}

func (s Site) planOne(ctx context.Context, service adminapi.ServiceRef, changes []document.Change) PlannedEdit {
	target := DefinitionOf(service)
	p := PlannedEdit{Edit: Edit{Target: target, Why: "an edit of several services"}}
	d, err := s.ReadContent(ctx, target)
	if err != nil {
		p.Refused = err
		return p
	}
	p.Base = d.Document
	if p.Edited, p.Refused = d.Document.Apply(changes); p.Refused != nil {
		return p
	}
	p.Plan = p.Edit.Plan()
	if len(p.Plan.Changes) > 0 { // lost keys are confirmed in the review
		p.Refused = p.Edit.Blocked()
	}
	return p
}

// AppliedEdit is what became of one of several edits.
type AppliedEdit struct {
	Target
	Applied Applied
	Outcome adminapi.Outcome
	Err     error
}

// ApplyMany applies edits one after the other and stops at the first that is not
// done whole: those after it are not sent, and not in the result. An edit that
// changes nothing is skipped.
func (s Site) ApplyMany(ctx context.Context, edits []PlannedEdit, report func(service adminapi.ServiceRef, p EditProgress)) []AppliedEdit {
	var results []AppliedEdit
	for _, edit := range edits {
		if edit.Refused != nil || edit.Unchanged() {
			continue
		}
		result := AppliedEdit{Target: edit.Target}
		result.Applied, result.Outcome, result.Err = s.ApplyEdit(ctx, edit.Edit, func(p EditProgress) {
			if report != nil {
				report(edit.Service, p)
			}
		})
		results = append(results, result)
		if result.Err != nil || result.Outcome != adminapi.OutcomeDone {
			break
		}
	}
	return results
}
