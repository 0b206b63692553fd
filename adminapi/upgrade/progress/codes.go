package progress

import "slices"

// CodeKind is what a message reports.
type CodeKind string

// The kinds of codes.
const (
	Started   CodeKind = "started"
	Completed CodeKind = "completed"
	Counted   CodeKind = "progress"
	Info      CodeKind = "info"
)

// Code is a message code of the catalogue.
type Code struct {
	Code    int
	Meaning string // a sentence without its end
	Kind    CodeKind
	Phase   string // one of Phases
	Pair    int    // the code that completes a started one, and the reverse; 0 where there is none
}

// The names of the phases.
const (
	PhaseLaunch      = "Launch"
	PhaseDiagnostics = "Diagnostics"
	PhasePlan        = "Plan"
	PhasePostgreSQL  = "PostgreSQL"
	PhaseComponents  = "Components"
	PhaseContent     = "Content"
	PhaseSearch      = "Search"
	PhaseFinish      = "Finish"
)

// Phases are the phases of an upgrade in their usual order.
var Phases = []string{
	PhaseLaunch, PhaseDiagnostics, PhasePlan, PhasePostgreSQL, PhaseComponents, PhaseContent, PhaseSearch, PhaseFinish,
}

// CodeOf returns a code of the catalogue, and false for any other.
func CodeOf(code int) (Code, bool) {
	c, ok := byCode[code]
	return c, ok
}

// The codes that mean more than a step.
const (
	codeStart        = 2010 // begins every upgrade, and rollbacks in older transcripts
	codeRollback     = 2072 // begins a rollback; which code ends it is not published
	codeEnd          = 2011
	codeUpgraded     = 2012 // the deployment runs the new version
	codeLaunched     = 2168 // the upgrader; some sites begin with it, others only after the plan
	codeDeployment   = 2101
	codeDeployed     = 2103
	codeModule       = 2291
	codeImage        = 2038
	codePlanReady    = 2270
	codePlanRuns     = 2271
	codeReadOnly     = 2165
	codeWritable     = 2166
	codeStores       = 2153
	codePatchCount   = 2173
	codeReleaseCount = 2175
)

// catalogue is in the order in which an upgrade usually goes through it.
var catalogue = []Code{
	{2010, "The upgrade starts; the text names both versions", Started, PhaseLaunch, 2011},
	{2072, "The rollback starts; the text names both versions", Started, PhaseLaunch, 0},
	{2168, "The upgrader has been launched", Started, PhaseLaunch, 0},
	{2287, "Diagnostics before the upgrade begin", Started, PhaseDiagnostics, 2288},
	{2281, "Checking whether Elasticsearch can be upgraded directly", Info, PhaseDiagnostics, 0},
	{2288, "Diagnostics before the upgrade are done", Completed, PhaseDiagnostics, 2287},
	{2270, "The plan of the upgrade is ready", Info, PhasePlan, 0},
	{2271, "The plan of the upgrade is being carried out", Info, PhasePlan, 0},
	{2165, "The site goes into read-only mode", Started, PhasePlan, 2166},
	{2094, "A PostgreSQL database has been checked", Info, PhasePostgreSQL, 0},
	{2108, "PostgreSQL moves to the new version", Started, PhasePostgreSQL, 2109},
	{2087, "The primary database accepts no writes for now", Info, PhasePostgreSQL, 0},
	{2144, "PostgreSQL is being upgraded", Started, PhasePostgreSQL, 2145},
	{2145, "PostgreSQL has been upgraded", Completed, PhasePostgreSQL, 2144},
	{2090, "The standby database has become the primary", Info, PhasePostgreSQL, 0},
	{2151, "A database has changed its role", Info, PhasePostgreSQL, 0},
	{2092, "A new standby database replicates the primary", Info, PhasePostgreSQL, 0},
	{2093, "The new primary database accepts writes", Info, PhasePostgreSQL, 0},
	{2153, "The outcome of each PostgreSQL store, as JSON", Info, PhasePostgreSQL, 0},
	{2148, "Work on PostgreSQL after its upgrade begins", Started, PhasePostgreSQL, 2149},
	{2149, "Work on PostgreSQL after its upgrade is done", Completed, PhasePostgreSQL, 2148},
	{2109, "PostgreSQL is at the new version", Completed, PhasePostgreSQL, 2108},
	{2291, "The patch of a module begins", Started, PhaseComponents, 0},
	{2101, "A deployment moves to the new version", Started, PhaseComponents, 2103},
	{2134, "A component moves to the new version", Started, PhaseComponents, 2132},
	{2038, "A deployment or a statefulset gets a new image", Info, PhaseComponents, 0},
	{2132, "A component is at the new version", Completed, PhaseComponents, 2134},
	{2103, "A deployment is at the new version", Completed, PhaseComponents, 2101},
	{2173, "Number of deployments with the patch", Counted, PhaseComponents, 0},
	{2175, "Number of deployments with the new version", Counted, PhaseComponents, 0},
	{2179, "Work after the upgrade begins", Started, PhaseContent, 0},
	{2180, "Logging is being set up", Started, PhaseContent, 2181},
	{2181, "Logging is set up", Completed, PhaseContent, 2180},
	{2178, "System services are being refreshed", Started, PhaseContent, 2185},
	{2185, "System services are refreshed", Completed, PhaseContent, 2178},
	{2187, "The content of the portal is being updated", Started, PhaseContent, 2188},
	{2188, "The content of the portal is up to date", Completed, PhaseContent, 2187},
	{2191, "The search indices of the portal are being refreshed", Started, PhaseSearch, 2192},
	{2192, "The search indices of the portal are refreshed", Completed, PhaseSearch, 2191},
	{2166, "The site leaves read-only mode", Completed, PhaseFinish, 2165},
	{2011, "The upgrade is done; the text says how long it took", Completed, PhaseFinish, 2010},
	{2012, "The site has been upgraded", Completed, PhaseFinish, 0},
}

var byCode = func() map[int]Code {
	table := make(map[int]Code, len(catalogue))
	for _, c := range catalogue {
		table[c.Code] = c
	}
	return table
}()

// RunKind is the kind of an upgrade. Runs of different kinds take different times.
type RunKind string

// The kinds. It is empty where the log does not give it.
const (
	PatchRun    RunKind = "patch"
	ReleaseRun  RunKind = "release"
	RollbackRun RunKind = "rollback"
)

// Noun returns what a run of the kind is called: "rollback" or "upgrade".
func (k RunKind) Noun() string {
	if k == RollbackRun {
		return "rollback"
	}
	return "upgrade"
}

// One is a run of the kind with its article, to begin a sentence: "A rollback" or "An upgrade".
func (k RunKind) One() string {
	if k == RollbackRun {
		return "A rollback"
	}
	return "An upgrade"
}

// has reports whether runs of a kind go through a phase: the codes of stores, content and
// search indices are those of a release, and a rollback begins with its plan.
func (k RunKind) has(phase string) bool {
	if k == RollbackRun && phase == PhaseDiagnostics {
		return false
	}
	return k != PatchRun && k != RollbackRun || phase != PhasePostgreSQL && phase != PhaseContent && phase != PhaseSearch
}

// releaseCodes occur in upgrades to a release only. Those of patches prove less, since a
// release may include patches.
var (
	releaseCodes = []int{2101, 2103, 2134, 2132, 2175, 2108, 2109}
	patchCodes   = []int{2291, 2173}
)

// kindByCode returns the kind by the codes so far and one more. What begins as a rollback is one,
// whatever codes follow.
func kindByCode(before RunKind, code Code) RunKind {
	switch {
	case code.Code == codeRollback || before == RollbackRun:
		return RollbackRun
	case slices.Contains(releaseCodes, code.Code):
		return ReleaseRun
	case before == "" && slices.Contains(patchCodes, code.Code):
		return PatchRun
	}
	return before
}
