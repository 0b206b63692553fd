//go:build unix

package nodesource_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/placement"
)

const oneNode = `{"kind":"List","items":[{"kind":"Node","metadata":{"name":"solo"}}]}`

// nodesFile writes a file for the nodes and returns its path.
func nodesFile(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nodes.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func shell(script string) nodesource.Source {
	return nodesource.Source{Command: []string{"/bin/sh", "-c", script}}
}

func wantNoNodes(t *testing.T, s nodesource.Source, want string) {
	t.Helper()
	nodes, err := s.Read(t.Context(), adminapi.SystemClock{})
	if err == nil || nodes.List != nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\x1b\n") {
		t.Errorf("%s: %d nodes, error %v; want %q", s, len(nodes.List), err, want)
	}
}

func TestNodesAreReadFromWhereTheUserSays(t *testing.T) {
	path := nodesFile(t, oneNode)
	changed := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	if err := os.Chtimes(path, changed, changed); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GEODECK_TOKEN", "canary")
	t.Setenv("GEODECK_SITE", "canary")
	for name, c := range map[string]struct {
		source nodesource.Source
		shown  string
		again  bool
	}{
		"file":       {nodesource.Source{File: path}, "file " + path, true},
		"input":      {nodesource.Source{Input: strings.NewReader(oneNode)}, "standard input", false},
		"command":    {nodesource.Source{Command: []string{"cat", path}}, "command cat " + path, true},
		"warnings":   {shell("echo Warning: old >&2; echo Warning: older; cat '" + path + "'"), "command /bin/sh", true},
		"no secrets": {shell(`env | grep -q GEODECK && exit 3; cat '` + path + "'"), "command /bin/sh", true},
		"no input":   {shell("cat; cat '" + path + "'"), "command /bin/sh", true},
		"demo":       {nodesource.Source{Demo: func() []byte { return []byte(oneNode) }}, "demo", false},
	} {
		nodes, err := c.source.Read(t.Context(), adminapi.SystemClock{})
		if err != nil || len(nodes.List) != 1 || nodes.List[0].Name != "solo" {
			t.Errorf("%s: %+v, %v", name, nodes.List, err)
			continue
		}
		if !strings.HasPrefix(c.source.String(), c.shown) || c.source.Repeatable() != c.again || !c.source.Known() {
			t.Errorf("%s: %q, again %v", name, c.source, c.source.Repeatable())
		}
		if taken := nodes.Taken(); taken.Equal(changed) != (name == "file") || taken.IsZero() {
			t.Errorf("%s: taken %v", name, taken)
		}
	}
	if (nodesource.Source{}).Known() {
		t.Error("no source is known")
	}
	wantNoNodes(t, nodesource.Source{}, "give a file or a command")
}

func TestAFileWithoutNodesSaysWhatToDo(t *testing.T) {
	t.Parallel()
	pipe, huge := filepath.Join(t.TempDir(), "pipe"), nodesFile(t, "")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, placement.MaxNodesJSON+1); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		t.TempDir():      "a folder, not a file; save one with: kubectl get nodes",
		os.DevNull:       "not a regular file",
		pipe:             "not a regular file",
		"/none\x1b[2J":   "no such file",
		huge:             "larger than 256 MiB",
		nodesFile(t, ""): "nothing to read",
		nodesFile(t, `{"kind":"PodList","items":[{"metadata":{"name":"p"}}]}`): "this holds a Pod",
		nodesFile(t, oneNode[:40]): "the text was cut",
	} {
		wantNoNodes(t, nodesource.Source{File: path}, want)
	}
	_, err := nodesource.Source{File: nodesFile(t, "")}.Read(t.Context(), adminapi.SystemClock{})
	if _, ok := errors.AsType[*placement.NodesError](err); !ok {
		t.Errorf("%T", err)
	}
}

func TestTheStandardInputIsReadOnce(t *testing.T) {
	t.Parallel()
	source := nodesource.Source{Input: strings.NewReader(oneNode)}
	if _, err := source.Read(t.Context(), adminapi.SystemClock{}); err != nil {
		t.Fatal(err)
	}
	wantNoNodes(t, source, "read before")
	silent, _, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := (nodesource.Source{Input: silent}).Read(ctx, adminapi.SystemClock{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestACommandThatFailsIsShownWithItsLastLines(t *testing.T) {
	t.Parallel()
	file := nodesFile(t, oneNode)
	for _, c := range []struct {
		source nodesource.Source
		want   string
	}{
		{nodesource.Source{Command: []string{"geodeck-no-such-program"}}, "no such program"},
		{nodesource.Source{Command: []string{file}}, "may not run it"},
		{shell("exit 3"), "failed (exit status 3)"},
		{shell(`printf 'one\ntwo\nthree\033[2J\nfour\n' >&2; exit 1`), "its errors: two; three; four"},
		{shell("true"), "nothing to read"},
		{shell("echo no rights >&2"), "its errors: no rights"},
		{shell(`echo '{"kind":"PodList","items":[{"metadata":{"name":"p"}}]}'`), "this holds a Pod"},
		{shell("exec cat /dev/zero >&2 & sleep 0; kill $!; exit 4"), "exit status 4"},
	} {
		wantNoNodes(t, c.source, c.want)
	}
	_, err := shell("for i in 1 2 3 4 5; do echo line$i >&2; done; exit 1").Read(t.Context(), adminapi.SystemClock{})
	if err == nil || strings.Contains(err.Error(), "line2") || !strings.Contains(err.Error(), "line5") {
		t.Error(err)
	}
}

func TestACommandThatHangsIsEndedWithItsChildren(t *testing.T) {
	t.Parallel()
	path := lifeline(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := shell("exec 3>'"+path+"'; sleep 600 & echo >&3; wait").Read(ctx, adminapi.SystemClock{})
		ended <- err
	}()
	pipe, err := os.Open(path) // waits for the program
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if _, err := pipe.Read(make([]byte, 1)); err != nil { // waits for its child
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "stopped before") {
		t.Error(err)
	}
	wantNobodyHolds(t, pipe)
}

// Whoever can write into a folder must not decide what runs for those who work in it.
func TestNoProgramIsTakenFromTheCurrentDirectory(t *testing.T) {
	const name = "planted-kubectl"
	folder := t.TempDir()
	mark := filepath.Join(folder, "ran")
	ran := func() bool {
		_, err := os.Stat(mark)
		return err == nil
	}
	if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\necho > '"+mark+"'\necho '"+oneNode+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	source, err := nodesource.CommandSource(name + " get nodes -o json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{".", "./", ":", ":/none", "/none:", "/none::/none", ".:/none", ""} {
		t.Setenv("PATH", path)
		_, err := source.Read(t.Context(), adminapi.SystemClock{})
		if err == nil || !strings.Contains(err.Error(), "give its full path") || ran() {
			t.Fatalf("nodes with the path %q: %v, it was run: %v", path, err, ran())
		}
		hook := watching.Hook{Program: name}
		if hook.Check() == nil || hook.Run(t.Context(), watching.Alarm{}) == nil || ran() {
			t.Fatalf("a hook with the path %q is run: %v", path, ran())
		}
	}
	t.Setenv("PATH", folder)
	if nodes, err := source.Read(t.Context(), adminapi.SystemClock{}); err != nil || len(nodes.List) != 1 || !ran() {
		t.Errorf("it is not run from a folder that the path names whole: %v", err)
	}
}

// lifeline makes a pipe for a program to open. Its children hold it open too, so that
// its end is the end of all of them.
func lifeline(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "lifeline")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func wantNobodyHolds(t *testing.T, pipe *os.File) {
	t.Helper()
	if err := pipe.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(pipe); err != nil {
		t.Errorf("a child still runs: %v", err)
	}
}

func TestAChildThatHoldsTheOutputDoesNotKeepTheNodes(t *testing.T) {
	t.Parallel()
	nodes, err := shell("cat '"+nodesFile(t, oneNode)+"'; sleep 600 &").Read(t.Context(), adminapi.SystemClock{})
	if err != nil || len(nodes.List) != 1 {
		t.Errorf("%+v, %v", nodes.List, err)
	}
}

func TestACommandLineIsReadAsAShellDoes(t *testing.T) {
	t.Parallel()
	source, err := nodesource.CommandSource(`"/opt/my tools/kubectl" --context 'a b' get\ nodes "" $HOME`)
	want := []string{"/opt/my tools/kubectl", "--context", "a b", "get nodes", "", "$HOME"}
	if err != nil || strings.Join(source.Command, "|") != strings.Join(want, "|") {
		t.Errorf("%q, %v", source.Command, err)
	}
	for _, line := range []string{"", "  ", `""`, `kubectl "x`, `kubectl \`} {
		if source, err := nodesource.CommandSource(line); err == nil || source.Known() {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestSecretsOfACommandLineAreNotShown(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"kubectl get nodes -o json":                                           "kubectl get nodes -o json",
		"kubectl --kubeconfig=/k/token -l pool=gis --context a --as b get":    "kubectl --kubeconfig=/k/token -l pool=gis --context a --as b get",
		"env KUBECONFIG=/home/me/config false":                                "env KUBECONFIG=/home/me/config false",
		"false --token=canary --password canary --username me":                "false --token=… --password … --username me",
		"env 'A=b canary' KUBE_TOKEN=canary false":                            "env A=… KUBE_TOKEN=… false",
		"false -u me:canary -H 'Authorization: Bearer canary'":                "false -u … -H …",
		"false -ume:canary --header='X: canary' --client-secret canary":       "false -u… --header=… --client-secret …",
		"false https://me:canary@gis.example.org/x":                           "false https://…@gis.example.org/x",
		`false -c "cd /x; TOKEN=canary kubectl --token 'canary x' get nodes"`: "false -c cd /x; TOKEN=… kubectl --token … get nodes",
		`false -c "curl -H 'X-Auth: canary' | jq"`:                            "false -c curl -H … | jq",
		"false eyJcanaryHeader.eyJcanary.canary":                              "false …",
	} {
		source, err := nodesource.CommandSource(line)
		if err != nil {
			t.Fatal(err)
		}
		if got := source.String(); got != "command "+want {
			t.Errorf("%q; want %q", got, want)
		}
		if source.Command[0] == "kubectl" {
			continue
		}
		if _, err := source.Read(t.Context(), adminapi.SystemClock{}); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestAProgramThatRepeatsItsSecretsDoesNotShowThem(t *testing.T) {
	t.Parallel()
	source := shell(`echo "unknown: $1 $3, Bearer canary-3" >&2; exit 1`)
	source.Command = append(source.Command, "sh", "--token=canary-1", "--password", "canary-2")
	_, err := source.Read(t.Context(), adminapi.SystemClock{})
	if err == nil || strings.Contains(err.Error(), "canary") || !strings.Contains(err.Error(), "its errors: unknown: --token=… …, Bearer …") {
		t.Error(err)
	}
}

func TestACommandThatFailsLeavesNoChildBehind(t *testing.T) {
	t.Parallel()
	path := lifeline(t)
	opened := make(chan *os.File, 1)
	go func() {
		pipe, err := os.Open(path) // waits for the program, as that waits for us
		if err != nil {
			t.Error(err)
		}
		opened <- pipe
	}()
	_, err := shell("exec 3>'"+path+"'; sleep 600 & exit 1").Read(t.Context(), adminapi.SystemClock{})
	if err == nil || !strings.Contains(err.Error(), "failed (exit") {
		t.Error(err)
	}
	pipe := <-opened
	defer pipe.Close()
	wantNobodyHolds(t, pipe)
}

func BenchmarkNodesOfAFile(b *testing.B) {
	var text strings.Builder
	text.WriteString(`{"kind":"List","items":[`)
	for i := range 5000 {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, `{"kind":"Node","metadata":{"name":"node-%d","labels":{"pool":"p%d","zone":"z%d","kubernetes.io/hostname":"node-%d"},"annotations":{"x":%q}},"spec":{"taints":[{"key":"gpu","effect":"NoSchedule"}]},"status":{"allocatable":{"cpu":"16","memory":"64Gi","pods":"110"},"conditions":[{"type":"Ready","status":"True"}],"images":[{"names":[%q],"sizeBytes":1}]}}`,
			i, i%9, i%3, i, strings.Repeat("a", 500), strings.Repeat("i", 4000))
	}
	text.WriteString("]}")
	source := nodesource.Source{File: nodesFile(b, text.String())}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if nodes, err := source.Read(b.Context(), adminapi.SystemClock{}); err != nil || len(nodes.List) != 5000 {
			b.Fatal(err)
		}
	}
}
