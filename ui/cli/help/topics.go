package help

// Topic is a part of a page with a title. One with a name is what "geodeck help NAME" says, and a section
// of docs/scripting.md and of geodeck(1).
type Topic struct {
	Name, Title, Short string
	Parts              []Part
}

// Part is a paragraph, an example, a list, and rows of a word and what it means. Words of a command line stand in
// backticks.
type Part struct {
	Text  string
	Block string // keeps its lines
	List  []string
	Head  [2]string // of the columns, on a page
	Rows  [][2]string
}

// Topics are those of the docs.
var Topics = []Topic{
	{Name: "environment", Title: "Environment", Short: "Variables that geodeck reads", Parts: []Part{
		{Text: "A flag goes before its variable, and that before config.yaml. Those about a site are for the chosen one alone."},
		{Head: [2]string{"Variable", "Meaning"}, Rows: [][2]string{
			{"GEODECK_SITE", "name of a site of config.yaml, as `--site`"},
			{"GEODECK_URL", "administrative root of the site, as `--url`"},
			{"GEODECK_TOKEN", "the token itself; programs that geodeck runs do not see it"},
			{"GEODECK_AUTH_HEADER", "header of the token, as `--auth-header`"},
			{"GEODECK_CONFIG", "file of the sites, as `--config`"},
			{"GEODECK_SLOW", "`1` polls the site at half the pace, as `--slow`"},
			{"GEODECK_NODES", "file with the nodes of the cluster, as `--nodes`"},
			{"GEODECK_NODES_COMMAND", "command that prints the nodes, as `--nodes-command`"},
			{"GEODECK_ALARMS", "what an alarm does, as `--alarms`"},
			{"GEODECK_HOOK", "program that an alarm runs, as `--hook`"},
			{"GEODECK_PAINT", "how the dashboard draws, as `--paint`"},
			{"VISUAL, EDITOR", "your editor; the first that is set, else vi"},
			{"HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "the proxy, where config.yaml names none for the site"},
			{"SSL_CERT_FILE, SSL_CERT_DIR", "certificate authorities in place of the system's"},
			{"XDG_CONFIG_HOME, XDG_STATE_HOME", "where config.yaml and the records of sites are; else `~/.config` and `~/.local/state`"},
			{"NO_COLOR", "no colours, as `--no-color`"},
			{"LC_ALL, LC_CTYPE, LANG", "ASCII is drawn where none says UTF-8, as `--ascii`"},
			{"COLORFGBG, TERM", "background and kind of the terminal; see `--theme`"},
		}},
	}},
	{Name: "exit-codes", Title: "Exit codes", Short: "What each exit code means", Parts: []Part{
		{Head: [2]string{"Exit code", "Meaning"}, Rows: [][2]string{
			{"0", "done"},
			{"1", "it was done and failed, or found something: see below"},
			{"2", "usage or bad input: a flag, an address, a file, an id that does not exist"},
			{"3", "sign-in needed or refused"},
			{"4", "refused: a finding that `--accept` does not name (docs/gates.md), a definition that has changed in the meantime, a plan that does not fit, privilege, read-only, locked, something else is running, the site is too old; an upgrade that is blocked or refused, or has a finding that `--accept` does not name; nothing can be recorded, or what was recorded cannot be read"},
			{"5", "unreachable: no answer, or not from the platform, or none before `--timeout` was over; an upgrade was not sent"},
			{"6", "outcome unknown: the change was sent, now or earlier, and may have happened; for `upgrade watch`: the upgrade ended, outcome unknown"},
			{"7", "the site was still working when `--timeout` was over; 5 if there had been no answer by then"},
			{"129", "the terminal of the dashboard is gone (SIGHUP)"},
			{"130", "interrupted (Ctrl+C, SIGINT); the job continues at the site, and its id is printed. `serve` ends with 0"},
			{"131, 134", "ended by SIGQUIT or SIGABRT; the message names a private file with the stack"},
			{"143", "ended by SIGTERM, otherwise as 130; also the dashboard and `serve`"},
		}},
		{Text: "Exit code 1 means one of these:"},
		{List: []string{
			"a definition or placement policy was accepted but not kept;",
			"rules have findings other than notes, or no node takes the pods;",
			"`diff`, `service diff` or `placement diff` found a difference;",
			"the health check did not pass, or the job did not complete;",
			"`upgrade plan`: something blocks the upgrade;",
			"`upgrade watch` and `upgrade status`: the upgrade failed; `status`: its state is not known; `watch`: no upgrade runs;",
			"`service status`: the service is not as configured, or its pods are not ready; `placement pods`: its pods are not ready;",
			"`explain`, of an upgrade, a test or a service: there is a fault;",
			"`fleet`: an upgrade failed or is silent, or the newest report of a site failed; `fleet health run`: a report failed;",
			"`log --verify`: something in the record was changed, added or removed, or a write that left files is not in it;",
			"the site reports an error.",
		}},
		{Text: "If a command waits and the site does not answer, the command says so once, and the message of `--timeout` names the cause."},
		{Text: "If geodeck itself fails, a message says so and names a private file in the state folder. The file has the stack and no secrets. Send it with your bug report."},
	}},
	{Name: "output", Title: "Output", Short: "Tables, JSON, colours, and where errors go", Parts: []Part{
		{Text: "Results go to standard output; messages and progress go to standard error. Times in tables are UTC: those of the site by its own clock, those of this machine's records by this machine's."},
		{Head: [2]string{"Flag", "Output"}, Rows: [][2]string{
			{"`-o table`", "tables for people, cut to the width of a terminal, whole into a pipe"},
			{"`-o json`", "the platform's own object if it has one (a report, a job), otherwise an array; a watch prints lines"},
			{"`-o jsonl`", "a line of JSON for each thing"},
			{"`--plain`", "no colours and only ASCII, words in place of signs"},
			{"`--no-color`, `--ascii`", "one of the two"},
			{"`--theme auto|dark|light`", "background of the terminal"},
		}},
		{Text: "With `-o json` every line on standard error is JSON as well: `{\"notice\":{...}}`, or `{\"error\":{...}}` with kind, operation, message, code (the platform's, 0 if it gave none), details and exitCode. If known, advice says what to do next, and privilege names the privilege that the user lacks."},
	}},
}
