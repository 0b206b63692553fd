package secrets_test

import (
	"strings"
	"testing"

	"geodeck/adminapi/secrets"
)

func TestTheSecretsOfACommandLineAreHidden(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{ // words with | between them
		"kubectl|get|nodes|-o|json":                                    "kubectl get nodes -o json",
		"kubectl|--token|a b|get":                                      "kubectl --token … get",
		"kubectl|--password=a b|--username|me":                         "kubectl --password=… --username me",
		"az|--account-key|a|--access_key=a|--passcode|a":               "az --account-key … --access_key=… --passcode …",
		"curl|-u|me:a|-H|Authorization: Bearer a|--client-assertion|a": "curl -u … -H … --client-assertion …",
		"env|A=b c|KUBECONFIG=/k/token|false":                          "env A=… KUBECONFIG=/k/token false",
		"sh|-c|cd /x; TOKEN=a kubectl --token 'a b' get":               "sh -c cd /x; TOKEN=… kubectl --token … get",
		"get|https://me:a@x/y":                                         "get https://…@x/y",
		"false|eyJabcdefgh.eyJ.x":                                      "false …",
	} {
		if got := secrets.CommandLine(strings.Split(line, "|")); got != want {
			t.Errorf("%q is shown as %q, want %q", line, got, want)
		}
	}
	words := []string{"get", "--password", "two words", "--token=one-word", "A=abc"}
	if got := secrets.CommandOutput(words, "get: no one-word: two words, 'words', abc; Bearer x"); got != "get: no …: …, '…', abc; Bearer …" {
		t.Error(got)
	}
	words = []string{"kubectl", "get", "nodes", "--token", "four", "--password", "six"} // of three letters, any word may be one
	if got := secrets.CommandOutput(words, "kubectl: no nodes for four, six"); got != "kubectl: no nodes for …, six" {
		t.Error(got)
	}
}

// The value of a setting may be JSON, where a name stands beside its secret.
func TestSettingsOfACommandLineHideSecretsThatAreNamedBeside(t *testing.T) {
	t.Parallel()
	for _, word := range []string{
		"users[0].pwd=one CANARY", "passwords.admin=one CANARY", "sas=one;CANARY", // the whole value, blanks and all
		`env=[{"name":"PASSWORD","value":"CANARY"}]`, `--set=env[0]={"name":"PASSWORD","value":"CANARY"}`, `a={"b=[":1,"password":"CANARY"}`,
	} {
		if shown := strings.Join(secrets.CommandWords([]string{"geodeck", "service", "edit", "--set", word}), " "); strings.Contains(shown, "CANARY") || !strings.Contains(shown, secrets.Mask) {
			t.Error(shown)
		}
	}
	for _, word := range []string{"token", "secretsOfTheStore", "replicas=3", "env.name=token"} { // and no more than them
		if shown := secrets.CommandWords([]string{"geodeck", word}); shown[1] != word {
			t.Errorf("%s is shown as %s", word, shown[1])
		}
	}
}
