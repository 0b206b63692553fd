package journal

import (
	"fmt"
	"sync"

	"geodeck/adminapi"
)

// inFlight knows the writes of this journal that have begun.
type inFlight struct {
	mu      sync.Mutex
	last    uint64
	ids     map[writeKey][]string
	problem error
}

// writeKey tells writes apart by what an observer is given twice. Two clients
// count from one each, so the number alone is not enough.
type writeKey struct {
	id              uint64
	sent            int64 // nanoseconds
	operation, path string
}

func keyOf(w adminapi.Write) writeKey {
	return writeKey{w.ID, w.Sent.UnixNano(), w.Operation, w.Path}
}

// begin gives a write its id in the journal.
func (f *inFlight) begin(run string, w adminapi.Write) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ids == nil {
		f.ids = map[writeKey][]string{}
	}
	f.last++
	id := fmt.Sprintf("%s-%d", run, f.last)
	f.ids[keyOf(w)] = append(f.ids[keyOf(w)], id)
	return id
}

// end returns the id that begin gave, and false without one.
func (f *inFlight) end(w adminapi.Write) (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	ids := f.ids[keyOf(w)]
	if len(ids) == 0 {
		return "", false
	}
	if len(ids) == 1 {
		delete(f.ids, keyOf(w))
	} else {
		f.ids[keyOf(w)] = ids[1:]
	}
	return ids[0], true
}

func (f *inFlight) setProblem(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.problem = err
}

func (f *inFlight) lastProblem() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.problem
}
