package progress

import (
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/pattern"
)

// wording is how a step is called: while it goes on, and as the thing that failed. %s is the
// name in its text, or what stands for it.
type wording struct{ doing, noun, unnamed string }

var wordings = map[int]wording{
	2168:       {"Launching the upgrader", "launch of the upgrader", ""},
	2287:       {"Running diagnostics", "diagnostics", ""},
	2108:       {"Upgrading PostgreSQL", "PostgreSQL upgrade", ""},
	2144:       {"Upgrading PostgreSQL", "PostgreSQL upgrade", ""},
	2148:       {"Finishing PostgreSQL", "work after the PostgreSQL upgrade", ""},
	codeModule: {"Patching a module", "patch of a module", ""},
	2101:       {"Upgrading %s", "upgrade of %s", "a deployment"},
	2134:       {"Upgrading %s", "upgrade of %s", "a component"},
	codeImage:  {"Updating %s", "update of %s", "a deployment"},
	2179:       {"Finishing the upgrade", "work after the upgrade", ""},
	2180:       {"Setting up logging", "logging setup", ""},
	2178:       {"Refreshing system services", "refresh of system services", ""},
	2187:       {"Updating portal content", "portal content update", ""},
	2191:       {"Refreshing search indices", "search index refresh", ""},
}

// backWordings are those of a rollback that differ.
var backWordings = map[int]wording{
	codeModule: {"Rolling back a module", "rollback of a module", ""},
	codeImage:  {"Rolling back %s", "rollback of %s", "a deployment"},
}

// wording returns how the step is called, zero where its code has no words.
func (s Step) wording() wording {
	if w, differs := backWordings[s.Code.Code]; differs && s.back {
		return w
	}
	return wordings[s.Code.Code]
}

// Doing says what a step does while it goes on: "Upgrading web-proxy".
func (s Step) Doing() string {
	w := s.wording()
	return s.named(w.doing, w.unnamed)
}

// Noun says what has failed where a step was never completed: "upgrade of web-proxy".
func (s Step) Noun() string {
	w := s.wording()
	return s.named(w.noun, w.unnamed)
}

// named fills the name of what a step is about into a text; without one it is what the step means.
func (s Step) named(text, unnamed string) string {
	if text == "" {
		return s.Meaning
	}
	name := ObjectIn(s.Text)
	if name == "" {
		name = unnamed
	}
	return strings.Replace(text, "%s", name, 1)
}

const maxObject = 63 // letters of a name in Kubernetes

// ObjectIn returns the first word of a text that looks like the name of an object in a cluster,
// without the prefix of the platform and without the suffix that makes it unique: web-proxy of
// arcgis-web-proxy-nny8f. It is empty where there is none.
func ObjectIn(text string) string {
	_, name := objectIn(text)
	return name
}

// objectIn returns such a name as it is in the text, and without prefix and suffix.
func objectIn(text string) (whole, name string) {
	text = text[:min(len(text), maxNameText)]
	for i := 0; i < len(text); i++ {
		if !isLetterOrDigit(text[i]) {
			continue
		}
		end, letters := wordEnd(text, i)
		if whole := text[i:end]; letters && isObject(whole) && len(whole) <= 253 {
			name := strings.TrimPrefix(whole, "arcgis-")
			if cut := strings.LastIndexByte(name, '-'); cut > 0 && isUnique(name[cut+1:]) {
				name = name[:cut]
			}
			return whole, name[:min(len(name), maxObject)]
		}
		i = end
	}
	return "", ""
}

// ShortLine returns what [LineOf] does, and where that does not fit what it tells that others do
// not: the name of an object as [ObjectIn] has it, and of a deployment that has got its image only this
// and the versions.
func ShortLine(m adminapi.UpgradeMessage, fits func(string) bool) string {
	text := LineOf(m)
	whole, name := objectIn(text)
	if fits(text) || name == "" || len(text) > maxNameText {
		return text
	}
	text = strings.ReplaceAll(text, whole, name)
	if m.Code == codeImage { // each of them, so that rows are alike
		text = imageLike().ReplaceAllString(text[strings.Index(text, name):], "$1")
	}
	return text
}

// imageLike matches an image with a version: registry.example.org/apps:12.0.0.7286.
var imageLike = pattern.New(`[\w./:-]+:(\d+(?:\.\d+)+)`)

// isUnique reports whether the end of a name makes it unique: five letters and digits that are
// no word of the platform's names.
func isUnique(end string) bool {
	return len(end) == 5 && !slices.Contains([]string{"proxy", "store", "admin", "robin", "index", "queue", "cache"}, end)
}
