//go:build race

package checkout_test

// usual is how many random sites the suite edits: the race detector takes five times as long for one.
const usual = 3
