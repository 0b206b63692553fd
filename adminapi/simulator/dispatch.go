package simulator

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// ServeHTTP answers one request: the scenario's faults first, then the site.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if latency := s.world.scenario.Latency.Duration; latency > 0 {
		if s.world.clock.Sleep(r.Context(), latency) != nil {
			return
		}
	}
	s.faults.serve(w, r, s.world.clock, http.HandlerFunc(s.answer))
}

// answer does what was asked for and writes what came of it.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	q, err := parse(w, r)
	var found *route
	var a answer
	if err == nil {
		found, a, err = s.perform(q)
	}
	if a.after > 0 && s.world.clock.Sleep(r.Context(), a.after) != nil {
		return
	}
	out := output{w: w, q: q, now: s.world.clock.Now()}
	if err != nil {
		out.refuse(err)
		return
	}
	out.write(*found, a)
}

// perform holds the world for itself while it checks and handles a request;
// waiting is done later, on what the handler answered.
func (s *Server) perform(q *request) (*route, answer, error) {
	w := s.world
	w.mu.Lock()
	defer w.mu.Unlock()
	q.now = w.clock.Now()
	w.settle(q.now)
	found, err := s.find(q)
	if err != nil {
		return nil, answer{}, err
	}
	if err := w.admit(found, q); err != nil {
		return found, answer{}, err
	}
	a, err := found.handle(q)
	return found, a, err
}

func (s *Server) find(q *request) (*route, error) {
	segments, err := pathSegments(q.http.URL)
	if err != nil {
		return nil, notFound("no such resource", "the path cannot be read")
	}
	found, vars, allowed := match(s.routes, q.http.Method, segments)
	switch {
	case found != nil:
		q.vars = vars
	case len(allowed) > 0:
		return nil, wrongMethod(q.http.Method, allowed)
	default:
		return nil, notFound("no such resource", "there is nothing at "+q.http.URL.Path)
	}
	if found.since != "" && olderThan(s.world.version, found.since) {
		return nil, notFound("no such resource", "this site is "+s.world.version.String()+"; the resource came with "+found.since)
	}
	return found, nil
}

// pathSegments splits before it unescapes, so that an escaped slash stays
// within its segment.
func pathSegments(u *url.URL) ([]string, error) {
	parts := strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")
	for i, part := range parts {
		plain, err := url.PathUnescape(part)
		if err != nil {
			return nil, err
		}
		parts[i] = plain
	}
	return parts, nil
}

// admit checks the caller against the rules of the route.
func (w *world) admit(r *route, q *request) error {
	if !r.public {
		user, err := w.tokens.check(q.http, w.wall())
		if err != nil {
			return err
		}
		q.user = user
		if !user.hasAny(r.privileges) {
			return forbidden(r.privileges)
		}
	}
	if r.write && !r.duringRO && w.mode.readOnly {
		return siteReadOnly(w.mode.message)
	}
	return nil
}

// asRefusal words an error that no handler worded.
func asRefusal(err error) *refusal {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	return &refusal{status: http.StatusInternalServerError, code: http.StatusInternalServerError, message: err.Error()}
}
