package placement_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

func TestAPolicyReadsAsASentence(t *testing.T) {
	t.Parallel()
	const gpu, zone = `{"key":"gpu","operator":"In","values":["a100","h100"]}`, `{"key":"zone","operator":"NotIn","values":["eu-1c"]}`
	for name, tt := range map[string]struct{ policy, want string }{
		"nothing": {`{"nodeAffinity":{}}`, "Pods may run on any node; they tolerate no taint."},
		"all lines of a term": {required(gpu + "," + zone),
			"Pods must run on nodes whose gpu is a100 or h100 and whose zone is not eu-1c; they tolerate no taint."},
		"any of the terms": {required(gpu + `]},{"matchExpressions":[` + zone),
			"Pods must run on (1) nodes whose gpu is a100 or h100, or (2) nodes whose zone is not eu-1c; they tolerate no taint."},
		"other operators": {required(`{"key":"a","operator":"Exists"},{"key":"b","operator":"DoesNotExist"},{"key":"c","operator":"Gt","values":["3"]},{"key":"d","operator":"Lt","values":["9"]},{"key":"e","operator":"Odd","values":["1"]}`),
			"Pods must run on nodes that have a and that have no b and whose c is above 3 and whose d is below 9 and for which e Odd 1 holds (an unknown operator); they tolerate no taint."},
		"no term":             {`{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]}}}`, "Pods run on no node: the required affinity has no term; they tolerate no taint."},
		"a term without line": {required(""), "Pods must run on no node (a term without lines); they tolerate no taint."},
		"preferred":           {preferring(`{"nodeSelectorTerms":[{"matchExpressions":[` + gpu + `]}]}`), "Pods may run on any node and prefer nodes whose gpu is a100 or h100; they tolerate no taint."},
		"weights": {preferring(`[{"weight":80,"preference":{"matchExpressions":[` + gpu + `]}},{"weight":5,"preference":{"matchExpressions":[` + zone + `]}}]`),
			"Pods may run on any node and prefer (1) nodes whose gpu is a100 or h100 (weight 80), or (2) nodes whose zone is not eu-1c (weight 5); they tolerate no taint."},
		"tolerations": {tolerating(`{"key":"dedicated","operator":"Equal","value":"gis","effect":"NoSchedule"},{"key":"gpu","operator":"Exists"},{"operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{"key":"k","effect":"PreferNoSchedule"}`),
			"Pods may run on any node; they also accept nodes with the taint dedicated=gis and the effect NoSchedule, or the taint gpu of any value, or any taint and the effect NoExecute for 300 s, or the taint k= and the effect PreferNoSchedule."},
		"many values": {required(`{"key":"n","operator":"In","values":["1","2","3","4","5","6","7","8"]}`),
			"Pods must run on nodes whose n is 1 or 2 or 3 or 4 or 5 or 6 or 2 more; they tolerate no taint."},
		"many terms": {required(strings.Repeat(`{"key":"a","operator":"Exists"}]},{"matchExpressions":[`, 9) + `{"key":"a","operator":"Exists"}`),
			", or (6) nodes that have a or 4 more; they tolerate no taint."},
		"hostile": {required(`{"key":"\u001b[2Ja\u202e\nb","operator":"In","values":["\u0007"," "]}`), `Pods must run on nodes whose a b is "" or ""; they tolerate no taint.`},
	} {
		t.Run(name, func(t *testing.T) {
			got := placement.Sentence(parse(t, tt.policy).Items()[0])
			if got != tt.want && !(strings.HasPrefix(tt.want, ",") && strings.HasSuffix(got, tt.want)) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestAnySentenceIsBoundedAndClean(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		w := writer{rand.New(rand.NewPCG(seed, 4))}
		i := w.item()
		for k := range i.Required.Terms {
			i.Required.Terms[k].Lines = append(i.Required.Terms[k].Lines, placement.Line{Key: strings.Repeat("\x1b]0;", 200) + strings.Repeat("界", 500), Operator: "In", Values: []string{strings.Repeat("v", 5000)}})
		}
		got := placement.Sentence(i)
		if plain.Clip(got, placement.MaxSentence) != got || got == "" {
			t.Fatalf("seed %d: %q", seed, got)
		}
	}
}

func TestPartsReadInShort(t *testing.T) {
	t.Parallel()
	for want, l := range map[string]placement.Line{
		"gpu In a100, h100": {Key: "gpu", Operator: "In", Values: []string{"a100", "h100"}},
		"gpu Exists":        {Key: "gpu", Operator: "Exists"},
		`"" "" a`:           {Values: []string{"a"}},
	} {
		if got := placement.LineText(l); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for want, toleration := range map[string]placement.Toleration{
		"dedicated=gis:NoSchedule": {Key: "dedicated", Operator: "Equal", Value: "gis", Effect: "NoSchedule"},
		"gpu:NoExecute for 60 s":   {Key: "gpu", Operator: "Exists", Effect: "NoExecute", Seconds: "60"},
		"every taint":              {Operator: "Exists"},
		"n Gt 3":                   {Key: "n", Operator: "Gt", Value: "3"},
	} {
		if got := placement.TolerationText(toleration); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
