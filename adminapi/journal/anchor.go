package journal

import (
	"bytes"
	"time"

	"github.com/go-json-experiment/json"
)

// Anchor is how a log stood at a time. Kept where nobody else can change it, it proves the lines that it counts,
// also where log and head are written anew. Its tags are those of its file, a line each.
type Anchor struct {
	Site    string    `json:"site"` // its name in config.yaml then; may be empty
	Address string    `json:"address"`
	Lines   int       `json:"lines"`
	Last    string    `json:"checksum"` // of the last of them
	Time    time.Time `json:"time"`     // when it was made
	number  int       // of its line
}

// Anchor returns how the log stands that was verified.
func (j *Journal) Anchor(v Verification) Anchor {
	return Anchor{Site: j.Name(), Address: j.site, Lines: v.Lines, Last: v.Last, Time: j.now().Truncate(time.Millisecond)}
}

// AnchorsIn reads a file of anchors, and returns those of a site, and each line that is of none.
func AnchorsIn(file []byte, site string) (all []Anchor) {
	site, _ = siteKey(site)
	number := 0
	for line := range bytes.Lines(file) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var a Anchor
		err := json.Unmarshal(line, &a)
		of, none := siteKey(a.Address)
		if err != nil || none != nil || a.Lines <= 0 || a.Last == "" {
			a, of = Anchor{}, site
		}
		if a.number = number; of == site {
			all = append(all, a)
		}
	}
	return all
}

// anchored compares the anchors of the line that was read last; at the end none is left.
func (c *check) anchored(end bool) {
	for ; len(c.anchors) > 0 && (end || c.anchors[0].Lines == c.total); c.anchors = c.anchors[1:] {
		a := c.anchors[0]
		switch fits := a.Lines == c.total && a.Last == c.link && a.Lines > 0; {
		case fits && c.broken: // lines before it are others, which is a fault already: it proves nothing of them
			continue
		case fits:
			c.Anchors, c.Anchored, c.AnchoredAt = c.Anchors+1, a.Lines, a.Time
			continue
		}
		c.Faults = append(c.Faults, Fault{Kind: FaultAnchor, Anchor: a.number, Line: a.Lines, Left: c.total, Time: a.Time})
	}
}
