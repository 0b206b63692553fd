package simulator

import "maps"

// documents is the area of what data/documents.yaml lists: resources that nothing but an update
// changes.
type documents struct {
	*world
	answers map[string]object // by path
}

// document is an entry of that file.
type document struct {
	Path, Name string
	Privileges []string
	Since      string
	Answer     object
	Update     string // the JSON object of the operation update, which changes it; empty where there is none
}

var allDocuments = embedded[[]document]("documents.yaml")

func (a *documents) routes() (routes []*route) {
	for _, d := range allDocuments() {
		a.answers[d.Path] = d.Answer
		show := func(*request) any { return a.answers[d.Path] }
		routes = append(routes, get(d.Path, d.Name, show).needing(d.Privileges...).from(d.Since))
		if d.Update != "" {
			update := func(q *request) any { return a.update(q, d) }
			routes = append(routes, post(d.Path+"/update", "Update "+d.Name, update).needing(d.Privileges...).from(d.Since))
		}
	}
	return routes
}

// update gives a document what its parameter holds. It changes a copy: an answer is written when
// others update.
func (a *documents) update(q *request, d document) any {
	to := maps.Clone(a.answers[d.Path])
	if q.readObject(d.Update, &to); q.err == nil && to != nil {
		a.answers[d.Path] = to
	}
	return success
}
