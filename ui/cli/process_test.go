package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/cli"
	"geodeck/ui/uitest/clitest"
)

// What happens to the real process: one line, an answer, a signal, an end.

func TestServePrintsOneLineAnswersAndEndsWithTheSignal(t *testing.T) {
	t.Parallel()
	for signal, want := range map[os.Signal]int{syscall.SIGTERM: 143, os.Interrupt: 0} {
		t.Run(signal.String(), func(t *testing.T) {
			serve := clitest.Start(t, nil, "serve", "-o", "json")
			line, err := serve.Out.ReadBytes('\n')
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

			serve.Signal(signal)
			rest, err := io.ReadAll(serve.Out)
			if err != nil || len(rest) > 0 {
				t.Errorf("more on the standard output: %q, %v", rest, err)
			}
			serve.WantCode(want)
		})
	}
}

func TestServeAsTextIsOneLineToo(t *testing.T) {
	t.Parallel()
	serve := clitest.Start(t, nil, "serve")
	line, err := serve.Out.ReadString('\n')
	if err != nil || !strings.Contains(line, "http://127.0.0.1:") || !strings.Contains(line, "admin / ") {
		t.Errorf("%q, %v", line, err)
	}
	serve.Signal(syscall.SIGTERM)
	serve.WantCode(143)
}

func TestServeOverHTTPSWritesTheCertificateThatCommandsTrust(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "site.pem")
	serve := clitest.Start(t, nil, "serve", "--tls", "--write-certificate", file, "-o", "json")
	var offer struct{ URL, TokenURL string }
	if line, err := serve.Out.ReadBytes('\n'); err != nil || json.Unmarshal(line, &offer) != nil || !strings.HasPrefix(offer.TokenURL, "https://") {
		t.Fatalf("%q, %v", line, err)
	}
	known := clitest.RunInProcess(t, nil, nil, "health", "suites", "--url", offer.URL, "--ca", file)
	if known.Code != 3 { // reached, and asked to sign in
		t.Errorf("with the certificate: exit code %d, %s", known.Code, known.Err)
	}
	unknown := clitest.RunInProcess(t, nil, nil, "health", "suites", "--url", offer.URL)
	if unknown.Code != 5 || !strings.Contains(unknown.Err, "--ca") {
		t.Errorf("without it: exit code %d, %s", unknown.Code, unknown.Err)
	}
	if r := clitest.RunInProcess(t, nil, nil, "serve", "--write-certificate", file); r.Code != 2 || !strings.Contains(r.Err, "Add --tls.") {
		t.Errorf("without --tls: exit code %d, %s", r.Code, r.Err)
	}
	serve.Signal(os.Interrupt)
	_ = serve.Cmd.Wait()
}

func TestAnInterruptedRunSaysWhatGoesOnAtTheSite(t *testing.T) {
	t.Parallel()
	site := clitest.StartSlowSite(t)
	for signal, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
		run := clitest.Start(t, site, "health", "run")
		line, err := run.Err.ReadString('\n')
		if err != nil || !strings.Contains(line, "runs as job ") {
			t.Fatalf("%q, %v", line, err)
		}
		job := strings.TrimSpace(line[strings.LastIndex(line, " "):])
		run.Signal(signal)
		rest, _ := io.ReadAll(run.Err)
		if text := string(rest); !strings.Contains(text, "interrupted; job "+job+" continues at the site") || !strings.Contains(text, "geodeck job wait "+job) {
			t.Errorf("after %v it says %q", signal, text)
		}
		run.WantCode(want)
	}
}

func TestASignalEndsAWatchWithItsOwnCode(t *testing.T) {
	t.Parallel()
	site := clitest.NewUpgrading(t, "running-patch")
	env := []string{"GEODECK_URL=" + site.Env["GEODECK_URL"], "GEODECK_TOKEN=" + site.Env["GEODECK_TOKEN"]}
	for signal, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
		watch := clitest.Start(t, env, "upgrade", "watch", "--from-start", "-o", "jsonl")
		if _, err := watch.Out.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		watch.Signal(signal)
		watch.WantCode(want)
	}
}

func TestASignalEndsTheDashboardWithItsOwnCode(t *testing.T) {
	t.Parallel()
	for signal, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		for name, args := range map[string][]string{"a site": nil, "demo": {"demo"}} {
			t.Run(name+"/"+signal.String(), func(t *testing.T) {
				t.Parallel()
				screen := clitest.OpenTerminal(t, 100, clitest.StartSlowSite(t), args...)
				screen.Shows("Health")
				screen.Signal(signal)
				if code := screen.End(); code != want {
					t.Errorf("exit code %d instead of %d", code, want)
				}
				if said := "ended by SIGTERM"; strings.Contains(screen.Sent(), said) != (signal == syscall.SIGTERM) {
					t.Errorf("it says %q", screen.Sent())
				}
				screen.Restored()
			})
		}
	}
}

func TestAnAbortedRunSaysTheSameAndPrintsNoStacks(t *testing.T) {
	t.Parallel()
	site := clitest.StartSlowSite(t)
	for signal, want := range map[syscall.Signal]int{syscall.SIGQUIT: 131, syscall.SIGABRT: 134} {
		t.Run(signal.String(), func(t *testing.T) {
			state := t.TempDir()
			run := clitest.Start(t, site, "health", "run", "--state-dir", state)
			line, err := run.Err.ReadString('\n')
			if err != nil || !strings.Contains(line, "runs as job ") {
				t.Fatalf("%q, %v", line, err)
			}
			run.Signal(signal)
			rest, _ := io.ReadAll(run.Err)
			if text := string(rest); !strings.Contains(text, "continues at the site") || strings.Contains(text, "goroutine ") {
				t.Errorf("it says %q", text)
			}
			expectStacks(t, state, string(rest))
			run.WantCode(want)
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
	report := clitest.Start(t, nil, "health", "report", pipe)
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // opens once the program reads
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	report.Signal(os.Interrupt)
	report.WantCode(130)
}

func TestAnInterruptEndsTheReadingOfRulesFromAPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "rules.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	check := clitest.Start(t, nil, "placement", "check", pipe)
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // opens once the program reads
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	check.Signal(os.Interrupt)
	check.WantCode(130)
}

// What happens where nobody reads what the program prints.

func TestAReaderThatPausesStopsNoWatch(t *testing.T) {
	t.Parallel()
	u := clitest.NewUpgrading(t, "running-patch")
	read, write := io.Pipe() // holds nothing: a write waits for its reader
	errs := &seen{text: "succeeded", found: make(chan struct{})}
	code := make(chan int, 1)
	go func() {
		code <- cli.Run(t.Context(), []string{"upgrade", "watch", "--from-start", "-o", "jsonl"}, cli.Process{
			In: strings.NewReader(""), Out: write, Err: errs, Clock: u.Clock, Env: func(name string) string { return u.Env[name] },
		})
		write.Close()
	}()
	<-errs.found // the alarm at the end, and nothing was read until now
	kept := u.Run(t.Context(), "upgrade", "transcripts", "-o", "json")
	if !strings.Contains(kept.Out, `"ended": true`) {
		t.Errorf("the transcript does not hold the end: %s", kept.Out)
	}
	late, err := io.ReadAll(read)
	if err != nil {
		t.Fatal(err)
	}
	if c := <-code; c != 0 {
		t.Errorf("exit code %d:\n%s", c, errs.String())
	}
	// A second site that plays the same, with a reader that reads.
	v := clitest.NewUpgrading(t, "running-patch")
	if r := v.Run(t.Context(), "upgrade", "watch", "--from-start", "-o", "jsonl"); messagesIn(r.Out) != messagesIn(string(late)) {
		t.Errorf("the late reader got\n%s\nand a reader in time\n%s", late, r.Out)
	}
}

// messagesIn leaves out the states, which depend on when the site was asked, and the head with the address.
func messagesIn(out string) string {
	var messages strings.Builder
	for line := range strings.Lines(out) {
		if strings.Contains(line, `"message"`) {
			messages.WriteString(line[strings.Index(line, `"code"`):])
		}
	}
	return messages.String()
}

// seen is an output that tells when a text was written to it.
type seen struct {
	mu    sync.Mutex
	bytes bytes.Buffer
	text  string
	found chan struct{}
	once  sync.Once
}

func (s *seen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.bytes.Write(p)
	if bytes.Contains(s.bytes.Bytes(), []byte(s.text)) {
		s.once.Do(func() { close(s.found) })
	}
	return n, err
}

func (s *seen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes.String()
}

func TestOneSignalEndsAProgramWhoseOutputNobodyReads(t *testing.T) {
	t.Parallel()
	site := talkative(t)
	report := t.TempDir() + "/report.json"
	short, err := os.ReadFile("testdata/report.json")
	if err != nil {
		t.Fatal(err)
	}
	long := bytes.Replace(short, []byte("{"), []byte(`{"more":"`+strings.Repeat("x", 1<<20)+`",`), 1)
	if err := os.WriteFile(report, long, 0o600); err != nil {
		t.Fatal(err)
	}
	commands := map[string][]string{
		"watch":  {"upgrade", "watch", "--from-start", "-o", "jsonl"},
		"report": {"health", "report", report, "-o", "json"},
	}
	for name, args := range commands {
		for signal, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGQUIT: 131, syscall.SIGABRT: 134} {
			t.Run(name+"/"+signal.String(), func(t *testing.T) {
				t.Parallel()
				p := clitest.Start(t, site, args...)
				if _, err := p.Out.ReadByte(); err != nil { // it prints, and more than a pipe holds
					t.Fatal(err)
				}
				p.Signal(signal)
				said, err := io.ReadAll(p.Err)
				if err != nil || !strings.Contains(string(said), "Not all of the output was read") && name == "watch" {
					t.Errorf("%v, it says %s", err, said)
				}
				if strings.Contains(string(said), "goroutine ") {
					t.Errorf("it prints stacks: %s", said)
				}
				p.WantCode(want)
			})
		}
	}
}

func TestOneSignalEndsAProgramWhoseErrorsNobodyReadsEither(t *testing.T) {
	t.Parallel()
	name, err := exec.LookPath("geodeck")
	if err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	cmd := exec.CommandContext(clitest.Patience(t), name, "upgrade", "watch", "--from-start", "-o", "jsonl")
	cmd.Env = append(append(os.Environ(), "XDG_STATE_HOME="+t.TempDir()), talkative(t)...)
	cmd.Stdout, cmd.Stderr = write, write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	if _, err := bufio.NewReaderSize(read, 16).ReadByte(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d", code)
	}
}

// talkative returns the environment of a site with an upgrade that has more messages
// than a pipe holds.
func talkative(t *testing.T) []string {
	t.Helper()
	messages := make([]string, 4000)
	for i := range messages {
		messages[i] = fmt.Sprintf(`{"code":2030,"message":"step %d of an upgrade that says much of what it does","when":%d}`, i, 1_700_000_000_000+i*1000)
	}
	status := `{"status":{"state":"in_progress","code":1,"messages":[` + strings.Join(messages, ",") + `]}}`
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/system/upgrades") {
			_, _ = io.WriteString(w, status)
			return
		}
		_, _ = io.WriteString(w, `{"fullVersion":"11.5.0.6745","currentVersion":"11.5"}`)
	}))
	t.Cleanup(site.Close)
	return []string{"GEODECK_URL=" + site.URL + "/x/admin", "GEODECK_TOKEN=t"}
}

// Other programs, and other users who list the processes, see neither the token nor the rest of
// what the program alone is told.
func TestNoTokenIsInTheProcessListOrTheEnvironmentOfAnEditor(t *testing.T) {
	t.Parallel()
	server := clitest.NewSite(t, simulator.Options{Clock: simulator.NewScaledClock(3600)})
	token := clitest.TokenOf(t, server, 0)
	seen := filepath.Join(t.TempDir(), "seen")
	script := simtest.Script(t, "editor", "{ env; for p in $$ $PPID; do if test -r /proc/$p/cmdline; then tr '\\0' ' ' </proc/$p/cmdline; else ps -o args= -p $p; fi; done; } >"+seen)
	env := []string{"GEODECK_URL=" + server.URL(), "GEODECK_TOKEN=" + token, "VISUAL=", "EDITOR=" + script}
	p := clitest.Start(t, env, "service", "edit", clitest.Cities)
	said, _ := io.ReadAll(p.Err)
	p.WantCode(0)
	content, err := os.ReadFile(seen)
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for _, listed := range []string{"service edit " + clitest.Cities, script + " ", "PATH="} { // it sees what there is
		if !strings.Contains(string(content), listed) {
			t.Errorf("no %q in\n%s", listed, content)
		}
	}
	if strings.Contains(string(content), token) || strings.Contains(string(content), "GEODECK_") {
		t.Errorf("an editor sees\n%s", content)
	}
}
