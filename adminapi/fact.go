package adminapi

import "time"

// Fact is a value of the site with its age. The zero fact is not known.
type Fact[T any] struct {
	Value T
	At    time.Time // when it was fetched, by this machine's clock; zero where it is not known
	Err   error     // why the last refresh failed: Value is of before; nil where it did not
}

// FactOf makes a fact of the results of a call: not known where err is set.
func FactOf[T any](at time.Time, value T, err error) (f Fact[T]) {
	f.Take(at, value, err)
	return f
}

// Take keeps the results of a refresh. One that failed leaves value and time as they were.
func (f *Fact[T]) Take(at time.Time, value T, err error) {
	if f.Err = err; err != nil {
		return
	}
	f.Value, f.At = value, at
}

// Known reports whether it was ever fetched.
func (f Fact[T]) Known() bool { return !f.At.IsZero() }

// Old reports whether it no longer stands for the present: it is known, but its last refresh failed,
// or was longer ago than a limit.
func (f Fact[T]) Old(now time.Time, limit time.Duration) bool {
	return f.Known() && (f.Err != nil || now.Sub(f.At) > limit)
}
