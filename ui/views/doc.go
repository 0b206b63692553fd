// Package views is the contract between the dashboard and its views.
//
// A view is one package below this one, with the same files everywhere: a model
// (<view>.go), its drawing (view.go), its keys (keys.go), its requests
// (requests.go, every tea.Cmd of the view) and pure pieces. To write one, start
// at [View], take an [Env], own a [Scope], and register a [Maker] in ui.
//
// The rules of the flow:
//
//   - Terminal messages stop at the root. It resolves keys by the view's
//     [Command] table and calls Do; only a view that says CapturesText gets keys.
//   - A view speaks upward only by returning commands that yield the messages of
//     messages.go, and is spoken to by method calls.
//   - A command captures values and never touches a model. Whatever comes back
//     comes as a [Reply] of the view's scope; the root drops what is stale.
//   - View returns exactly the size it was given. Nothing is drawn from Update,
//     nothing is changed from View, and neither does I/O.
package views
