package oracle

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// alteration is one thing that a person changes in a definition, and what a review has to find about it.
type alteration struct {
	at    string                  // the place that has to be there: what is changed, or gets the key
	key   string                  // that is added; empty for none
	to    func(old string) string // the new value, as it is written; nil removes what is there
	was   string                  // what it has to be before; empty for anything
	turns bool                    // the first two of a list change their places
	finds []found
}

// found is what is said of a change before it is sent.
type found struct {
	label  string // empty for a rule of the fields
	weight string
	accept string
	text   string // with OLD and NEW for the values, as they are written, and WAS and IS for what these say
	path   string // where it is not that of the change
}

var (
	restarts    = found{label: "restart likely", weight: "note", text: "The service likely restarts; requests may fail meanwhile."}
	noUnit      = found{label: "unit not documented", weight: "note", text: "Unit not documented; check another service."}
	rewritten   = found{label: "written differently", weight: "note", text: "Same value, now written NEW, before OLD."}
	removes     = found{label: "key removed", weight: "danger", accept: "removed-key", text: "The site will delete this key."}
	otherPath   = found{label: "path changed", weight: "danger", accept: "path", text: "The service no longer reads WAS; a wrong path stops it."}
	lessCapable = found{label: "capability removed", weight: "danger", accept: "capability", text: "No longer offered to clients: LAST."}
	switchedOff = found{label: "extension switched off", weight: "danger", accept: "extension-off", text: "Clients of this interface lose access."}
	loses       = found{label: "digits lost", weight: "danger", accept: "digits", text: "The number lost digits: OLD is now NEW. The program that wrote it rounds numbers, as jq before 1.7 does."}
	identifies  = found{label: "identity changed", weight: "danger", accept: "identity", text: "This identifies the service: wrong service, or the edit will be refused."}
)

func otherKind(text string) found {
	return found{label: "kind changed", weight: "caution", accept: "other-type", text: text}
}

func unknown(text string) found {
	return found{label: "unknown key", weight: "caution", accept: "unknown-key", text: text}
}

func blocks(text string) found { return found{weight: "blocking", text: text} }

func odd(text string) found { return found{weight: "note", text: text} }

// at is what is found at another place.
func (f found) at(path string) found {
	f.path = path
	return f
}

func to(raw string) func(string) string { return func(string) string { return raw } }

func more(old string) string {
	n, _ := strconv.Atoi(old)
	return strconv.Itoa(n + 7)
}

func unescaped(old string) string {
	raw, _ := json.Marshal(unquoted(old))
	return string(raw)
}

func rounded(old string) string {
	n, _ := strconv.ParseFloat(old, 64)
	return strconv.FormatFloat(n, 'f', -1, 64)
}

func withoutLast(old string) string {
	return old[:max(strings.LastIndex(old, ","), 0)] + `"`
}

// poolHint is an object that no field describes.
const poolHint = "frameworkProperties.x-poolHint"

// alterations are what a person may change in the definition of a map service.
var alterations = []alteration{
	{at: "maxUsageTime", to: more, finds: []found{restarts, noUnit}},
	{at: "maxStartupTime", to: more, finds: []found{restarts, noUnit}},
	{at: "maxUploadFileSize", to: more},
	{at: "maxWaitTime", to: func(old string) string { return old + ".0" }, finds: []found{rewritten}},
	{at: "recycleInterval", to: func(old string) string { return old + "00e-2" }, finds: []found{rewritten}},
	{at: "extensions[WFSServer].properties.city", to: unescaped, finds: []found{rewritten}},
	{at: "x-tuningProfile.weights", to: to("[1,0.25,0.001,100]"), finds: []found{rewritten}},
	{at: "description", to: to(`"Described anew."`)},
	{at: "description", finds: []found{removes}},
	{at: "description", to: to(`null`), finds: []found{blocks("Should be a text, but is null."), otherKind("Was a text, is now null.")}},
	{at: "capabilities", to: withoutLast, finds: []found{lessCapable, restarts}},
	{at: "capabilities", to: func(old string) string { return old[:len(old)-1] + `,Extract"` }, finds: []found{restarts}},
	{at: "extensions[WFSServer].capabilities", to: withoutLast, finds: []found{restarts, lessCapable}},
	{at: "extensions[WMSServer].capabilities", finds: []found{removes, restarts, lessCapable}},
	{at: "extensions[WMSServer].enabled", was: "false", to: to("true"), finds: []found{restarts}},
	{at: "extensions[WMSServer].enabled", was: "true", to: to("false"), finds: []found{switchedOff, restarts}},
	{at: "extensions[WCSServer].enabled", was: "false", to: to(`"yes"`), finds: []found{blocks("Should be true or false, but is a text."), otherKind("Was true or false, is now a text."), restarts}},
	{at: "extensions[WCSServer].enabled", was: "true", to: to("0"), finds: []found{blocks("Should be true or false, but is a number."), otherKind("Was true or false, is now a number."), switchedOff, restarts}},
	{at: "extensions[WCSServer]", finds: []found{removes, restarts, switchedOff.at("extensions[WCSServer].enabled"), lessCapable.at("extensions[WCSServer].capabilities")}},
	{at: "extensions[WFSServer]", finds: []found{removes, restarts, switchedOff.at("extensions[WFSServer].enabled"), lessCapable.at("extensions[WFSServer].capabilities")}},
	{at: "extensions", turns: true, finds: []found{restarts}},
	{at: "properties.filePath", to: to(`"/data/maps/Other.msd"`), finds: []found{otherPath, restarts}},
	{at: "properties.cacheDir", finds: []found{removes, otherPath, restarts}},
	{at: "properties.maxScale", finds: []found{removes, restarts}},
	{at: "properties.maxScale", to: to("5E-1"), finds: []found{restarts}},
	{at: "properties.isCached", to: to("1"), finds: []found{otherKind("Was true or false, is now a number."), restarts}},
	{at: "private", to: to(`"no"`), finds: []found{otherKind("Was true or false, is now a text.")}},
	{at: "x-tuningProfile.sourceId", to: rounded, finds: []found{loses}},
	{at: "x-tuningProfile.weights", turns: true},
	{at: "frameworkProperties.sharedInstances", to: to("{}"), finds: []found{otherKind("Was true or false, is now an object."), restarts}},
	{at: poolHint, to: to("null"), finds: []found{removes.at(poolHint + ".warm"), removes.at(poolHint + ".cold"), otherKind("Was an object, is now null."), restarts}},
	{at: poolHint, to: to("[]"), finds: []found{removes.at(poolHint + ".warm"), removes.at(poolHint + ".cold"), otherKind("Was an object, is now a list."), restarts}},
	{at: "x-tuningProfile.note", to: to(`"as \"others\" have it\u0021"`)},
	{at: "", key: "zzqv7", to: to(`{"a":[1,{"b":null}],"c":{},"0 d":[]}`), finds: []found{unknown("No known MapServer definition has this key.")}},
	{at: "properties", key: "maxRecordCounts", to: to("7"), finds: []found{unknown("No known MapServer definition has this key. Did you mean maxRecordCount?"), restarts}},
	{at: "properties", key: "tilingScheme", to: to("7"), finds: []found{restarts}},
	{at: "properties", key: "resampling", to: to("[]"), finds: []found{{label: "other type", weight: "caution", accept: "other-type", text: "Elsewhere true or false; this is a list."}, restarts}},
	{at: "frameworkProperties", key: "zzqv 7", to: to(`"x"`), finds: []found{restarts}},
	{at: "extensions[WMSServer]", key: "zzqv7", to: to("0"), finds: []found{unknown("No known WMSServer extension has this key."), restarts}},
	{at: "minInstancesPerNode", to: to("77"), finds: []found{blocks("Minimum 77 is above maximum MAX."), restarts}},
	{at: "minInstancesPerNode", to: to("-1"), finds: []found{blocks("Below 0: -1."), restarts}},
	{at: "maxIdleTime", to: to("-1"), finds: []found{odd("Below 0: -1."), restarts, noUnit}},
	{at: "maxUsageTime", to: to("1.5"), finds: []found{blocks("Should be a whole number, but is 1.5."), restarts, noUnit}},
	{at: "recycleStartTime", to: to(`"24:00"`), finds: []found{blocks(`Should be a time as HH:MM, but is "24:00".`), restarts}},
	{at: "recycleStartTime", to: to(`"23:59"`), finds: []found{restarts}},
	{at: "clusterName", to: to("7"), finds: []found{blocks("Should be a text, but is a number."), otherKind("Was a text, is now a number."), restarts}},
	{at: "serviceName", to: to(`"Towns"`), finds: []found{blocks("The site has OLD: an edit cannot change this."), identifies, restarts}},
	{at: "allowedUploadFileTypes", to: to(`"zip,zip"`), finds: []found{odd(`"zip" is listed twice.`)}},
	{at: "allowedUploadFileTypes", to: to(`"zip,"`), finds: []found{odd("Extra comma: a word is missing.")}},
	{at: "datasets[1]", finds: []found{removes, restarts.at("datasets")}},
	{at: "datasets[0].onPremiseName", finds: []found{removes, restarts.at("datasets")}},
	{at: "datasets", turns: true, finds: []found{restarts}},
	{at: "x-store.accessToken", to: to(`"t-changed"`)},
}

// Altered is a definition that a person has changed.
type Altered struct {
	Before, After string
	// Settings are the flags that make the same change; none where there are none for it.
	Settings []string
	finds    []found
}

// Alters changes some places of a definition that have nothing to do with each other. pick draws a number below another.
func Alters(text string, pick func(int) int) *Altered {
	a := &Altered{Before: text}
	doc := treeOf(text)
	if doc == nil || doc.open != '{' {
		return nil
	}
	var places []string
	flags := true
	for range 1 + pick(5) {
		one := alterations[pick(len(alterations))]
		place := strings.TrimPrefix(one.at+"."+one.key, ".")
		if one.key == "" {
			place = one.at
		}
		top := place
		switch list, item, _ := strings.Cut(place, "["); list {
		case "datasets":
			top = list
		case "extensions": // what one loses depends on whether it is on
			name, _, _ := strings.Cut(item, "]")
			top = list + "[" + name
		}
		if slices.ContainsFunc(places, func(p string) bool { return strings.HasPrefix(top, p) || strings.HasPrefix(p, top) }) {
			continue
		}
		finds, flag := one.in(doc, place)
		if flag == nil {
			continue
		}
		places, a.finds, a.Settings = append(places, top), append(a.finds, finds...), append(a.Settings, flag...)
		flags = flags && len(flag) > 0
	}
	if !flags {
		a.Settings = nil
	}
	a.After = doc.text()
	return a
}

// in makes it in a document, and returns what has to be found then, and the flags that make it, empty for none; nil where the
// document has not what it is about.
func (one alteration) in(doc *tree, place string) (finds []found, flags []string) {
	parent, i := doc, 0
	if one.at != "" {
		if parent, i = doc.find(one.at); i < 0 {
			return nil, nil
		}
	}
	flags = []string{}
	var old, new string
	var extension *tree // that it is about; nil for none
	if name, _, is := strings.Cut(one.at, "]"); is && strings.HasPrefix(name, "extensions[") {
		extension = doc.at(name + "]")
	}
	if one.was != "" && parent.kids[i].raw != one.was {
		return nil, nil
	}
	switch {
	case one.key != "":
		at := doc
		if one.at != "" {
			at = parent.kids[i]
		}
		if at.open != '{' || at.kid(one.key) >= 0 {
			return nil, nil
		}
		new = one.to("")
		key, _ := json.Marshal(one.key)
		at.keys, at.kids = append(at.keys, string(key)), append(at.kids, treeOf(new))
		if place = at.below(one.at, one.key); !strings.Contains(place, `"`) {
			flags = []string{"--set", place + "=" + new}
		}
	case one.turns:
		list := parent.kids[i]
		if len(list.kids) < 2 || list.kids[0].meaning(true) == list.kids[1].meaning(true) {
			return nil, nil
		}
		list.kids[0], list.kids[1] = list.kids[1], list.kids[0]
	case one.to == nil:
		old = parent.kids[i].text()
		if parent.open == '{' {
			parent.keys = slices.Delete(slices.Clone(parent.keys), i, i+1)
		}
		parent.kids = slices.Delete(slices.Clone(parent.kids), i, i+1)
		flags = []string{"--remove", place}
	default:
		old = parent.kids[i].text()
		if new = one.to(old); new == old || !one.fits(old, new) {
			return nil, nil
		}
		parent.kids[i] = treeOf(new)
		if old[0] != '"' || new[0] == '"' {
			flags = []string{"--set", place + "=" + new}
		}
	}
	most := ""
	if t := doc.at("maxInstancesPerNode"); t != nil {
		most = t.raw
	}
	fill := strings.NewReplacer("OLD", old, "NEW", new, "WAS", unquoted(old), "LAST", gone(old, new), "MAX", most)
	for _, f := range one.finds {
		if f.text = fill.Replace(f.text); f.path == "" {
			f.path = place
		}
		switch off := extension != nil && isFalse(extension.at("enabled")); {
		case off && f.label == switchedOff.label && one.was == "":
			continue
		case off && f.label == lessCapable.label:
			f.weight, f.accept, f.text = "note", "", "Now off, so nobody loses access; when on, it offers less. "+f.text
		}
		finds = append(finds, f)
	}
	return finds, flags
}

func isFalse(t *tree) bool { return t != nil && t.raw == "false" }

// gone are the words that a list of them, or that of an extension, has no more.
func gone(old, new string) string {
	if t := treeOf(old); t != nil && t.open == '{' && t.at("capabilities") != nil {
		old = t.at("capabilities").raw
	}
	words, left := strings.Split(unquoted(old), ","), strings.Split(unquoted(new), ",")
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return slices.Contains(left, word) }), ", ")
}

// fits reports whether what is found of it is so of the values that the document has now.
func (one alteration) fits(old, new string) bool {
	is := func(label string) bool {
		return slices.ContainsFunc(one.finds, func(f found) bool { return f.label == label })
	}
	a, b := treeOf(old), treeOf(new)
	switch {
	case a == nil || b == nil:
		return false
	case is("written differently"):
		return a.meaning(true) == b.meaning(true)
	case is("capability removed"):
		return strings.Contains(old, ",") && new != ""
	case a.meaning(true) == b.meaning(true):
		return false
	}
	return is("kind changed") == (a.raw == "" || b.raw == "" || kindOf(old) != kindOf(new))
}

// kindOf tells kinds of scalars apart by how they begin.
func kindOf(raw string) byte {
	switch {
	case raw[0] == 'f':
		return 't'
	case strings.Contains("-0123456789", raw[:1]):
		return '0'
	}
	return raw[0]
}

// Words are those that accept what is found, each once.
func (a *Altered) Words() (words []string) {
	for _, f := range a.finds {
		if f.accept != "" && !slices.Contains(words, f.accept) {
			words = append(words, f.accept)
		}
	}
	return words
}

// Removed are the places of the keys that are removed.
func (a *Altered) Removed() (places []string) {
	for _, f := range a.finds {
		if f.accept == removes.accept {
			places = append(places, f.path)
		}
	}
	return places
}

// Named are the places that the flags of [Altered.Settings] remove: who names them accepts that.
func (a *Altered) Named() (places []string) {
	for i, flag := range a.Settings {
		if flag == "--remove" {
			places = append(places, a.Settings[i+1])
		}
	}
	return places
}
