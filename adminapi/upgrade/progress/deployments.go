package progress

import (
	"cmp"
	"slices"
	"time"

	"geodeck/adminapi"
)

// Deployment is one that was upgraded, and when.
type Deployment struct {
	Name string // as [ObjectIn] has it; empty where the text has none
	Span
}

// maxRead bounds how many messages of a run are read for its deployments: a site has far fewer.
const maxRead = 4_000

// Deployments returns what the newest run of a log has upgraded, in the order of its ends. A
// release says when each begins; in a patch one begins when the one before is counted.
func Deployments(l Log) (done []Deployment) {
	began := map[string]adminapi.Millis{}
	image, since := "", adminapi.Millis(0)
	for i := max(l.Run(), l.Len()-maxRead); i < l.Len(); i++ {
		switch l.CodeAt(i) {
		case codeDeployment, codeDeployed, codeModule, codeImage, codePatchCount:
		default:
			continue
		}
		switch m := l.At(i); m.Code {
		case codeDeployment:
			began[ObjectIn(m.Message)] = m.When
		case codeDeployed:
			name := ObjectIn(m.Message)
			if from, ok := began[name]; ok {
				done = append(done, Deployment{name, Span{from, m.When}})
				delete(began, name)
			}
		case codeModule:
			since = m.When
		case codeImage:
			if len(began) == 0 {
				image = ObjectIn(m.Message)
			}
		case codePatchCount:
			if image != "" && !since.IsZero() {
				done = append(done, Deployment{image, Span{since, m.When}})
			}
			image, since = "", m.When
		}
	}
	return done
}

// Slowest returns the deployments that took longest, the slowest first, at most n of them.
func Slowest(all []Deployment, n int) []Deployment {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Deployment) int { return cmp.Compare(b.Lasted(0), a.Lasted(0)) })
	return all[:min(n, len(all))]
}

// Each returns how long a deployment took in the middle of them, 0 for none.
func Each(all []Deployment) time.Duration {
	if len(all) == 0 {
		return 0
	}
	return Slowest(all, len(all))[len(all)/2].Lasted(0)
}
