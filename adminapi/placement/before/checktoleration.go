package before

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
)

// tolerations looks at every toleration.
func (c *checker) tolerations(item int, all []Toleration, path string) {
	for n, t := range all {
		at, here := AtToleration(item, n), path+inBrackets(n)
		found := tolerationTroubles(t)
		c.troubles(at, here, found)
		c.at(at, here)
		if other := covering(all, n); other >= 0 && len(found.blocking()) == 0 {
			c.warn("toleration " + ordinal(other) + " tolerates all of this, so it adds nothing")
		}
		if c.words != nil && len(found) == 0 {
			c.taintSpelling(t)
		}
	}
}

func tolerationTroubles(t Toleration) (found troubles) {
	if t.Effect != "" && !slices.Contains(Effects(), t.Effect) {
		found.unknown(keyEffect, "effect", t.Effect, Effects())
	}
	if t.Key != "" {
		found.labelKey(t.Key)
	}
	switch t.Operator {
	case Exists:
		found.existing(t)
	case Equal, "":
		found.equal(t)
	case Gt, Lt:
		found.warn(keyOperator, "the operator "+t.Operator+" is one of new Kubernetes releases and is off in most; the API's contract does not have it")
	default:
		found.unknown(keyOperator, "operator", t.Operator, TolerationOperators())
	}
	found.seconds(t)
	return found
}

func (t *troubles) existing(of Toleration) {
	if of.Value != "" {
		t.block(keyValue, "Exists takes no value")
	}
	if of.Key == "" {
		effect := "every taint"
		if of.Effect != "" {
			effect += " with the effect " + word(of.Effect)
		}
		t.warn("", "without a key it tolerates "+effect+", also those that protect the nodes of others")
	}
}

func (t *troubles) equal(of Toleration) {
	if of.Key == "" {
		t.block(keyKey, "Equal needs a key; Exists without a key tolerates every taint")
	}
	t.labelValue(keyValue, of.Value)
}

func (t *troubles) seconds(of Toleration) {
	switch {
	case of.Seconds == "":
	case !isWhole(of.Seconds):
		t.block(keySeconds, "tolerationSeconds is a whole number")
	case of.Effect != NoExecute:
		t.block(keySeconds, "tolerationSeconds needs the effect NoExecute")
	case strings.HasPrefix(of.Seconds, "-") || of.Seconds == "0":
		t.warn(keySeconds, "the pods are evicted at once when the taint comes")
	}
}

// maxCompared bounds how many tolerations each one is compared with.
const maxCompared = 500

// covering returns the index of another toleration that makes one superfluous, or
// -1. Of two that are the same the later one is.
func covering(all []Toleration, n int) int {
	for k, other := range all[:min(len(all), maxCompared)] {
		if k != n && all[n].coveredBy(other) && (k < n || !other.coveredBy(all[n])) {
			return k
		}
	}
	return -1
}

// coveredBy tells whether another toleration answers every taint that t does, and
// for as long.
func (t Toleration) coveredBy(other Toleration) bool {
	if other.Seconds != "" && other.Seconds != t.Seconds || len(tolerationTroubles(other).blocking()) > 0 {
		return false
	}
	if t.Operator == Gt || t.Operator == Lt {
		return false
	}
	if t.Operator == Exists && other.Operator != Exists || other.Effect != "" && other.Effect != t.Effect ||
		other.Key != "" && other.Key != t.Key {
		return false
	}
	answered := corev1.Taint{Key: t.Key, Value: t.Value, Effect: corev1.TaintEffect(t.Effect)}
	o := corev1.Toleration{Key: other.Key, Operator: corev1.TolerationOperator(other.Operator), Value: other.Value}
	return o.ToleratesTaint(klog.Logger{}, &answered, false)
}

func (t troubles) blocking() (found troubles) {
	for _, one := range t {
		if one.severity == Blocking {
			found = append(found, one)
		}
	}
	return found
}
