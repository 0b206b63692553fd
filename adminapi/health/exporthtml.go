package health

import (
	"bufio"
	"cmp"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// A page is read in mail clients: tables with inline styles, no scripts, no style sheets,
// nothing from elsewhere. Every text is cleaned and escaped.

const (
	htmlFont  = "font-family:Arial,Helvetica,sans-serif;font-size:14px;color:#1f2328"
	htmlMono  = "font-family:Consolas,Menlo,monospace"
	htmlBreak = "overflow-wrap:anywhere;word-break:break-word"
	htmlMuted = "color:#59636e"
	htmlTable = `<table cellpadding="6" cellspacing="0" width="100%%" style="border-collapse:collapse;` + htmlFont + `">`
	htmlCell  = "border-bottom:1px solid #d1d9e0;vertical-align:top;text-align:left"
)

var htmlColors = map[Verdict]string{Passed: "#1a7f37", Failed: "#cf222e", Warning: "#9a6700", Unknown: "#bc4c00", Running: "#0969da", Skipped: "#59636e"}

// htmlSigns stand for verdicts in a strip, where there is no room for words.
var htmlSigns = map[Verdict]string{Passed: "✓", Failed: "✗", Warning: "!", Unknown: "?", Running: "●", Skipped: "○"}

// exportHTML writes one page: the verdict, what did not pass and why, what changed since the
// report before, and all tests with their trend.
func exportHTML(w io.Writer, r adminapi.Report, h Handover) error {
	p := htmlPage{h, bufio.NewWriter(w), r, append([]*Results{ResultsOf(r)}, h.Earlier...)}
	title := esc(nameOf(r.Name, r.ID))
	p.put(`<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>%s: %s</title></head>`, cmp.Or(h.Title, "Health report"), title)
	p.put(`<body style="margin:0;padding:16px;background:#ffffff;%s"><table cellpadding="0" cellspacing="0" width="100%%" style="max-width:960px;margin:0 auto;%s"><tr><td>`, htmlFont, htmlFont)
	p.summary(title)
	p.failures()
	p.changes()
	p.tests()
	p.contradictions()
	p.put("</td></tr></table></body></html>\n")
	return p.out.Flush()
}

// esc returns foreign text in one line, cleaned and escaped.
func esc(text string) string { return html.EscapeString(plain.Line(text)) }

type htmlPage struct {
	Handover
	out     *bufio.Writer
	report  adminapi.Report
	results []*Results // of the report and of earlier ones
}

func (p *htmlPage) put(format string, args ...any) { fmt.Fprintf(p.out, format, args...) }

func (p *htmlPage) heading(text string) {
	p.put(`<h2 style="font-size:17px;margin:24px 0 8px">%s</h2>`, text)
}

func (p *htmlPage) summary(title string) {
	r, verdict := p.report, Overall(p.report)
	p.put(`<div style="background:%s;color:#ffffff;padding:12px 16px;font-size:20px;font-weight:bold;%s">%s %s: %s</div>`,
		htmlColors[verdict], htmlBreak, htmlSigns[verdict], esc(verdict.String()), title)
	var facts []string
	for _, fact := range append(slices.Clone(p.Facts), [][2]string{
		{"Tests", countText(CountReport(r))}, {"Started", readable(r.StartTime)}, {"Took", tookText(r.StartTime, r.EndTime)},
		{"Created by", r.CreatedBy}, {"Report", r.ID},
	}...) {
		if fact[1] != "" {
			facts = append(facts, fact[0]+" "+esc(fact[1]))
		}
	}
	p.put(`<p style="%s;%s">%s</p>`, htmlMuted, htmlBreak, strings.Join(facts, " · "))
}

// tookText returns how long something took, "" if not known.
func tookText(start, end adminapi.Millis) string {
	if d, known := adminapi.Span(start, end); known {
		return adminapi.FormatElapsed(d)
	}
	return ""
}

// failures tells of each test that did not pass why, and what to check.
func (p *htmlPage) failures() {
	entries := slices.DeleteFunc(WorstFirst(p.report), func(e Entry) bool { return e.Verdict.Good() })
	if len(entries) == 0 {
		return
	}
	p.heading("Tests that did not pass")
	for _, e := range entries {
		p.put(`<div style="border-left:4px solid %s;padding:4px 12px;margin:0 0 12px;%s"><strong>%s</strong> <span style="color:%s">%s</span> <span style="%s">%s · %s</span>`,
			htmlColors[e.Verdict], htmlBreak, esc(nameOf(e.Test.Name, e.Test.ID)), htmlColors[e.Verdict], esc(e.Verdict.String()),
			htmlMuted, e.Severity, esc(nameOf(e.Suite.Name, e.Suite.ID)))
		for _, reason := range Reasons(*e.Test) {
			p.put(`<br>%s`, strings.ReplaceAll(html.EscapeString(plain.Text(reason)), "\n", "<br>"))
		}
		if e.Verdict == Unknown {
			p.put(`<br>The site says %s.`, html.EscapeString(quoted(e.Test.Result)))
		}
		if of := p.Judged.Of(e.Test); of != "" {
			p.put(`<br><strong>Judged</strong> %s`, esc(of))
		}
		if next, has := p.Next[e.Test]; has {
			p.put(`<br><strong>Next</strong> %s`, esc(next.Text))
			for _, line := range next.Kubectl {
				p.put(`<br><span style="%s">%s</span>`, htmlMono, esc(line))
			}
		}
		p.put(`</div>`)
	}
}

// changes lists what changed since the report before.
func (p *htmlPage) changes() {
	if p.Since == "" {
		return
	}
	p.heading("Since " + p.Since)
	line, tests := p.Changes(p.report)
	p.put(`<p style="%s">%s</p>`, htmlBreak, esc(line))
	for _, test := range tests {
		p.put(`<div style="%s">%s</div>`, htmlBreak, esc(test))
	}
}

// tests lists all tests, the worst first, with their last results where earlier reports are known.
func (p *htmlPage) tests() {
	entries, trend := WorstFirst(p.report), len(p.results) > 1
	if len(entries) == 0 {
		p.put(`<p>The report has no tests.</p>`)
		return
	}
	p.heading("All tests")
	columns := []string{"Result", "Test", "Suite", "Took"}
	if trend {
		columns = append(columns, "Usually", fmt.Sprintf("Last %d, newest last", len(p.results)))
	}
	p.put(htmlTable + `<tr>`)
	for _, name := range columns {
		p.put(`<th style="%s;%s">%s</th>`, htmlCell, htmlMuted, name)
	}
	p.put("</tr>\n")
	cell := func(style, text string) { p.put(`<td style="%s;%s">%s</td>`, htmlCell, style, text) }
	for _, e := range entries {
		p.put(`<tr>`)
		cell("white-space:nowrap;color:"+htmlColors[e.Verdict], htmlSigns[e.Verdict]+" "+e.Verdict.String())
		cell(htmlBreak, esc(nameOf(e.Test.Name, e.Test.ID))+` <span style="`+htmlMuted+`">`+esc(e.Test.Description)+`</span>`)
		cell(htmlBreak+";"+htmlMuted, e.Severity+" · "+esc(nameOf(e.Suite.Name, e.Suite.ID)))
		cell("white-space:nowrap", tookText(e.Test.StartTime, e.Test.EndTime))
		if trend {
			p.trend(cell, TrendOf(p.results, e.Key()))
		}
		p.put("</tr>\n")
	}
	p.put(`</table>`)
}

func (p *htmlPage) trend(cell func(style, text string), t Trend) {
	usually := ""
	if t.Usual > 0 {
		usually = adminapi.FormatElapsed(t.Usual)
	}
	cell("white-space:nowrap", usually)
	var strip strings.Builder
	for _, point := range t.Points {
		if point.Missing {
			strip.WriteString("·")
			continue
		}
		fmt.Fprintf(&strip, `<span style="color:%s">%s</span>`, htmlColors[point.Verdict], htmlSigns[point.Verdict])
	}
	cell("white-space:nowrap;"+htmlMono, strip.String())
}

func (p *htmlPage) contradictions() {
	findings := Check(p.report)
	if len(findings) == 0 {
		return
	}
	p.heading("Contradictions in this report")
	for _, f := range findings {
		p.put(`<div style="%s">%s: %s</div>`, htmlBreak, esc(nameOf(f.At.Name, "report")), esc(f.Text))
	}
}
