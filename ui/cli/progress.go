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
type progressLines struct {
	program *program
	last    string
	silence string // what is wrong with the site since its last answer
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

func (s *progressLines) tell(job adminapi.Job, text string) {
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

// away says once why nothing is heard, until something else is wrong.
func (s *progressLines) away(job adminapi.Job, err error, meanwhile string) {
	s.program.cause = err
	what := ""
	if err != nil {
		what = adminapi.AwayText(err)
	}
	if what != "" && what != s.silence {
		s.tell(job, "the site: "+what+" at present, "+meanwhile+": "+err.Error())
	}
	s.silence = what
}

// refused says once that the site refuses to tell, until it tells again.
func (s *progressLines) refused(err error) {
	s.program.cause = err
	const what = "it refuses to tell"
	if s.silence != what {
		s.tell(adminapi.Job{}, "the site refuses to tell at present, and is asked again: "+err.Error())
	}
	s.silence = what
}

func (s *progressLines) job(job adminapi.Job, away error) {
	s.away(job, away, "it is asked again")
	if away == nil {
		s.tell(job, "job "+job.ID+": "+job.Status)
	}
}

func (s *progressLines) health(r operation.HealthReading) {
	s.away(r.Job, r.Away, "the check goes on")
	switch {
	case r.Away != nil:
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
