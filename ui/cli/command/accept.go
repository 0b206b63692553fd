package command

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi/finding"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/exit"
)

// Accept are the words of --accept: the findings that go out all the same, the same words as a person
// types on the screen. There is none for all.
type Accept []string

// Register adds the flag, which takes the words that are known; such is an example.
func (a *Accept) Register(cmd *cobra.Command, known []string, such string) {
	cmd.Flags().StringSliceVar((*[]string)(a), "accept", nil, "findings that you accept, by name, such as "+such)
	Complete(cmd, "accept", known, Separated)
}

// Check refuses a word that is none of those known.
func (a Accept) Check(known []string) error {
	for _, word := range a {
		if !slices.Contains(known, word) {
			return exit.BadInput("The names: "+strings.Join(known, ", "),
				fmt.Errorf("--accept %s: no finding has that name; nothing was sent", strconv.Quote(plain.Clip(word, 60))))
		}
	}
	return nil
}

// NotAccepted refuses a change because of findings that have to be accepted: a line for each says what
// that means. operation is the change, such as "edit the definition of Roads.MapServer".
func NotAccepted(operation string, left []finding.Finding) *exit.Failure {
	f := exit.Refusal("not accepted", "", errors.New(plain.Plural(len(left), "finding")+" not accepted; nothing was sent"))
	f.Operation, f.Findings = operation, left
	f.Details = lists.Each(left, finding.Finding.Refusal)
	return f
}
