package parallel_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"geodeck/adminapi/parallel"
)

func burns() { panic("the fuse") }

func TestAPanicOfAParallelFetchIsThatOfItsCaller(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{0, 1, 3} {
		var ended atomic.Int32
		caught := func() (value any) {
			defer func() { value = recover() }()
			outer := parallel.Group{Limit: limit}
			outer.Go(func() { // one within another
				var inner parallel.Group
				inner.Go(burns)
				inner.Wait()
			})
			for range 10 {
				outer.Go(func() { ended.Add(1) })
			}
			outer.Wait()
			return nil
		}()
		value, stack := parallel.PanicOf(caught, nil)
		if value != "the fuse" || !strings.Contains(string(stack), "parallel_test.burns") || ended.Load() != 10 {
			t.Errorf("limit %d: %v, %d others ended, on\n%s", limit, value, ended.Load(), stack)
		}
	}
	if value, stack := parallel.PanicOf("mine", []byte("here")); value != "mine" || string(stack) != "here" {
		t.Errorf("%v, %s", value, stack)
	}
}

func TestAParallelFetchRunsAFewAtATime(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int32
	few := parallel.Group{Limit: 3}
	for range 50 {
		few.Go(func() {
			n := now.Add(1)
			for seen := most.Load(); n > seen && !most.CompareAndSwap(seen, n); seen = most.Load() {
			}
			now.Add(-1)
		})
	}
	few.Wait()
	if now.Load() != 0 || most.Load() > 3 {
		t.Errorf("%d at a time, %d still", most.Load(), now.Load())
	}
}
