package main

import "testing"

func TestEveryFaultInSendingCanBePlanted(t *testing.T) {
	t.Parallel()
	m := parsed(t)
	known := map[string]bool{}
	for _, f := range ofSending {
		if _, err := (guard{cuts: f.cuts}).mutated(m); err != nil {
			t.Errorf("%s: %v", f.what, err)
		}
		if known[f.what] || f.what == "" || f.promise < 1 {
			t.Errorf("the fault has no promise, or its words are taken: %q", f.what)
		}
		known[f.what] = true
	}
}
