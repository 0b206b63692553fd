//go:build race

package sweep_test

// usual is how many days the suite plays, each twice: the race detector takes five times as long for one.
const usual = 20
