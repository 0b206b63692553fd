package simulator

import (
	"net/http"
	"net/url"
)

// Routes lists every route as its method and its path, for tests that none is left out.
func (s *Server) Routes() []string {
	var all []string
	for _, r := range s.routes {
		all = append(all, r.method+" "+r.path)
	}
	return all
}

// RouteOf returns the route of a request in the form of Routes, and "" where there is none.
func (s *Server) RouteOf(r *http.Request) string {
	segments, err := pathSegments(&url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath})
	if err != nil {
		return ""
	}
	found, _, _ := match(s.routes, r.Method, segments)
	if found == nil {
		return ""
	}
	return found.method + " " + found.path
}
