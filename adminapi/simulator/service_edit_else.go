package simulator

import (
	"cmp"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// wasRead counts the readings of a definition, and lets somebody else edit the
// service right after the one that the scenario names.
func (w *world) wasRead(s *service, now time.Time) error {
	s.reads++
	e := w.scenario.Editing.Else
	if e == nil || s.path() != cmp.Or(e.Service, sampleService) {
		return nil
	}
	every := max(e.Reads, 1)
	if s.reads%every != 0 || s.reads/every > max(e.Times, 1) {
		return nil
	}
	return w.editByElse(s, *e, now)
}

// editByElse replaces a definition at once; the job of it is among the others.
func (w *world) editByElse(s *service, e ElsesEdit, now time.Time) error {
	set := map[jsontext.Pointer]Setting{}
	for _, setting := range e.Set {
		set[jsontext.Pointer(setting.At)] = setting
	}
	before, err := w.textOf(s)
	if err != nil {
		return err
	}
	text, err := rewrite(before, func(at jsontext.Pointer) (jsontext.Value, bool) {
		setting, found := set[at]
		return jsontext.Value(setting.Value), !found || setting.Value != nil
	})
	if err != nil {
		return err
	}
	settled := now
	if restarts(before, text) {
		settled = now.Add(w.restartTime())
	}
	w.replace(s, text, now, settled)
	w.editedByElse(s, cmp.Or(e.User, "publisher"), job{name: "Edit service", operation: "/edit", ends: now, result: func() any { return editResult{text} }})
	return nil
}

// editedByElse puts an edit that somebody else made at once among the jobs. Its
// operation is a path below the service.
func (w *world) editedByElse(s *service, user string, j job) {
	j.id, j.requestID, j.username, j.resource = "j"+longID(w.ids), longID(w.ids), user, s.name
	j.operation = adminRoot + "/services/" + s.path() + j.operation
	j.submitted, j.begins = j.ends, j.ends
	w.jobs.add(&j)
}
