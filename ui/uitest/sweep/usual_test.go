//go:build !race

package sweep_test

// usual is how many days the suite plays.
const usual = 100
