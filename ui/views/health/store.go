package health

import (
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
)

// What is kept of reports that were read. The oldest reading goes first.
const (
	mostReports = 40
	mostTests   = 400_000
)

// store holds reports that were read, by their entry. A finished report never
// changes, so none is read twice.
type store struct {
	reports map[entryKey]*adminapi.Report
	sizes   map[entryKey]int
	order   []entryKey
	tests   int
}

func newStore() *store {
	return &store{reports: map[entryKey]*adminapi.Report{}, sizes: map[entryKey]int{}}
}

func (s *store) get(key entryKey) *adminapi.Report { return s.reports[key] }

func (s *store) put(key entryKey, r *adminapi.Report) {
	s.drop(key)
	size := health.CountReport(*r).Total()
	s.reports[key], s.sizes[key] = r, size
	s.order = append(s.order, key)
	s.tests += size
	for len(s.order) > 1 && (len(s.order) > mostReports || s.tests > mostTests) {
		if !s.dropOldest() {
			return
		}
	}
}

// dropOldest forgets the oldest reading that can be had again: a file may be
// gone by now.
func (s *store) dropOldest() bool {
	for _, key := range s.order[:len(s.order)-1] {
		if key.origin == fromSite {
			s.drop(key)
			return true
		}
	}
	return false
}

func (s *store) drop(key entryKey) {
	if _, ok := s.reports[key]; !ok {
		return
	}
	s.tests -= s.sizes[key]
	delete(s.reports, key)
	delete(s.sizes, key)
	s.order = slices.DeleteFunc(s.order, func(k entryKey) bool { return k == key })
}
