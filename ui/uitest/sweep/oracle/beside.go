package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// broughtTogether compares what an edit of a definition sends with what its person began with and made of it, and
// with what others have made of it meanwhile: all of both is in it, and where both changed the same, what was chosen.
// Each key that it removes is one that its person was shown, and agreed to.
func broughtTogether(a arrival) (judged int, wrong []string) {
	if a.Intent == nil || a.Intent.Mine == "" || a.Fields.Get("service") == "" {
		return 0, nil
	}
	from, mine, theirs, sent := valuesIn(a.Intent.From), valuesIn(a.Intent.Mine), valuesIn(a.Base), valuesIn(a.text())
	all := maps.Clone(mine)
	maps.Copy(all, theirs)
	for _, place := range slices.Sorted(maps.Keys(all)) {
		want, chosen := mine[place], within(place, a.Intent.Chosen)
		if !chosen && want == from[place] {
			want = theirs[place]
		}
		switch {
		case !chosen && theirs[place] != from[place] && theirs[place] != want:
			wrong = append(wrong, fmt.Sprintf("POST %s overwrites what others made of %s, and nobody has chosen that", a.Path, place))
		case sent[place] != want:
			wrong = append(wrong, fmt.Sprintf("POST %s sends %s as %.60q, and it should be %.60q", a.Path, place, sent[place], want))
		case want == "" && !within(place, a.Intent.Removes):
			wrong = append(wrong, fmt.Sprintf("POST %s removes %s, and nobody has agreed to that", a.Path, place))
		}
	}
	return 1, wrong[:min(len(wrong), 3)]
}

// within reports whether a place is one of some, or in it.
func within(place string, outer []string) bool {
	return slices.ContainsFunc(outer, func(o string) bool {
		rest, in := strings.CutPrefix(place, o)
		return in && (rest == "" || strings.ContainsRune(".[ ", rune(rest[0])))
	})
}

// valuesIn are the values of a document by their places, such as extensions[WFSServer].enabled. The order of the
// extensions is a value, too.
func valuesIn(text string) map[string]string {
	all := map[string]string{}
	var add func(place string, raw json.RawMessage)
	add = func(place string, raw json.RawMessage) {
		var object map[string]json.RawMessage
		var list []json.RawMessage
		all[place] = string(raw)
		switch {
		case raw[0] == '{' && json.Unmarshal(raw, &object) == nil:
			all[place] = "an object"
			for key, value := range object {
				add(strings.TrimPrefix(place+"."+key, "."), value)
			}
		case raw[0] == '[' && json.Unmarshal(raw, &list) == nil:
			all[place] = "a list"
			var order []string
			for i, value := range list {
				name := fmt.Sprint(i)
				var named struct{ TypeName string }
				if place == "extensions" && json.Unmarshal(value, &named) == nil {
					name = named.TypeName
				}
				order = append(order, name)
				add(place+"["+name+"]", value)
			}
			if place == "extensions" {
				all[place+" in their order"] = fmt.Sprint(order)
			}
		}
	}
	if json.Valid([]byte(text)) {
		add("", json.RawMessage(strings.TrimSpace(text)))
	}
	return all
}
