package simulator

import (
	"bytes"
	"encoding/json"
	"time"
)

// How long an edit takes where the scenario says nothing, and how long a
// service that it restarts does not answer.
const (
	editTakes    = 6 * time.Second
	restartTakes = 10 * time.Second
)

// editors are who may change a service.
var editors = []string{privUpdate, privDelete, privSecurity, privPublisher}

func serviceEditRoutes(w *world) []route {
	return w.serviceOperation("edit", "Edit service", w.editService)
}

// serviceOperation makes the routes of an operation on a service: with and
// without a folder. None of them works while an upgrade runs.
func (w *world) serviceOperation(verb, name string, do func(*request, *service) (answer, error)) []route {
	handle := w.onFreeService(do)
	return []route{
		post("/services/{service}/"+verb, name, handle).needing(editors...).from("10.9"),
		post("/services/{folder}/{service}/"+verb, name, handle).needing(editors...).from("10.9"),
	}
}

// onService handles a request by the service that its path names.
func (w *world) onService(do func(*request, *service) (answer, error)) func(*request) (answer, error) {
	return func(q *request) (answer, error) {
		s, err := w.serviceOf(q)
		if err != nil {
			return answer{}, err
		}
		return do(q, s)
	}
}

// onFreeService is onService for what cannot be done while an upgrade runs, or
// another operation on the service.
func (w *world) onFreeService(do func(*request, *service) (answer, error)) func(*request) (answer, error) {
	return w.onService(func(q *request, s *service) (answer, error) {
		if err := w.busyUpgrading(q.now); err != nil {
			return answer{}, err
		}
		if q.now.Before(s.busyUntil) {
			return answer{}, &refusal{code: 409, message: "Another operation on this service is in progress.",
				details: []string{s.path() + " is busy until " + s.busyUntil.UTC().Format(time.RFC3339) + "."}}
		}
		return do(q, s)
	})
}

// serviceOf finds the service that the path of a request names.
func (w *world) serviceOf(q *request) (*service, error) {
	path := q.vars["service"]
	if folder := q.vars["folder"]; folder != "" {
		path = folder + "/" + path
	}
	if s := w.services.byPath[path]; s != nil {
		return s, nil
	}
	return nil, notFound("no such service", "there is no service "+path)
}

// edit is a definition on its way into a service.
type edit struct {
	service *service
	text    []byte // as the site will keep it
	plan    EditPlan
	begins  time.Time
	ends    time.Time
	settled time.Time // when the service answers again
}

func (w *world) editService(q *request, s *service) (answer, error) {
	text, err := q.required("service")
	if err != nil {
		return answer{}, err
	}
	async, err := q.boolean("async", false)
	if err != nil {
		return answer{}, err
	}
	if err := s.mayBecome([]byte(text)); err != nil {
		return answer{}, err
	}
	kept, err := w.keep(s, []byte(text))
	if err != nil {
		return answer{}, err
	}
	e, err := w.takeEdit(q.now, s, kept)
	if err != nil {
		return answer{}, err
	}
	if async && !olderThan(w.version, "10.9.1") {
		return w.inJob(q, e.job()), nil
	}
	return e.synchronous(q.now)
}

// takeEdit lets an edit happen from now on.
func (w *world) takeEdit(now time.Time, s *service, text []byte) (*edit, error) {
	e := &edit{service: s, text: text, plan: w.nextEditPlan(), begins: now.Add(queueTime)}
	before, err := w.textOf(s)
	if err != nil {
		return nil, err
	}
	takes := e.plan.Takes.Duration
	if takes == 0 {
		takes = editTakes
	}
	e.ends = e.begins.Add(takes)
	e.settled = e.ends
	if e.applies() {
		if restarts(before, text) && !s.stopped {
			e.settled = e.ends.Add(w.restartTime())
		}
		w.schedule(e.ends, func() { w.replace(s, text, e.ends, e.settled) })
	}
	s.busyUntil = e.ends
	return e, nil
}

func (w *world) nextEditPlan() EditPlan {
	n := w.services.edits
	w.services.edits++
	for _, p := range w.scenario.Editing.Edits {
		if n >= p.After && (p.Times == 0 || n < p.After+p.Times) {
			return p
		}
	}
	return EditPlan{}
}

func (w *world) restartTime() time.Duration {
	if d := w.scenario.Editing.Restart.Duration; d > 0 {
		return d
	}
	return restartTakes
}

func (e *edit) completes() bool { return e.plan.Ends == "" || e.plan.Ends == jobCompleted }

func (e *edit) applies() bool { return e.completes() || e.plan.Applied }

func (e *edit) reason() string {
	if e.plan.Message != "" {
		return e.plan.Message
	}
	return "The service " + e.service.path() + " did not become ready within its time."
}

type editResult struct {
	Service json.RawMessage `json:"service"`
}

type endResult struct {
	Messages []string `json:"messages"`
}

func (e *edit) job() job {
	j := job{name: "Edit service", resource: e.service.name, begins: e.begins, ends: e.ends, end: e.plan.Ends,
		result: func() any { return editResult{e.text} }}
	if !e.completes() {
		j.messages = []string{e.reason()}
		j.result = func() any { return endResult{j.messages} }
	}
	return j
}

// synchronous answers when the service is ready again, or when the edit has
// ended badly.
func (e *edit) synchronous(now time.Time) (answer, error) {
	if !e.completes() {
		return answer{after: e.ends.Sub(now)}, &refusal{code: 500, message: e.reason()}
	}
	return answer{body: statusBody{"success"}, after: e.settled.Sub(now)}, nil
}

// replace gives a service another definition, whole: what the new one leaves
// out is gone.
func (w *world) replace(s *service, text []byte, at, settled time.Time) {
	s.definition = text
	var says struct {
		Description string `json:"description"`
	}
	_ = json.Unmarshal(text, &says) // of another type: nothing
	s.description = says.Description
	if settled.After(at) && !s.stopped {
		s.change(serviceStopped, settled)
	}
}

// quiet are the members that change without a restart.
var quiet = map[string]bool{"description": true, "capabilities": true, "extensions": true}

// restarts tells whether anything differs that a running service cannot take up.
func restarts(before, after []byte) bool {
	var old, now map[string]json.RawMessage
	if json.Unmarshal(before, &old) != nil || json.Unmarshal(after, &now) != nil {
		return true
	}
	for _, pair := range []struct{ a, b map[string]json.RawMessage }{{old, now}, {now, old}} {
		for name, value := range pair.a {
			if other, there := pair.b[name]; !quiet[name] && (!there || !sameJSON(value, other)) {
				return true
			}
		}
	}
	return false
}

func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

type serviceJobBody struct {
	JobsURL string `json:"jobsUrl"`
	JobID   string `json:"jobID"`
	Status  string `json:"jobStatus"`
}

// inJob answers as operations on services do: in another spelling than health
// checks.
func (w *world) inJob(q *request, j job) answer {
	started := w.startJob(q, j)
	return answer{
		body:     serviceJobBody{w.adminURL() + "/jobs/" + started.id, started.id, jobSubmitted},
		redirect: adminRoot + "/jobs/" + started.id,
	}
}
