package main

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"geodeck/adminapi/simulator"
	"geodeck/ui/cli"
)

// advice is what became of the commands that scripts print.
var advice struct {
	sync.Mutex
	of    map[*testscript.TestScript][]string // seen so far
	ran   int
	wrong []string
}

// printed finds a command in a sentence: it ends at the end of the line, or before the next one.
// It is made late: the tree of commands takes the token out of the environment of this process, which
// may be one of a script.
var printed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(?:^ {6,}|: |, |; |see |with )(geodeck (?:` + nouns() + `)(?: (?:'(?:[^']|'\\'')*'|[^\s',;"\\]+)+)*)`)
})

// nouns are the first words of commands.
func nouns() string {
	var names []string
	for _, c := range cli.Tree().Commands() {
		names = append(names, c.Name())
	}
	return strings.Join(names, "|")
}

// advised takes the commands of an output, and runs them when the script has ended: in between they
// would move its faults.
func advised(ts *testscript.TestScript, output string) {
	advice.Lock()
	defer advice.Unlock()
	for _, m := range printed().FindAllStringSubmatch(output, -1) {
		before, has := advice.of[ts]
		if slices.Contains(before, m[1]) || strings.Contains(output, "Usage:") || strings.HasSuffix(m[1], " --help") {
			continue
		}
		if !has {
			ts.Defer(func() { runAdvised(ts) })
		}
		if advice.of == nil {
			advice.of = map[*testscript.TestScript][]string{}
		}
		advice.of[ts] = append(before, m[1])
	}
}

// sends are the words of commands that change something, ask for something or run another program:
// these are only parsed.
var sends = []string{"start", "stop", "edit", "apply", "restore", "run", "rollback", "delete", "import-manifest", "add", "use", "remove", "login", "logout", "token", "demo", "serve", "evidence", "--nodes-command"}

func runAdvised(ts *testscript.TestScript) {
	advice.Lock()
	lines := advice.of[ts]
	advice.Unlock()
	for _, line := range lines {
		why, placeholder := "", regexp.MustCompile(`(?: |=)[A-Z]+(?:\.[A-Z]+)?(?: |$)`).MatchString(line)
		switch args := wordsOf(line); {
		case slices.ContainsFunc(args, func(arg string) bool { return slices.Contains(sends, arg) }), placeholder:
			why = refusedBy(args)
		default:
			var out, errs bytes.Buffer
			code := cli.Run(context.Background(), append(args, "-o", "json", "--timeout", "2s"), cli.Process{
				In: strings.NewReader(""), Out: &out, Err: &errs, Clock: simulator.NewScaledClock(20),
				Env: func(name string) string {
					if name == "GEODECK_URL" || name == "GEODECK_SITE" {
						return ""
					}
					return ts.Getenv(name)
				},
			})
			gone := strings.Contains(errs.String(), "config.yaml") // what the script has made of it since
			if code == 2 && strings.Contains(errs.String(), `"kind":"usage"`) && !gone {
				why = errs.String()
			}
		}
		advice.Lock()
		if advice.ran++; why != "" {
			advice.wrong = append(advice.wrong, ts.Name()+" prints "+line+"\nwhich does not work as it stands: "+why)
		}
		advice.Unlock()
	}
}

// wordsOf are the words of a line for a shell, without the program's name.
func wordsOf(line string) (words []string) {
	quoted := strings.NewReplacer(`'\''`, "\x00").Replace(strings.TrimPrefix(line, "geodeck "))
	for i, part := range strings.Split(quoted, "'") {
		if i%2 == 1 {
			words = append(words, strings.ReplaceAll(part, "\x00", "'"))
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}

// refusedBy says why a command would not take these arguments, empty where it would.
func refusedBy(args []string) string {
	cmd, rest, err := cli.Tree().Find(args)
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err == nil && cmd.Args != nil {
		err = cmd.Args(cmd, cmd.Flags().Args())
	}
	if err != nil {
		return err.Error()
	}
	return ""
}
