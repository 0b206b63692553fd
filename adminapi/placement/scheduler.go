package placement

import (
	_ "k8s.io/api/core/v1"
	_ "k8s.io/apimachinery/pkg/util/validation"
	schedule "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	_ "k8s.io/klog/v2"
)

var _, _ = schedule.FindMatchingUntoleratedTaint, nodeaffinity.GetRequiredNodeAffinity
