package adminapi

// Outcome is what became of a write. The zero value is [OutcomeUnknown]: what
// nobody has looked at has not succeeded.
type Outcome int

const (
	// OutcomeUnknown: sent, or perhaps sent, and no usable answer came. Never
	// repeat it; read what is there.
	OutcomeUnknown Outcome = iota
	// OutcomeDone: the platform accepted it.
	OutcomeDone
	// OutcomeRefused: the platform answered that it did not take it.
	OutcomeRefused
	// OutcomeNotSent: no byte of it left this machine; it is safe to try again.
	OutcomeNotSent
)

// String returns the outcome in words.
func (o Outcome) String() string {
	switch o {
	case OutcomeDone:
		return "done"
	case OutcomeRefused:
		return "refused"
	case OutcomeNotSent:
		return "not sent"
	}
	return "unknown"
}
