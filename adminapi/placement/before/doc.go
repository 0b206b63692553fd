// Package placement says what a pod placement policy means: which nodes its
// rules pick and why, what is wrong with it, and how it reads in plain words. It
// changes a policy without losing what it does not know. Nodes are matched by the
// scheduler's own library. It is pure: no I/O, no clock.
//
// Start at [Parse] for a policy and [ReadNodes] for the nodes of a cluster; then
// [Check], [Sentence] and [Explain]. Keys, values and names in a policy and in
// nodes are as they were written: they are cleaned by package plain before a
// person sees them. Sentences and findings are clean as they are.
package before
