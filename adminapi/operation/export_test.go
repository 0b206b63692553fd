package operation

import (
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/editing"
)

// SearchEdit searches for an edit as its sending does, by the newest record of its service.
func (s Site) SearchEdit(edit editing.Edit, job string, err error) *Search {
	var record journal.Record
	if s.Memory.Journal != nil {
		records, _ := s.Memory.Journal.Actions(0)
		for _, r := range records {
			if target, ok := EditedBy(r); ok && target.Same(edit.Target) {
				record = r
				break
			}
		}
	}
	return s.searchEdit(edit, job, record, err)
}
