// Package health is the view of health checks: the list of reports, the tree of
// the chosen one, the detail of a test, the comparison of two reports, and a run
// while it goes on.
//
// Start at [Model], then keys.go for what can be done. What a report means is
// said by package adminapi/health; this one only shows it.
package health
