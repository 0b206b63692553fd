package health_test

import (
	"fmt"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
)

// nightly is a report of one suite with a test that fails.
var nightly = adminapi.Report{
	Name: "Nightly", Result: "FAILED", State: "COMPLETED",
	Suites: []adminapi.SuiteResult{{
		Name: "Basic",
		Critical: []adminapi.TestResult{
			{Name: "healthcheck_objectStore", Result: "FAILED", State: "COMPLETED", Unknown: []byte(`{"message":"No space is left."}`)},
			{Name: "sharing_availability", Result: "PASSED", State: "COMPLETED"},
		},
	}},
}

func Example() {
	fmt.Println(health.Overall(nightly), health.CountReport(nightly)[health.Failed])
	for _, entry := range health.WorstFirst(nightly) {
		fmt.Println(entry.Verdict, entry.Test.Name, health.ReasonLine(*entry.Test))
	}
	// Output:
	// failed 1
	// failed healthcheck_objectStore No space is left.
	// passed sharing_availability
}

func ExampleJudgeReport() {
	j := health.JudgeReport(nightly, nil, health.FailOnCritical)
	fmt.Println(j.Failed, j.Why)
	// Output:
	// true 1 critical test did not pass: healthcheck_objectStore (failed)
}
