package explain

import (
	"regexp"
	"slices"
	"strings"

	"geodeck/adminapi/pattern"
	"geodeck/adminapi/plain"
)

// clue is something in a text of the site that tells a cause.
type clue struct {
	id    CauseID
	found func() *regexp.Regexp
	says  string // the cause, in a sentence
	next  string // what to do about it
	weak  bool   // it tells that something is wrong, not what: the advice for the part says more
}

// clues are the texts of Kubernetes and of the platform that name a cause, the most telling
// first. None matches a text that says that something is well.
var clues = []clue{
	{"image-pull", pattern.New(`(?i)ImagePullBackOff|ErrImagePull|ErrImageNeverPull|InvalidImageName|back-off pulling image|image\b.{0,120}\b(cannot|can't|could not|couldn't) be pulled|fail(ed|s|ure)? to pull (the )?(container )?image|manifest unknown`),
		"A container image cannot be pulled.", "Check that nodes reach the registry. Check its credentials and the image.", false},
	{"out-of-memory", pattern.New(`(?i)OOMKill|\bout of memory\b|memory limit (was |is )?exceeded`),
		"A container ran out of memory.", "Raise the memory limit of the deployment, then check its pods.", false},
	{"disk-full", pattern.New(`(?i)no space (is )?left on|\bENOSPC\b|\bdisk (is )?full\b|out of disk space|flood.stage|100 ?% full|read-only / allow delete|disk usage exceeded`),
		"A volume is full.", "Enlarge the volume or free space on it, then check its pods.", false},
	{"quota", pattern.New(`(?i)exceeded quota|quota exceeded|forbidden: .{0,80}quota`),
		"The resource quota of the namespace is used up.", "Raise the quota of the namespace.", false},
	{"capacity", pattern.New(`(?i)insufficient (cpu|memory|ephemeral-storage|pods|[a-z.]+/gpu)`),
		"No node has enough free CPU or memory for the pods.", "Add a node, or free CPU and memory.", false},
	{"taint", pattern.New(`(?i)untolerated taint|taints? that the pod didn'?t tolerate`),
		"Taints keep the pods away from every node.", "Add a toleration, or remove the taint of a node.", false},
	{"no-node", pattern.New(`(?i)didn'?t match Pod'?s node affinity|node\(s\) didn'?t match|no node (takes|matches|fits)`),
		"No node has the labels that the pods require.", "Correct the placement rules, or label a node.", false},
	{"volume", pattern.New(`(?i)FailedMount|FailedAttachVolume|unbound immediate PersistentVolumeClaims|volume node affinity conflict|unable to attach or mount volumes`),
		"A volume of the pods is not available.", "Check the volume claims and the storage class.", false},
	{"unschedulable", pattern.New(`(?i)FailedScheduling|cannot be scheduled|could not be scheduled|Unschedulable\b`),
		"Pods cannot be scheduled: no node takes them now.", "Check the placement rules, taints and free capacity of the nodes.", false},
	{"crash", pattern.New(`(?i)CrashLoopBackOff|container .{0,60}(exited|terminated) with|exit code [1-9]`),
		"A container keeps restarting.", "Read the log of that container.", false},
	{"certificate", pattern.New(`(?i)certificate (has |is )?expired|x509: |certificate verify failed|certificate is not (yet )?valid`),
		"A certificate is not valid.", "Renew the certificate, or trust its authority.", false},
	{"certificate-ends", pattern.New(`(?i)certificate.{0,60} (ends|expires) in \d+ days?`),
		"A certificate expires soon.", "Renew the certificate.", false},
	{"licence", pattern.New(`(?i)licen[cs]e\b.{0,60}(not valid|invalid|expired|another version|empty|not found|missing|needed)`),
		"The licence is not accepted.", "Get a licence file for the target version.", false},
	{"container-timeout", pattern.New(`(?i)(start-?up|container|readiness|liveness|pod)\b.{0,80}(timed out|timeout)|(timed out|timeout) waiting for .{0,60}(container|pod|deployment|rollout|condition)|did not start (up )?(with)?in(side)? \d+ ?s`),
		"A container did not start within the platform's timeout.", "Find out why it is slow. The timeout is containerStartUpTimeoutSeconds, default 1800 s.", false},
	{"memory", pattern.New(`(?i)memory is (8[5-9]|9\d|100) ?% used|short of (memory|resources)`),
		"It is short of memory.", "Raise its memory limit, or lower the load.", false},
	{"volume-fills", pattern.New(`(?i)volume .{0,60}is (8\d|9\d) ?% full`),
		"A volume is nearly full.", "Enlarge the volume or free space on it.", false},
	{"backup-old", pattern.New(`(?i)newest backup is \d+ days old`),
		"The newest backup is old.", "Take a backup, and check its schedule.", false},
	{"replication", pattern.New(`(?i)replication (is |has )?(broken|stopped|lag)|standby (is |has )?(not|stopped|failed)|no primary|split.brain`),
		"Database replication is broken.", "Check the primary and standby pods of the relational store.", false},
	{"index-lacks", pattern.New(`(?i)\bindex\b.{0,120}\bitems? (is|are) missing|\bitems? (is|are) missing .{0,60}\bindex\b`),
		"An index lacks items.", "Check the index store, then rebuild the index.", true},
	{"dns", pattern.New(`(?i)no such host|name (or service )?not known|NXDOMAIN|could not resolve host`),
		"A host name cannot be resolved.", "Check the DNS of the cluster.", false},
	{"stopped", pattern.New(`(?i)\bservice \S+ is (not started|stopped)`),
		"A service that the test calls is not started.", "Start the service.", false},
	{"not-ready", pattern.New(`(?i)\b0 of \d+ pods are ready|not all of its pods are ready|pods? (did not|didn'?t) (re)?start in time|did not become ready|has 0 ready`),
		"Its pods are not ready.", "Check its pods: restarts, limits, and the nodes they run on.", true},
	{"no-answer", pattern.New(`(?i)did not answer|no answer from|connection (refused|reset|timed out)|timed out after|gateway time-?out|\b50[234]\b`),
		"It does not answer.", "Check its pods and their logs.", true},
	{"errors", pattern.New(`(?i)answers with errors`),
		"It answers with errors.", "Check its pods and their logs.", true},
	{"lag", pattern.New(`(?i)is \d+ (minutes|min|hours|h) behind`),
		"It lags behind.", "Check the load and the limits of its pods.", true},
	{"cancelled", pattern.New(`(?i)was cancelled`),
		"The site cancelled the request.", "Send it again when the site is idle.", false},
	{"not-updated", pattern.New(`(?i)could not be updated within`),
		"The site did not update the deployment in time.", "Check the pods of the deployment.", false},
}

// plainClues are clues whose texts say in plain words what the cause does.
var plainClues = []CauseID{"memory", "volume-fills", "backup-old", "certificate-ends", "stopped", "cancelled", "not-updated", "licence"}

// tells reports whether the cause says more than the text with the clue.
func (c *clue) tells() bool { return !c.weak && !slices.Contains(plainClues, c.id) }

// wells are texts about something that is fine, or that is over: no clue is in them.
var wells = pattern.New(`(?i)\b(no|not|never|without) (an? )?(errors?|problems?|longer)\b|nothing stands in the way|recovered|is ready again`)

// clueIn returns the first clue in a text; nil where it has none.
func clueIn(text string) *clue {
	const most = 4000 // bytes; a cause stands at the beginning
	if text = text[:min(len(text), most)]; text == "" || wells().MatchString(text) {
		return nil
	}
	for i := range clues {
		if clues[i].found().MatchString(text) {
			return &clues[i]
		}
	}
	return nil
}

// clueOf returns the clue of a list of texts that comes first in the table, and which text
// has it; nil where none has one.
func clueOf(texts []string) (best *clue, at int) {
	rank := len(clues)
	for i, text := range texts {
		c := clueIn(text)
		if j := slices.IndexFunc(clues[:rank], func(known clue) bool { return c != nil && known.id == c.id }); j >= 0 {
			best, at, rank = c, i, j
		}
	}
	return best, at
}

// lowered returns a sentence to stand within another.
func lowered(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// said returns a text of the site as one sentence.
func said(text string) string {
	text = plain.Clip(strings.TrimSpace(plain.Line(text)), maxText)
	if text != "" && !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	return text
}
