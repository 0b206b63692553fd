package edits

import (
	"context"
	"fmt"
	"strings"

	"geodeck/adminapi/operation/editing"
	"geodeck/ui/cli/command"
)

// confirm asks for the name of every lost key, and then whether to send.
func confirm(ctx context.Context, a *command.Prompter, edit *editing.Edit) error {
	for _, path := range edit.Unconfirmed() {
		name := path.Name()
		question := fmt.Sprintf("The site will delete %s. Type its name, %s, to confirm, or press enter to cancel:", path, name)
		for {
			typed, err := a.Ask(ctx, question)
			if err != nil {
				return err
			}
			if typed == name || typed == path.String() {
				break
			}
			if typed == "" {
				return command.LeftUnsent()
			}
			question = fmt.Sprintf("That is not its name, %s. Try again, or press enter to cancel:", name)
		}
		edit.AllowRemoved = append(edit.AllowRemoved, path)
	}
	if err := confirmNoNode(ctx, a, edit); err != nil {
		return err
	}
	follows := "the service may restart"
	if edit.Part == editing.Placement {
		follows = "its pods are replaced"
	}
	question := "Send this to " + edit.Service.Path() + "? It replaces the whole " + edit.Part.String() + ", and " + follows + "."
	return a.Word(ctx, question+" Type yes to send:", "yes")
}

// confirmNoNode asks for the name of the service if no node takes its pods.
func confirmNoNode(ctx context.Context, a *command.Prompter, edit *editing.Edit) error {
	unschedulable := edit.Unschedulable()
	if len(unschedulable) == 0 || edit.AllowNone {
		return nil
	}
	question := fmt.Sprintf("No node takes the pods of %s: they would stay Pending. Type the name of the service, %s, to confirm:",
		strings.Join(unschedulable, ", "), edit.Service.Name)
	err := a.Word(ctx, question, edit.Service.Name, edit.Service.Path())
	edit.AllowNone = err == nil
	return err
}
