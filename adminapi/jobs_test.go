package adminapi_test

import (
	"testing"

	"geodeck/adminapi"
)

// A job that completes with an error as its result did not do what it was for.
func TestAJobThatCompletesWithAnErrorHasFailed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		members, reason string // no reason: the job ended well
	}{
		"an error of the family":    {`"result":{"status":"error","messages":["The node is full."],"code":500}`, "The node is full."},
		"an error object":           {`"result":{"error":{"code":500,"message":"The node is full.","details":null}}`, "The node is full."},
		"no success":                {`"result":{"success":false}`, adminapi.ErrNoReason.Error()},
		"a relative of the API":     {`"operationResponse":{"status":"error","messages":["The node is full."]}`, "The node is full."},
		"a relative that succeeded": {`"operationResponse":{"status":"success"}`, ""},
		"success":                   {`"result":{"status":"success"}`, ""},
		"a definition":              {`"result":{"service":{"serviceName":"Roads","type":"MapServer","status":"error"}}`, ""},
		"a report that failed":      {`"result":{"diagnosticHealthReport":` + bareReport + `,"status":"failed"}`, ""},
		"no result":                 {`"result":null`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			job, err := serve(t, says(200, `{"jobid":"j1","status":"COMPLETED",`+c.members+`}`)).client(t).Jobs.Get(t.Context(), "j1")
			check(t, "ended, completed, failed", []bool{job.Ended(), job.Completed(), job.Failed()}, []bool{true, c.reason == "", c.reason != ""}, err)
			if reasons := job.Reasons(); c.reason != "" && (len(reasons) != 1 || reasons[0] != c.reason) {
				t.Errorf("%q", reasons)
			}
		})
	}
	job, err := serve(t, says(200, `{"jobid":"j1","status":"EXECUTING","result":{"status":"error"}}`)).client(t).Jobs.Get(t.Context(), "j1")
	check(t, "while it runs", job.Ended(), false, err)
}

func TestEveryEndOfAJobIsOne(t *testing.T) {
	t.Parallel()
	for status, failed := range map[string]bool{
		adminapi.JobCompleted: false, adminapi.JobFailed: true, adminapi.JobCancelled: true, adminapi.JobTimedOut: true,
	} {
		job, err := serve(t, says(200, `{"jobid":"j1","status":"`+status+`"}`)).client(t).Jobs.Get(t.Context(), "j1")
		check(t, status, []bool{job.Ended(), job.Completed(), job.Failed()}, []bool{true, !failed, failed}, err)
	}
}

func TestAJobNamesTheStageThatFailed(t *testing.T) {
	t.Parallel()
	c := serve(t, says(200, `{"jobid":"j1","status":"FAILED","result":{"stages":[{"name":"copy","state":"Error"},{"name":"move","state":"FAILED"},{"name":"end","state":"done"}]}}`)).client(t)
	job, err := c.Jobs.Get(t.Context(), "j1")
	check(t, "reasons", job.Reasons(), []string{"copy: Error", "move: FAILED"}, err)
}

// That the site has no jobs is evidence of what became of a write: an answer without the list is none.
func TestAnAnswerWithoutAListOfJobsIsAnError(t *testing.T) {
	t.Parallel()
	for answer, whole := range map[string]bool{`{"jobs":[]}`: true, `{"other":1}`: false, `{}`: false, `{"jobs":null}`: false} {
		ids, err := serve(t, says(200, answer)).client(t).Jobs.IDs(t.Context())
		if len(ids) > 0 || (err == nil) != whole {
			t.Errorf("%s: %q, %v", answer, ids, err)
		}
	}
}
