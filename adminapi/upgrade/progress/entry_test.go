package progress_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

func TestALogKeepsAllOfItsMessages(t *testing.T) {
	t.Parallel()
	told := []adminapi.UpgradeMessage{
		{},
		{Code: 2010, Message: "from 11.5.0.6745 to 11.5.0.6805", When: 1},
		{Code: math.MaxInt, When: 2},
		{Code: math.MinInt, Message: "größer", When: 2},
		{Code: 1 << 32, Message: strings.Repeat("x", 1<<10), When: 2},
		{Code: -1, Message: strings.Repeat("y", 1<<10+1), When: 2},
		{Code: 2038, Message: strings.Repeat("z", 64<<10), When: 3, Unknown: adminapi.Unknown(`{"host":"a"}`)},
		{Code: 2038, Message: "", When: 3, Unknown: adminapi.Unknown(`{}`)},
		adminapi.MessagesLeftOut(7, 4),
	}
	for i := range 1000 {
		told = append(told, adminapi.UpgradeMessage{Code: i, Message: strings.Repeat(strconv.Itoa(i), i%300), When: 5, LeftOut: i % 2})
	}
	merger := progress.NewMerger(progress.LogBudget)
	added := merger.Merge(told)
	log := merger.Log()
	if log.Len() != len(told) || len(added) != len(told) {
		t.Fatalf("%d messages, %d of them new, want %d", log.Len(), len(added), len(told))
	}
	for i, message := range told {
		want := progress.Message{UpgradeMessage: message, Nth: 1}
		if diff := cmp.Diff(want, log.At(i)); diff != "" {
			t.Errorf("message %d: %s", i, diff)
		}
		if got := log.CodeAt(i); got != message.Code {
			t.Errorf("the code of message %d is %d", i, got)
		}
		if diff := cmp.Diff(want, added[i]); diff != "" {
			t.Errorf("new message %d: %s", i, diff)
		}
	}
	nth := math.MaxInt32 // of a transcript that was damaged
	merger.Restore([]progress.Message{{UpgradeMessage: adminapi.UpgradeMessage{Code: 1, When: 9}, Nth: nth}})
	if got := merger.Log().At(len(told)).Nth; got != nth {
		t.Errorf("the number among equal ones is %d", got)
	}
}
