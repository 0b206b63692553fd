package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"geodeck/ui/uitest/clitest"
)

// wrongLine is a command line that somebody mistyped.
type wrongLine struct {
	code  int
	line  string
	wrong string // what it says is wrong
	do    string // what it says to do
}

// filesOfWrongLines are what the lines name with a slash.
var filesOfWrongLines = map[string]string{
	"empty.json": "", "text.json": "hello", "list.json": "[]", "cut.json": `{"id":"a"`, "other.json": `{"name":"x"}`, "rules.json": `{"nodeAffinity":{},"tolerations":[]}`,
	"version.dat": "", "folder/keep": "", "checkout/.geodeck.json": "{", "token": "x",
	"config.yaml": "current: staging\nsites:\n  staging: {url: SITE}\n  production: {url: SITE, readOnly: true}\n",
}

var wrongLines = []wrongLine{
	// A command that does not exist.
	{2, "helth run", "helth", "Did you mean geodeck health?"},
	{2, "servce list", "servce", "geodeck service?"},
	{2, "run health", "run", "See: geodeck --help"},
	{2, "health rnu", "rnu", "Did you mean geodeck health run"},
	{2, "health list", "list", "Did you mean geodeck health reports"},
	{2, "service ls", "ls", "Did you mean geodeck service list"},
	{2, "service restart Roads.MapServer", "restart", "geodeck service start"},
	{2, "service delete Roads.MapServer", "delete", "See: geodeck service --help"},
	{2, "service aply Roads.MapServer -f /list.json", "aply", "Did you mean geodeck service apply"},
	{2, "placement edit Roads.MapServer", "edit", "Did you mean geodeck placement apply"},
	{2, "upgrade begin pat_12082025_6805", "begin", "Did you mean geodeck upgrade start"},
	{2, "upgrade list", "list", "Did you mean geodeck upgrade available"},
	{2, "upgrade statsu", "statsu", "Did you mean geodeck upgrade status"},
	{2, "job show j1", "show", "Did you mean geodeck job get"},
	{2, "jobs list", "jobs", "Did you mean geodeck job?"},
	{2, "fleet helth run", "helth", "Did you mean geodeck fleet health"},
	{2, "fleet health rn --wait", "rn", "Did you mean geodeck fleet health run"},
	{2, "site delete staging", "delete", "Did you mean geodeck site remove"},
	{2, "site rename staging stage", "rename", "See: geodeck site --help"},
	{2, "push -d /checkout", "push", "Did you mean geodeck pull?"},
	{2, "help flgs", "flgs", "Did you mean flags?"},
	{2, "help exit", "exit", "Did you mean exit-codes?"},
	{2, "help health rnu", "rnu", "Did you mean geodeck health run"},
	{2, "health", "say which", "See: geodeck health --help"},
	{2, "completion tcsh", "tcsh", "bash, zsh, fish, powershell"},

	// A flag that the command lacks.
	{2, "health run --fial-on any", "--fial-on", "Did you mean --fail-on?"},
	{2, "health run --wait", "--wait", "See: geodeck health run --help"},
	{2, "health run --ouput json", "--ouput", "Did you mean --output?"},
	{2, "health export --output-file x.json", "--output-file", "See: geodeck health export --help"},
	{2, "health export -f /list.json", "-f", "Did you mean --fail-on or --force or --format?"},
	{2, "service list --folder Hosted", "--folder", "See: geodeck service list --help"},
	{2, "service apply SampleWorldCities.MapServer --file-name /list.json", "--file-name", "See: geodeck service apply --help"},
	{2, "service edit SampleWorldCities.MapServer --st a=1", "--st", "Did you mean --set or --state-dir?"},
	{2, "service edit SampleWorldCities.MapServer -f /list.json", "-f", "See: geodeck service edit --help"},
	{2, "service start SampleWorldCities.MapServer --yes", "--yes", "Leave it out. Without a terminal nothing is asked."},
	{2, "apply -d /folder --prune", "--prune", "See: geodeck apply --help"},
	{2, "apply -d /folder --force", "--force", "See: geodeck apply --help"},
	{2, "diff -d /folder --dry-run", "--dry-run", "See: geodeck diff --help"},
	{2, "diff -f /list.json", "-f", "See: geodeck diff --help"},
	{2, "upgrade start pat_12082025_6805 --comfirm 11.5.0.6805", "--comfirm", "Did you mean --confirm?"},
	{2, "upgrade watch --once", "--once", "See: geodeck upgrade watch --help"},
	{2, "fleet --filer prod", "--filer", "Did you mean --filter?"},
	{2, "whoami --user siteadmin", "--user", "See: geodeck whoami --help"},
	{2, "log --sincce 2h", "--sincce", "Did you mean --since?"},
	{2, "whoami --token abc", "token on the command line", "GEODECK_TOKEN"},
	{2, "health reports --json", "--json", "Did you mean --output json?"},
	{2, "service list -q", "-q", "See: geodeck service list --help"},

	// A flag without its value, or with one of another kind.
	{2, "health run --name", "--name", "See: geodeck health run --help"},
	{2, "service apply SampleWorldCities.MapServer -f", "flag needs an argument: 'f' in -f", "See: geodeck service apply --help"},
	{2, "health reports -o", "flag needs an argument: 'o' in -o", "See: geodeck health reports --help"},
	{2, "health reports --limit ten", `"ten"`, "a whole number"},
	{2, "health reports --limit -3", `"-3"`, "a whole number from 0 on"},
	{2, "job list --limit 1.5", `"1.5"`, "a whole number"},
	{2, "health run --timeout 15", `"15"`, "90s or 15m"},
	{2, "health run --timeout -5m", "-5m", "such as 90s"},
	{2, "token --expires 12", `"12"`, "90s or 15m"},
	{2, "fleet --max-age 24", `"24"`, "24h"},
	{2, "fleet --max-age old", `"old"`, "24h"},
	{2, "log --since yesterday", `"yesterday"`, "2h"},
	{2, "log --since 2026-13-01", "2026-13-01", "2026-11-20"},
	{2, "log --since 20m30", "20m30", "2h or 7d"},
	{2, "health run --sync=maybe", `"maybe"`, "true or false"},
	{2, "serve --seed x", `"x"`, "a whole number"},

	// A word that a flag does not know.
	{2, "health reports -o yaml", `"yaml"`, "table, json, jsonl"},
	{2, "job get ---limit", "---limit", "See: geodeck job get --help"},
	{2, "health reports --ojson", "--ojson", "See: geodeck health reports --help"},
	{2, "health run --fail-on never", `"never"`, "any, critical, new, failed"},
	{2, "health run --fail-on warnings", `"warnings"`, "any, critical, new, failed"},
	{2, "health reports --result good", `"good"`, "passed, failed"},
	{2, "health export --format pdf", `"pdf"`, "json, csv, md, html"},
	{2, "health run --baseline last", "--baseline last", "The reports: geodeck health reports"},
	{2, "health export --baseline nightly", "--baseline nightly", "The reports: geodeck health reports"},
	{2, "health run --suite BSHC-999", `"BSHC-999"`, "nothing was sent"},
	{2, "upgrade start pat_12082025_6805 --accept helth --confirm 11.5.0.6805", `"helth"`, "health"},
	{2, "service edit SampleWorldCities.MapServer --set properties.maxRecordCount=5 --accept removed", `"removed"`, "removed-key"},
	{2, "upgrade watch --alarms loud", "loud", "bell"},
	{2, "version --theme pink", `"pink"`, "auto, dark, light"},
	{2, "demo --scenario helthy", "helthy", "healthy"},
	{2, "serve --scenario degrade", "degrade", "degraded"},

	// Too many arguments, too few, an empty one.
	{2, "health compare one.json", "an argument is missing: AFTER", "Usage: geodeck health compare BEFORE AFTER"},
	{2, "health delete", "an argument is missing: ID", "Usage: geodeck health delete ID..."},
	{2, "service get", "an argument is missing: [FOLDER/]NAME.TYPE", "Usage: geodeck service get"},
	{2, "service get SampleWorldCities.MapServer Roads.MapServer", `"Roads.MapServer"`, "Usage: geodeck service get"},
	{2, "service restore SampleWorldCities.MapServer", "an argument is missing: ID", "Usage: geodeck service restore"},
	{2, "upgrade start", "an argument is missing: ID", "Usage: geodeck upgrade start ID"},
	{2, "man", "an argument is missing: DIR", "Usage: geodeck man DIR"},
	{2, "job get ''", "an argument is empty", "Usage: geodeck job get ID"},
	{2, "version now", `"now"`, "Usage: geodeck version"},

	// Two flags, one at a time.
	{2, "placement apply SampleWorldCities.MapServer --preset spread -f /list.json", "--preset", "Use one of them at a time"},
	{2, "service edit SampleWorldCities.MapServer --continue --discard", "--continue and --discard", "Use one of them at a time"},
	{2, "service apply -f /list.json --plan /list.json", "--plan", "Use one of them at a time"},
	{2, "whoami --site staging --url https://gis.example.org/gis/admin", "a name and an address", "Leave out --site or --url"},
	{2, "placement simulate /list.json --nodes /list.json --nodes-command kubectl", "not both", "Leave out --nodes or --nodes-command"},

	// A service, report, update, site, job, preset or place in JSON that is not there.
	{2, "service get SampleWorldCites.MapServer", "SampleWorldCites.MapServer", "Did you mean SampleWorldCities.MapServer?"},
	{2, "service get SampleWorldCities", "not SampleWorldCities", "use Folder/Name.MapServer"},
	{2, "service stop Cities.MapServer --dry-run", "Cities.MapServer", "geodeck service list"},
	{2, "service stop SampleWorldCities.MapServer", "users of the service lose access", "--confirm SampleWorldCities"},
	{2, "service list Hostd", "Hostd", "geodeck service list"},
	{2, "placement get SampleWorldCities.FeatureServer", "SampleWorldCities.FeatureServer", "Did you mean SampleWorldCities.MapServer?"},
	{2, "placement apply SampleWorldCities.MapServer --preset spred", `"spred"`, "geodeck placement presets"},
	{2, "placement presets dedicate", `"dedicate"`, "Did you mean dedicated?"},
	{2, "placement apply SampleWorldCities.MapServer --from Rods.MapServer", "Rods.MapServer", "geodeck service list"},
	{2, "health report nosuchrep", "nosuchrep", "geodeck health reports"},
	{2, "health delete nosuchrep", "nosuchrep", "geodeck health reports"},
	{2, "health explain nosuchrep", "nosuchrep", "geodeck health reports"},
	{2, "upgrade plan pat_12082025_6806", "pat_12082025_6806", "Did you mean pat_12082025_6805?"},
	{2, "upgrade start pat_12082025 --confirm 11.5.0.6805", "pat_12082025", "geodeck upgrade available"},
	{2, "upgrade start pat_12082025_6805 --accept health,placement --confirm 11.5.0", `"11.5.0"`, "which is 11.5.0.6805"},
	{2, "job get nosuchjob", "nosuchjob", "geodeck job list"},
	{2, "job wait nosuchjob", "nosuchjob", "geodeck job list"},
	{2, "whoami --site stagin", "stagin", "Did you mean staging?"},
	{2, "site use productoin", "productoin", "Did you mean production?"},
	{2, "fleet --filter prodction", "prodction", "geodeck site list"},
	{2, "fleet compare staging prod", "prod", "production"},
	{2, "log nosuchrecord", "nosuchrecord", "geodeck log"},
	{2, "upgrade transcripts nosuch", "nosuch", "geodeck upgrade transcripts"},
	{2, "upgrade rollback 11.4.0.1", "11.4.0.1", "geodeck upgrade history"},
	{2, "service history SampleWorldCities.MapServer nosuch", "nosuch", "geodeck service history"},
	{2, "service restore SampleWorldCities.MapServer nosuch", "nosuch", "geodeck service history"},
	{2, "service edit SampleWorldCities.MapServer --set maxRecordCount", `"maxRecordCount" is not PATH=VALUE`, "such as"},
	{2, "service edit SampleWorldCities.MapServer --set a[=5", `"a["`, "write it like"},
	{2, "service edit SampleWorldCities.MapServer --set =5", `"=5"`, "PATH=VALUE"},
	{4, "service start SampleWorldCities.MapServer --site production", "production", "--unlock production"},
	{4, "service stop SampleWorldCities.MapServer --confirm SampleWorldCities --read-only", "--read-only", "nothing was sent"},

	// A file or a folder that is not what it should be.
	{2, "service apply SampleWorldCities.MapServer -f /missing.json", "missing.json", "Check its name"},
	{2, "service apply SampleWorldCities.MapServer -f /empty.json", "empty.json", "the text is empty"},
	{2, "service apply SampleWorldCities.MapServer -f /text.json", "text.json", "\"hello\""},
	{2, "service apply SampleWorldCities.MapServer -f /list.json", "list.json", "must be an object; this is a list"},
	{2, "service apply SampleWorldCities.MapServer -f /cut.json", "cut.json", "line 1, column 10"},
	{2, "service apply SampleWorldCities.MapServer -f /folder", "folder", "is a folder, not a file"},
	{2, "service apply --plan /other.json", "other.json", "--save-plan"},
	{2, "placement check /missing.json", "missing.json", "Check its name"},
	{2, "placement check /empty.json", "empty.json", "the text is empty"},
	{2, "placement simulate /rules.json --nodes /text.json", "text.json", ""},
	{2, "placement simulate /rules.json", "--nodes", ""},
	{2, "health report /folder", "folder", "is a folder, not a file"},
	{2, "health report /empty.json", "empty.json", "not JSON, or cut off"},
	{2, "health compare /missing.json /list.json", "missing.json", "Check its name"},
	{2, "diff -d /missing", "missing", "geodeck pull -d"},
	{2, "diff -d /folder", "folder", "geodeck pull -d"},
	{2, "apply -d /checkout --yes", ".geodeck.json", "pull again"},
	{2, "apply -d /empty.json --yes", "empty.json", "not a directory"},
	{2, "pull -d /empty.json", "empty.json", "not a directory"},
	{2, "pull -d /folder Nosuch.*", "Nosuch.*", "geodeck service list"},
	{2, "upgrade import-manifest /missing.dat", "missing.dat", "Check its name"},
	{2, "upgrade start rel_11122025_7286 --license /missing.json --confirm 12.0.0.7286", "missing.json", "nothing was sent\nCheck its name"},
	{2, "upgrade plan rel_11122025_7286 --settings /text.json", "text.json", "geodeck upgrade settings rel_11122025_7286"},
	{2, "whoami --token-file /missing", "missing", "Check"},
	{2, "whoami --ca /text.json", "--ca: text.json", "no PEM certificate"},
	{2, "whoami --config /missing.yaml --site staging", "missing.yaml", "geodeck site add"},
	{2, "log --verify --anchor /missing", "missing", "Check its name"},
	{2, "health export --out /list.json", "list.json", "--force"},

	// An address that is none.
	{2, "whoami --url ftp://gis.example.org/gis/admin", "ftp://", "begins with https://"},
	{2, "whoami --url https://", "names no host", "use https://"},
	{2, "whoami --url http://gis.example.org/gis/admin", "http", "--insecure"},
	{2, "whoami --url https://me:secret@gis.example.org/gis/admin", "password", "sign in instead"},
	{2, "site add new", "say the address", "with --url"},
	{2, "site add 'new site' --url https://gis.example.org/gis/admin", `"new site"`, "Use letters"},
	{2, "site add staging --url https://gis.example.org/gis/admin", "staging", "geodeck site edit staging"},
	{2, "site add new --url https://gis.example.org/gis/admin --sign-in vault", "--sign-in", "keyring, ask"},
	{2, "site add new --url https://gis.example.org/gis/admin --poll fast", "fast", "slow"},
	{2, "site add new --url https://gis.example.org/gis/admin --proxy gis:x", "proxy", "http://"},
	{2, "site edit staing --user me", "staing", "staging"},
	{2, "site remove stagng", "stagng", "staging"},
	{2, "serve --listen here", "here", "127.0.0.1"},
	{2, "whoami --auth-header Cookie", "Cookie", "Authorization"},
}

// A hundred and more command lines as people mistype them: each ends with a code of its own, names
// the word that is wrong and what to do, in a few lines, and nothing is sent.
func TestAWrongCommandLineNamesTheWordAndWhatToDo(t *testing.T) {
	t.Parallel()
	clock, env, site := clitest.SiteOnAWire(t, "healthy")
	folder := t.TempDir()
	for name, content := range filesOfWrongLines {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(content, "SITE", env["GEODECK_URL"])), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range wrongLines {
		t.Run(w.line, func(t *testing.T) {
			args := argumentsOf(w.line, folder)
			with := env
			if strings.Contains(w.line, "--site ") || strings.HasPrefix(w.line, "fleet") || strings.HasPrefix(w.line, "site ") {
				with = clitest.With(env, "GEODECK_URL", "", "GEODECK_CONFIG", filepath.Join(folder, "config.yaml"))
			}
			r := clitest.RunInProcess(t, clock, with, args...)
			said := strings.ReplaceAll(r.Err, folder+"/", "")
			if os.Getenv("SHOW") != "" {
				t.Logf("%d\n%s%s", r.Code, r.Out, said)
			}
			if r.Code != w.code || r.Out != "" || !strings.Contains(said, w.wrong) || !strings.Contains(said, w.do) {
				t.Errorf("%d, want %d with %q and %q: it says\n%s%s", r.Code, w.code, w.wrong, w.do, r.Out, said)
			}
			if strings.Count(said, "\n") > 4 {
				t.Errorf("it says too much:\n%s", said)
			}
			for _, sentence := range sentenceEnds.Split(said, -1) {
				if words := strings.Fields(addresses.ReplaceAllString(sentence, "")); len(words) > longestSentence && !strings.Contains(sentence, ", ") {
					t.Errorf("%d words in a sentence: %s", len(words), sentence)
				}
			}
		})
	}
	if sent := site.Writes(); len(sent) > 0 {
		t.Errorf("it was sent: %q", sent)
	}
}

// sentenceEnds end what is read at once; addresses are words of a command that are long.
var sentenceEnds, addresses = regexp.MustCompile(`[.;:?]\s|\n`), regexp.MustCompile(`--url \S+`)

// longestSentence is how many words a sentence may have that is no list.
const longestSentence = 14

// argumentsOf are the words of a line, where single quotes hold one together. A word that begins
// with / is a file of folder.
func argumentsOf(line, folder string) (args []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			args = append(args, part)
			continue
		}
		for _, word := range strings.Fields(part) {
			if strings.HasPrefix(word, "/") {
				word = folder + word
			}
			args = append(args, word)
		}
	}
	return args
}
