package simulator

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Where the two sides of the site are, below the origin.
const (
	siteContext = "/geodeck"
	adminRoot   = siteContext + "/admin"
	sharingRoot = siteContext + "/sharing/rest"
)

// route is one resource or operation of the API and the rules around it; the
// dispatcher enforces them, so that a handler holds only what it does.
type route struct {
	method     string // GET for resources, POST for operations
	path       string // from the origin; {name} stands for one segment
	name       string // what an administrator calls it, for pages
	handle     handler
	privileges []string // any one of these is enough; none: whoever reaches the API
	public     bool     // needs no token
	write      bool     // refused in read-only mode
	duringRO   bool     // a write that read-only mode permits
	idle       bool     // refused while an upgrade runs
	since      string   // version of the site that brought it; older ones answer 404
	htmlOnly   bool     // has no JSON form
}

// handler does what a route is for, and returns the body of the answer, an [answer] that is
// more than its body, or why there is none, such as a *refusal.
type handler func(*request) any

// on makes a handler of one that takes what the request names, such as a report.
func on[T any](find func(*request) (T, error), handle func(*request, T) any) handler {
	return func(q *request) any {
		named, err := find(q)
		if err != nil {
			return err
		}
		return handle(q, named)
	}
}

// answer is what is sent, and when.
type answer struct {
	body     any           // see [output.write] for how it is written; nil for an answer without a body
	after    time.Duration // on the world's clock, before it is sent
	redirect string        // where a browser goes instead (path), html only
}

// object is a JSON object with its names in order.
type object = map[string]any

// success is the answer to most writes.
var success = object{"status": "success"}

// Bodies that are neither values for JSON nor errors.
type (
	pieces   [][]byte // of JSON, written byte for byte
	webPage  string   // HTML
	location string   // where every client goes next
	download struct { // a file to save
		name, contentType string
		content           []byte
	}
)

// get, post and query shorten the tables of the areas.
func get(path, name string, handle handler) *route {
	return &route{method: http.MethodGet, path: adminRoot + path, name: name, handle: handle}
}

func post(path, name string, handle handler) *route {
	return &route{method: http.MethodPost, path: adminRoot + path, name: name, handle: handle, write: true}
}

// query makes a POST that changes nothing.
func query(path, name string, handle handler) *route {
	r := post(path, name, handle)
	r.write = false
	return r
}

// portal makes a route of the portal's side, which needs no token.
func portal(method, path, name string, handle handler) *route {
	return &route{method: method, path: sharingRoot + path, name: name, handle: handle, public: true}
}

// needing lets only users with any of the privileges call a route.
func (r *route) needing(privileges ...string) *route {
	r.privileges = privileges
	return r
}

// needing is [route.needing] of several routes.
func needing(privileges []string, routes ...*route) []*route {
	for _, r := range routes {
		r.privileges = privileges
	}
	return routes
}

// from sets the version of the site that brought the route.
func (r *route) from(version string) *route {
	r.since = version
	return r
}

// handle has the world for itself while it checks and handles a request; the
// caller waits as long as the answer says.
func (s *Server) handle(q *request) (*route, answer) {
	w := s.world
	w.mu.Lock()
	defer w.mu.Unlock()
	q.now = w.clock.Now()
	w.settle(q.now)
	found, err := s.find(q)
	if err == nil {
		err = w.authorize(found, q)
	}
	if err != nil {
		return nil, answer{body: err}
	}
	result := found.handle(q)
	if q.err != nil {
		result = q.err
	}
	if whole, is := result.(answer); is {
		return found, whole
	}
	return found, answer{body: result}
}

func (s *Server) find(q *request) (*route, error) {
	segments, err := pathSegments(q.http.URL)
	if err != nil {
		return nil, &refusal{status: http.StatusBadRequest, code: http.StatusBadRequest, message: "the path is refused", details: []string{err.Error()}}
	}
	method := q.http.Method
	found, vars, allowed := match(s.routes, method, segments)
	switch {
	case found == nil && len(allowed) > 0:
		return nil, wrongMethod(method, allowed...)
	case found == nil:
		return nil, notFound("no such resource", "there is nothing at "+q.http.URL.Path)
	case found.since != "" && s.world.version.before(found.since):
		return nil, notFound("no such resource", "this site is "+s.world.version.String()+"; the resource came with "+found.since)
	}
	q.vars = vars
	return found, nil
}

func wrongMethod(method string, allowed ...string) *refusal {
	return &refusal{
		status: http.StatusMethodNotAllowed, code: http.StatusMethodNotAllowed, message: "method not allowed", allow: allowed,
		details: []string{method + " is not allowed here; use " + strings.Join(allowed, " or ")},
	}
}

// pathSegments splits before it unescapes. Several slashes count as one: some programs put
// one behind a root that ends in one. Like servers of the platform's kind it takes no escaped
// slash.
func pathSegments(u *url.URL) ([]string, error) {
	parts := strings.FieldsFunc(u.EscapedPath(), func(r rune) bool { return r == '/' })
	for i, part := range parts {
		var err error
		if parts[i], err = url.PathUnescape(part); err != nil || strings.Contains(parts[i], "/") {
			return nil, errors.New("the path cannot be read, or has an escaped slash")
		}
	}
	return parts, nil
}

// authorize checks the caller against the rules of the route.
func (w *world) authorize(r *route, q *request) error {
	if !r.public {
		user, err := w.accounts.check(q.http, w.wall())
		if err != nil {
			return err
		}
		q.user = user
		switch admin := strings.HasPrefix(r.path, adminRoot); {
		case admin && len(user.Privileges) == 0: // of none of the roles that reach this API
			if len(r.privileges) == 0 {
				return forbidden(allPrivileges)
			}
			return forbidden(r.privileges)
		case !user.hasAny(r.privileges):
			return forbidden(r.privileges)
		}
	}
	if r.write && w.recovery.restoring(q.now) {
		return conflict("A backup is being restored; this is not available until it ends.")
	}
	if r.idle { // before read-only mode, which is part of the upgrade
		if err := w.upgrades.checkIdle(q.now); err != nil {
			return err
		}
	}
	if r.write && !r.duringRO && w.mode.ReadOnly {
		return refusedReadOnly(w.mode.Message)
	}
	return nil
}

// match finds the route for a request; the one with the most literal segments wins.
// Where that takes other methods, allowed holds them.
func match(routes []*route, method string, segments []string) (found *route, vars map[string]string, allowed []string) {
	portal := len(segments) > 1 && segments[1] == "sharing"
	if portal {
		segments = portalSegments(segments)
	}
	exact := -1
	for i := range routes {
		v, literals, ok := matchPath(routes[i].path, segments)
		if !ok || literals < exact {
			continue
		}
		if literals > exact {
			found, allowed, exact = nil, nil, literals
		}
		if routes[i].method == method {
			found, vars = routes[i], v
		} else if !slices.Contains(allowed, routes[i].method) {
			allowed = append(allowed, routes[i].method)
		}
	}
	if found == nil && method == http.MethodPost { // which reads, too: every operation of the contract is a POST
		found, vars, _ = match(routes, http.MethodGet, segments)
	}
	return found, vars, allowed
}

// portalSegments are those of a path on the portal's side, where OAuth has a second address.
func portalSegments(segments []string) []string {
	if len(segments) > 2 && segments[2] == "oauth2" {
		segments = slices.Insert(segments, 2, "rest")
	}
	return segments
}

// matchPath compares segment by segment and counts the literal ones: reports/query
// has one more than reports/{id}. A service has its type behind a dot, which tells it from a
// folder and from an operation that this site does not have.
func matchPath(pattern string, segments []string) (vars map[string]string, literals int, ok bool) {
	at := 0
	for part := range strings.SplitSeq(strings.Trim(pattern, "/"), "/") {
		name, isVar := strings.CutPrefix(part, "{")
		switch {
		case at == len(segments):
			return nil, 0, false
		case isVar && (name != "service}" || strings.Contains(segments[at], ".")):
			if vars == nil {
				vars = map[string]string{}
			}
			vars[strings.TrimSuffix(name, "}")] = segments[at]
		case part == segments[at]:
			literals++
		default:
			return nil, 0, false
		}
		at++
	}
	return vars, literals, at == len(segments)
}
