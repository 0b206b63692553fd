package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// File is a file of a folder that holds what a site has, beside what others have saved in it.
type File struct {
	Name     string // below the folder
	Document string // where the site has it
	Before   string // what was in it before the command; empty for none
	Is       string // and now
	Edited   string // what a person has saved in it last; empty for nothing that counts
	Asked    bool   // the command is about its service
	Saved    bool   // an editor has saved it while the command ran: that is Edited
}

// Folder is such a folder as a command leaves it, or the end of the program.
type Folder struct {
	Day     *Day
	Program string
	Command string // such as pull
	Code    int
	Said    string // what it has printed, JSON of a pull or a diff; empty for a program that was killed
	Files   []File
}

// Left judges a folder after a command.
func (d *Day) Left(f Folder) {
	f.Day = d
	for _, one := range f.Files {
		d.arrives(one)
	}
	judge(d, atFolder, f)
}

var atFolder = []rule[Folder]{
	{"what was saved in a file is kept until the site has it", savedKept},
	{"a pull writes what the site has", pullIsSo},
	{"a comparison names what differs", comparisonIsSo},
	{"a command on files changes what it is about", othersStay},
}

// arrives keeps whether the site has, or has taken, all that a person has saved in a file: from then on a pull may
// replace it.
func (d *Day) arrives(f File) {
	if f.Edited == "" || !json.Valid([]byte(f.Edited)) {
		return
	}
	mine := meant(f.Edited)
	taken := maps.Equal(meant(d.Ask(f.Document)), mine) || len(d.sent(func(w *Write) bool {
		return w.document() == f.Document && (w.Accepted || w.Made) && maps.Equal(meant(w.text()), mine)
	})) > 0
	d.mu.Lock()
	defer d.mu.Unlock()
	if taken {
		d.arrived[f.Name+"\n"+f.Edited] = true
	}
}

func savedKept(f Folder) (judged int, wrong []string) {
	for _, one := range f.Files {
		if one.Edited == "" {
			continue
		}
		f.Day.mu.Lock()
		arrived := f.Day.arrived[one.Name+"\n"+one.Edited]
		f.Day.mu.Unlock()
		if judged++; one.Is != one.Edited && !arrived {
			wrong = append(wrong, fmt.Sprintf("%s is not what was saved in it after geodeck %s of %s, and the site never had that", one.Name, f.Command, f.Program))
		}
	}
	return judged, wrong
}

// read is what the program of a folder has read last of a document; empty for nothing.
func (f Folder) read(document string) string {
	return f.Day.ReadBy(f.Program, document)
}

// said is what a pull or a diff says of each file; not at all where it has printed no such list.
func (f Folder) said() (all map[string]told, is bool) {
	var list struct{ Files []told }
	if json.Unmarshal([]byte(f.Said), &list) != nil {
		return nil, false
	}
	all = map[string]told{}
	for _, one := range list.Files {
		all[one.File] = one
	}
	return all, true
}

// told is what is said of a file.
type told struct {
	File, Outcome, State string
	Changes              []struct{ Path string }
}

// pullIsSo wants each file that a pull has written, or calls the same, to be what the site has answered, and every other one to
// be as it was. Who was killed has said nothing: then each is one of both.
func pullIsSo(f Folder) (judged int, wrong []string) {
	if f.Command != "pull" {
		return 0, nil
	}
	said, is := f.said()
	for _, one := range f.Files {
		if one.Saved {
			continue
		}
		judged++
		same := one.Is != "" && maps.Equal(meant(one.Is), meant(f.read(one.Document)))
		untouched := one.Is == one.Before
		switch outcome := said[one.Name].Outcome; {
		case !is && !same && !untouched:
			wrong = append(wrong, fmt.Sprintf("%s is neither what it was nor what the site has", one.Name))
		case is && (outcome == "written" || outcome == "same") && !same:
			wrong = append(wrong, fmt.Sprintf("the pull says of %s %q, and it is not what the site has", one.Name, outcome))
		case is && outcome != "written" && !untouched:
			wrong = append(wrong, fmt.Sprintf("the pull says of %s %q, and it was changed", one.Name, outcome))
		case is && outcome == "" && one.Asked && f.Code == 0 && !same && f.read(one.Document) != "": // older sites have no rules
			wrong = append(wrong, fmt.Sprintf("the pull ends with 0, says nothing of %s, and it is not what the site has", one.Name))
		}
	}
	return judged, wrong
}

// comparisonIsSo compares what a diff says with the files and with what the site has answered to it.
func comparisonIsSo(f Folder) (judged int, wrong []string) {
	said, is := f.said()
	if f.Command != "diff" || !is {
		return 0, nil
	}
	for _, one := range f.Files {
		of, listed := said[one.Name]
		if one.Is == "" || of.State == "unknown" {
			continue
		}
		judged++
		places := differing(one.Is, f.read(one.Document))
		var paths []string
		for _, c := range of.Changes {
			paths = append(paths, c.Path)
		}
		switch {
		case !json.Valid([]byte(one.Is)):
			wrong = append(wrong, fmt.Sprintf("%s is no JSON, and the comparison does not say so", one.Name))
		case !listed && len(places) > 0:
			wrong = append(wrong, fmt.Sprintf("%s differs in %s, and the comparison does not name it", one.Name, places[0]))
		case listed && len(places) == 0:
			wrong = append(wrong, fmt.Sprintf("%s differs in nothing, and the comparison names it", one.Name))
		}
		for _, place := range places {
			if bare, _, _ := strings.Cut(place, " in order"); listed && !within(bare, paths) {
				wrong = append(wrong, fmt.Sprintf("%s differs in %s, and the comparison names only %q", one.Name, place, paths))
			}
		}
		if f.Code == 0 && len(places) > 0 {
			wrong = append(wrong, fmt.Sprintf("%s differs, and the comparison ends with 0", one.Name))
		}
	}
	return judged, wrong
}

// othersStay wants all but a pull to leave the files of a person alone.
func othersStay(f Folder) (judged int, wrong []string) {
	if f.Command == "pull" {
		return 0, nil
	}
	for _, one := range f.Files {
		if judged++; one.Is != one.Before && !one.Saved {
			wrong = append(wrong, fmt.Sprintf("geodeck %s has changed %s", f.Command, one.Name))
		}
	}
	return judged, wrong
}

// differing are the places where two documents differ, but for what the site generates.
func differing(a, b string) (places []string) {
	one, other := meant(a), meant(b)
	all := maps.Clone(one)
	maps.Copy(all, other)
	for _, place := range slices.Sorted(maps.Keys(all)) {
		if one[place] != other[place] {
			places = append(places, place)
		}
	}
	return places
}

// meant are the values of a document without those that the site generates: no file has them.
func meant(text string) map[string]string {
	all := byMeaning(valuesIn(text))
	maps.DeleteFunc(all, func(place, _ string) bool { return generated(place) })
	return all
}

// byMeaning writes numbers in one way: 1000 and 1000.0 are the same.
func byMeaning(values map[string]string) map[string]string {
	for place, value := range values {
		if digits, is := strings.CutPrefix(value, "json.Number "); is {
			if n, is := new(big.Rat).SetString(digits); is {
				values[place] = "number " + n.RatString()
			}
		}
	}
	return values
}

// generated reports whether a site gives a value by itself, as docs/files.md lists them.
func generated(place string) bool {
	return place == "id" || place == "deploymentId" || strings.HasPrefix(place, "placementPolicy[") && strings.HasSuffix(place, ".deploymentId")
}
