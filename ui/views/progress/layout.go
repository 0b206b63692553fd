package progress

// How the room of the view is shared out: the run that is shown says what there is to see.

// place is where the summary is.
type place int

const (
	hidden  place = iota
	alone         // in place of the messages
	columns       // in columns above the messages, on a large terminal
)

func (r *run) place() place {
	switch {
	case r.nothing():
	case r.wide():
		return columns
	case r.summed && !r.large():
		return alone
	}
	return hidden
}

// large reports whether there is room for the picture of the run above the log.
func (r *run) large() bool { return r.Width >= roomyWidth && r.Height >= roomyHeight }

// roomy reports whether the picture of the run is above the log.
func (r *run) roomy() bool { return r.large() && !r.bare }

// unpictured reports whether the log has the room of the picture.
func (r *run) unpictured() bool { return r.large() && r.bare && !r.nothing() }

// wide reports whether the summary is above the log as well, in columns.
func (r *run) wide() bool { return r.Width >= wideFrom && r.Height >= tallFrom && r.roomy() }
