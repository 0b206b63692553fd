//go:build !race

package checkout_test

// usual is how many random sites the suite edits; each has some forty definitions.
const usual = 14
