package adminapi

import "context"

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
func (c *Client) Suites(ctx context.Context) ([]Suite, error) { panic("contract only") }

// Suite reads one suite by its id. Needs a site of 11.2.
func (c *Client) Suite(ctx context.Context, id string) (Suite, error) { panic("contract only") }
