package oracle

import (
	"cmp"
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
	if a.Intent == nil || a.text() == "" || (a.Intent.Mine == "" || a.Fields.Get("service") == "") && a.Intent.Built == nil {
		return 0, nil
	}
	from, mine, theirs, sent := valuesIn(a.Intent.From), valuesIn(a.Intent.Mine), valuesIn(a.Base), valuesIn(a.text())
	if a.Intent.Built != nil { // by what was asked for, and not by what the program has made of that
		began := cmp.Or(a.Intent.From, a.Base)
		from, mine, theirs, sent = rulesValues(began), rulesValues(a.Intent.Built(began)), rulesValues(a.Base), rulesValues(a.text())
	}
	if a.Intent.InFile { // what a file has in another spelling goes out as the site has it
		from, mine, theirs, sent = byMeaning(from), byMeaning(mine), byMeaning(theirs), byMeaning(sent)
	}
	all := maps.Clone(mine)
	maps.Copy(all, theirs)
	for _, place := range slices.Sorted(maps.Keys(all)) {
		want, chosen := mine[place], a.Intent.Whole || within(place, a.Intent.Chosen)
		if a.Intent.InFile && generated(place) {
			want, chosen = theirs[place], true
		}
		if (!chosen || a.Intent.Built != nil) && want == from[place] {
			want = theirs[place]
		}
		switch {
		case !chosen && theirs[place] != from[place] && theirs[place] != want:
			wrong = append(wrong, fmt.Sprintf("POST %s overwrites what others made of %s, and nobody has chosen that", a.Path, place))
		case sent[place] != want:
			wrong = append(wrong, fmt.Sprintf("POST %s sends %s as %.60q, and it should be %.60q", a.Path, place, sent[place], want))
		case want == "" && theirs[place] != "" && a.Intent.Built == nil && !within(place, a.Intent.Removes):
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

// valuesIn are the values of a document by their places, such as extensions[WFSServer].enabled. The order of a list
// is a value, too.
func valuesIn(text string) map[string]string {
	all, document := map[string]string{}, any(nil)
	read := json.NewDecoder(strings.NewReader(text))
	read.UseNumber()
	_ = read.Decode(&document) // of another text there are none
	addValues(all, "", document)
	return all
}

func addValues(all map[string]string, place string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			addValues(all, strings.TrimPrefix(place+"."+key, "."), v)
		}
	case []any:
		order := ""
		for i, v := range value {
			name := fmt.Sprint(i)
			if extension, is := v.(map[string]any); is && place == "extensions" {
				name = fmt.Sprint(extension["typeName"])
			}
			order += " " + name
			addValues(all, place+"["+name+"]", v)
		}
		all[place+" in order"] = "in order" + order
	default:
		all[place] = fmt.Sprintf("%T %v", value, value)
	}
}
