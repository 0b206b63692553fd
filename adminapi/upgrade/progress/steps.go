package progress

import (
	"hash/maphash"
	"slices"

	"geodeck/adminapi"
)

// maxOpen bounds what is kept of a log that begins and never completes: a site has
// far fewer deployments.
const maxOpen = 128

// openSteps are the steps that go on, oldest first.
type openSteps struct {
	open  []openStep
	early []openStep // completions that were told before their start, all of the same moment
}

type openStep struct {
	Step
	names names
}

// take follows a message of a known code.
func (o *openSteps) take(code Code, m adminapi.UpgradeMessage) {
	o.closeEarlier(code)
	if len(o.early) > 0 && o.early[0].Since != m.When {
		o.early = o.early[:0]
	}
	if !isStep(code) {
		return
	}
	told := openStep{Step{code, m.When, m.Message}, namesIn(m.Message)}
	switch code.Kind {
	case Started:
		o.begin(told)
	case Completed:
		if !removePair(&o.open, told) {
			appendStep(&o.early, told)
		}
	}
}

// isStep reports whether a code begins or ends something. What spans several phases,
// the whole upgrade and its read-only time, is open in all of them and is no step.
func isStep(code Code) bool {
	if code.Pair == 0 {
		return code.Kind == Started
	}
	return byCode[code.Pair].Phase == code.Phase
}

// begin opens a step, unless its completion was told before it with the same time.
// Of steps whose end nothing tells only the last goes on for all that is known. A
// start that is told twice begins one thing: its end may be told once.
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

// closeEarlier ends what no message ends when a later phase goes on.
func (o *openSteps) closeEarlier(code Code) {
	now := slices.Index(Phases, code.Phase)
	o.open = slices.DeleteFunc(o.open, func(s openStep) bool {
		return s.Pair == 0 && slices.Index(Phases, s.Phase) < now
	})
}

func appendStep(list *[]openStep, s openStep) {
	if len(*list) == maxOpen {
		*list = slices.Delete(*list, 0, 1)
	}
	*list = append(*list, s)
}

// removePair takes the counterpart of a step out of a list: the one whose text names
// most of what the text of the step names, and the newest of those, as deployments
// run side by side.
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

func (o *openSteps) openIn(phase string) bool {
	return slices.ContainsFunc(o.open, func(s openStep) bool { return s.Phase == phase })
}

func (o *openSteps) list() []Step {
	steps := make([]Step, len(o.open))
	for i, s := range o.open {
		steps[i] = s.Step
	}
	return steps
}

// names are the words of a text, which may be names, as hashes in order. An odd one
// looks like the name of something in a cluster, such as arcgis-web-7f or WEB_PROXY.
type names []uint64

// Limits of what is looked at: the name of a deployment stands in a short text.
const (
	maxNames    = 16
	maxNameText = 512
)

var nameSeed = maphash.MakeSeed()

// namesIn finds the words of a text that have a letter. Texts may be in any
// language: which word is a name is not known, only which looks like one.
func namesIn(text string) names {
	found := make(names, 0, maxNames)
	text = text[:min(len(text), maxNameText)]
	for i := 0; i < len(text) && len(found) < maxNames; i++ {
		if !isLetterOrDigit(text[i]) {
			continue
		}
		end, letters, object := wordEnd(text, i)
		if letters {
			hash := maphash.String(nameSeed, text[i:end]) &^ 1
			if object {
				hash |= 1
			}
			found = append(found, hash)
		}
		i = end
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// wordEnd is where the word that begins at i ends. Hyphens and underscores within
// it make it look like the name of an object.
func wordEnd(text string, i int) (end int, letters, object bool) {
	joined := false
	for ; i < len(text); i++ {
		switch b := text[i]; {
		case isLetterOrDigit(b):
			letters = letters || b > '9'
			end, object = i+1, object || joined
		case b == '-' || b == '_':
			joined = true
		default:
			return end, letters, object
		}
	}
	return end, letters, object
}

func isLetterOrDigit(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// shared counts the names that both have. Where both have some that look like
// objects, and none of these in common, they do not fit.
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

func isObject(name uint64) bool { return name&1 == 1 }
