package simulator

import (
	"net/http"
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
	handle     func(*request) (answer, error)
	privileges []string // any one of these is enough; none: whoever is signed in
	public     bool     // needs no token
	write      bool     // refused in read-only mode
	duringRO   bool     // a write that read-only mode lets through
	since      string   // version of the site that brought it; older ones answer 404
	htmlOnly   bool     // has no JSON form
}

// answer is what a handler gives back.
type answer struct {
	body     any           // written as JSON or on a page; nil for an answer without a body
	text     []byte        // instead of body: JSON that is written byte for byte
	after    time.Duration // on the world's clock, before it is given
	redirect string        // where a browser goes instead (path), html only
	file     *download     // instead of body: bytes to save
}

// download is a file that the site gives out.
type download struct {
	name, contentType string
	content           []byte
}

// allRoutes is the one list of everything the site answers. A capability is
// added by one line here and files of its own: its function makes the state it
// needs, keeps it in its handlers, and finds the rest in the world.
func allRoutes(w *world) []route {
	areas := [][]route{
		portalRoutes(w),
		rootRoutes(w),
		modeRoutes(w),
		suiteRoutes(w),
		runRoutes(w),
		reportRoutes(w),
		exportRoutes(w),
		uploadRoutes(w),
		jobRoutes(w),
		serviceRoutes(w),
		placementRoutes(w),
		deploymentRoutes(w),
		upgradeRoutes(w),
		recoveryRoutes(w),
	}
	var routes []route
	for _, area := range areas {
		routes = append(routes, area...)
	}
	return routes
}

// match finds the route for a request. Where the path is known and the method
// is not, allowed holds the methods that would do.
func match(routes []route, method string, segments []string) (found *route, vars map[string]string, allowed []string) {
	exact := -1
	for i := range routes {
		v, literals, ok := matchPath(routes[i].path, segments)
		if !ok {
			continue
		}
		if routes[i].method != method {
			if !slices.Contains(allowed, routes[i].method) {
				allowed = append(allowed, routes[i].method)
			}
			continue
		}
		if literals > exact {
			found, vars, exact = &routes[i], v, literals
		}
	}
	return found, vars, allowed
}

// matchPath compares segment by segment and counts those that were literal, so
// that reports/query wins over reports/{id}.
func matchPath(pattern string, segments []string) (vars map[string]string, literals int, ok bool) {
	parts := strings.Split(strings.Trim(pattern, "/"), "/")
	if len(parts) != len(segments) {
		return nil, 0, false
	}
	vars = map[string]string{}
	for i, part := range parts {
		name, isVar := strings.CutPrefix(part, "{")
		switch {
		case isVar:
			vars[strings.TrimSuffix(name, "}")] = segments[i]
		case part == segments[i]:
			literals++
		default:
			return nil, 0, false
		}
	}
	return vars, literals, true
}

// get and post shorten the tables of the areas.
func get(path, name string, handle func(*request) (answer, error)) route {
	return route{method: http.MethodGet, path: adminRoot + path, name: name, handle: handle}
}

func post(path, name string, handle func(*request) (answer, error)) route {
	return route{method: http.MethodPost, path: adminRoot + path, name: name, handle: handle, write: true}
}

// needing says that any one of the privileges is enough.
func (r route) needing(privileges ...string) route {
	r.privileges = privileges
	return r
}

// from says which version of the site brought the route.
func (r route) from(version string) route {
	r.since = version
	return r
}
