package progress_test

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

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
		{status("failed", 2), progress.StateFailed}, {status("failed", 3), progress.StateUnknown},
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
	} {
		if got := progress.StartedSince(tt.before, tt.now, tt.submitted); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestTheWholeCatalogueIsKnown goes through the codes of the platform's own table.
func TestTheWholeCatalogueIsKnown(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/codes.txt")
	if err != nil {
		t.Fatal(err)
	}
	var codes []int
	for _, text := range regexp.MustCompile(`\d{4}`).FindAllString(string(data), -1) {
		code, _ := strconv.Atoi(text)
		codes = append(codes, code)
		c, ok := progress.CodeOf(code)
		if !ok || c.Code != code || c.Meaning == "" || !slices.Contains(progress.Phases, c.Phase) {
			t.Errorf("%d: %+v", code, c)
		}
	}
	if len(progress.Catalogue) != len(codes) {
		t.Errorf("%d codes, want %d", len(progress.Catalogue), len(codes))
	}
	if _, ok := progress.CodeOf(9999); ok {
		t.Error("9999 is known")
	}
}

func TestPairsPointAtEachOther(t *testing.T) {
	t.Parallel()
	for _, c := range progress.Catalogue {
		if c.Pair == 0 {
			continue
		}
		pair, ok := progress.CodeOf(c.Pair)
		if !ok || pair.Pair != c.Code || pair.Kind == c.Kind {
			t.Errorf("%+v and %+v", c, pair)
		}
	}
}
