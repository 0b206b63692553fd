package upgrade

var phaseStates = [...]string{"ahead", "open", "done", "stopped"}

// String returns the state as one word, such as "open".
func (s PhaseState) String() string {
	if s < 0 || int(s) >= len(phaseStates) {
		return phaseStates[PhaseAhead]
	}
	return phaseStates[s]
}
