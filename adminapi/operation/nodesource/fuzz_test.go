package nodesource_test

import (
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/plain"
)

// FuzzCommandLine reads the command that prints the nodes: words that are quoted for a shell
// are those words, and what is shown of it is clean, without a secret in the usual places.
func FuzzCommandLine(f *testing.F) {
	for _, line := range []string{
		"kubectl get nodes -o json", `ssh jump 'kubectl get nodes -o json'`, `a "b\"c" d\ e ''`, `"open`, `\`, "\u00a0x\u2003y", "curl -u jane:pw https://jane:pw@h/x", "env TOKEN=x \x1b[2J",
	} {
		f.Add(line, "hunter2-hunter2")
	}
	f.Add("x", "it's so secret") // once shown behind its quote
	f.Add("x", `back\slash "quoted"`)
	f.Fuzz(func(t *testing.T, line, secret string) {
		source, err := nodesource.CommandSource(line)
		if err != nil {
			if plain.Line(err.Error()) != err.Error() || source.Known() {
				t.Fatalf("%q", err)
			}
		} else {
			if !source.Known() || plain.Line(source.String()) != source.String() {
				t.Fatalf("%q is shown as %q", line, source)
			}
			again, err := nodesource.CommandSource(quoted(source.Command))
			if clean := !slices.ContainsFunc(source.Command, func(w string) bool { return plain.Line(w) != w }); clean && (err != nil || !slices.Equal(again.Command, source.Command)) {
				t.Fatalf("%q is %q, and that %q, %v", line, source.Command, again.Command, err)
			}
		}
		if len(secret) < 8 || plain.Line(secret) != secret || strings.HasPrefix(secret, "-") {
			return
		}
		end := secret[len(secret)-6:]
		if strings.Contains("command env KEY=… kubectl --password=… --token … get nodes ssh jump curl -H Authorization: Bearer …", end) {
			return
		}
		for _, words := range [][]string{
			{"kubectl", "--token", secret, "get", "nodes"}, {"kubectl", "--token=" + secret, "get", "nodes"}, {"env", "KEY=" + secret, "kubectl"},
			{"ssh", "jump", "kubectl --password=" + plain.ShellWord(secret) + " get nodes"}, {"curl", "-H", "Authorization: Bearer " + secret},
		} {
			source, err := nodesource.CommandSource(quoted(words))
			if err != nil || !slices.Equal(source.Command, words) {
				t.Fatalf("%q is read as %q, %v", words, source.Command, err)
			}
			if strings.Contains(source.String(), end) {
				t.Fatalf("%q shows %q", source, secret)
			}
		}
	})
}

// quoted joins words for a shell.
func quoted(words []string) string {
	parts := make([]string, len(words))
	for i, word := range words {
		parts[i] = plain.ShellWord(word)
	}
	return strings.Join(parts, " ")
}
