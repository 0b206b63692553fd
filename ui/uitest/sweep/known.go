package sweep

import (
	"fmt"
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/journal/memdisk"
	"geodeck/ui/uitest/sweep/oracle"
)

// Known are what a sweep of [Enough] days must have met, and on how many of a thousand days,
// see [Verdict.Met]; 0 is one day of all. All that can be drawn is there by itself, and each
// state of the screen: only what a play meets of its own accord is named here.
func Known() map[string]int {
	known := map[string]int{"drift": 10, "an earlier write is in the way": 10, theLock: 10, "a batch is interrupted": 10,
		"what cannot be read is accepted": 10, "a whole transcript": 10, settledLater: 10,
		"watch: succeeded": 10, "watch: ended otherwise": 10, "told: killed": 10, "told: done, and broken": 10}
	for _, o := range []adminapi.Outcome{adminapi.OutcomeDone, adminapi.OutcomeNotSent, adminapi.OutcomeRefused, adminapi.OutcomeUnknown} {
		known["told: "+o.String()] = 10
	}
	for _, state := range []string{"review", "a draft is offered", "the text of an editor is offered", "result done", "health check done", "start done", "an upgrade is offered to be watched"} {
		known["screen: "+state] = 10
	}
	for _, rare := range rarely {
		known[rare] = 0
	}
	for _, one := range slips {
		known["a word is given "+one.name] = 0
	}
	for _, one := range nos {
		known["a question gets "+one.name] = 0
	}
	for _, what := range []string{"a paste", "the end of a paste in two reads", "a sequence in two reads", "a terminal answers in between", "letters in one read",
		"a terminal that does not mark what is pasted"} {
		known["keys: "+what] = 10
	}
	for _, what := range []string{"a frame is compared", "it ends", "its terminal hangs up", "it is stopped with ctrl+z", "an editor gets it"} {
		known["terminal: "+what] = 10
	}
	for _, one := range savings {
		known["an editor leaves "+one.name] = 0
	}
	for _, one := range noManifests {
		known["a manifest is "+one.name] = 0
	}
	for n := range 3 {
		known[fmt.Sprintf("others change something while a review is open, time %d", n+1)] = 0
	}
	for _, rule := range oracle.Rules() {
		known[rule] = 0
	}
	known["a doctor is led astray"] = 0
	for _, what := range handled {
		known[byHand+": "+what] = 0
	}
	for _, what := range lookedAt {
		known["a look at "+what] = 0
	}
	for _, of := range viewed {
		known["a look at the list of "+of.view] = 5
	}
	for _, what := range []string{"upgrade", "service", "health"} {
		known["explained: "+what] = 10
	}
	known["it is asked how long an upgrade takes"] = 10
	for _, way := range ways {
		known["a site is named by "+way] = 0
	}
	for _, one := range shows {
		known["screen: "+one.name] = 0
	}
	for _, state := range states {
		known["screen: "+state.name] = 10
	}
	for _, what := range []string{"export", "report", "compare"} {
		known["a report is handed on: "+what] = 5
	}
	known["a read fails"] = 10
	known["screen: session expired"] = 5 // by far not on each day of a dashboard
	for _, what := range whats {
		known["line: "+what] = 10
	}
	known["line: again"] = 0 // few requests may be answered with an old answer
	for _, what := range outages {
		known["outage: "+what] = 5
	}
	for _, op := range diskOps {
		for _, kind := range slices.Concat(diskKinds(op), kills) {
			known["disk: "+kind.String()] = 10
		}
	}
	known["disk: "+memdisk.Torn.String()], known["disk: "+memdisk.Denied.String()] = 0, 0
	known["disk: "+memdisk.Held.String()] = 5 // not by the dashboard, which waits for such a lock in real time
	for _, what := range metKeeping {
		known[what] = 0
	}
	for _, drop := range lineDrops {
		known[drop.name] = 5
	}
	for _, t := range slices.Concat(beforehands...) {
		known["oddity: "+t.(oddity).name] = 0
	}
	for _, p := range Plays {
		known["play: "+p.Want+" by "+p.Face] = 10
		for _, t := range append(odditiesOf(p.Want, p.Face), editsAtStake(p.Want, p.Face)...) {
			if o, ok := t.(oddity); ok {
				known["oddity: "+o.name] = 0
			}
		}
		for _, t := range troublesOfWatches((&Day{}).random("known"), p.Want, p.Face) {
			known["oddity: "+t.(oddity).name] = 5
		}
		for _, h := range slices.Concat(happeningsOf(p.Want, (&Day{}).random("known")), intruders(p.Want)) {
			known[h.name] = 5
		}
	}
	for _, h := range slices.Concat(othersDelete, othersImport) { // of two plays
		known[h.name] = 0
	}
	return known
}

// Enough is how many days show whether the sweep meets what it should.
const Enough = 2000

// rarely are states that only a play of its own leads to.
var rarely = []string{
	"two writes are open", "an edit over one that never arrived is open", "an outcome is looked for during an outage",
	"an open write is looked at: done", "an open write is looked at: unknown", "the log is listed by a command",
	"another spelling of a service with an open write", "each of several versions is in the history", "one of several versions is restored",
	"an older sent edit is left", "two programs have one edit open", "the draft of an earlier program is found", "a draft was sent",
	"an upgrade begins late", "an outage while an upgrade is looked for", "messages come while an upgrade is looked for",
	"another's upgrade after ours was lost", "the next program comes a day later", "an open upgrade is looked for a day later",
	"a changed outcome is looked for in the log", "an earlier copy is looked for in the log", "a check from another machine", "messages repeat the password", "fleet: valley unknown",
	"the line drops before an upgrade is sent", "an accepted upgrade is asked for again",
	"a backup is spoiled", "what cannot be read is accepted", "a draft of a program that runs is taken over",
	"two programs have editors open", "a conflict is shown",
	"a password is learned that messages have repeated",
	"a check that fails by what is new: exit 0", "a check that fails by what is new: exit 1",
	"a command with --read-only", "a command with the name of another site", "a command by another name of a locked site",
	"a broken file is refused", "a dry run shows what would be sent", "a file is edited: anew", "a file is edited: broken", "a file is edited: deleted",
	"a file is edited: left", "a file is edited: removal", "a file is edited: value", "a file is edited while a pull goes on", "a file is edited while an apply goes on",
	"a file overwrites what others changed", "a plan of files is sent", "a pull has no room", "a pull is killed", "a pull keeps an edited file",
	"an apply has no room", "an edit is made again in a file", "everything is pulled over what is there", "files are compared: exit 0",
	"files are compared: exit 1", "files are compared: exit 2", "others edit what is checked out",
	"a dashboard is open over a silence", "a site comes back to an open dashboard", "another switches the mode", "another begins an upgrade",
	"another starts or stops a service", "a site is come back to", "a site is unlocked by the flag of the start",
	"a site that a flag had unlocked is come back to", "a draft is left for another site", "a question before a site is left",
	"an edit elsewhere: done", "an upgrade of somebody else is watched",
	"a draft is saved beside another one", "the draft of a program of another machine is seen", "a message that could not be kept is given again",
	"the record is damaged", "a damaged record goes on", "anchors of the record are made", "a file of anchors is damaged", "a backup is spoiled before the next attempt", "a program that has a right is killed", "a right ends while another program asks for it",
	"a program waits in the middle of what it keeps: killed", "a program waits in the middle of what it keeps: went on",
	"several programs ask for one right", "the draft of a killed program is taken over", "the draft of a program that runs is not discarded",
	"a site repeats a token", "a site repeats a password: secret", "a site repeats a password: word", "a site repeats a password: short",
	"a wrong password is a word", "a debug file is nearly full: true", "the file of --debug", "the bundle of a doctor",
	"a batch is continued by its plan", "a command is interrupted", "the rest of a batch waits", "others edit the first service that a batch has left",
	"an open edit is asked for again at once", "a check of others overlaps that of the night", "a report of an earlier night cannot be read",
	"an answer with words to a write that was made", "an answer with words to a write that was not made",
	"another stops a service before a look", "another starts a service before a look", "another runs a health check before a look", "another begins an upgrade before a look",
	"a look at all sites: screen", "a look at all sites: json", "a look at all sites: jsonl", "a look at all sites: table", "a dashboard with --read-only",
	"a fleet command with --read-only", "a fleet command with a name of no site", "a fleet command beside a config.yaml that cannot be read",
	"a fleet command after a site was locked", "a site of the fleet: a part of it may not be read any more", "a site of the fleet: it goes away or comes back",
	"a site of the fleet: an upgrade is begun", "a site of the fleet: its mode is switched", "the end of an upgrade is dismissed",
	"a command with the id of no report", "a manifest is one that no site takes", "screen: deletion done", "screen: deletion refused", "screen: import done", "screen: import refused",
	"a filtered list", "what was edited is found again", "another batch over the same services", "an open write may be sent again", "a command wants a sign-in", "a printed command: it reads", "a printed command: it sends",
	"a look at upgrade plan with what is filled in", "a look at upgrade start with what is filled in", "the command of a review is sent", "a draft of an upgrade is offered",
	"a finding is accepted: health", "a finding is accepted: placement", "a finding is accepted: backup", "a finding is accepted: mode", "a finding is accepted: licence",
	"a finding is accepted: privileges",
	"a definition holds secrets", "another changes what is secret", "a secret is edited", "a command with --dry-run",
	"others edit rules meanwhile", "rules by preset", "rules by from", "rules by rules", "rules by plan", "rules by base", "rules for several services", "a command with a plan that is wrong", "a command with a plan of what others have changed since",
	"placement simulate, and nodes that are wrong: true", "placement check, and nodes that are wrong: false", "placement explain, and nodes that are wrong: false",
	"a form asks for more once it is sent", "a form is left and come back to", "a program is killed with a form open", "the hidden fields of a form are shown",
	"an answer is changed on the next visit: choice", "an answer is changed on the next visit: path", "an answer is changed on the next visit: JSON",
	"a wrong value is typed: path", "a wrong value is typed: JSON", "screen: review of a form",
	"what a review names is accepted by its word", "enter is pressed twice", "a y is held", "a question is answered with no first",
}
