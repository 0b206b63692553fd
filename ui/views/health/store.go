package health

import "slices"

// What is kept of reports that were read. The oldest reading goes first.
const (
	mostReports = 40
	mostTests   = 400_000
)

// store holds reports that were read, by their entry. A finished report never
// changes, so none is read twice.
type store struct {
	studies map[entryKey]*study
	order   []entryKey
	skipped map[entryKey]bool // not finished when they were read for a trend
	tests   int
}

func newStore() *store {
	return &store{studies: map[entryKey]*study{}, skipped: map[entryKey]bool{}}
}

func (s *store) get(key entryKey) *study { return s.studies[key] }

func (s *store) put(key entryKey, one *study) {
	s.drop(key)
	s.studies[key] = one
	s.order = append(s.order, key)
	s.tests += one.count.Total()
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
	one := s.studies[key]
	if one == nil {
		return
	}
	s.tests -= one.count.Total()
	delete(s.studies, key)
	s.order = slices.DeleteFunc(s.order, func(k entryKey) bool { return k == key })
}
