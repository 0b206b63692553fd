// Package views is the contract between the dashboard and its views.
//
// A view is one package below this one: its Model routes, lays out and holds what its
// children share; a child is a struct of its own with state, Update, View, commands and
// tests. To write one, start at [View], embed a [Base], list [Command] rows, keep a [Fetch]
// for what is read, and register a [Maker] in ui.
//
// The rules of the flow:
//
//   - Terminal messages stop at the root. It finds the [Command] row of a key and runs it;
//     only a view that says CapturesText gets keys. A row is the one place where a key, its
//     name, its help, when it can be used and what it does are written. Tables of rows are made
//     once, with their model; Shown, Enabled and Hint are asked. The footer is a list of ids.
//   - A view, or a child of one, sends upward only by returning commands that yield the
//     messages of messages.go; its parent calls its methods.
//   - What the root tells a view is an [Event], in Update like everything else; what it asks of some
//     views only stands in their [Hooks], made once.
//   - A command captures values and never touches a model. Whatever comes back comes as a
//     [Reply] of the view's scope; the root drops what is stale. A view passes a reply on to
//     the child whose message type it is.
//   - What leads to a write, its last question or the write itself, goes through [Base.Unlocked],
//     which asks for the name of a site that is locked. [Scope.Write] sends.
//   - While a key is held only the cursor moves. What a view shows about the selected row
//     follows at [Rested]; what acts on a row takes the one under the cursor.
//   - View returns exactly the size it was given. Nothing is drawn from Update, nothing is
//     changed from View, and neither does I/O.
package views
