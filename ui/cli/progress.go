package cli

import (
	"fmt"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
)

// progress tells what goes on at the site, each thing once.
type progress struct {
	program *program
	last    string
}

// progressLine is one step in JSON.
type progressLine struct {
	Progress progressBody `json:"progress"`
}

type progressBody struct {
	JobID   string `json:"jobid,omitzero"`  // of a job
	Status  string `json:"status,omitzero"` // of a job
	Message string `json:"message"`
}

func (s *progress) tell(job adminapi.Job, text string) {
	if text == s.last {
		return
	}
	s.last = text
	if s.program.json() {
		s.program.messageLine(progressLine{progressBody{JobID: job.ID, Status: job.Status, Message: text}})
		return
	}
	fmt.Fprintln(s.program.Err, plain.Line(text))
}

func (s *progress) job(job adminapi.Job) { s.tell(job, "job "+job.ID+": "+job.Status) }

func (s *progress) health(r operation.HealthReading) {
	switch {
	case r.Away != nil:
		s.tell(r.Job, "the site does not answer at present, the check goes on: "+r.Away.Error())
	case r.Job.Status == "" && r.Report == nil:
		s.tell(r.Job, "looking for the run")
	case r.Report == nil:
		s.tell(r.Job, r.Job.Status)
	default:
		s.tell(r.Job, strings.TrimSpace(r.Job.Status+" "+counted(health.CountReport(*r.Report))))
	}
}

// counted writes a count in words, leaving out what there is none of.
func counted(c health.Count) string {
	var parts []string
	for _, part := range []struct {
		n    int
		word string
	}{
		{c.Failed, "failed"}, {c.Unknown, "unknown"}, {c.Warning, "with a warning"},
		{c.Running, "running"}, {c.Skipped, "skipped"},
	} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.word))
		}
	}
	text := fmt.Sprintf("%d of %d passed", c.Passed, c.Total())
	if len(parts) > 0 {
		text += ", " + strings.Join(parts, ", ")
	}
	return text
}
