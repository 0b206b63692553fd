package simtest

import (
	_ "embed"
	"slices"
	"strings"
)

// contractTable has a line for each thing of the contract that the program and the simulated site keep:
// its kind, its name, what it is, and the tests that hold it and no other of its kind. A line that begins with #
// is a heading, with the files where the client has what follows, and those where the simulated site plays it.
// docs/contract.md is written from it.
//
//go:embed contract.txt
var contractTable string

// ContractLine is one line of the table.
type ContractLine struct {
	Area           string // the heading that it stands below
	Client, Played string // the files where the client has it, and where the simulated site plays it
	Kind           string // operation, resource, parameter, field, setting, code, state, rule ...
	Name           string // Group.field of a field
	Type           string // of a field: string, integer, boolean, array, object, any, or two of them with "or"
	Words          string
	Tests          []string // package:Test, without geodeck/
}

// Contract returns all lines of the table, or those of some kinds.
func Contract(kinds ...string) (lines []ContractLine) {
	area := []string{"", "", ""}
	for line := range strings.Lines(contractTable) {
		line = strings.TrimSuffix(line, "\n")
		if heading, is := strings.CutPrefix(line, "# "); is {
			area = strings.Split(heading, "\t")
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) < 3 || len(kinds) > 0 && !slices.Contains(kinds, cells[0]) {
			continue
		}
		l := ContractLine{Area: area[0], Client: area[1], Played: area[2], Kind: cells[0], Name: cells[1], Words: cells[2]}
		if l.Kind == "field" {
			l.Type, l.Words = cells[2], cells[3]
		} else if len(cells) > 3 {
			l.Tests = strings.Fields(cells[3])
		}
		lines = append(lines, l)
	}
	return lines
}
