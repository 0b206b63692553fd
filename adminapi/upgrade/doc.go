// Package upgrade says what upgrades mean: which offered updates build on which
// and which of them fit this site, what a site wants to know before it is
// upgraded, what exactly is sent, what speaks against sending it, and what the
// messages of a running upgrade report. It is pure: no I/O, no clock.
//
// Start at [Plan]: it makes a [Chain] of a manifest. [Form], [Check] and [Fill]
// deal with settings, [Parts] makes the request, [Preflight] weighs the facts.
// [Merger] keeps the one [Log] of many readings of a running upgrade, and [Fold]
// tells its [Progress]; [Usual] compares it with earlier runs.
// Nothing unknown reads as passed, applicable or done.
package upgrade
