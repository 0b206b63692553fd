package progress

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
)

// maxOpen bounds the steps of a log that begins and never completes any. A site has far
// fewer deployments.
const maxOpen = 128

// openSteps are the steps that are not completed, oldest first.
type openSteps struct {
	open  []openStep
	early []openStep // completions sent before their start, all of the same time
}

type openStep struct {
	Step
	names names
}

// take follows a message of a known code. A step that no code completes ends when a later
// phase begins.
func (o *openSteps) take(code Code, m adminapi.UpgradeMessage) {
	phase := slices.Index(Phases, code.Phase)
	o.open = slices.DeleteFunc(o.open, func(s openStep) bool { return s.Pair == 0 && slices.Index(Phases, s.Phase) < phase })
	if len(o.early) > 0 && o.early[0].Since != m.When {
		o.early = o.early[:0]
	}
	if !isStep(code) {
		return
	}
	step := openStep{Step{Code: code, Since: m.When, Text: m.Message}, namesIn(m.Message)}
	switch code.Kind {
	case Started:
		o.begin(step)
	case Completed:
		if !removePair(&o.open, step) {
			appendStep(&o.early, step)
		}
	}
}

// isStep reports whether a code begins or ends a step. The upgrade itself and its
// read-only time span several phases and are no steps.
func isStep(code Code) bool {
	if code.Pair == 0 {
		return code.Kind == Started && code.Code != codeRollback
	}
	return byCode[code.Pair].Phase == code.Phase
}

// begin opens a step, unless it was completed before by a message of the same time. Of
// steps that no code completes only the last is open. A start that is sent twice begins
// one step, since its end may be sent once.
func (o *openSteps) begin(s openStep) {
	same := func(other openStep) bool {
		return other.Code.Code == s.Code.Code && other.Since == s.Since && other.Text == s.Text
	}
	switch {
	case slices.ContainsFunc(o.open, same):
		return
	case s.Pair == 0:
		o.open = slices.DeleteFunc(o.open, func(other openStep) bool { return other.Code.Code == s.Code.Code })
	case removePair(&o.early, s):
		return
	}
	appendStep(&o.open, s)
}

func appendStep(list *[]openStep, s openStep) {
	if len(*list) == maxOpen {
		*list = slices.Delete(*list, 0, 1)
	}
	*list = append(*list, s)
}

// removePair removes the counterpart of a step from a list. Deployments are upgraded side
// by side, so it is the one that shares most names with the text of the step, and of those
// the newest.
func removePair(list *[]openStep, s openStep) bool {
	best, highest := -1, -1
	for i := len(*list) - 1; i >= 0; i-- {
		other := &(*list)[i]
		if other.Code.Code != s.Pair {
			continue
		}
		if shared, fits := s.names.shared(other.names); fits && shared > highest {
			best, highest = i, shared
		}
	}
	if best < 0 {
		return false
	}
	*list = slices.Delete(*list, best, best+1)
	return true
}

// names are the words of a text, which may be names, in their order.
type names []string

// Limits of the words that are considered: the name of a deployment is in a short text.
const (
	maxNames    = 16
	maxNameText = 512
)

// namesIn returns the words of a text that have a letter. Texts may be in any language, so
// it is not known which word is a name, only which looks like one.
func namesIn(text string) names {
	var found names
	text = text[:min(len(text), maxNameText)]
	for i := 0; i < len(text) && len(found) < maxNames; i++ {
		if !isLetterOrDigit(text[i]) {
			continue
		}
		end, letters := wordEnd(text, i)
		if letters {
			found = append(found, text[i:end])
		}
		i = end
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// wordEnd returns where the word that begins at i ends, and whether it has a letter.
func wordEnd(text string, i int) (end int, letters bool) {
	for ; i < len(text); i++ {
		switch b := text[i]; {
		case isLetterOrDigit(b):
			end, letters = i+1, letters || b > '9'
		case b != '-' && b != '_':
			return end, letters
		}
	}
	return end, letters
}

func isLetterOrDigit(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// shared counts the names in common. Two texts with names of objects fit only where they
// have one of these in common.
func (n names) shared(other names) (count int, fit bool) {
	objects := false
	for i, k := 0, 0; i < len(n) && k < len(other); {
		switch {
		case n[i] < other[k]:
			i++
		case n[i] > other[k]:
			k++
		default:
			count, objects = count+1, objects || isObject(n[i])
			i, k = i+1, k+1
		}
	}
	return count, objects || !slices.ContainsFunc(n, isObject) || !slices.ContainsFunc(other, isObject)
}

// isObject reports whether a word looks like the name of an object in a cluster, such as
// arcgis-web-7f or WEB_PROXY.
func isObject(word string) bool { return strings.ContainsAny(word, "-_") }

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
