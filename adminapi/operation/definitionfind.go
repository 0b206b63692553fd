package operation

import (
	"context"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
)

// EditFinding is what a look after a lost answer found of an edit.
type EditFinding int

// The findings, from the zero value on.
const (
	EditNotTold    EditFinding = iota // it cannot be told yet
	EditArrived                       // the site has what was sent: only the answer was lost
	EditNotArrived                    // the site still has what was there before
	EditPartly                        // neither: the site kept a part, or somebody else has edited
	EditGoesOn                        // a job edits this service at present
)

// FoundDefinition is what was found.
type FoundDefinition struct {
	Finding EditFinding
	Now     *document.Document // as the site has it; nil where it could not be read
	Changes []document.Change  // from what was sent to what is there
	Job     adminapi.Job       // with EditGoesOn
}

// editPath ends the path of an edit's operation in a job.
const editPath = "/edit"

// FindDefinition looks once what became of an edit whose answer was lost. It only
// reads: the definition, and where that is still the old one the list of jobs.
// [EditNotTold] comes with the error why the site does not tell.
func (s Site) FindDefinition(ctx context.Context, edit DefinitionEdit) (FoundDefinition, error) {
	now, err := s.ReadDefinition(ctx, edit.Service)
	if err != nil {
		return FoundDefinition{}, err
	}
	found := FoundDefinition{Now: now.Document, Changes: document.Diff(edit.Edited, now.Document)}
	switch {
	case len(found.Changes) == 0:
		found.Finding = EditArrived
		return found, nil
	case len(document.Diff(edit.Base, now.Document)) > 0:
		found.Finding = EditPartly
		return found, nil
	}
	found.Job, err = s.runningEdit(ctx, edit.Service)
	switch {
	case err != nil:
		found.Finding = EditNotTold
		return found, err
	case found.Job.ID != "":
		found.Finding = EditGoesOn
	default:
		found.Finding = EditNotArrived
	}
	return found, nil
}

// runningEdit returns a job that edits the service at present, without an id where
// none does.
func (s Site) runningEdit(ctx context.Context, service adminapi.ServiceRef) (adminapi.Job, error) {
	jobs, err := s.Jobs(ctx, 0)
	if err != nil {
		return adminapi.Job{}, err
	}
	for _, job := range jobs {
		if job.Status != "" && !job.Ended() && strings.HasSuffix(job.OperationURI, service.Path()+editPath) {
			return job, nil
		}
	}
	return adminapi.Job{}, nil
}
