package health

import (
	"fmt"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/polling"
)

// pageOf is a page of reports of a list of 60, the newest first.
func pageOf(q adminapi.ReportQuery) adminapi.ReportPage {
	page := adminapi.ReportPage{NextStart: q.Start + q.Num}
	for i := q.Start; i < q.Start+q.Num && i <= 60; i++ {
		page.Runs = append(page.Runs, adminapi.ReportSummary{ID: fmt.Sprint(i), Name: fmt.Sprintf("nightly %02d", i), StartTime: adminapi.Millis(1_000_000 - i), EndTime: 1, Result: "passed", State: "completed"})
	}
	if page.NextStart > 60 {
		page.NextStart = -1
	}
	return page
}

func TestOverASlowLineTheListIsReadAsFarAsItIsSeen(t *testing.T) {
	t.Parallel()
	c := newChild(t)
	c.Env.Site.Line = polling.NewLine(true)
	l := newReportList(c, &fakeHost{})
	l.SetSize(60, 12)
	l.fetch()
	l.addPage(pageOf(l.first()))
	if v := l.View(); l.rows.Len() != slowPage || l.Loading || l.next != slowPage+1 || !strings.Contains(v, "1 of 25+") {
		t.Fatalf("%d rows, loading %v, the next page begins at %d:\n%s", l.rows.Len(), l.Loading, l.next, v)
	}
	if l.fetchNext() != nil {
		t.Error("a page is fetched that nobody sees")
	}
	l.rows.GoBottom()
	l.View()
	if text := noticeText(t, l.compareTo("")); !strings.Contains(text, "Go to the end of the list") {
		t.Errorf("of the last that was read it says %q", text)
	}
	for _, rows := range []int{50, 60} {
		if l.fetchNext() == nil || l.fetchNext() != nil {
			t.Fatal("the next page is not fetched once")
		}
		l.addPage(pageOf(adminapi.ReportQuery{Start: l.next, Num: slowPage}))
		if l.rows.Len() != rows {
			t.Errorf("%d rows instead of %d", l.rows.Len(), rows)
		}
		l.rows.GoBottom()
		l.View()
	}
	if v := l.View(); l.next != 0 || strings.Contains(v, "+") || l.fetchNext() != nil {
		t.Errorf("at the end the next page begins at %d:\n%s", l.next, v)
	}
	if again := l.first(); again.Num != 60 {
		t.Errorf("a refresh reads %d", again.Num)
	}
}
