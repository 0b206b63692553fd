package progress_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/ui/uitest"
)

// Whatever a site sends, the head of the run stands, the newest message is in sight, and no line
// is longer than the screen.
func TestExtremesHideNothingOfImportance(t *testing.T) {
	t.Parallel()
	at := func(seconds, code int, text string) adminapi.UpgradeMessage {
		return adminapi.UpgradeMessage{Code: code, When: release(1)[0].When + adminapi.Millis(1000*seconds), Message: text}
	}
	var many []adminapi.UpgradeMessage
	for i := range 300 {
		name := fmt.Sprintf("arcgis-%s-%d", strings.Repeat("long-", 45), i)
		many = append(many, at(3*i+100, 2101, name+" begins"), at(3*i+101, 2103, name+" ended"), at(3*i+102, 2175, fmt.Sprintf("%d of 300", i+1)))
	}
	var open []adminapi.UpgradeMessage
	for i := range 300 {
		open = append(open, at(100+i, 2101, fmt.Sprintf("arcgis-part-%d begins", i)))
	}
	later := release(11)[1:]
	for i := range later {
		later[i].When += adminapi.Millis(9 * time.Hour / time.Millisecond)
	}
	for name, c := range map[string]struct {
		messages []adminapi.UpgradeMessage
		ahead    time.Duration // of the clock here
		shows    []string
	}{
		"a long word":          {[]adminapi.UpgradeMessage{at(9, 2287, strings.Repeat("x", 10_000))}, 0, []string{"2287", "xxxxx", "● Diagnostics"}},
		"a long word fails":    {[]adminapi.UpgradeMessage{at(9, 9999, strings.Repeat("x", 10_000))}, 0, []string{"9999", "xxxxx"}},
		"300 deployments":      {many, 0, []string{"300 of 300 deployments", "● Components", "› "}},
		"300 open steps":       {open, 0, []string{"Upgrading part-299", "● Components"}},
		"no deployments":       {[]adminapi.UpgradeMessage{at(9, 2175, "0 of 0 deployments")}, 0, []string{"● Components", "0 of 0 deployments"}},
		"a clock hours ahead":  {release(11)[1:], 9 * time.Hour, []string{"● PostgreSQL", "READ-ONLY since 11-20 14:27"}},
		"a clock hours behind": {later, 0, []string{"● PostgreSQL", "READ-ONLY since 23:27", "after 9 h 34 min"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, size := range uitest.Sizes {
				s := showing(t, size.Width, size.Height, adminapi.UpgradeStatus{State: "in_progress", Code: 1})
				s.pass(c.ahead)
				s.poll(adminapi.UpgradeStatus{State: "in_progress", Code: 1, Messages: append(release(1), c.messages...)})
				s.Shows(c.shows...)
				for _, keys := range []string{"tab", "tab enter", "rows.bottom"} {
					s.Press(keys)
					uitest.Fits(t, s.View(), size.Width, size.Height)
					if strings.TrimSpace(s.Draw()) == "" {
						t.Errorf("after %s the screen is empty", keys)
					}
				}
			}
		})
	}
}
