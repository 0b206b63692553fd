package simulator

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// reports are the health checks that have ended, and what new ones are made of.
type reports struct {
	suites []*suite
	slower map[string]float64 // how much slower tests have become by now
	ended  []*run             // newest first
}

func reportRoutes(w *world) []route {
	routes := []route{
		get("/healthCheck/reports", "Reports", w.reportsPage),
		get("/healthCheck/reports/query", "Query reports", w.queryReports),
		get("/healthCheck/reports/{id}", "Health check report", w.showReport),
		post("/healthCheck/reports/delete", "Delete reports", w.deleteReports).needing(privSecurity),
		post("/healthCheck/reports/{id}/delete", "Delete report", w.deleteReport).needing(privSecurity),
		post("/healthCheck/reports/{id}/rename", "Rename report", w.renameReport).needing(privSecurity),
	}
	for i := range routes {
		routes[i].since = "11.2"
	}
	routes[0].htmlOnly = true
	return routes
}

// add puts a run where its end belongs.
func (s *reports) add(r *run) {
	i, _ := slices.BinarySearchFunc(s.ended, r.end, func(other *run, end time.Time) int { return end.Compare(other.end) })
	s.ended = slices.Insert(s.ended, i, r)
}

func (s *reports) find(id string) (*run, error) {
	if i := slices.IndexFunc(s.ended, func(r *run) bool { return r.id == id }); i >= 0 {
		return s.ended[i], nil
	}
	return nil, notFound("no such report", "there is no report "+id)
}

// findAll finds the reports named by runIds.
func (s *reports) findAll(q *request) ([]*run, error) {
	if _, err := q.required("runIds"); err != nil {
		return nil, err
	}
	var runs []*run
	for _, id := range q.list("runIds") {
		r, err := s.find(id)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

func (s *reports) remove(gone ...*run) {
	s.ended = slices.DeleteFunc(s.ended, func(r *run) bool { return slices.Contains(gone, r) })
}

type reportPage struct {
	Total     int          `json:"total"`
	Num       int          `json:"num"`
	Start     int          `json:"start"`
	NextStart int          `json:"nextStart"`
	Runs      []runSummary `json:"runs"`
}

type runSummary struct {
	Owner     string `json:"owner"`
	Result    string `json:"result"`
	CreatedBy string `json:"createdBy"`
	Name      string `json:"name"`
	StartTime int64  `json:"startTime"`
	ID        string `json:"id"`
	EndTime   int64  `json:"endTime"`
	State     string `json:"state"`
}

// runResults are the values that runResult takes.
var runResults = []string{"passed", "failed", "warning", "unknown"}

func (w *world) queryReports(q *request) (answer, error) {
	wanted := q.list("runResult")
	for _, word := range wanted {
		if !slices.Contains(runResults, word) {
			return answer{}, invalid("a parameter has a value that is not allowed",
				"runResult is "+strconv.Quote(word)+"; allowed: "+strings.Join(runResults, ", "))
		}
	}
	if _, err := q.required("num"); err != nil {
		return answer{}, err
	}
	num, err := q.positive("num", 0)
	if err != nil {
		return answer{}, err
	}
	start, err := q.positive("start", 1)
	if err != nil {
		return answer{}, err
	}
	return answer{body: w.reports.page(wanted, start, num)}, nil
}

// page cuts one page out of the reports with a wanted result; start counts from 1.
func (s *reports) page(wanted []string, start, num int) reportPage {
	p := reportPage{Num: num, Start: start, NextStart: -1, Runs: []runSummary{}}
	for _, r := range s.ended {
		if len(wanted) > 0 && !slices.Contains(wanted, r.result) {
			continue
		}
		p.Total++
		switch {
		case p.Total < start:
		case len(p.Runs) < num:
			p.Runs = append(p.Runs, r.summary())
		default:
			p.NextStart = start + num
		}
	}
	return p
}

func (r *run) summary() runSummary {
	return runSummary{r.owner, r.result, r.createdBy, r.name, millis(r.start), r.id, millis(r.end), stateDone}
}

// reportsPage has no JSON form, as in the real platform: query is for programs.
func (w *world) reportsPage(*request) (answer, error) {
	return answer{body: w.reports.page(nil, 1, 1000).Runs}, nil
}

func (w *world) showReport(q *request) (answer, error) {
	r, err := w.reports.find(q.vars["id"])
	if err != nil {
		return answer{}, err
	}
	return answer{body: r.report(time.Time{})}, nil
}

type successBody struct {
	Success bool `json:"success"`
}

func (w *world) deleteReports(q *request) (answer, error) {
	runs, err := w.reports.findAll(q)
	if err != nil {
		return answer{}, err
	}
	w.reports.remove(runs...)
	return answer{body: successBody{true}}, nil
}

// deleteReport answers without a body, as documented.
func (w *world) deleteReport(q *request) (answer, error) {
	r, err := w.reports.find(q.vars["id"])
	if err != nil {
		return answer{}, err
	}
	w.reports.remove(r)
	return answer{}, nil
}

func (w *world) renameReport(q *request) (answer, error) {
	r, err := w.reports.find(q.vars["id"])
	if err != nil {
		return answer{}, err
	}
	name, err := q.required("name")
	if err != nil {
		return answer{}, err
	}
	r.name = name
	return answer{body: successBody{true}}, nil
}
