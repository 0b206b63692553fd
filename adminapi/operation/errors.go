package operation

import "errors"

// ErrOutcomeUnknown says that a write may or may not have happened and that
// reading did not tell. Exit code 6.
var ErrOutcomeUnknown = errors.New("the outcome is not known")

// ErrJobBroken says that a job ended without doing its work. Exit code 1.
var ErrJobBroken = errors.New("the job did not complete")

// ErrUpgradeRuns says that an upgrade runs that is not the one asked for. Exit
// code 4; it can be watched.
var ErrUpgradeRuns = errors.New("an upgrade runs already")
