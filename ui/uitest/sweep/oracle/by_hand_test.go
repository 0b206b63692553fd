package oracle_test

import (
	"strconv"
	"strings"
	"testing"

	"geodeck/ui/uitest/sweep/oracle"
)

func TestAnEditByHandChangesNothingElse(t *testing.T) {
	const before = `{"a":{"n":1.10,"s":"x\/\u00e9"},"list":[1,2,{}],"on":true}`
	for name, c := range map[string]struct {
		stroke oracle.Stroke
		after  string // empty for the same
	}{
		"a number is set":              {oracle.Stroke{Do: "set", Path: "a.n", Raw: "1e400"}, `{"a":{"n":1e400,"s":"x\/\u00e9"},"list":[1,2,{}],"on":true}`},
		"a key is added in an object":  {oracle.Stroke{Do: "add", Path: "a", Key: `k "q"`, Raw: "null"}, `{"a":{"n":1.10,"s":"x\/\u00e9","k \"q\"":null},"list":[1,2,{}],"on":true}`},
		"one is added behind another":  {oracle.Stroke{Do: "add", Path: "a.n", Key: "<", Raw: "[]"}, `{"a":{"n":1.10,"<":[],"s":"x\/\u00e9"},"list":[1,2,{}],"on":true}`},
		"one is added in an empty one": {oracle.Stroke{Do: "add", Path: "list[2]", Key: "é", Raw: `""`}, `{"a":{"n":1.10,"s":"x\/\u00e9"},"list":[1,2,{"é":""}],"on":true}`},
		"an element is added":          {oracle.Stroke{Do: "insert", Path: "list[0]", Raw: "-0"}, `{"a":{"n":1.10,"s":"x\/\u00e9"},"list":[1,-0,2,{}],"on":true}`},
		"the first key is removed":     {oracle.Stroke{Do: "remove", Path: "a.n"}, `{"a":{"s":"x\/\u00e9"},"list":[1,2,{}],"on":true}`},
		"the last key is removed":      {oracle.Stroke{Do: "remove", Path: "on"}, `{"a":{"n":1.10,"s":"x\/\u00e9"},"list":[1,2,{}]}`},
		"a key is renamed":             {oracle.Stroke{Do: "rename", Path: "list", Key: "日本"}, `{"a":{"n":1.10,"s":"x\/\u00e9"},"日本":[1,2,{}],"on":true}`},
		"a key is moved up":            {oracle.Stroke{Do: "up", Path: "on"}, `{"a":{"n":1.10,"s":"x\/\u00e9"},"on":true,"list":[1,2,{}]}`},
		"the first goes no further up": {oracle.Stroke{Do: "up", Path: "a"}, ""},
		"an element is moved down":     {oracle.Stroke{Do: "down", Path: "list[0]"}, `{"a":{"n":1.10,"s":"x\/\u00e9"},"list":[2,1,{}],"on":true}`},
		"what is given up is nothing":  {oracle.Stroke{Do: "typed", Path: "a.n", Raw: "7"}, ""},
		"what is not there is nothing": {oracle.Stroke{Do: "set", Path: "a.z", Raw: "7"}, ""},
	} {
		h := oracle.NewHand(before)
		changes := h.Do(c.stroke)
		if want := c.after; h.Text != want && (want != "" || h.Text != before) || changes != (want != "") {
			t.Errorf("%s: %s, %v", name, h.Text, changes)
		}
		if changes && (!h.Do(oracle.Stroke{Do: "undo"}) || h.Text != before || !h.Do(oracle.Stroke{Do: "redo"}) || h.Text != c.after || h.Do(oracle.Stroke{Do: "redo"})) {
			t.Errorf("%s, undone and redone: %s", name, h.Text)
		}
	}
}

// sets sets a value by hand, after which a line of the screen and the draft on disk are as given.
func sets(line, draft string) func(*day) {
	return hands(oracle.Stroke{Do: "set", Path: "a", Raw: "901"}, line, "", draft)
}

func hands(stroke oracle.Stroke, line, shown, draft string) func(*day) {
	return func(d *day) {
		h := oracle.NewHand(`{"a":900,"b":[1]}`)
		h.Do(stroke)
		files := map[string][]byte{"/state/drafts/1.json": []byte(`{"value":{"edited":"` + draft + `"}}`)}
		d.Handles(oracle.Handled{Hand: h, Stroke: stroke, Files: files, Line: line, Shown: shown, Sure: true})
	}
}

// sendsByHand sends a text of a document that was edited by hand.
func sendsByHand(text string) func(*day) {
	return func(d *day) {
		d.Arrives(&oracle.Write{Program: "program-1", Path: "/services/Roads.MapServer/edit", Fields: map[string][]string{"service": {text}}, Intent: &oracle.Intent{Hand: oracle.NewHand(`{"a":1}`)}}, nil)
	}
}

// rulesByHand adds a toleration, after which the draft has one with a key.
func rulesByHand(key string) func(*day) {
	rules := func(key string) string {
		return `{"placementPolicy":[{"podPlacementPolicy":{"x":1,"tolerations":[{"key":"` + key + `"}]}}]}`
	}
	return func(d *day) {
		h := oracle.NewHand(`{"placementPolicy":[{"podPlacementPolicy":{"x":1}}]}`)
		h.Puts(oracle.Made(h.Text, oracle.Step{Do: "add", Kind: "tolerations", Line: -1, Raw: `{"key":"spot"}`}))
		files := map[string][]byte{"/state/drafts/1.json": []byte(`{"value":{"edited":` + strconv.Quote(rules(key)) + `}}`)}
		d.Rules(oracle.Handled{Hand: h, Files: files, Sure: true})
	}
}

// findsByHand goes on with a text, after another was kept.
func findsByHand(text string) func(*day) {
	return func(d *day) {
		h := oracle.NewHand(`{"a":1}`)
		h.Do(oracle.Stroke{Do: "set", Path: "a", Raw: "2"})
		d.Finds(h, "program-2", text, true)
	}
}

// saysSwitched says that it was brought into a state.
func saysSwitched(said string) func(*day) {
	return func(d *day) {
		saysState("started")(d)
		d.says("done: Roads.MapServer is " + said + ".")
	}
}

// showsVersion shows the second of three versions.
func showsVersion(listed, shown string) func(*day) {
	return func(d *day) {
		d.Lists(oracle.Version{Texts: []string{`{"maxIdleTime":3}`, `{"maxIdleTime":20}`, `{"maxIdleTime":1}`}, At: 1, Sure: true, Listed: listed, Shown: shown})
	}
}

// saysState says in which state a service is that is started.
func saysState(said string) func(*day) {
	return func(d *day) {
		d.site["/services/Roads.MapServer/status"] = `{"configuredState":"STARTED","realTimeState":"STARTED"}`
		d.Configured("program-1", "Roads.MapServer", said)
	}
}

const (
	versionShown = "a screen shows the version that was kept"
	versionRow   = " 2 of 3 definition of 2000-01-01 10:00:00, 18 bytes"

	handKept  = "what is edited by hand is in the draft"
	handShown = "a tree shows what was edited by hand"
	handLine  = ` › ◆ 2   "a": 901,`
	handDraft = `{\"a\":901,\"b\":[1]}`
)

var handDays = []ruleDay{
	{handKept, sets(handLine, handDraft), sets(handLine, "{}")},
	{handKept, sets(handLine, handDraft), sets(handLine, strings.Replace(handDraft, ",", ", ", 1))},
	{handKept, hands(oracle.Stroke{Do: "undo"}, "", "", ""), hands(oracle.Stroke{Do: "undo"}, "", "changed, draft saved 10:00", "")},
	{handShown, sets(handLine, handDraft), sets(` › ◆ 2   "a": 900,`, handDraft)},
	{handShown, sets(` › ◆   "a": 901,`, handDraft), sets(` › 2   "a": 901,`, handDraft)},
	{handShown, sets(handLine, handDraft), sets(` › + 2   "a": 901,`, handDraft)},
	{handShown, sets(handLine, handDraft), sets(` › ◆ 3   "a": 901,`, handDraft)},
	{handShown, hands(oracle.Stroke{Do: "undo"}, "", "Undone. Nothing more to undo.", ""), hands(oracle.Stroke{Do: "undo"}, "", "Undone. 1 more step to undo.", "")},
	{versionShown, showsVersion(versionRow, `"maxIdleTime": 20`), showsVersion(versionRow, `"maxIdleTime": 1`)},
	{versionShown, showsVersion(versionRow, ""), showsVersion(strings.Replace(versionRow, "18", "17", 1), "")},
	{versionShown, showsVersion(versionRow, ""), showsVersion(strings.Replace(versionRow, "2 of", "1 of", 1), "")},
	{"a page says how a service is", saysState("started"), saysState("stopped")},
	{"a claim is true when it is made", saysSwitched("started"), saysSwitched("stopped")},
	{"rules are in the draft as they were edited by hand", rulesByHand("spot"), rulesByHand("other")},
	{"what was edited by hand is sent", sendsByHand(`{"a":1}`), sendsByHand(`{"a": 1}`)},
	{"a later program goes on with what was edited by hand", findsByHand(`{"a":2}`), findsByHand(`{"a":3}`)},
}

func TestALaterProgramGoesOnWithWhatWasKept(t *testing.T) {
	h := oracle.NewHand(`{"a":1}`)
	if !h.Clone().Resumes(`{"a":1}`) {
		t.Error("nothing was edited, and nothing is found")
	}
	h.Do(oracle.Stroke{Do: "set", Path: "a", Raw: "2"})
	h.Kept()
	if h.Clone().Resumes(`{"a":1}`) {
		t.Error("what was kept is lost, and that is taken for right")
	}
	h.Do(oracle.Stroke{Do: "set", Path: "a", Raw: "3"})
	if !h.Clone().Resumes(`{"a":2}`) || !h.Clone().Resumes(`{"a":3}`) || h.Clone().Resumes(`{"a":4}`) {
		t.Error("what was edited since may be kept or not")
	}
}
