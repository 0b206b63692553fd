package explain

import (
	"slices"
	"strings"

	"geodeck/adminapi/pattern"
)

// checks adds the lines where a sentence says to check pods or what they log. resource is whose,
// see [Kubectl].
func (x *Explanation) checks(resource string) {
	for _, s := range slices.Concat([]string{x.Next.Text}, x.Then, x.Look) {
		if s = strings.ToLower(s); strings.Contains(s, "pods") || strings.Contains(s, "log of") || strings.Contains(s, "'s log") || strings.Contains(s, "container") {
			x.Kubectl = Kubectl(resource)
			return
		}
	}
}

// kubernetesName matches what Kubernetes takes as the name of a deployment. Nothing else goes into a
// line for a shell.
var kubernetesName = pattern.New(`^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$`)

// Kubectl returns the lines that show how the pods of a deployment are, what they log, and what
// happened to them: wherever a sentence says to check pods, these are how. resource is a kind and a
// name as [Pods.Resource] has them, or the name of a deployment alone; where it is neither, the first
// line lists the pods, and POD is to be filled in. NAMESPACE always is: the API does not tell it.
func Kubectl(resource string) []string {
	kind, name, both := strings.Cut(strings.TrimSpace(resource), " ")
	if !both {
		kind, name = "deployment", kind
	}
	kind = strings.ToLower(kind)
	const logs, events = " --all-containers --tail=200", "kubectl -n NAMESPACE get events --sort-by=.lastTimestamp"
	if !kubernetesName().MatchString(kind) || !kubernetesName().MatchString(name) {
		return []string{"kubectl -n NAMESPACE get pods", "kubectl -n NAMESPACE describe pod POD", "kubectl -n NAMESPACE logs POD" + logs, events}
	}
	return []string{
		"kubectl -n NAMESPACE describe pods " + name, // all whose names begin so
		"kubectl -n NAMESPACE logs " + kind + "/" + name + logs,
		events,
	}
}
