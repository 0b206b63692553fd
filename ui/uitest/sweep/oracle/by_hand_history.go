package oracle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// BackedUp are the definitions that the list of backups has, the newest first; empty for one that the disk has lost.
func BackedUp(files map[string][]byte) (texts []string) {
	bySum := map[string]string{}
	for path, content := range files {
		sum := sha256.Sum256(content)
		if strings.Contains(path, "/backups/") {
			bySum[hex.EncodeToString(sum[:])] = string(content)
		}
	}
	for path, content := range files {
		if !strings.Contains(path, "/backups/") || !strings.Contains(path, "definition") || !strings.HasSuffix(path, "/index.jsonl") {
			continue
		}
		for line := range strings.Lines(string(content)) {
			var backup struct{ ID, SHA256 string }
			if json.Unmarshal([]byte(line), &backup) == nil && backup.ID != "" {
				texts = append(texts, bySum[backup.SHA256])
			}
		}
	}
	slices.Reverse(texts)
	return texts
}

// Version is how a screen shows a version of a definition, in the list and whole.
type Version struct {
	Program string
	Texts   []string // of all, the newest first
	At      int      // which it is
	Sure    bool     // nothing is wrong with the disk
	Listed  string   // all words of the list
	Shown   string   // and of the version
}

// Lists judges how a version is shown.
func (d *Day) Lists(v Version) { judge(d, atVersion, v) }

var atVersion = []rule[Version]{{"a screen shows the version that was kept", versionIsShown}}

var (
	versionSize = regexp.MustCompile(`definition of [^,]{4,40}, (\d+) bytes?`)
	versionAt   = regexp.MustCompile(` (\d+) of (\d+) `)
	versionIdle = regexp.MustCompile(`"maxIdleTime": ?(\d+)`)
)

func versionIsShown(v Version) (int, []string) {
	if !v.Sure {
		return 0, nil
	}
	want, says := v.Texts[v.At], func(form *regexp.Regexp, n int, text string) string {
		if found := form.FindStringSubmatch(text); found != nil {
			return found[n]
		}
		return ""
	}
	for what, pair := range map[string][2]string{
		"bytes":       {says(versionSize, 1, v.Listed), fmt.Sprint(len(want))},
		"place":       {says(versionAt, 1, v.Listed), fmt.Sprint(v.At + 1)},
		"versions":    {says(versionAt, 2, v.Listed), fmt.Sprint(len(v.Texts))},
		"maxIdleTime": {says(versionIdle, 1, v.Shown), raw(want, "maxIdleTime")},
	} {
		if pair[0] != pair[1] && pair[0] != "" {
			return 1, []string{fmt.Sprintf("%s: version %d of %d is shown with %s %q, and it is %q", v.Program, v.At+1, len(v.Texts), what, pair[0], pair[1])}
		}
	}
	return 1, nil
}

// statePage is how a service is, as a page says it.
type statePage struct {
	*Day
	program, service, said string
}

// Configured judges how a page says that a service is, and should be.
func (d *Day) Configured(program, service, said string) {
	judge(d, atState, statePage{d, program, service, said})
}

var atState = []rule[statePage]{{"a page says how a service is", stateIsSo}}

func stateIsSo(s statePage) (int, []string) {
	if !s.isAll(s.service, s.said) {
		return 1, []string{fmt.Sprintf("%s says that %s is %s, as it should be, and it is %s", s.program, s.service, s.said, s.Ask("/services/"+s.service+"/status"))}
	}
	return 1, nil
}

// isAll reports whether a service is in a state, such as started, and should be.
func (d *Day) isAll(service, said string) bool {
	var is struct{ ConfiguredState, RealTimeState string }
	err := json.Unmarshal([]byte(d.Ask("/services/"+service+"/status")), &is)
	return err == nil && strings.EqualFold(is.ConfiguredState, said) && strings.EqualFold(is.RealTimeState, said)
}
