package services_test

import (
	"strings"
	"testing"
)

func TestAConflictShowsWhereLongValuesDiffer(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	long := strings.Repeat("Städte der Welt, ", 20)
	s.elses("description", `"`+long+`first."`)
	s.cities()
	s.set("description", long+"mine.")
	s.elses("description", `"`+long+`theirs."`)
	s.send()
	s.Press("m")
	s.Shows(`before …`, `Welt, first."`, `Welt, mine."`, `Welt, theirs."`)
}
