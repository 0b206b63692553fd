package doctor

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/pattern"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/sites"
)

// renamer replaces names of hosts, people and sites, each by the same word everywhere.
type renamer struct {
	words   map[string]string   // by the name in lower case
	sizes   map[string][]int    // of the names that begin with a word, the longest first
	counts  map[string]int      // by kind
	domains map[string]struct{} // of the known hosts
	home    string
	version string // of the site, which looks like an address
}

func emptyRenamer(version string) *renamer {
	return &renamer{words: map[string]string{}, sizes: map[string][]int{}, counts: map[string]int{}, domains: map[string]struct{}{}, version: version}
}

func newRenamer(r Report, o BundleOptions) *renamer {
	n := emptyRenamer(r.version)
	if home := o.Env("HOME"); filepath.IsAbs(home) && len(home) > 1 {
		n.home = filepath.Clean(home)
		n.add(ofUser, filepath.Base(home))
	}
	n.add(ofUser, o.Env("USER"))
	if host, err := os.Hostname(); err == nil {
		n.add(ofHost, host)
	}
	for _, found := range r.names {
		n.add(found.kind, found.text)
	}
	if file, err := sites.Read(o.Config); o.Config != "" && err == nil {
		for _, s := range file.Sites() {
			n.add(ofSite, s.Name)
			n.add(ofUser, s.User)
			n.addFound(s.URL + " " + s.Proxy)
		}
	}
	return n
}

// plainNames are in every report, and say nothing of a person or a place.
var plainNames = map[string]bool{
	"localhost": true, "127.0.0.1": true, "::1": true, "root": true, "home": true, "admin": true, "administrator": true, "geodeck": true, "geodeck simulator": true, "user": true,
}

// shortest is how many bytes a name has at least: shorter ones are parts of other words.
const shortest = 3

// add gives a name its word.
func (n *renamer) add(kind, text string) {
	text = strings.ToLower(strings.Trim(text, ". "))
	if len(text) < shortest || plainNames[text] || n.words[text] != "" {
		return
	}
	n.counts[kind]++
	n.words[text] = fmt.Sprintf("%s-%d", kind, n.counts[kind])
	begin := text[:partEnd(text, 0)]
	if at, found := slices.BinarySearchFunc(n.sizes[begin], len(text), func(size, want int) int { return want - size }); !found {
		n.sizes[begin] = slices.Insert(n.sizes[begin], at, len(text))
	}
	if domain := domainOf(text); kind == ofHost && domain != "" && !isAddress(text) {
		n.domains[domain] = struct{}{}
	}
}

// domainOf returns the last two parts of a name with more than two, with the dot before them;
// otherwise nothing.
func domainOf(name string) string {
	last := max(0, strings.LastIndexByte(name, '.'))
	if at := strings.LastIndexByte(name[:last], '.'); at >= 0 {
		return name[at:]
	}
	return ""
}

// What looks like a person: an address of mail. What looks like a host: in an address, an address
// of the network, and a name with a domain.
var (
	mailName   = pattern.New(`(?i)\b[\w.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+\b`)
	hostInURL  = pattern.New(`(?i)://(?:[^\s/?#"'<>@\\]*@)?(\[[0-9a-f:.]+\]|[\w.-]+)`)
	networkIP  = pattern.New(`\b(?:\d{1,3}\.){3}\d{1,3}\b|(?i)\b(?:[0-9a-f]{1,4}:){2,7}(?::?[0-9a-f]{1,4})*\b|(?i)\b(?:[0-9a-f]{1,4}:)+:[0-9a-f:]*`)
	dottedName = pattern.New(`(?i)\b[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)+\b`)
)

// addFound gives words to the addresses of mail and the hosts that stand in a text.
func (n *renamer) addFound(text string) {
	for _, found := range mailName().FindAllString(text, -1) {
		n.add(ofUser, found)
	}
	for _, m := range hostInURL().FindAllStringSubmatch(text, -1) {
		n.add(ofHost, strings.Trim(m[1], "[]"))
	}
	for _, found := range networkIP().FindAllString(text, -1) {
		if isAddress(found) && found != n.version {
			n.add(ofHost, found)
		}
	}
	for _, found := range dottedName().FindAllString(text, -1) {
		if _, known := n.domains[domainOf(strings.ToLower(found))]; known {
			n.add(ofHost, found)
		}
	}
}

func isAddress(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil
}

// replaceJSON replaces the names in the values of JSON, one or several in a row; in names of
// members only those of hosts.
func (n *renamer) replaceJSON(content []byte, multiline bool) ([]byte, error) {
	var out bytes.Buffer
	in := jsonx.NewDecoder(content)
	enc := jsontext.NewEncoder(&out, jsonx.AsWritten)
	if multiline {
		enc.Reset(&out, jsonx.AsWritten, jsontext.WithIndent("  "))
	}
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return plain.SafeJSON(out.Bytes()), nil
		}
		if err != nil {
			return nil, err
		}
		if token.Kind() == jsontext.KindString {
			within, count := in.StackIndex(in.StackDepth())
			token = jsontext.String(n.replace(token.String(), within == jsontext.KindBeginObject && count%2 == 1))
		}
		if err := enc.WriteToken(token); err != nil {
			return nil, err
		}
	}
}

// replace replaces the names in a text, in any case, where they are no part of a longer word: the
// longest that begins at a place. Its time does not grow with the number of names.
func (n *renamer) replace(text string, onlyHosts bool) string {
	if n.home != "" {
		text = strings.ReplaceAll(text, n.home+"/", "~/")
	}
	lower := asciiLower(text)
	var b strings.Builder
	end := 0
	for at := 0; at < len(text); {
		next := partEnd(lower, at)
		for _, size := range n.sizes[lower[at:next]] {
			to := at + size
			if to > len(text) || to < len(text) && isPart(lower[to-1]) && isPart(lower[to]) {
				continue
			}
			if word := n.words[lower[at:to]]; word != "" && (!onlyHosts || strings.HasPrefix(word, ofHost)) {
				b.WriteString(text[end:at] + word)
				end, next = to, to
				break
			}
		}
		at = next
	}
	return b.String() + text[end:]
}

// partEnd returns where the word that begins at a place of a text ends; what is no word is one
// byte.
func partEnd(text string, at int) int {
	end := at + 1
	for isPart(text[at]) && end < len(text) && isPart(text[end]) {
		end++
	}
	return end
}

func isPart(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' }

// asciiLower keeps the length of a text.
func asciiLower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
