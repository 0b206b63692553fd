package progress_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

func status(state string, code int, messages ...adminapi.UpgradeMessage) adminapi.UpgradeStatus {
	return adminapi.UpgradeStatus{State: state, Code: code, Messages: messages}
}

func TestAnUnknownStateIsNeitherRunningNorSuccess(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status adminapi.UpgradeStatus
		want   progress.State
	}{
		{status("no_upgrade", 0), progress.StateIdle}, {status("in_progress", 1), progress.StateRunning},
		{status("success", 3), progress.StateSucceeded}, {status(" IN_PROGRESS ", 1), progress.StateRunning},
		{status("in_progress", 0), progress.StateRunning}, {status("success", 0), progress.StateSucceeded},
		{status("failed", 2), progress.StateFailed}, {status("failure", 2), progress.StateFailed}, {status("Error", 0), progress.StateFailed}, {status("failed", 3), progress.StateUnknown}, {status("failed", 1), progress.StateUnknown},
		{status("success", 2), progress.StateUnknown}, {status("success", 1), progress.StateUnknown},
		{status("in_progress", 3), progress.StateUnknown}, {status("no_upgrade", 1), progress.StateUnknown},
		{status("success_with_errors", 3), progress.StateUnknown}, {status("completed_with_warnings", 3), progress.StateUnknown},
		{status("", 0), progress.StateUnknown}, {status("", 1), progress.StateRunning}, {status("", 3), progress.StateSucceeded},
		{status("", 7), progress.StateUnknown}, {status("paused", 1), progress.StateUnknown},
	} {
		if got := progress.StateOf(tt.status); got != tt.want {
			t.Errorf("%q %d: %v, want %v", tt.status.State, tt.status.Code, got, tt.want)
		}
		if progress.Runs(tt.status) != (tt.want == progress.StateRunning) {
			t.Errorf("%q %d: runs is wrong", tt.status.State, tt.status.Code)
		}
	}
}

// Every state with every code: success is told by its word, or by the code 3 where
// there is no word, and contradicted by any other code.
func TestOnlyASuccessThatNothingContradictsIsOne(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"", " ", "no_upgrade", "in_progress", "success", "Success", "failed", "failure", "error",
		"succeeded", "success_with_errors", "completed", "rolled_back", "3", "null"} {
		for code := -1; code <= 9; code++ {
			word := strings.ToLower(strings.TrimSpace(state))
			want := word == "success" && (code == 0 || code == 3) || word == "" && code == 3
			got := progress.StateOf(status(state, code))
			if (got == progress.StateSucceeded) != want {
				t.Errorf("state %q, code %d: %v", state, code, got)
			}
			if code == 2 && word == "" && got != progress.StateUnknown {
				t.Errorf("code 2 alone: %v", got)
			}
		}
	}
}

func TestOnlyTheOwnUpgradeIsAdopted(t *testing.T) {
	t.Parallel()
	start := func(when adminapi.Millis) adminapi.UpgradeMessage {
		return adminapi.UpgradeMessage{Code: 2010, Message: "from a to b", When: when}
	}
	back := func(when adminapi.Millis) adminapi.UpgradeMessage {
		return adminapi.UpgradeMessage{Code: 2072, Message: "from b to a", When: when}
	}
	other := adminapi.UpgradeMessage{Code: 2168, When: 99_999}
	idle, done := status("no_upgrade", 0), status("success", 3, start(5_000))
	for name, tt := range map[string]struct {
		before, now adminapi.UpgradeStatus
		submitted   adminapi.Millis
		want        bool
	}{
		"started after the submit":       {idle, status("in_progress", 1, start(20_500), other), 20_000, true},
		"within the same second":         {idle, status("in_progress", 1, start(20_100)), 20_900, true},
		"after an earlier one":           {done, status("in_progress", 1, start(5_000), start(20_500)), 20_000, true},
		"after a failed one":             {status("failed", 2, start(5_000)), status("in_progress", 1, start(20_500)), 20_000, true},
		"older than the submit":          {idle, status("in_progress", 1, start(19_000)), 20_000, false},
		"somebody else's ran before":     {status("in_progress", 1), status("in_progress", 1, start(20_500)), 20_000, false},
		"nobody knows what was before":   {status("paused", 9), status("in_progress", 1, start(20_500)), 20_000, false},
		"nothing runs":                   {idle, idle, 20_000, false},
		"a past success is no news":      {done, done, 4_000, false},
		"it has no first message":        {idle, status("in_progress", 1, other), 20_000, false},
		"the message was there before":   {status("failed", 2, start(20_500)), status("in_progress", 1, start(20_500)), 20_000, false},
		"the time of sending is missing": {idle, status("in_progress", 1, start(20_500)), 0, false},
		"a short one has ended already":  {idle, status("success", 3, start(20_500)), 20_000, true},
		"a rollback":                     {done, status("in_progress", 1, start(5_000), back(20_500)), 20_000, true},
		"a rollback of before":           {idle, status("in_progress", 1, back(19_000)), 20_000, false},
	} {
		if got := progress.StartedSince(tt.before, tt.now, tt.submitted); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Who is told that an upgrade is somebody else's may send another one.
func TestOnlyARunThatBeganUnseenBeforeTheSubmitIsSomebodyElses(t *testing.T) {
	t.Parallel()
	start := func(when adminapi.Millis, text string) adminapi.UpgradeMessage {
		return adminapi.UpgradeMessage{Code: 2010, Message: text, When: when}
	}
	idle, failed := status("no_upgrade", 0), status("failed", 2, start(5_000, "from a to b"))
	for name, tt := range map[string]struct {
		before, now adminapi.UpgradeStatus
		want        bool
	}{
		"it began before":                     {idle, status("in_progress", 1, start(19_000, "from a to b")), true},
		"after an earlier one":                {failed, status("in_progress", 1, start(5_000, "from a to b"), start(19_000, "from a to b")), true},
		"at the time of another one":          {failed, status("in_progress", 1, start(5_000, "from a to c")), true},
		"it has not told of its begin yet":    {failed, status("in_progress", 1, start(5_000, "from a to b")), false},
		"within the same second":              {idle, status("in_progress", 1, start(20_100, "from a to b")), false},
		"after the submit":                    {idle, status("in_progress", 1, start(21_000, "from a to b")), false},
		"it has ended":                        {idle, status("failed", 2, start(19_000, "from a to b")), false},
		"nothing tells when it began":         {idle, status("in_progress", 1), false},
		"the state of it is known to be none": {idle, idle, false},
	} {
		if got := progress.Theirs(tt.before, tt.now, 20_900); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestVersionsAreReadInAnyLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, from, to string }{
		{"Update from 11.5.0.6745 to 11.5.0.6805 begins.", "11.5.0.6745", "11.5.0.6805"},
		{"Das Upgrade von 10.9.1 auf 11.0 beginnt", "10.9.1", "11.0"},
		{"11.5.0.6835→12.0.0.7286", "11.5.0.6835", "12.0.0.7286"},
		{"アップグレード：11.5.0.6835から12.0.0.7286へ", "11.5.0.6835", "12.0.0.7286"},
		{"The upgrade to 12.0.0.7286 begins.", "", ""},
		{"begins at 3 of 4, 100%", "", ""},
		{"", "", ""},
	} {
		if from, to := progress.VersionsIn(c.text); from != c.from || to != c.to {
			t.Errorf("%q: %q, %q", c.text, from, to)
		}
	}
}

func TestTheNewestRunIsTheOneThatIsTimed(t *testing.T) {
	t.Parallel()
	log := func(messages ...adminapi.UpgradeMessage) adminapi.UpgradeStatus {
		return adminapi.UpgradeStatus{Messages: messages}
	}
	first := adminapi.UpgradeMessage{Code: 2010, When: 1000, Message: "from 1.0 to 2.0"}
	end := adminapi.UpgradeMessage{Code: 2011, When: 9000}
	second := adminapi.UpgradeMessage{Code: 2010, When: 20000, Message: "from 2.0 to 3.0"}
	later := adminapi.UpgradeMessage{Code: 2287, When: 21000}
	for name, c := range map[string]struct {
		status adminapi.UpgradeStatus
		want   progress.Run
	}{
		"none":                     {log(), progress.Run{}},
		"one":                      {log(first, end), progress.Run{Began: 1000, Last: 9000, From: "1.0", To: "2.0"}},
		"two, out of order":        {log(later, first, second, end), progress.Run{Began: 20000, Last: 21000, From: "2.0", To: "3.0"}},
		"the beginning is cut off": {log(end, later), progress.Run{Began: 9000, Last: 21000}},
	} {
		if got := progress.LastRun(c.status); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestWhereAFailedUpgradeHasStoppedIsTheLastOpenPhase(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		codes []int
		want  string
	}{
		"nothing":                     {nil, ""},
		"begun only":                  {[]int{2010, 2165}, ""},
		"in diagnostics":              {[]int{2010, 2287}, progress.PhaseDiagnostics},
		"after diagnostics":           {[]int{2010, 2287, 2288, 2270}, ""},
		"beside what is done":         {[]int{2010, 2108, 2101, 2103, 2166}, progress.PhasePostgreSQL},
		"in a part of PostgreSQL":     {[]int{2010, 2108, 2144, 2145, 2148}, progress.PhasePostgreSQL},
		"one deployment of two":       {[]int{2010, 2101, 2101, 2103, 9999}, progress.PhaseComponents},
		"both deployments":            {[]int{2010, 2101, 2101, 2103, 2103}, ""},
		"of the newest run":           {[]int{2010, 2287, 2010, 2187}, progress.PhaseContent},
		"an earlier run counts not":   {[]int{2010, 2287, 2010}, ""},
		"the log's beginning is gone": {[]int{2288, 2191}, progress.PhaseSearch},
	} {
		var s adminapi.UpgradeStatus
		for i, code := range c.codes {
			s.Messages = append(s.Messages, adminapi.UpgradeMessage{Code: code, When: adminapi.Millis(1000 * (i + 1))})
		}
		if got := progress.OpenPhase(s); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		m := progress.NewMerger(progress.LogBudget)
		m.Merge(s.Messages)
		if got := progress.Of(m.Log(), progress.StateFailed).StoppedIn(); c.want != "" && got != c.want {
			t.Errorf("%s: its log has it in %q, want %q", name, got, c.want)
		}
	}
}

func TestAPatchThatWentBackHasStoppedBeforeItsWayBack(t *testing.T) {
	t.Parallel()
	for second, want := range map[string]string{"1 of 2": progress.PhaseComponents, "3 of 13": "", "no count": ""} {
		var s adminapi.UpgradeStatus
		for i, code := range []int{2010, 2271, 2165, 2291, 2173, 2270, 2271, 2291, 2173, 2166} {
			m := adminapi.UpgradeMessage{Code: code, When: adminapi.Millis(1000 * (i + 1)), Message: "2 of 13"}
			if i > 4 {
				m.Message = second
			}
			s.Messages = append(s.Messages, m)
		}
		if got := progress.OpenPhase(s); got != want {
			t.Errorf("%s the second time: %q, want %q", second, got, want)
		}
	}
}

// A release may count deployments in two plans: it does not go back.
func TestAReleaseWithTwoPlansHasStoppedInItsOpenStep(t *testing.T) {
	t.Parallel()
	var s adminapi.UpgradeStatus
	for i, m := range []adminapi.UpgradeMessage{
		{Code: 2010, Message: "from 11.5.0.6835 to 12.0.0.7286"}, {Code: 2271}, {Code: 2291}, {Code: 2173, Message: "2 of 13"},
		{Code: 2270}, {Code: 2271}, {Code: 2173, Message: "1 of 2"}, {Code: 2187},
	} {
		m.When = at(i)
		s.Messages = append(s.Messages, m)
	}
	if got := progress.OpenPhase(s); got != progress.PhaseContent {
		t.Errorf("stopped in %q", got)
	}
}

// Before a run the site says how long the last one kept it read-only: only what was is said.
func TestTheReadOnlyTimeOfTheLastRunIsToldOnceItHasEnded(t *testing.T) {
	t.Parallel()
	first := adminapi.UpgradeMessage{Code: 2010, When: at(0), Message: "from 11.5.0.6745 to 11.5.0.6805"}
	on, off := adminapi.UpgradeMessage{Code: 2165, When: at(10)}, adminapi.UpgradeMessage{Code: 2166, When: at(70)}
	for name, c := range map[string]struct {
		messages []adminapi.UpgradeMessage
		lasted   time.Duration
		kind     progress.RunKind
	}{
		"it has ended": {[]adminapi.UpgradeMessage{first, on, off}, time.Minute, progress.PatchRun},
		"it lasts":     {[]adminapi.UpgradeMessage{first, on}, 0, ""},
		"never":        {[]adminapi.UpgradeMessage{first}, 0, ""},
		"only its end": {[]adminapi.UpgradeMessage{first, off}, 0, ""},
	} {
		if lasted, kind := progress.LastReadOnly(status("failed", 2, c.messages...)); lasted != c.lasted || kind != c.kind {
			t.Errorf("%s: %v of a %q", name, lasted, kind)
		}
	}
}

// A failure between two releases is to be followed by the same release, and forbids all else: it is told
// only where the stores were touched, and not put back.
func TestARunIsLeftBetweenReleasesWhereItFailedAfterItTouchedTheStores(t *testing.T) {
	t.Parallel()
	release := []logged{{0, 2010, "from 11.5.0.6835 to 12.0.0.7286"}, {1, 2287, ""}, {2, 2165, ""}}
	touched := append(slices.Clone(release), logged{3, 2144, ""})
	patch := []logged{{0, 2010, "from 11.5.0.6745 to 11.5.0.6805"}, {1, 2271, ""}, {2, 2094, ""}, {3, 2291, ""}, {4, 2173, "2 of 13"}}
	for name, c := range map[string]struct {
		log     []logged
		state   string
		code    int
		between bool
	}{
		"it failed in the stores":   {touched, "failed", 2, true},
		"it failed after them":      {append(slices.Clone(touched), logged{4, 2101, "a"}), "failed", 2, true},
		"it failed before them":     {release, "failed", 2, false},
		"it goes on":                {touched, "in_progress", 1, false},
		"it has succeeded":          {touched, "success", 3, false},
		"nobody knows how it ended": {touched, "paused", 9, false},
		"of a run before":           {append(slices.Clone(touched), logged{9, 2010, "from 11.5.0.6835 to 12.0.0.7286"}), "failed", 2, false},
		"a patch that failed":       {patch, "failed", 2, true},
		"a patch that was undone":   {append(slices.Clone(patch), logged{5, 2270, ""}, logged{6, 2271, ""}, logged{7, 2173, "1 of 2"}), "failed", 2, false},
		"counted as in two plans":   {append(slices.Clone(touched), logged{5, 2173, "2 of 13"}, logged{6, 2270, ""}, logged{7, 2173, "1 of 2"}), "failed", 2, true},
		"nothing is known":          {nil, "failed", 2, false},
	} {
		s := status(c.state, c.code, asMessages(c.log)...)
		if got := progress.LeftBetween(s); got != c.between {
			t.Errorf("%s: %v", name, got)
		}
		if got := progress.Of(logOf(c.log...), progress.StateOf(s)).Between(); got != c.between {
			t.Errorf("%s, by its log: %v", name, got)
		}
	}
}

func TestAFailureLeavesTheSiteReadOnlyOnlyWhereItHasNotLeftThatMode(t *testing.T) {
	t.Parallel()
	on, off := adminapi.UpgradeMessage{Code: 2165, When: at(10)}, adminapi.UpgradeMessage{Code: 2166, When: at(70)}
	for name, c := range map[string]struct {
		status adminapi.UpgradeStatus
		ended  adminapi.Millis
		left   bool
	}{
		"it failed in it":     {status("failed", 2, on), at(10), true},
		"it failed after it":  {status("failed", 2, on, off), at(70), false},
		"it failed before it": {status("failed", 2, adminapi.UpgradeMessage{Code: 2287, When: at(5)}), at(5), false},
		"it goes on":          {status("in_progress", 1, on), at(10), false},
		"it has succeeded":    {status("success", 3, on), at(10), false},
	} {
		if ended, left := progress.LeftReadOnly(c.status); ended != c.ended || left != c.left {
			t.Errorf("%s: %v, it spoke last at %v", name, left, ended)
		}
	}
}

// The platform checks its health in the middle of a run: that is of before as long as nothing was changed.
func TestARunChangesTheSiteFromItsReadOnlyModeOrItsStoresOn(t *testing.T) {
	t.Parallel()
	first := []logged{{0, 2010, ""}, {10, 2287, ""}, {20, 2271, ""}}
	for name, c := range map[string]struct {
		more []logged
		want int
	}{
		"it only checks":            {nil, 20},
		"read-only mode":            {[]logged{{30, 2165, ""}, {40, 2108, ""}, {50, 2101, ""}}, 30},
		"the stores":                {[]logged{{40, 2108, ""}, {50, 2101, ""}, {60, 2165, ""}}, 40},
		"the deployments":           {[]logged{{50, 2101, ""}, {60, 2187, ""}}, 50},
		"a message that came early": {[]logged{{15, 2038, ""}, {30, 2165, ""}}, 15},
	} {
		if got := progress.Of(logOf(append(slices.Clone(first), c.more...)...), progress.StateSucceeded).ChangesFrom(); got != at(c.want) {
			t.Errorf("%s: from %v on, want %v", name, got, at(c.want))
		}
	}
}

// An end counts for a run unless it is of before it, or of before another one.
func TestTheEndOfARunIsTheNewestOfItsLog(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		log   []logged
		since int
		want  adminapi.Millis
	}{
		"by the time it took":            {[]logged{{1, 2010, ""}, {5, 2011, ""}}, 1, at(5)},
		"by the version":                 {[]logged{{1, 2010, ""}, {6, 2012, ""}}, 1, at(6)},
		"at the time it is searched":     {[]logged{{5, 2011, ""}}, 5, at(5)},
		"before what follows":            {[]logged{{1, 2010, ""}, {5, 2011, ""}, {7, 2287, ""}}, 1, at(5)},
		"of before":                      {[]logged{{1, 2010, ""}, {5, 2011, ""}, {7, 2287, ""}}, 6, 0},
		"of another run":                 {[]logged{{1, 2010, ""}, {5, 2011, ""}, {7, 2010, ""}}, 1, 0},
		"of another run, a rollback":     {[]logged{{1, 2010, ""}, {5, 2011, ""}, {7, 2072, ""}, {8, 2271, ""}}, 1, 0},
		"none":                           {[]logged{{1, 2010, ""}, {7, 2166, ""}}, 1, 0},
		"nothing":                        {nil, 0, 0},
		"the end of the run before that": {[]logged{{1, 2011, ""}, {2, 2010, ""}, {3, 2271, ""}}, 0, 0},
	} {
		if got, ended := logOf(c.log...).EndedSince(at(c.since)); got != c.want || ended != (c.want != 0) {
			t.Errorf("%s: %v, %v", name, got, ended)
		}
	}
}

func TestALogOutOfOrderIsReadByTime(t *testing.T) {
	t.Parallel()
	s := adminapi.UpgradeStatus{Messages: []adminapi.UpgradeMessage{{Code: 2288, When: 3000}, {Code: 2287, When: 2000}, {Code: 2010, When: 1000}}}
	if got := progress.OpenPhase(s); got != "" {
		t.Errorf("%q is open, though it was completed", got)
	}
}

func TestAFailureWithNothingOpenStoppedWhereTheLastMessageCameFrom(t *testing.T) {
	t.Parallel()
	m := progress.NewMerger(progress.LogBudget)
	m.Merge([]adminapi.UpgradeMessage{{Code: 2010, When: 1}, {Code: 2144, When: 2}, {Code: 2145, When: 3}})
	if got := progress.Of(m.Log(), progress.StateFailed).StoppedIn(); got != progress.PhasePostgreSQL {
		t.Errorf("stopped in %q", got)
	}
	if got := progress.Of(m.Log(), progress.StateRunning).StoppedIn(); got != "" {
		t.Errorf("a run that goes on has stopped in %q", got)
	}
}

func TestARunIsThatOfARequestUnlessItsVersionsSayOtherwise(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, version string
		may           bool
	}{
		{"from 11.5.0.6745 to 11.5.0.6805", "11.5.0.6805", true},
		{"from 11.5.0.6745 to 11.5.0.6835", "11.5.0.6805", false},
		{"from 11.5.0.6745 to 11.5.0", "11.5.0.6805", true},
		{"from 11.5.0.6745 to 11.5.0.6805", "11.5.0", true},
		{"from 11.5.0.6745 to 12.0.0.7300", "12.0.0.7286", true}, // with its latest patch
		{"from 11.5.0.6745 to 12.0.0.7286", "11.5.0.6805", false},
		{"from 11.5 to 12.0", "12.0.0.7286", true},
		{"The upgrade has begun.", "12.0.0.7286", true},
		{"from 11.5.0.6745 to 11.5.0.6805", "pat_12082025_6805", true},
		{"from 11.5.0.6805 to 11.5.0.6745", "11.5.0.6805", true}, // of a record that names what was removed
		{"from 11.5.0.6805 to 11.5.0.6835", "11.5.0.6805", false},
		{"from 11.5.0.6805 to 12.0.0.7286", "11.5.0.6805", false},
		{"from 11.5.0.6805 to 11.5.0.6745", "11.5.0.6835", false},
		{"Upgrade to 12.0.0.7286 from 11.5.0.6745", "12.0.0.7286", true},
		{"Upgrade to 12.0.0.7286 from 11.5.0.6745", "11.5.0.6805", false},
		{"from 11.5.0.6745 to 12.0.0.7286", "12.0.7286", true},
		{"from 11.5.0.6745 to 11.5.0.6805", "11.5.6805", true},
		{"from 11.5.0.6745 to 12.0.0.7286", "11.5.6805", false},
		{"from 11.5.0.6745 to 12.0.0.7286", "8a7e41c0", true},
		{"Tool 2.1: from 11.5.0.6745 to 12.0.0.7286", "12.0.0.7286", true},
		{"Tool 2.1: from 11.5.0.6745 to 12.0.0.7286", "11.5.0.6805", false},
		{"Tool 20.1: from 11.5.0.6745 to 12.0.0.7286", "12.0.0.7286", true},
	} {
		run := progress.LastStart(adminapi.UpgradeStatus{Messages: []adminapi.UpgradeMessage{{Code: 2010, When: 1, Message: c.text}}})
		if run.MayBe(c.version, false) != c.may {
			t.Errorf("%q for %s: not %v", c.text, c.version, c.may)
		}
	}
}

func TestARollbackIsCalledOne(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"Upgrade from 11.5.0.6835 to 11.5.0.6825": "A rollback", "Upgrade from 11.5.0.6825 to 11.5.0.6835": "An upgrade", "": "An upgrade"} {
		run := progress.LastRun(status("in_progress", 1, adminapi.UpgradeMessage{Code: 2010, When: 1, Message: text}))
		if got := run.Kind().One(); got != want {
			t.Errorf("%q is %s, not %s", text, got, want)
		}
	}
}

func TestARollbackIsThatOfARequestWhereItLeadsToItsVersion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, version string
		may           bool
	}{
		{"Starting the rollback process from 10.9.0.506 to 10.9.0.505.", "10.9.0.505", true},
		{"Rollback auf 10.9.0.505 von 10.9.0.506 beginnt", "10.9.0.505", true},
		{"Starting the rollback process from 10.9.0.506 to 10.9.0.500.", "10.9.0.505", false},
		{"Starting the rollback process from 10.9.0.507 to 10.9.0.506.", "10.9.0.505", false},
		{"Starting the rollback process from 10.9.0.505 to 10.9.0.500.", "10.9.0.505", false},
		{"Starting the rollback process from 10.9.0 to 10.9.0.", "10.9.0.505", true}, // it names no build
		{"The rollback has begun.", "10.9.0.505", true},
	} {
		run := progress.LastStart(adminapi.UpgradeStatus{Messages: []adminapi.UpgradeMessage{{Code: 2072, When: 1, Message: c.text}}})
		if run.MayBe(c.version, true) != c.may {
			t.Errorf("%q to %s: not %v", c.text, c.version, c.may)
		}
	}
}

func TestARollbackBeginsWithACodeOfItsOwn(t *testing.T) {
	t.Parallel()
	before := adminapi.UpgradeMessage{Code: 2010, When: 1000, Message: "from 10.9.0.505 to 10.9.0.506"}
	end := adminapi.UpgradeMessage{Code: 2011, When: 2000}
	begin := adminapi.UpgradeMessage{Code: 2072, When: 5000, Message: "Starting the rollback process from 10.9.0.506 to 10.9.0.505."}
	counts := adminapi.UpgradeMessage{Code: 2175, When: 6000, Message: "1 of 2"} // its codes may be those of a release
	for name, messages := range map[string][]adminapi.UpgradeMessage{
		"with versions": {before, end, begin, counts},
		"without any":   {before, end, {Code: 2072, When: 5000, Message: "Das Zurücksetzen beginnt."}, counts},
	} {
		s := status("in_progress", 1, messages...)
		run := progress.LastRun(s)
		if run.Began != 5000 || run.Kind() != progress.RollbackRun {
			t.Errorf("%s: %+v is a %q", name, run, run.Kind())
		}
		m := progress.NewMerger(progress.LogBudget)
		m.Merge(messages)
		p := progress.Of(m.Log(), progress.StateRunning)
		if p.Kind != progress.RollbackRun || p.Run.Kind() != progress.RollbackRun || p.Began != 5000 || p.Messages != 2 || p.UnknownCodes != 0 {
			t.Errorf("%s: a %q since %d of %d messages, %d unknown", name, p.Kind, p.Began, p.Messages, p.UnknownCodes)
		}
		if step, doing := p.Now(); doing || progress.OpenPhase(s) != "" {
			t.Errorf("%s: the whole run is taken for a step: %+v", name, step)
		}
		if name == "with versions" && (p.From != "10.9.0.506" || p.To != "10.9.0.505") {
			t.Errorf("from %s to %s", p.From, p.To)
		}
	}
}
