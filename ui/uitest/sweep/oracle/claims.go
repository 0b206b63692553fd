package oracle

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// claim is a form of words about an outcome, and whether it is so at this time.
type claim struct {
	words *regexp.Regexp
	is    func(s Saying, line string, said []string) bool
}

func words(expr string, is func(s Saying, line string, said []string) bool) claim {
	return claim{regexp.MustCompile(expr), is}
}

// outcomes are the words of outcomes: a line with one of them has to be a known claim.
var outcomes = []string{"done", "not sent", "nothing was sent", "refused", "unknown", "running", "succeeded", "failed", "rolled back", "unfinished",
	"silent", "accepted", "arrived", "ended", "lost", "unchanged", "has the new", "has everything"}

var outcomeWords = regexp.MustCompile(`(?i)\b(?:` + strings.Join(outcomes, "|") + `)\b`)

// tellsOutcome reports whether a line has such words. Few lines do: what is cheaper is looked for first.
func tellsOutcome(line string) bool {
	line = strings.ToLower(line)
	return slices.ContainsFunc(outcomes, func(words string) bool { return strings.Contains(line, words) }) && outcomeWords.MatchString(line)
}

// claims are what faces say of outcomes.
var claims = []claim{
	// Of work that a job or an upgrade does.
	words(`(j[0-9a-f]{8}-[0-9a-f-]{27})[^:]*:? (?:ended as )?(COMPLETED|FAILED|CANCELLED|TIMED OUT)`, func(s Saying, _ string, said []string) bool { return s.Day.jobOf(said[1]) == said[2] }),
	words(`(?:ended as|job) (FAILED|CANCELLED|TIMED OUT)`, func(s Saying, line string, said []string) bool {
		return s.Day.jobOf(jobID.FindString(line)) == said[1] || s.any(line, func(w *Write) bool { return s.Day.job(w) == said[1] })
	}),
	words(`(?:Job|The site accepted the .* as job) (j[0-9a-f]{8}-[0-9a-f-]{27})(?: is still running|; its)`, func(s Saying, _ string, said []string) bool {
		return s.Day.jobOf(said[1]) != ""
	}),
	words(`health check runs as job (j[0-9a-f]{8}-[0-9a-f-]{27})`, func(s Saying, _ string, said []string) bool { return s.Day.jobOf(said[1]) != "" }),
	words(`(?:upgrade(?: to \S+)? (?:has )?|✓ )succeeded(?: after|$| ·|;)`, func(s Saying, _ string, _ []string) bool { return s.Day.upgrade() == succeeded }),
	words(`(?:upgrade(?: to \S+)? (?:has )?|(?:Patch|Upgrade to|Rollback to) \S+ |✗ )failed(?: in|$| ·|;)`, func(s Saying, line string, _ []string) bool {
		if strings.Contains(line, "as of ") || strings.Contains(line, "last seen ") { // see [agedIsSo]
			return true
		}
		return s.Day.upgrade() != succeeded && s.Day.upgrade() != running
	}),
	words(`^Upgrade failed$`, func(s Saying, _ string, _ []string) bool { return s.Day.upgrade() == failed }), // of one that does not tell where it leads
	words(`^Patch \S+ failed: rolling back$`, func(s Saying, _ string, _ []string) bool { return s.Day.upgrade() == running || s.Day.told(running) }),
	words(`^(?:✗ )?Another upgrade is running`, func(s Saying, _ string, _ []string) bool {
		return s.Day.upgrade() != running || !s.accepted("upgrade")
	}),
	words(`(?i)the site accepted it, but its end was not seen|^(?:error: |warning: )?accepted, but its end was not seen|^accepted: the (?:upgrade|rollback)|^accepted: the .* was sent|^warning: accepted`, func(s Saying, line string, _ []string) bool { return s.accepted(line) }),
	words(`^([A-Z0-9]+-\d+) {2,}\S+ \S+ {2,}(.+?) {2,}`, func(s Saying, line string, said []string) bool { return s.row(line, said[1], said[2]) }),
	words(`(?:blocked: |^)The upgrade to \S+ failed between releases`, func(s Saying, _ string, _ []string) bool { return s.Day.siteNow().between() }),
	words(`^(?:done: )?Saved as (/[^\s…]+)`, func(_ Saying, _ string, said []string) bool {
		found, _ := filepath.Glob(said[1] + "*") // a narrow frame cuts it
		return len(found) > 0
	}),
	words(`^(?:warning: )?The checks are still running`, func(Saying, string, []string) bool { return true }),                    // of the program, not of the site
	words(`^[A-Z][A-Za-z -]+: (?:danger|caution|not known)[^:]*, accepted`, func(Saying, string, []string) bool { return true }), // at the keys, see [acceptedByName]
	// Of a write.
	words(`(?i)did not keep all of it`, func(s Saying, line string, _ []string) bool {
		return s.any(line, func(w *Write) bool { return w.Accepted && s.Day.Ask(w.document()) != w.text() })
	}),
	words(`only the answer was lost|has arrived anyway|\) is done: |(?i)^done: the site has|^the site has the new|the site has everything that was sent`, func(s Saying, line string, _ []string) bool {
		if strings.Contains(line, "version manifest") && strings.Contains(line, " is done: ") { // once its program has ended, nobody can tell whose import it was
			return true
		}
		return s.any(line, func(w *Write) bool {
			return (w.Accepted || w.Made || s.Day.has(w)) && (!goesOn(s.Day.job(w)) || w.document() == "")
		}) || s.there(line)
	}),
	words(`^(?:(?:done|error): )?Health check(?: failed)?: \d+ of`, func(s Saying, line string, _ []string) bool { return s.accepted("health check") || s.there(line) }),
	words(`still has the old |no run of that name|none was seen to begin since`, func(s Saying, line string, _ []string) bool {
		return !s.any(line, func(w *Write) bool {
			named := serviceIn.MatchString(line) || w.document() == "" || w.Program == s.Program
			return named && w.Accepted && s.Day.latest(w.Intent) && s.Day.lasts(w) && !w.Broken && s.settled(w) && !s.sentBefore(line, w)
		})
	}),
	words(`^Your draft of this .* was sent at .*: done$`, func(s Saying, line string, _ []string) bool {
		return s.any(line, func(w *Write) bool { return w.Accepted || w.Made })
	}),
	words(`was sent at .*: refused|\) is refused: `, func(s Saying, line string, _ []string) bool {
		return !s.any(line, func(w *Write) bool {
			return w.Accepted && (s.Frame || w.Program != s.Program) && !s.sentBefore(line, w)
		}) || s.any(line, func(w *Write) bool { return !w.Accepted })
	}),
	words(`^(?:Running upgrades +)?No upgrade is running`, func(s Saying, _ string, _ []string) bool { return s.Day.upgrade() != running || !s.Day.told(running) }),
	words(`^(\S+Server)(?: \([a-z ]+\))?: (done|unchanged|not sent|refused|not accepted)(?: \(|;|:|$)`, func(s Saying, line string, said []string) bool {
		switch said[2] {
		case "done", "unchanged":
			return s.any(line, func(w *Write) bool { return w.Accepted || w.Made || s.Day.has(w) }) || s.there(line)
		}
		return !s.newest(line)
	}),
	words(`^done: deleted (.+)$|^(?:done: )?Deleted (\S+|check by hand \S+|.+)[.]`, func(s Saying, _ string, said []string) bool {
		return !slices.ContainsFunc(s.Day.reports(), func(r checked) bool { return strings.Contains(said[1], r.ID) || r.Name == said[2] })
	}),
	words(`^(?:done: )?Manifest imported: (\d+) patch(?:es)?, (\d+) releases?[.]`, func(s Saying, line string, said []string) bool {
		return s.Day.wanted(func(i *Intent) bool {
			patches, releases := held(i.Manifest)
			return said[1] == fmt.Sprint(len(patches)) && said[2] == fmt.Sprint(len(releases))
		}) && (s.accepted(line) || s.there(line))
	}),
	words(`the edit is done, but the service does not answer`, func(s Saying, line string, _ []string) bool { return s.accepted(line) }),
	words(`^done: (\S+Server) is (started|stopped)[.]`, func(s Saying, _ string, said []string) bool { return s.Day.isAll(said[1], said[2]) }),
	words(`^running$`, func(s Saying, _ string, _ []string) bool { return s.Day.upgrade() == running || s.Day.told(running) }), // the newest run in a list
	words(`^(?:warning: )?An upgrade is running(?:$|: until it ends|[.] Watch)`, func(s Saying, _ string, _ []string) bool {
		return s.Day.upgrade() == running || s.Day.told(running) || s.Frame && s.Day.toldLately(running, s.At)
	}),
	words(`(?i)nothing was sent|was not sent; it is safe|(?:upgrade|it) was not sent$|the upgrade was not started: |^cannot edit .*: the connection was refused|^(?:warning: )?The .* was not sent[.]|^cannot (?:delete reports|import the version manifest): .*not accepted`, func(s Saying, line string, _ []string) bool {
		again := strings.Contains(line, "an earlier request to ") || strings.Contains(line, "is changing this now") // of a second attempt
		own := func(w *Write) bool {
			service := strings.TrimSuffix(strings.TrimPrefix(w.document(), "/services/"), "/placementPolicy")
			return w.Program == s.Program && strings.Contains(line, service)
		}
		return again && (s.Frame || len(s.Day.sent(own)) == 0) || !s.newest(line)
	}),
	words(`^The site reports nothing now[.] Retrying: .*: the connection was refused`, func(s Saying, _ string, _ []string) bool { return s.Day.turnedAway(s.Program, s.At) }),
	words(`(?i)^(?:error: )?(?:the site|health check) refused`, func(s Saying, line string, _ []string) bool { return !s.newest(line) }),
}

// silentAbout are lines with such words that claim nothing which a ledger could deny.
var silentAbout = regexp.MustCompile(strings.Join([]string{
	`(?i)outcome (?:is )?(?:still )?unknown`, `an unknown outcome`, `(?:is|are) unknown`, `^(?:(?:Patch|Upgrade|Rollback) .*: )?state unknown$`, `not known`, `answer was lost`, `^interrupted`, `may run`,
	`^(?:ok +)?Running (?:upgrades|diagnostics)`, `\bcautions? accepted|caution, accepted`, `^(?:done|warning): signed in`,
	`^cannot sign in: `, `^done: (?:\S+ is unlocked|the site answers|another request may|the earlier request to (?:[^)]*|[^)]*[)] ?)…)`, `be rolled back`,
	`^(?:\S+Server(?: \([a-z ]+\))?: )?(?:the site: no answer at present, [^:]+: )?cannot (?:read|start|edit the service:) `, `^(?:--accept \S+ +)?(?:caution|danger|note)(?:: | · )`, `^[a-z-]+, to accept `, `^(?:caution|danger), `,
	`^\S+Server(?: \([a-z ]+\))?: (?:cannot read |unknown \(|failed \()`, `^(?:warning: )?not running before the edit: `,
	`^[a-z-]+, accepted  `, `^not sent after that: `, `^(?:warning: )?An edit of \d+ services was (?:stopped|interrupted): `, // see the play of batches
	`digits, to accept|digits lost|lost digits`, `\) is …`, `^error: The draft on this machine`, `^error: check address`,
	`(?i)^the site accepted the new`, `^(?:error: )?The site accepted .*(?:,? but did not|…)`, `passed, \d+ running`, `^an upgrade is running; .* when it has ended$`, `(?i)^accepted, but (?:the s|\S+ is not there yet)`, `^\w+ +running(?: [A-Z]|$)`, `^Try again when`, `As of [-0-9: ]+:? (?:An|the) upgrade (?:is|was) running`, `upgrade was running at [0-9:]+; no answer`, `^On the screen, `, `^A running upgrade: `, `^Failed after `,
	`^\w[\w ]*? {2,}(?:\d\d-\d\d \d\d:\d\d|\d{4}-\d\d-\d\d) {2,}`, `^(?:done|succeeded|refused|failed|not sent|unknown|accepted)$`, // a row of Activity, see [activityAgrees], or of earlier upgrades, and what is told beside it
	`^Only the word `, `An edit of \d+ services was stopped: `, // judged against the record by the play of batches
	`^(?:all accepted · |accepted {2,}|(?:caution|danger|note) {2,}|Accepted; space takes)`, // of a review, see [overwritingAccepted]
	`^warning: the rules would be refused as they are; `,                                    // see [verdictsAreSo]
	`^\S+: [a-z-]+ is accepted by --remove`, `no longer what you accepted`, `^The site accepted the .* as job$`, `has been silent for `, `is accepted, but f`, `could not be read`, `has an unknown state: `, `unfinished work can`, `^(?:error: )?failed(?:,| +\d)`, `^\d+ failed(?:, newest last|$)`, `^running `,
	`Not recorded: .*The log is lost`, `^A read-only site takes no files, `, `the document has ended, but the text`,
	`^\d+ of \d+ sites?: `, `^done: dismissed: `, `^Unreachable: connection refused`, `^The last upgrade failed[.] Find out why first`, `^rolled back$`, `^The upgrade has failed, and the site is still in read-only`, `^The (?:last )?upgrade has failed`,
	`^(?:Patch|Upgrade|Rollback) failed(?:: failed)? in `, `^(?:Patch|Upgrade|Rollback) .*: silent since `, `^error: cannot read `,
	`^[\w. -]+: (?:failed|unknown)$`, // the title of an explanation, see [faultIsSo]
	`^known failure, which does not count: `, `counts as good with --fail-on`,
	`tests? did not pass: `, `^the report (?:as a whole is|has no tests|has not ended)`, ` last on \d`, `may have passed in the report of `, `is not in the baseline, `, // see [countsByTests]
	`^\w{10} +\S+ +\w+ +[-\d]+ [:\d]+Z `,                                                                                                                                                                                   // a row of reports, see [aboutShown]
	`^Result +`, `\d+ of \d+ passed`, ` BSHC-\d+ `, `^(?:failed|unknown) +(?:critical|general) `, `^unknown +(?:[-\d:]+ +)*(?:[\d.]+ \w+ +)*before the up`, `^failed +(?:check by hand|\S+) *`, `\d+ (?:new )?failures?\b`, // of a report
	`^Your draft of this .* (?:was not sent|was sent at .*: (?:accepted|unknown))`,
}, "|"))

// row reports whether a line of the log is so: what it says has become of a write is so by now.
func (s Saying) row(line, record, became string) bool {
	sent := s.Day.sent(func(w *Write) bool { return w.Record == record })
	if len(sent) == 0 {
		return became != "done" || s.there(line)
	}
	w := sent[0]
	job, taken := s.Day.job(w), w.Accepted || w.Made || s.Day.has(w)
	switch {
	case became == "done" && w.document() == "" && s.there(line): // as a start or stop wants it, whatever its job is doing
		return taken
	case became == "done":
		return taken && !goesOn(job) && (job == "" || job == "COMPLETED" || s.Day.has(w))
	}
	return became != "not sent" && (taken || !strings.HasPrefix(became, "accepted")) && !(became == "refused" && w.Accepted)
}

// any reports whether a write of the machine on what a line is about fits.
func (s Saying) any(line string, fits func(*Write) bool) bool {
	for _, w := range s.Day.sent(func(w *Write) bool { return w.Changes() && about(line, w) }) {
		if w.Answered && fits(w) {
			return true
		}
	}
	return false
}

// sentAt is the minute of a request that a line is about.
var sentAt = regexp.MustCompile(`was sent at (\d{4}-\d\d-\d\d \d\d:\d\d):`)

// sentBefore reports whether the record has a write in an earlier minute than that of which a line tells: what became of a later
// one, which may never have reached the site, is none of it.
func (s Saying) sentBefore(line string, w *Write) bool {
	said := sentAt.FindStringSubmatch(line)
	if said == nil || w.Recorded.IsZero() {
		return false
	}
	at, err := time.ParseInLocation("2006-01-02 15:04", said[1], s.Clock.Location())
	return err == nil && w.Recorded.Before(at)
}

// accepted reports whether the site has accepted one.
func (s Saying) accepted(line string) bool {
	return s.any(line, func(w *Write) bool { return w.Accepted })
}

// newest reports whether the newest write of the very program on what a line is about was accepted.
func (s Saying) newest(line string) (accepted bool) {
	for _, w := range s.Day.sent(func(w *Write) bool { return w.Changes() && w.Program == s.Program && about(line, w) }) {
		accepted = w.Accepted
	}
	return accepted
}

// settled reports whether a write is so old that what it did was there when the site was read.
func (s Saying) settled(w *Write) bool { return s.At.Sub(w.At) > time.Minute && !goesOn(s.Day.job(w)) }

// there reports whether the site has what somebody wants, whoever has made it so.
func (s Saying) there(line string) bool {
	return s.Day.wanted(func(i *Intent) bool { return i.Has != nil && i.Has() })
}

var serviceIn = regexp.MustCompile(`\b((?:\w+/)?\w+\.\w+Server)\b`)

// about reports whether a line may be about a write, by the words that it has.
func about(line string, w *Write) bool {
	low := strings.ToLower(line)
	switch {
	case strings.Contains(low, "health check"):
		return w.Path == "/healthCheck/run"
	case strings.Contains(low, "manifest"):
		return w.Path == "/system/upgrades/importManifest"
	case strings.Contains(low, "delete"):
		return w.deletes() != nil
	case strings.Contains(low, "placement policy"), strings.Contains(low, "where the pods"):
		return strings.HasSuffix(w.Path, "/placementPolicy/edit")
	case strings.Contains(low, "upgrade"), strings.Contains(low, "rollback"):
		return w.upgrades()
	}
	if service := serviceIn.FindString(line); service != "" {
		return strings.HasPrefix(strings.ToLower(w.Path), strings.ToLower("/services/"+service+"/"))
	}
	return true
}

// lines are the lines of a text that are new to who reads it, without frames and what is around them. In a
// frame only those with a sign before them are whole sentences.
func (s Saying) lines() (all []string) {
	s.Day.mu.Lock()
	defer s.Day.mu.Unlock()
	before, now := s.Day.shown[s.Program], map[string]bool{}
	for line := range strings.Lines(s.Text) {
		for _, cell := range strings.FieldsFunc(line, func(r rune) bool { return r == '\n' || '─' <= r && r <= '╿' }) {
			if cell = strings.TrimSpace(strings.TrimLeft(cell, " ›")); cell != "" && !now[cell] {
				now[cell] = true
				if !before[cell] {
					all = append(all, cell)
				}
			}
		}
	}
	if s.Frame {
		s.Day.shown[s.Program] = now
	}
	return all
}

// signs stand before what a screen says of an outcome.
const signs = "✓✗?●!"

func claimsAreSo(s Saying) (judged int, wrong []string) {
	for _, line := range s.lines() {
		if !tellsOutcome(line) || strings.ContainsAny(line[:1], `{}"[`) {
			continue
		}
		signed := strings.ContainsAny(line, signs)
		sentence := strings.TrimSpace(strings.TrimPrefix(strings.TrimLeft(line, signs+" "), "geodeck: "))
		judged++
		switch is, known := s.claim(sentence); {
		case !known && (!s.Frame || signed && strings.ContainsRune(signs, []rune(line)[0])):
			wrong = append(wrong, fmt.Sprintf("%s says %q, which no claim is known for", s.Where, line))
		case known && !is:
			wrong = append(wrong, fmt.Sprintf("%s of %s says %q, and that is not so", s.Where, s.Program, line))
		}
	}
	return judged, wrong
}

// claim reports whether a sentence is a known claim, and is so.
func (s Saying) claim(sentence string) (is, known bool) {
	is = true
	for _, c := range claims {
		if said := c.words.FindStringSubmatch(sentence); said != nil {
			is, known = is && c.is(s, sentence, said), true
		}
	}
	return is, known || silentAbout.MatchString(sentence)
}
