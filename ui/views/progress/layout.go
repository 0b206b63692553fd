package progress

// layout shares out the room of the view.
type layout struct {
	run    *run // which has the size
	summed bool // show the summary in place of the messages
	bare   bool // only the log, also where there is room for the picture
}

// place is where the summary is.
type place int

const (
	hidden  place = iota
	alone         // in place of the messages
	columns       // in columns above the messages, on a large terminal
)

func (l *layout) place() place {
	switch {
	case l.run.nothing():
	case l.wide():
		return columns
	case l.summed && !l.large():
		return alone
	}
	return hidden
}

// large reports whether there is room for the picture of the run above the log.
func (l *layout) large() bool { return l.run.Width >= roomyWidth && l.run.Height >= roomyHeight }

// roomy reports whether the picture of the run is above the log.
func (l *layout) roomy() bool { return l.large() && !l.bare }

// unpictured reports whether the log has the room of the picture.
func (l *layout) unpictured() bool { return l.large() && l.bare && !l.run.nothing() }

// wide reports whether the summary is above the log as well, in columns.
func (l *layout) wide() bool { return l.run.Width >= wideFrom && l.run.Height >= tallFrom && l.roomy() }
