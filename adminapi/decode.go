package adminapi

import (
	"geodeck/adminapi/internal/jsonx"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Unknown holds the members of a JSON object that this package has no field
// for, exactly as the server wrote them.
type Unknown = jsontext.Value

// tolerant reads what the platform really sends, see package jsonx.
var tolerant = jsonx.Tolerant(
	jsonx.Number[Millis](),
	jsonx.List[SuiteResult](),
	jsonx.List[TestResult](),
	jsonx.List[ReportSummary](),
	jsonx.List[Suite](),
	jsonx.List[SuiteTest](),
	jsonx.List[ServiceRef](),
	jsonx.List[UpgradeMessage](),
	jsonx.List[Container](),
	jsonx.List[UserInput](),
	jsonx.List[BackupStore](),
	jsonx.List[Backup](),
)

func decode(body []byte, v any) error { return json.Unmarshal(body, v, tolerant) }

// unlessWritten returns what is missing; null is written.
func unlessWritten(v jsontext.Value, what string) string {
	if len(v) == 0 {
		return what
	}
	return ""
}

// readElements reads a list; null is one without elements.
func readElements[T any](list jsontext.Value, into *[]T) *Error {
	if err := decode(list, into); err != nil {
		return notJSON("the answer holds something else than a list", err)
	}
	return nil
}
