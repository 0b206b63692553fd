// Package uitest is what tests of views are written with: a theme and times
// that are the same everywhere, golden screens, keys, a way to run commands
// without a program, and a simulated site with the real client in front of it.
//
// It never imports package ui: whole programs are tested beside main.go.
package uitest
