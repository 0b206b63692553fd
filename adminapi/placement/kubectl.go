package placement

// Command is a line for a shell, to be copied and read first; nothing here runs it.
type Command struct {
	Line string // quoted for a shell, clean
	Why  string // what it does, one sentence, clean
}

// KubectlLines returns the kubectl lines that make the nodes fit the item: labels
// for the first term that can match, taints that the tolerations answer so that
// other pods stay away, and the removal of taints that repel. Labels come first,
// then taints to remove, then taints to set: the tolerations are to be applied
// before these. Of a node only the name must be known. Names, keys and values that
// Kubernetes would refuse are left out.
func KubectlLines(i Item, nodes []Node) []Command { panic("contract only") }
