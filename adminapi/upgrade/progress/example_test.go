package progress_test

import (
	"fmt"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

func Example() {
	begun := adminapi.Millis(1_795_172_400_000)
	merger := progress.NewMerger(progress.LogBudget)
	merger.Merge([]adminapi.UpgradeMessage{
		{Code: 2010, When: begun, Message: "The upgrade from 11.5.0.6835 to 12.0.0.7286 begins."},
		{Code: 2168, When: begun + 30_000, Message: "The upgrader is launched."},
	})
	// The next snapshot has the same messages and more.
	merger.Merge([]adminapi.UpgradeMessage{
		{Code: 2010, When: begun, Message: "The upgrade from 11.5.0.6835 to 12.0.0.7286 begins."},
		{Code: 2168, When: begun + 30_000, Message: "The upgrader is launched."},
		{Code: 2134, When: begun + 600_000, Message: "arcgis-web moves to the new version."},
		{Code: 2175, When: begun + 660_000, Message: "3 of 41 deployments have the release."},
	})
	log := merger.Log()
	p := progress.Of(log, progress.StateRunning)
	fmt.Println(log.Len(), "messages of a", p.Kind, "from", p.From, "to", p.To)
	fmt.Println(p.Current, p.Done, "of", p.Total)
	step, _ := p.Now()
	fmt.Println(step.Meaning)
	// Output:
	// 4 messages of a release from 11.5.0.6835 to 12.0.0.7286
	// Components 3 of 41
	// A component moves to the new version
}

func ExampleStateOf() {
	fmt.Println(progress.StateOf(adminapi.UpgradeStatus{State: "in_progress", Code: 1}))
	fmt.Println(progress.StateOf(adminapi.UpgradeStatus{State: "paused", Code: 9}))
	// Output:
	// in progress
	// unknown
}
