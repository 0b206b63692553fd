package views

import "context"

// mostReports bounds the reports that wait to be drawn.
const mostReports = 64

// Reports carries what a long command tells on its way to the view, which takes one
// after the other. The command never waits for the view: the oldest go first.
type Reports[T any] chan T

// NewReports returns an empty one.
func NewReports[T any]() Reports[T] { return make(Reports[T], mostReports) }

// Tell adds a report. Only one command may tell, and it closes the channel at its end.
func (r Reports[T]) Tell(report T) {
	for {
		select {
		case r <- report:
			return
		default:
		}
		select {
		case <-r:
		default:
		}
	}
}

// Next waits for a report; false at the end of ctx or of the reports.
func (r Reports[T]) Next(ctx context.Context) (report T, ok bool) {
	select {
	case report, ok = <-r:
	case <-ctx.Done():
	}
	return report, ok
}
