// Package ui is the dashboard: the root model with its router, layout, keys,
// help, palette, status line, notices and dialogs. It knows views only by the
// contract of package views; makers.go is the one file that names them.
//
// Start at [Model], then update.go, which is the order in which every message
// is handled.
package ui
