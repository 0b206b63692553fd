package bench

import "time"

// SetQuiet changes how long a program must be quiet for its answer to end.
func (s *Session) SetQuiet(d time.Duration) { s.quiet = d }
