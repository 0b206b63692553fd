package doctor

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestANameIsReplacedByTheSameWordWhereverItIsWhole(t *testing.T) {
	t.Parallel()
	n := emptyRenamer("11.5.0.67")
	n.home = "/home/hanna"
	n.add(ofHost, "gis.corp.example.org")
	n.add(ofUser, "hanna")
	n.add(ofHost, "localhost")
	n.add(ofSite, "gis") // as short as a name may be
	n.add(ofSite, "up")
	n.addFound(`see https://Other.Example.com:7443/a?b and https://me:pw@third.example.net, 10.1.2.3, fe80::1, 11.5.0.67, 12:26:39Z, DB.Corp.Example.ORG, file.name.txt, Jane.Doe@example.edu`)
	for text, want := range map[string]string{
		"GIS.corp.example.ORG and gis.corp.example.org:443": "host-1 and host-1:443",
		"xgis.corp.example.org":                             "xgis.corp.example.org", // a part of a longer word
		"https://other.example.com/":                        "https://host-2/",
		"third.example.net":                                 "host-3",
		"10.1.2.3, 10.1.2.34":                               "host-4, 10.1.2.34",
		"fe80::1":                                           "host-5",
		"db.corp.example.org":                               "host-6",
		"jane.doe@example.edu":                              "user-3",
		"gis is up":                                         "site-1 is up",
		"11.5.0.67 at 12:26:39Z, file.name.txt":             "11.5.0.67 at 12:26:39Z, file.name.txt",
		"/home/hanna/.config of hanna, hannah, localhost":   "~/.config of user-1, hannah, localhost",
	} {
		if got := n.replace(text, false); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	got, err := n.replaceJSON([]byte(`{"hanna":"hanna","gis.corp.example.org":["gis.corp.example.org",1.50]}`+"\n"+`{"a":"b"}`), false)
	if want := `{"hanna":"user-1","host-1":["host-1",1.50]}` + "\n" + `{"a":"b"}` + "\n"; err != nil || string(got) != want {
		t.Errorf("%s, error %v", got, err)
	}
}

func TestManyNamesAreReplacedInShortTime(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&text, "https://h%d.e%d.org/ ", i, i)
	}
	began := time.Now()
	n := emptyRenamer("")
	n.addFound(text.String())
	if got := n.replace(text.String(), false); !strings.HasSuffix(got, "https://host-10000/ ") || strings.Contains(got, ".org") {
		t.Errorf("it ends with %s", got[len(got)-40:])
	}
	if took := time.Since(began); took > 10*time.Second { // a minute where the time grows with their square
		t.Errorf("it took %s", took)
	}
}
