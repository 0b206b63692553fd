package placement

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// poolKeys are the labels by which a node tells that it is of a pool which grows and shrinks: one of
// Karpenter, or a node group of EKS, GKE or AKS, which a cluster autoscaler resizes. docs/platform.md
// has the sources.
var poolKeys = []string{
	"karpenter.sh/nodepool", "karpenter.sh/provisioner-name",
	"eks.amazonaws.com/nodegroup", "cloud.google.com/gke-nodepool", "kubernetes.azure.com/agentpool",
}

// pooled reports whether a node is of a pool.
func (n *Node) pooled() bool {
	return slices.ContainsFunc(poolKeys, func(key string) bool { _, has := n.Labels[key]; return has })
}

// makeable reports whether a pool of the cluster may make a node that takes pods of an item which none
// takes now. Where a node meets the rules but for a taint it may not: its pool gives the next one that
// taint too.
func makeable(verdicts []Verdict) bool {
	if !slices.ContainsFunc(verdicts, func(v Verdict) bool { return v.Node.pooled() }) ||
		slices.ContainsFunc(verdicts, func(v Verdict) bool { return v.Matches }) {
		return false
	}
	rules := verdicts[0].rules
	return rules.refused == "" && slices.ContainsFunc(rules.item.Required.Terms, func(t Term) bool {
		return neverMatches(t) == "" && !slices.ContainsFunc(t.Lines, func(l Line) bool {
			return !l.makeable() && (l.names() || !l.met(verdicts))
		})
	})
}

// makeable reports whether a pool may give its next node what a line asks for, though no node has it.
func (l Line) makeable() bool {
	domain, _, _ := strings.Cut(l.Key, "/")
	switch {
	case l.names():
		return l.Operator == NotIn || l.Operator == Exists
	case slices.Contains(poolKeys, l.Key), l.Key == "karpenter.sh/capacity-type",
		domain == corev1.LabelNamespaceSuffixNode, domain == corev1.LabelNamespaceNodeRestriction:
		return true
	}
	// What Kubernetes and Karpenter set themselves, such as processor and zone, is no pool's to choose.
	return !slices.ContainsFunc([]string{"kubernetes.io", "k8s.io", "karpenter.sh"}, func(reserved string) bool {
		return domain == reserved || strings.HasSuffix(domain, "."+reserved)
	})
}

// met reports whether some node meets a line.
func (l Line) met(verdicts []Verdict) bool {
	selector, err := nodeaffinity.NewNodeSelector(selectorOf(Term{Lines: []Line{l}}))
	return err == nil && slices.ContainsFunc(verdicts, func(v Verdict) bool {
		return selector.Match(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: v.Node.Labels}})
	})
}
