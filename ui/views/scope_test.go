package views_test

import (
	"context"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/ui/views"
)

func run(t *testing.T, cmd tea.Cmd) views.Reply {
	t.Helper()
	reply, ok := cmd().(views.Reply)
	if !ok {
		t.Fatal("the command did not reply")
	}
	return reply
}

func say(word string) func(context.Context) tea.Msg {
	return func(context.Context) tea.Msg { return word }
}

func TestOnlyTheNewestReplyOfAKindCounts(t *testing.T) {
	t.Parallel()
	scope := views.NewScope(context.Background())
	defer scope.Close()
	first, other, second := scope.Do("report", say("first")), scope.Do("list", say("list")), scope.Do("report", say("second"))
	late := run(t, second)
	if early := run(t, first); scope.Current(early) {
		t.Error("the reply of an older request counts")
	}
	if !scope.Current(late) || !scope.Current(run(t, other)) {
		t.Error("a newest reply does not count")
	}
	scope.Forget("report")
	if scope.Current(late) {
		t.Error("a forgotten reply counts")
	}
}

func TestRepliesOfAClosedOrForeignScopeAreStale(t *testing.T) {
	t.Parallel()
	scope, other := views.NewScope(context.Background()), views.NewScope(context.Background())
	defer other.Close()
	reply := run(t, scope.Do("x", say("x")))
	if other.Current(reply) {
		t.Error("a foreign reply counts")
	}
	scope.Close()
	if scope.Current(reply) {
		t.Error("a reply counts after its scope was closed")
	}
}

// done reports whether a request was cancelled.
func done(seen *context.Context) func(context.Context) tea.Msg {
	return func(ctx context.Context) tea.Msg {
		*seen = ctx
		return "read"
	}
}

func TestANewerRequestOfAKindCancelsTheOneBefore(t *testing.T) {
	t.Parallel()
	for name, newer := range map[string]func(*views.Scope){
		"do":     func(s *views.Scope) { s.Do("report", say("newer")) },
		"after":  func(s *views.Scope) { s.After(adminapi.SystemClock{}, time.Hour, "report", say("newer")) },
		"forget": func(s *views.Scope) { s.Forget("report") },
		"close":  (*views.Scope).Close,
	} {
		scope := views.NewScope(t.Context())
		defer scope.Close()
		var report, list context.Context
		run(t, scope.Do("report", done(&report)))
		run(t, scope.Do("list", done(&list)))
		if report.Err() != nil {
			t.Errorf("%s: a request was cancelled without a reason", name)
		}
		newer(scope)
		if report.Err() == nil {
			t.Errorf("%s: the request before goes on", name)
		}
		if cancelled := list.Err() != nil; cancelled != (name == "close") {
			t.Errorf("%s: a request of another kind: cancelled %v", name, cancelled)
		}
	}
}

func TestARequestThatWaitsForItsAnswerIsReleasedByANewerOne(t *testing.T) {
	t.Parallel()
	scope := views.NewScope(t.Context())
	defer scope.Close()
	older := scope.Do("report", func(ctx context.Context) tea.Msg {
		<-ctx.Done()
		return "cancelled"
	})
	replies := make(chan tea.Msg)
	go func() { replies <- older() }()
	newer := scope.Do("report", say("newer"))
	if r, ok := (<-replies).(views.Reply); !ok || scope.Current(r) {
		t.Error("the reply of a cancelled request counts")
	}
	if !scope.Current(run(t, newer)) {
		t.Error("the newer reply does not count")
	}
}

func TestAWriteIsCancelledByTheEndOfItsScopeOnly(t *testing.T) {
	t.Parallel()
	scope := views.NewScope(t.Context())
	defer scope.Close()
	var first, second context.Context
	sent := run(t, scope.Write(done(&first)))
	again := run(t, scope.Write(done(&second)))
	for _, kind := range []string{"", "send"} {
		scope.Do(kind, say("read"))
		scope.Forget(kind)
	}
	if first.Err() != nil || second.Err() != nil {
		t.Error("a write was cancelled")
	}
	if !scope.Current(sent) || !scope.Current(again) {
		t.Error("what became of a write is not told")
	}
	scope.Close()
	if first.Err() == nil || scope.Current(sent) {
		t.Error("a write outlives its scope")
	}
}

// A form that is typed into asks for a save with every key.
func TestOnlyTheNewestOfManyPausesIsFollowedByItsRequest(t *testing.T) {
	t.Parallel()
	scope := views.NewScope(context.Background())
	defer scope.Close()
	made := 0
	count := func(context.Context) tea.Msg { made++; return "saved" }
	var cmds []tea.Cmd
	for range 5 {
		cmds = append(cmds, scope.After(adminapi.SystemClock{}, time.Millisecond, "draft", count))
	}
	for _, cmd := range cmds {
		cmd()
	}
	if made != 1 {
		t.Errorf("%d requests after five pauses", made)
	}
	forgotten := scope.After(adminapi.SystemClock{}, time.Millisecond, "draft", count)
	scope.Forget("draft")
	if forgotten(); made != 1 {
		t.Error("a forgotten pause was followed by its request")
	}
}

func TestNothingRunsAfterAScopeEnded(t *testing.T) {
	t.Parallel()
	scope := views.NewScope(context.Background())
	cmd := scope.After(adminapi.SystemClock{}, time.Hour, "poll", func(context.Context) tea.Msg {
		t.Error("the request was made")
		return nil
	})
	scope.Close()
	cmd()
}

func TestReportsNeverWaitAndTheNewestStay(t *testing.T) {
	t.Parallel()
	r := views.NewReports[int]()
	for i := range 1000 {
		r.Send(i)
	}
	close(r)
	last, n := -1, 0
	for {
		got, ok := r.Next(context.Background())
		if !ok {
			break
		}
		if got <= last {
			t.Fatalf("%d comes after %d", got, last)
		}
		last, n = got, n+1
	}
	if last != 999 || n == 0 {
		t.Errorf("%d reports, the last is %d", n, last)
	}
}

func TestNobodyWaitsForReportsAfterTheEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, ok := views.NewReports[int]().Next(ctx); ok {
		t.Error("there was a report")
	}
}
