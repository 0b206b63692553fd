package services_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services"
)

// timed is a view that knows the longest time that a reply and a key have taken it.
type timed struct {
	*services.Model
	reply, key longest
}

type longest struct {
	took time.Duration
	what string
}

func (l *longest) step(what string, f func() tea.Cmd) tea.Cmd {
	began := time.Now()
	cmd := f()
	if took := time.Since(began); took > l.took {
		l.took, l.what = took, what
	}
	return cmd
}

func (v *timed) Update(msg tea.Msg) tea.Cmd {
	kind, what := &v.reply, fmt.Sprintf("%T", msg)
	if key, typed := msg.(tea.KeyMsg); typed {
		kind, what = &v.key, "key "+key.String()
	}
	return kind.step(what, func() tea.Cmd { return v.Model.Update(msg) })
}

func (v *timed) Commands() []views.Command {
	list := v.Model.Commands()
	for i, row := range list {
		list[i].Run = func(argument string) tea.Cmd {
			return v.key.step(row.ID, func() tea.Cmd { return row.Run(argument) })
		}
	}
	return list
}

// largeDefinition has values of some length in its settings, and n bytes.
func largeDefinition(n, length int) string {
	var b strings.Builder
	b.WriteString("{\n  \"serviceName\": \"SampleWorldCities\",\n  \"type\": \"MapServer\",\n  \"description\": \"Cities of the world\",\n  \"maxUsageTime\": 600,\n  \"properties\": {\n")
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "    \"setting%d\": \"%s\",\n", i, strings.Repeat("x", length))
	}
	b.WriteString("    \"last\": true\n  }\n}\n")
	return b.String()
}

// BenchmarkUpdateOfALargeDefinition opens a definition of nearly 4 MiB (more is not read), edits it, learns that
// another has changed it, merges and sends: no step may hold the screen up.
func BenchmarkUpdateOfALargeDefinition(b *testing.B) {
	for name, length := range map[string]int{"long values": 4000, "short lines": 8} {
		b.Run(name, func(b *testing.B) {
			var reply, key longest
			for b.Loop() {
				v := largeStory(b, largeDefinition(4<<20-8<<10, length))
				if v.reply.took > reply.took {
					reply = v.reply
				}
				if v.key.took > key.took {
					key = v.key
				}
			}
			b.ReportMetric(float64(reply.took.Microseconds())/1000, "ms/reply")
			b.ReportMetric(float64(key.took.Microseconds())/1000, "ms/key")
			b.Logf("the longest: %s, %s", reply.what, key.what)
		})
	}
}

func largeStory(b *testing.B, text string) *timed {
	s := openAt(b, uitest.Scenario(b, "healthy"), uitest.Sizes[1])
	if _, _, err := s.site.Client.EditService(b.Context(), cities, []byte(text), false); err != nil {
		b.Fatal(err)
	}
	v := &timed{Model: s.Model}
	s.Screen = uitest.NewScreen(b, v, s.size.Width, s.size.Height)
	s.Press("R")
	s.cities()
	s.set("maxUsageTime", "700")
	s.elses("description", `"Theirs."`)
	s.Press("ctrl+l w")
	s.Answer(s.Press("w"), "y")
	s.Press("m")
	s.Answer(s.Press("w"), "y")
	s.Shows("The site has the new definition")
	s.Press("esc")
	return v
}
