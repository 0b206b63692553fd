package upgrade

import (
	"slices"

	"geodeck/adminapi"
)

// RunKind is what sort of upgrade a run is. Runs of different kinds take different
// times.
type RunKind string

// The kinds. It is empty where the log does not tell.
const (
	PatchRun    RunKind = "patch"
	ReleaseRun  RunKind = "release"
	RollbackRun RunKind = "rollback"
)

// Noun is what a run of the kind is called: "rollback", else "upgrade".
func (k RunKind) Noun() string {
	if k == RollbackRun {
		return "rollback"
	}
	return "upgrade"
}

// releaseCodes are told in upgrades to a release only; a release may bring patches
// along, so those of patches tell less.
var (
	releaseCodes = []int{2101, 2103, 2134, 2132, 2175, 2108, 2109}
	patchCodes   = []int{2291, 2173}
)

// kindByCode is what the codes tell after one more.
func kindByCode(before RunKind, code Code) RunKind {
	switch {
	case slices.Contains(releaseCodes, code.Code):
		return ReleaseRun
	case before == "" && slices.Contains(patchCodes, code.Code):
		return PatchRun
	}
	return before
}

// runKindOf tells the kind by the codes of a release, which leave no doubt, else by
// the versions: patches change the build only, and only patches are rolled back.
func runKindOf(codes RunKind, from, to string) RunKind {
	a, okA := adminapi.ParseVersion(from)
	b, okB := adminapi.ParseVersion(to)
	switch {
	case codes == ReleaseRun || !okA || !okB || a == b:
		return codes
	case a.AtLeast(b):
		return RollbackRun
	case [3]int(a[:3]) != [3]int(b[:3]):
		return ReleaseRun
	}
	return PatchRun
}
