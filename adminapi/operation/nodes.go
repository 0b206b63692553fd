package operation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// NodeSource is where the nodes of the cluster are read from; the API does not tell
// them. The zero source is none. Exactly one of the fields is set.
type NodeSource struct {
	File    string        // a path, of what `kubectl get nodes -o json` or `-o yaml` has printed
	Input   io.Reader     // the same on the standard input; it can be read once
	Command []string      // a program that prints it, and its arguments; run without a shell
	Demo    func() []byte // the simulator's
}

// Nodes are the nodes of the cluster as they were when they were read.
type Nodes struct {
	List    []placement.Node
	Source  NodeSource
	Read    time.Time // by the clock that was given
	Written time.Time // of a file: when it was changed last; else zero
}

// CommandSource reads a command line as a source: words are told apart by blanks,
// quotes and backslashes as a shell does it, and nothing else of a shell is known.
func CommandSource(line string) (NodeSource, error) {
	words, err := commandWords(line)
	if err != nil {
		return NodeSource{}, fmt.Errorf("the command that prints the nodes %w", err)
	}
	if len(words) == 0 || words[0] == "" {
		return NodeSource{}, errors.New("the command that prints the nodes is empty; such as: kubectl get nodes -o json")
	}
	return NodeSource{Command: words}, nil
}

// Known reports whether there is a source at all.
func (s NodeSource) Known() bool {
	return s.File != "" || s.Input != nil || len(s.Command) > 0 || s.Demo != nil
}

// Repeatable reports whether reading once more can bring something newer: of a file and of a
// command. The nodes of the demo never change.
func (s NodeSource) Repeatable() bool { return s.File != "" || len(s.Command) > 0 }

// String names the source for a person, such as "file nodes.json" or "command kubectl
// get nodes -o json"; clean and one line. What looks like a secret on a command line is
// left out.
func (s NodeSource) String() string {
	switch {
	case s.File != "":
		return "file " + plain.Line(s.File)
	case s.Input != nil:
		return "standard input"
	case len(s.Command) > 0:
		return "command " + plain.Line(withoutSecrets(s.Command))
	case s.Demo != nil:
		return "demo"
	}
	return "none"
}

// Read reads the nodes. A command has 30 s, gets our environment without GEODECK_*,
// no standard input, and is ended with its children where it hangs or prints more
// than nodes can have. The error says what happened and what to do; it holds no more
// than the last lines of what a command has complained, cleaned.
//
// It does I/O and may take long: only commands may call it.
func (s NodeSource) Read(ctx context.Context, clock adminapi.Clock) (Nodes, error) {
	if err := ctx.Err(); err != nil {
		return Nodes{}, err
	}
	return s.read(ctx, clock, nodesLimits{nodesTime, placement.MaxNodesJSON})
}

func (s NodeSource) read(ctx context.Context, clock adminapi.Clock, limits nodesLimits) (Nodes, error) {
	text, written, complaint, err := s.text(ctx, limits)
	nodes := Nodes{Source: s, Read: clock.Now(), Written: written}
	if err == nil {
		nodes.List, err = placement.ReadNodes(text)
	}
	switch {
	case err == nil:
		return nodes, nil
	case complaint != "":
		return Nodes{}, fmt.Errorf("%s: %w; it says: %s", s, err, complaint)
	}
	return Nodes{}, fmt.Errorf("%s: %w", s, err)
}

// text is what the source holds; written is zero but for a file, complaint is empty but
// for a command.
func (s NodeSource) text(ctx context.Context, limits nodesLimits) (text []byte, written time.Time, complaint string, err error) {
	switch {
	case s.File != "":
		text, written, err = readNodesFile(s.File)
	case s.Input != nil:
		text, err = readInput(ctx, s.Input, limits.bytes)
	case len(s.Command) > 0:
		text, complaint, err = s.run(ctx, limits)
	case s.Demo != nil:
		text = s.Demo()
	default:
		err = errors.New("nothing tells the nodes; give a file or a command that prints them")
	}
	return text, written, complaint, err
}

var errTooLarge = fmt.Errorf("it is larger than %d MiB: more is not read as a list of nodes; save a smaller one with: kubectl get --raw /api/v1/nodes", placement.MaxNodesJSON>>20)

// readNodesFile tells the time before it reads: nodes may be newer than they are said
// to be, never older.
func readNodesFile(path string) (text []byte, written time.Time, err error) {
	info, err := SystemFiles{}.stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, written, errors.New("there is no such file; save one with: kubectl get nodes -o json")
	case err == nil && info.IsDir():
		return nil, written, errors.New("it is a folder, not a file; save one with: kubectl get nodes -o json")
	case err == nil && !info.Mode().IsRegular():
		return nil, written, errors.New("it is not a regular file; what a pipe holds is given as --nodes -")
	case err == nil:
		written = info.ModTime()
	}
	text, size, err := readFile(SystemFiles{}, path, placement.MaxNodesJSON)
	switch {
	case err != nil:
		return nil, time.Time{}, errors.New(plain.Line(err.Error()) + "; save one with: kubectl get nodes -o json")
	case size > placement.MaxNodesJSON:
		return nil, time.Time{}, errTooLarge
	}
	return text, written, nil
}

// readInput gives up with ctx; the reading itself cannot be stopped, and ends with the
// program.
func readInput(ctx context.Context, input io.Reader, limit int) ([]byte, error) {
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(input, int64(limit)+1))
		done <- result{text, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-done:
		switch {
		case r.err != nil:
			return nil, fmt.Errorf("it cannot be read: %s", plain.Line(r.err.Error()))
		case len(r.text) > limit:
			return nil, errTooLarge
		case len(bytes.TrimSpace(r.text)) == 0:
			return nil, errors.New("there is nothing on it; it can be read once, so pipe the nodes into it again: kubectl get nodes -o json")
		}
		return r.text, nil
	}
}

// Taken is when the nodes were as they are here: the time of a file, else of the
// reading.
func (n Nodes) Taken() time.Time {
	if !n.Written.IsZero() {
		return n.Written
	}
	return n.Read
}

// nodesTime is how long a command may take that prints nodes.
const nodesTime = 30 * time.Second

// nodesLimits bound how long a command may take, and how much is read of the standard
// input or of what a command prints.
type nodesLimits struct {
	time  time.Duration
	bytes int
}

// What of the complaints of a command is told.
const (
	maxComplaint   = 4 << 10 // bytes
	complaintLines = 3
)

var errFlood = fmt.Errorf("it has printed more than %d MiB, more than is read as a list of nodes, and was ended; kubectl get --raw /api/v1/nodes prints less", placement.MaxNodesJSON>>20)

// run runs the command to its end, for so long at most, and returns what it has printed,
// and its complaints.
func (s NodeSource) run(ctx context.Context, limits nodesLimits) (printed []byte, complaint string, err error) {
	limited, cancel := context.WithTimeout(ctx, limits.time)
	defer cancel()
	stoppable, stop := context.WithCancelCause(limited)
	defer stop(nil)
	out := &bounded{limit: limits.bytes, full: func() { stop(errFlood) }}
	complaints := &ending{limit: maxComplaint}
	cmd := exec.CommandContext(stoppable, s.Command[0], s.Command[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = programEnv(), out, complaints
	cmd.WaitDelay = time.Second // children of it may hold on to the output
	ownGroup(cmd)
	err = cmd.Run()
	if err != nil && cmd.Process != nil {
		_ = endGroup(cmd) // what it has left behind
	}
	if errors.Is(err, exec.ErrWaitDelay) { // it ended well, only a child held on
		err = nil
	}
	complaint = lastLines(maskWords(s.Command, string(complaints.kept)))
	switch {
	case context.Cause(stoppable) == errFlood:
		return nil, complaint, errFlood
	case err == nil:
		return out.kept.Bytes(), complaint, nil
	case ctx.Err() != nil:
		return nil, complaint, fmt.Errorf("it was ended before it had printed the nodes: %w", ctx.Err())
	case limited.Err() != nil:
		return nil, complaint, fmt.Errorf("it has not ended within %s and was ended; try it in a terminal: it may wait for a password", adminapi.FormatDuration(limits.time))
	}
	return nil, complaint, plainRunError(err)
}

// plainRunError says why a program did not run, or not well.
func plainRunError(err error) error {
	switch {
	case errors.Is(err, exec.ErrDot):
		return errors.New("it lies in the current directory, where no program is looked for; name it with its whole path")
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such program; name it with its whole path, or give a file with the nodes")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("this user may not run it; check the permissions of the program")
	}
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("it has failed (%s)", ended)
	}
	return fmt.Errorf("it could not be run: %s", plain.Line(err.Error()))
}

// lastLines keeps the end of what a program has complained, on one line: programs
// warn first, and say at the end why they gave up.
func lastLines(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = plain.Line(strings.TrimSpace(line)); line != "" {
			lines = append(lines, plain.Clip(line, 300))
		}
	}
	return strings.Join(lines[max(0, len(lines)-complaintLines):], "; ")
}

// bounded keeps the start of what is written to it. At the bound it tells full, and
// takes no more.
type bounded struct {
	kept  bytes.Buffer
	limit int
	full  func()
}

func (b *bounded) Write(p []byte) (int, error) {
	room := b.limit - b.kept.Len()
	b.kept.Write(p[:min(room, len(p))])
	if len(p) > room {
		b.full()
		return room, errFlood
	}
	return len(p), nil
}

// ending keeps the end of what is written to it.
type ending struct {
	kept  []byte
	limit int
}

func (e *ending) Write(p []byte) (int, error) {
	e.kept = append(e.kept, p...)
	if over := len(e.kept) - e.limit; over > 0 {
		e.kept = append(e.kept[:0], e.kept[over:]...)
	}
	return len(p), nil
}

const (
	hidden       = "…"
	shortestWord = 4 // masking every "a" of a sentence would tell more than it hides
)

// between stands between the words of a command line while secrets are looked for: a
// word may hold blanks itself.
const between = "\x00"

// harmless is a variable for env that names files.
const harmless = "KUBECONFIG="

// secretPlaces are how secrets stand on a command line: the value of a flag (of kubectl,
// oc, curl, ssh and the like, also inside the script of a shell), of a variable for env,
// in an address, or as what a header or a token looks like. The last group is hidden.
var secretPlaces = sync.OnceValue(func() (places []*regexp.Regexp) {
	const (
		long   = `--?[\w.-]*(?i:token|passw|passphrase|secret|credential|bearer|auth|header|api-?key|private-?key)[\w.-]*|--user|-[uHp]`
		quoted = `"[^"\x00]*"|'[^'\x00]*'|[^\s\x00]+`
	)
	for _, pattern := range []string{
		`((?:^|\x00)(?:` + long + `)[=\x00])([^\x00]+)`,
		`(\s["']?(?:` + long + `)(?:=|\s+))(` + quoted + `)`,
		`((?:^|[\s\x00])-[uHp])([^\s\x00-][^\x00]*)`,
		`((?:^|\x00)[A-Z_][A-Z0-9_]*=)([^\x00]+)`,
		`([\s;&(][A-Z_][A-Z0-9_]*=)(` + quoted + `)`,
		`(\b(?i:bearer|basic)\s+)([^\s\x00"']+)`,
		`(://)([^/@\s\x00]+)@`,
		`(^|[^\w])(eyJ[\w-]{8}[\w.-]*)`,
	} {
		places = append(places, regexp.MustCompile(pattern))
	}
	return places
})

// withoutSecrets writes a command line for a person, with blanks between its words.
func withoutSecrets(words []string) string {
	return strings.ReplaceAll(maskSecrets(strings.Join(words, between)), between, " ")
}

func maskSecrets(text string) string {
	for _, place := range secretPlaces() {
		text = place.ReplaceAllStringFunc(text, func(found string) string {
			at := place.FindStringSubmatchIndex(found)
			if strings.HasSuffix(found[:at[4]], harmless) {
				return found
			}
			return found[:at[4]] + hidden + found[at[5]:]
		})
	}
	return text
}

// maskWords hides in what a program says whatever of its command line is not
// shown: programs repeat what they do not understand.
func maskWords(words []string, text string) string {
	shown := withoutSecrets(words)
	for _, word := range words {
		_, value, _ := strings.Cut(word, "=")
		for _, part := range append([]string{value, word}, strings.FieldsFunc(word, isQuoteOrBlank)...) {
			if len(part) >= shortestWord && !strings.Contains(shown, part) {
				text = strings.ReplaceAll(text, part, hidden)
			}
		}
	}
	return maskSecrets(text)
}

func isQuoteOrBlank(r rune) bool { return strings.ContainsRune(" \t\n\"'", r) }
