package upgrade

// CodeKind is what a message does in a log.
type CodeKind string

// The kinds of codes.
const (
	Started   CodeKind = "started"
	Completed CodeKind = "completed"
	Progress  CodeKind = "progress"
	Info      CodeKind = "info"
)

// Code says what a message code reports.
type Code struct {
	Code    int
	Meaning string // in our own words
	Kind    CodeKind
	Phase   string // name of the phase, one of Phases
}

// Phases are the phases of an upgrade in their usual order.
var Phases = []string{"Launch", "Diagnostics", "Plan", "PostgreSQL", "Components", "Content", "Search", "Finish"}

// CodeOf returns what a code of the catalogue reports, and false for any other.
func CodeOf(code int) (Code, bool) { panic("contract only") }
