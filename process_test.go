package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
)

// What happens to the real process: one line, an answer, a signal, an end.

func TestServePrintsOneLineAnswersAndEndsWithTheSignal(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		t.Run(signal.String(), func(t *testing.T) {
			serve := start(t, nil, "serve", "-o", "json")
			line, err := serve.out.ReadBytes('\n')
			if err != nil {
				t.Fatal(err)
			}
			var offer struct {
				URL, TokenURL string
				Users         []simulator.User
			}
			if err := json.Unmarshal(line, &offer); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if !strings.HasSuffix(offer.URL, "/admin") || !strings.HasSuffix(offer.TokenURL, "/generateToken") || len(offer.Users) == 0 ||
				offer.Users[0].Password == "" || len(offer.Users[0].Privileges) == 0 {
				t.Errorf("the line does not tell enough: %s", line)
			}
			answer, err := http.Get(offer.URL + "?f=json")
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()

			serve.signal(signal)
			rest, err := io.ReadAll(serve.out)
			if err != nil || len(rest) > 0 {
				t.Errorf("more on the standard output: %q, %v", rest, err)
			}
			serve.wantCode(0)
		})
	}
}

func TestServeAsTextIsOneLineToo(t *testing.T) {
	t.Parallel()
	serve := start(t, nil, "serve")
	line, err := serve.out.ReadString('\n')
	if err != nil || !strings.Contains(line, "http://127.0.0.1:") || !strings.Contains(line, "admin / ") {
		t.Errorf("%q, %v", line, err)
	}
	serve.signal(syscall.SIGTERM)
	serve.wantCode(0)
}

func TestAnInterruptedRunSaysWhatGoesOnAtTheSite(t *testing.T) {
	t.Parallel()
	site := startSlowSite(t)
	run := start(t, site, "health", "run")
	line, err := run.err.ReadString('\n')
	if err != nil || !strings.Contains(line, "runs as job ") {
		t.Fatalf("%q, %v", line, err)
	}
	job := strings.TrimSpace(line[strings.LastIndex(line, " "):])
	run.signal(os.Interrupt)
	rest, _ := io.ReadAll(run.err)
	if text := string(rest); !strings.Contains(text, "interrupted; job "+job+" goes on at the site") || !strings.Contains(text, "geodeck job wait "+job) {
		t.Errorf("it says %q", text)
	}
	run.wantCode(130)
}

func TestAnAbortedRunSaysTheSameAndPrintsNoStacks(t *testing.T) {
	t.Parallel()
	site := startSlowSite(t)
	for signal, want := range map[syscall.Signal]int{syscall.SIGQUIT: 131, syscall.SIGABRT: 134} {
		t.Run(signal.String(), func(t *testing.T) {
			state := t.TempDir()
			run := start(t, site, "health", "run", "--state-dir", state)
			line, err := run.err.ReadString('\n')
			if err != nil || !strings.Contains(line, "runs as job ") {
				t.Fatalf("%q, %v", line, err)
			}
			run.signal(signal)
			rest, _ := io.ReadAll(run.err)
			if text := string(rest); !strings.Contains(text, "goes on at the site") || strings.Contains(text, "goroutine ") {
				t.Errorf("it says %q", text)
			}
			expectStacks(t, state, string(rest))
			run.wantCode(want)
		})
	}
}

// expectStacks fails unless the stacks are in a private file that text names.
func expectStacks(t *testing.T, state, text string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(state, "geodeck-crash-*.txt"))
	if err != nil || len(found) != 1 || !strings.Contains(text, found[0]) {
		t.Fatalf("files %v, %v; it says %q", found, err, text)
	}
	info, err := os.Stat(found[0])
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if content, err := os.ReadFile(found[0]); err != nil || !strings.Contains(string(content), "goroutine ") {
		t.Errorf("%v, the file holds %q", err, content)
	}
}

func TestAnInterruptEndsTheReadingOfAPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "report.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	report := start(t, nil, "health", "report", pipe)
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // opens once the program reads
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	report.signal(os.Interrupt)
	report.wantCode(130)
}

func TestAnInterruptEndsTheReadingOfRulesFromAPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "rules.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	check := start(t, nil, "placement", "check", pipe)
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // opens once the program reads
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	check.signal(os.Interrupt)
	check.wantCode(130)
}

// startSlowSite returns the environment of a site whose jobs take their time.
func startSlowSite(t *testing.T) []string {
	t.Helper()
	server := newSite(t, simulator.Options{Clock: simulator.NewScaledClock(1)})
	return []string{"GEODECK_URL=" + server.URL(), "GEODECK_TOKEN=" + tokenOf(t, server, 0)}
}

// process is the program as the system runs it.
type process struct {
	t        *testing.T
	cmd      *exec.Cmd
	out, err *bufio.Reader
}

func start(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	name, err := exec.LookPath("geodeck") // put into PATH by TestMain
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(patience(t), name, args...)
	cmd.Env = append(append(os.Environ(), "XDG_STATE_HOME="+t.TempDir()), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return &process{t: t, cmd: cmd, out: bufio.NewReader(out), err: bufio.NewReader(errs)}
}

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) wantCode(want int) {
	p.t.Helper()
	_ = p.cmd.Wait()
	if code := p.cmd.ProcessState.ExitCode(); code != want {
		p.t.Errorf("exit code %d, want %d", code, want)
	}
}

// patience ends a program that hangs, so that its test says where.
func patience(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}
