package uitest_test

import (
	"context"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// counter counts the numbers that come to it.
type counter struct {
	scope *views.Scope
	got   []int
	next  func(int) tea.Cmd
}

func (c *counter) Replies() *views.Scope { return c.scope }
func (c *counter) Update(msg tea.Msg) tea.Cmd {
	n, _ := msg.(int)
	c.got = append(c.got, n)
	if c.next != nil {
		return c.next(n)
	}
	return nil
}

func say(n int) tea.Cmd { return func() tea.Msg { return n } }

func TestBatchesAndSequencesAreOpened(t *testing.T) {
	t.Parallel()
	c := &counter{}
	up := uitest.Drain(t, c, tea.Batch(tea.Sequence(say(1), say(2)), views.Tell(views.Info, "hello"), say(3)))
	if len(c.got) != 3 || uitest.Find[views.Notice](t, up).Text != "hello" {
		t.Errorf("got %v, sent up %v", c.got, up)
	}
}

func TestStaleRepliesAreDropped(t *testing.T) {
	t.Parallel()
	c := &counter{scope: views.NewScope(context.Background())}
	ask := func(n int) tea.Cmd { return c.scope.Do("one", func(context.Context) tea.Msg { return n }) }
	first, second := ask(1), ask(2)
	uitest.Drain(t, c, tea.Batch(first, second))
	if len(c.got) != 1 || c.got[0] != 2 {
		t.Errorf("got %v", c.got)
	}
}

func TestRunStopsWhereItIsTold(t *testing.T) {
	t.Parallel()
	c := &counter{}
	c.next = func(n int) tea.Cmd { return say(n + 1) }
	if _, rest := uitest.Run(c, say(0), 10); len(rest) != 1 || len(c.got) != 10 {
		t.Errorf("got %v with %d left", c.got, len(rest))
	}
}
