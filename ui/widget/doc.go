// Package widget is the dialogs of the dashboard: a question ([Confirm]), a line to fill in
// ([Prompt]), a form of huh ([Form]), and text to be read ([Message]). Packages below it are
// what views show: rows (lists and trees), jsonview (a JSON value), diff (a change).
//
// Start at [Confirm]: all dialogs are made alike, opened by [views.Open], and close by
// returning [views.Shut].
package widget
