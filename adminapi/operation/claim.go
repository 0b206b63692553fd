package operation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/plain"
)

// ErrUnsettled says that nobody knows what became of an earlier write on the same
// target, so that nothing was sent. Exit code 6. See [UnsettledError].
var ErrUnsettled = errors.New("the outcome of an earlier write is not known")

// ErrBusyHere says that another program of this machine changes the same target at this
// moment, so that nothing was sent. Exit code 4.
var ErrBusyHere = errors.New("another program is at it")

// UnsettledError tells which earlier write is in the way; it matches [ErrUnsettled].
// Nothing was sent.
type UnsettledError struct {
	Record journal.Record
	Found  string // what reading has told of it, a sentence without its end; may be empty
	// Wait is how long it takes until a person may let the next write go by typing
	// Record.Subject, see [Site.MaySend]; 0 where that can be done now.
	Wait time.Duration
}

// Error says what was sent, when and by whom, and what is known of it.
func (e *UnsettledError) Error() string {
	r := e.Record
	text := fmt.Sprintf("an earlier request to %s (%s) was sent at %s by %s, and what became of it is not known",
		plain.Line(r.Operation), plain.Line(r.Subject), r.Time.UTC().Format(time.DateTime+" UTC"), plain.Line(r.By))
	if e.Found != "" {
		text += ": " + e.Found
	}
	return text + "; nothing was sent"
}

// Is matches [ErrUnsettled].
func (e *UnsettledError) Is(target error) bool { return target == ErrUnsettled }

// busyHere tells who is at it.
type busyHere struct{ *journal.ClaimedError }

func (e busyHere) Error() string        { return e.ClaimedError.Error() + "; nothing was sent" }
func (e busyHere) Unwrap() error        { return e.ClaimedError }
func (e busyHere) Is(target error) bool { return target == ErrBusyHere }

// AgainError says that what was typed to send again names another write than the one
// that is in the way. Nothing was sent. Exit code 2.
type AgainError struct{ Typed, Subject string }

// Error says what to type.
func (e *AgainError) Error() string {
	return fmt.Sprintf("%q does not name the earlier write, which is %q; nothing was sent", plain.Clip(e.Typed, 60), plain.Line(e.Subject))
}

// From when on a person may send again what perhaps arrived: whoever looks has had time
// to see what became of it.
const (
	upgradeAgain = 10 * time.Minute
	otherAgain   = 2 * time.Minute
)

// againAfter is how long after the sending of a write the next may be let go.
func againAfter(r journal.Record) time.Duration {
	if StartsUpgrade(r) {
		return upgradeAgain
	}
	return otherAgain
}

// claim takes the right to change a target until release is called. What was sent
// before and has no known outcome is looked for by reading first: where that does not
// settle it, nothing may be sent ([ErrUnsettled]). subject is what the new write is
// about, in a word that a person can type.
func (s Site) claim(ctx context.Context, target, subject string) (release func(), err error) {
	if s.Journal == nil { // then the client's observer decides whether anything is sent
		return func() {}, nil
	}
	claim, err := s.hold(target, subject)
	if err != nil {
		return nil, err
	}
	if err := s.settleOpen(ctx, target, ""); err != nil {
		claim.Release()
		return nil, err
	}
	return claim.Release, nil
}

// hold takes the right, or says who has it: where that one has sent already, what.
func (s Site) hold(target, subject string) (*journal.Claim, error) {
	claim, err := s.Journal.Claim(target, subject)
	held, isHeld := errors.AsType[*journal.ClaimedError](err)
	if !isHeld {
		return claim, err
	}
	if open, _ := s.Journal.OpenOn(target); len(open) > 0 {
		return nil, &UnsettledError{Record: open[0], Found: "that program still waits for the answer", Wait: s.untilAgain(open[0])}
	}
	return nil, busyHere{held}
}

// MaySend returns why no write on a target may be sent now, nil where one may:
// [*UnsettledError], [ErrBusyHere]. again is what a person has typed to let the next one
// go although nobody knows what became of the one before, empty for nothing; where it
// names another, that is an [*AgainError]. It sends nothing itself, and reads only where
// there is something to find out.
func (s Site) MaySend(ctx context.Context, target, again string) error {
	if s.Journal == nil {
		return nil
	}
	claim, err := s.hold(target, again)
	if err != nil {
		return err
	}
	defer claim.Release()
	return s.settleOpen(ctx, target, again)
}

// settleOpen finds out by reading what became of the writes on a target whose outcome is
// not known, and records it. Of one that reading does not settle, typed may name it.
func (s Site) settleOpen(ctx context.Context, target, typed string) error {
	open, err := s.Journal.OpenOn(target)
	if err != nil {
		return fmt.Errorf("whether something is under way cannot be read, so nothing was sent: %w", err)
	}
	for _, r := range open {
		found, err := s.Settle(ctx, r)
		wait := s.untilAgain(r)
		switch {
		case err != nil:
			return err
		case found.Outcome != adminapi.OutcomeUnknown:
		case typed == "" || wait > 0:
			return &UnsettledError{Record: r, Found: found.How, Wait: wait}
		case !strings.EqualFold(strings.TrimSpace(typed), r.Subject):
			return &AgainError{Typed: typed, Subject: r.Subject}
		default:
			if err := s.Journal.Override(r.ID, "the next may be sent: "+r.Subject+" was typed"); err != nil {
				return fmt.Errorf("it cannot be recorded that it may be sent again, so nothing was sent: %w", err)
			}
		}
	}
	return nil
}

// untilAgain is how long it takes until a write may be sent again by typing.
func (s Site) untilAgain(r journal.Record) time.Duration {
	passed := max(0, s.Clock.Now().Sub(r.Time)) // a clock that was set back has the whole time to wait
	return max(0, againAfter(r)-passed)
}

// OpenWrites returns the writes that were sent from this machine and whose outcome is
// not known, newest first, but those that another program waits for at this moment.
func (s Site) OpenWrites() ([]journal.Record, error) {
	if s.Journal == nil {
		return nil, nil
	}
	open, err := s.Journal.OpenOn("")
	var left []journal.Record
	for _, r := range open {
		claim, err := s.Journal.Claim(r.Target, r.Subject)
		if errors.As(err, new(*journal.ClaimedError)) {
			continue
		}
		claim.Release()
		left = append(left, r)
	}
	return left, err
}
