package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/simulator/simtest"
)

// contractKinds are the kinds of lines of the contract: how a page calls them, and the tests that hold each
// line of the kind.
var contractKinds = map[string][]string{
	"operation": {"adminapi:TestTheClientSendsTheParametersOfTheContract", "adminapi/simulator:TestASiteOfTheContractHasNothingElse"},
	"resource":  {"adminapi:TestTheClientReadsTheFieldsOfTheContract", "adminapi/simulator:TestASiteOfTheContractAnswersWhereItsLinksLead"},
	"parameter": {"adminapi:TestTheClientSendsTheParametersOfTheContract", "adminapi/simulator:TestTheSiteTakesTheParametersOfTheContract"},
	"field":     {"adminapi:TestTheClientReadsTheFieldsOfTheContract", answersHold},
	"test":      {"adminapi/simulator:TestTheBasicSuiteHasTheTestsOfTheContract"},
	"code":      {"adminapi/upgrade/progress:TestTheCodesOfTheContractAreKnown", "adminapi/simulator:TestTheLogHasTheCodesOfTheContract"},
	"operator":  {"adminapi/placement:TestTheWordsOfTheContractAreTaken"},
	"effect":    {"adminapi/placement:TestTheWordsOfTheContractAreTaken"},
	"privilege": {"adminapi:TestTheClientNamesThePrivilegesOfTheContract", "adminapi/simulator:TestARefusalNamesTheOperationsOwnPrivileges"},
	"version":   {"adminapi/simulator:TestOperationsCameWithTheVersionsOfTheContract", "adminapi:TestTheClientKnowsTheVersionsOfTheContract"},
	"value":     {"adminapi:TestTheClientTakesTheValuesOfTheContract", "adminapi/simulator:TestAnswersHaveTheValuesOfTheContract"},
	"setting":   nil, "extension": nil, "state": nil, "rule": nil, // each has its own
}

const (
	answersHold     = "adminapi/simulator:TestAnswersHaveTheFieldsOfTheContract"
	keysAreKnown    = "adminapi/document:TestTheKeysOfTheContractAreKnown"
	definitionStays = "adminapi:TestAnEditSendsTheDefinitionAsItIs"
	policyIsRead    = "adminapi/placement:TestThePolicyOfTheContractIsRead"
	policyRefused   = "adminapi/simulator:TestAPlacementThatTheSiteCannotTakeIsRefused"
	understood      = "adminapi:TestAnswersOfTheContractAreUnderstood"
)

// fieldTests hold the fields of groups that are not answers which the client reads whole: what is sent to the
// site is known by other packages, and short answers are one thing whatever their form.
var fieldTests = map[string][]string{
	"Definition": {keysAreKnown, definitionStays}, "Properties": {keysAreKnown, definitionStays}, "Extension": {keysAreKnown, definitionStays},
	"Policy": {policyIsRead}, "Item": {policyIsRead, policyRefused}, "Rules": {policyIsRead, policyRefused},
	"Affinity": {policyIsRead, policyRefused}, "Term": {policyIsRead, policyRefused},
	"Expression": {policyIsRead, policyRefused}, "Toleration": {policyIsRead, policyRefused},
	"RunAnswer": {understood}, "LinkAnswer": {understood}, "EditAnswer": {understood}, "DoneAnswer": {understood},
}

const contractHead = `# The contract, line by line

Made from the table that the tests read, by ` + "`make pages`" + `; do not edit by hand. Each line is a thing that the contract
of the administrative API shows, with the tests that fail where the client or the simulated site has it no more, by
their letters; [the last table](#tests) has their names. What the
contract leaves open, and what the platform does there, is in the doc comments of ` + "`adminapi`" + `. Two scenarios play a site that has nothing else: ` + "`geodeck serve --scenario contract-only`" + `, and
` + "`contract-only-get`" + `, where the log of upgrades is read by GET, too.
`

// TestContractPage writes docs/contract.md from the table of the contract, and looks for each test that it names.
func TestContractPage(t *testing.T) {
	t.Parallel()
	page, area, all := contractHead, "", []string{}
	in := testsOf{}
	for _, line := range simtest.Contract() {
		if line.Area != area {
			area = line.Area
			page += "\n## " + area + "\n\nClient: " + files(t, line.Client) + ". Simulated site: " + files(t, line.Played) + ".\n\n| what | in words | held by |\n|---|---|---|\n"
		}
		held, known := contractKinds[line.Kind]
		if !known {
			t.Errorf("%s %s: no such kind", line.Kind, line.Name)
		}
		if line.Kind == "field" {
			group, _, _ := strings.Cut(line.Name, ".")
			if readers := fieldTests[group]; readers != nil {
				held = append(slices.Clone(readers), answersHold)
			}
		}
		held = append(slices.Clone(held), line.Tests...)
		if len(held) == 0 {
			t.Errorf("%s %s: no test holds it", line.Kind, line.Name)
		}
		letters := make([]string, len(held))
		for i, test := range held {
			if !slices.Contains(all, test) {
				pkg, name, _ := strings.Cut(test, ":")
				if !in.has(t, pkg, name) {
					t.Errorf("%s %s: %s has no %s", line.Kind, line.Name, pkg, name)
				}
				all = append(all, test)
			}
			letters[i] = letter(slices.Index(all, test))
		}
		words := line.Words
		if line.Type != "" {
			words = strings.TrimSuffix(line.Type+", "+line.Words, ", ")
		}
		page += "| " + line.Kind + " `" + line.Name + "` | " + words + " | " + strings.Join(letters, " ") + " |\n"
	}
	page += "\n## Tests\n\n| | package | test |\n|---|---|---|\n"
	for i, test := range all {
		pkg, name, _ := strings.Cut(test, ":")
		page += "| " + letter(i) + " | `" + pkg + "` | `" + name + "` |\n"
	}
	generated(t, "docs/contract.md", page)
}

// files writes the names of files that are there.
func files(t *testing.T, names string) string {
	t.Helper()
	all := strings.Fields(names)
	for i, name := range all {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
		all[i] = "`" + name + "`"
	}
	return strings.Join(all, ", ")
}

// letter is how a page calls the tests that it names: a to z, then aa, ab.
func letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return letter(i/26-1) + letter(i%26)
}
