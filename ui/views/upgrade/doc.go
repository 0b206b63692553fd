// Package upgrade is the view that leads from choosing a version to the moment
// an upgrade runs: Choose, Pre-flight, Settings, Review, Run.
//
// Start at [Model]. Each step is a part of it with files of its own: the picker
// (what is offered, installed, and was done), and a [flow] once an update was
// chosen. One step back is always possible and loses nothing. Nothing is ever
// sent twice: what became of a request whose answer was lost is found by
// reading.
package upgrade
