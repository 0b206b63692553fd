package adminapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Suite is a set of tests that the platform offers to run. Administrators
// cannot pick single tests of it.
type Suite struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	SystemOnly bool        `json:"systemOnly"` // the platform runs it, users cannot
	Critical   []SuiteTest `json:"criticalTests"`
	General    []SuiteTest `json:"generalTests"`
	Unknown    Unknown     `json:",embed"`
}

// SuiteTest names one test of a suite.
type SuiteTest struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Unknown     Unknown `json:",embed"`
}

// Suites reads the suites that can be run. Needs a site of 11.2.
func (c *Client) Suites(ctx context.Context) ([]Suite, error) {
	var list struct {
		User   *[]Suite `json:"userSuites"`
		System *[]Suite `json:"systemSuites"`
	}
	k := call{operation: opSuites, shown: true, method: http.MethodGet, path: []string{"healthCheck", "suites"}}
	err := c.read(ctx, k, &list, func() string {
		if list.User == nil && list.System == nil {
			return "userSuites"
		}
		return ""
	})
	if err != nil {
		return nil, err
	}
	var suites []Suite
	for _, part := range []*[]Suite{list.User, list.System} {
		if part != nil {
			suites = append(suites, *part...)
		}
	}
	return suites, nil
}

// Suite reads one suite by its id. Needs a site of 11.2.
func (c *Client) Suite(ctx context.Context, id string) (Suite, error) {
	var suite Suite
	k := call{operation: opSuite, shown: true, method: http.MethodGet, path: []string{"healthCheck", "suites", id}}
	err := c.read(ctx, k, &suite, func() string {
		if suite.ID == "" && suite.Name == "" {
			return "suite"
		}
		return ""
	})
	return suite, err
}

// UnmarshalJSONFrom reads a suite. The critical tests are under a key that
// begins with "critical"; which one exactly differs.
func (s *Suite) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type fields Suite
	if err := json.UnmarshalDecode(dec, (*fields)(s), tolerant); err != nil {
		return err
	}
	var rest map[string]jsontext.Value
	if s.Critical != nil || len(s.Unknown) == 0 || decode(s.Unknown, &rest) != nil {
		return nil
	}
	for key, value := range rest {
		if strings.HasPrefix(strings.ToLower(key), "critical") && value.Kind() == jsontext.KindBeginArray {
			return decode(value, &s.Critical)
		}
	}
	return nil
}
