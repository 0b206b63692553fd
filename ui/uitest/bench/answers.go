package bench

import (
	"time"

	"geodeck/ui/uitest/terminal"
)

// Burst is output without a pause.
type Burst struct {
	Text        string
	First, Last time.Duration // since the key, or the last key, was sent
}

const (
	// pause parts bursts. It is longer than two frames at 60 a second, and shorter than the
	// rest after which a detail follows the selection.
	pause = 40 * time.Millisecond
	// quiet ends an answer: it is longer than that rest, and a fetch after it.
	quiet = 300 * time.Millisecond
	// longestWait is before a key. Without waits of random length keys fall into step with the
	// clock of a renderer, and meet the same phase of it each time.
	longestWait = 50 * time.Millisecond
	// answerLimit ends an answer that never ends.
	answerLimit = 5 * time.Second
)

// Answer sends keys in one write, and returns what the program wrote until it was quiet.
func (s *Session) Answer(keys string) []Burst {
	time.Sleep(time.Duration(s.chaos.Int64N(int64(longestWait))))
	from, sent := s.count(), time.Now()
	s.Press(keys)
	s.rest(from, sent)
	return s.bursts(from, sent)
}

// Hold sends a key n times, one every so long, as a keyboard repeats it. It returns how long
// after the last key the program wrote, and how many bytes it wrote in all. What follows
// after a pause, such as a detail, is counted but is no lag.
func (s *Session) Hold(key string, n int, every time.Duration) (lag time.Duration, bytes int) {
	from, began := s.count(), time.Now()
	last := began
	for i := range n {
		time.Sleep(time.Until(began.Add(time.Duration(i) * every)))
		last = time.Now()
		s.Press(key)
	}
	s.rest(from, last)
	for i, b := range s.bursts(from, last) {
		bytes += len(b.Text)
		if i == 0 || b.First <= pause {
			lag = max(lag, b.Last)
		}
	}
	return lag, bytes
}

// Next returns what the program writes next by itself, false where it writes nothing in time.
func (s *Session) Next(limit time.Duration) (Burst, bool) {
	from, began := s.count(), time.Now()
	for time.Since(began) < limit {
		time.Sleep(pause / 4)
		if bursts := s.bursts(from, began); len(bursts) > 0 && time.Since(began)-bursts[0].Last > pause {
			return bursts[0], true
		}
	}
	return Burst{}, false
}

// Rest waits until the program is quiet.
func (s *Session) Rest() { s.rest(s.count(), time.Now()) }

// Idle is what a program does while nothing happens, in a second.
type Idle struct {
	Bytes, Wakeups float64
	CPU            float64 // in percent of one processor
}

// Idle lets the program be for a time.
func (s *Session) Idle(d time.Duration) (Idle, error) {
	before, err := s.Use()
	if err != nil {
		return Idle{}, err
	}
	from, began := s.count(), time.Now()
	time.Sleep(d)
	after, err := s.Use()
	seconds := time.Since(began).Seconds()
	bytes := 0
	for _, b := range s.bursts(from, began) {
		bytes += len(b.Text)
	}
	return Idle{
		Bytes:   float64(bytes) / seconds,
		Wakeups: float64(after.Wakeups-before.Wakeups) / seconds,
		CPU:     100 * (after.CPU - before.CPU).Seconds() / seconds,
	}, err
}

func (s *Session) count() int {
	pieces, _ := s.Output(0)
	return len(pieces)
}

// rest waits until nothing has come for a time, after began and all pieces, or the program
// has ended.
func (s *Session) rest(from int, began time.Time) {
	for deadline := began.Add(answerLimit + s.quiet); ; {
		pieces, more := s.Output(from)
		last := began
		if n := len(pieces); n > 0 {
			last = pieces[n-1].At
		}
		left := min(s.quiet-time.Since(last), time.Until(deadline))
		if left <= 0 {
			return
		}
		select {
		case <-more:
		case <-s.Finished():
			return
		case <-time.After(left):
		}
	}
}

// bursts returns the output after some pieces.
func (s *Session) bursts(from int, since time.Time) []Burst {
	pieces, _ := s.Output(from)
	return split(pieces, since)
}

// split parts output at its pauses.
func split(pieces []terminal.Piece, since time.Time) []Burst {
	var all []Burst
	for _, p := range pieces {
		at := p.At.Sub(since)
		if len(all) == 0 || at-all[len(all)-1].Last > pause {
			all = append(all, Burst{First: at})
		}
		b := &all[len(all)-1]
		b.Text, b.Last = b.Text+p.Text, at
	}
	return all
}
