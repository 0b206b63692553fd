package views

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// ResolvePath makes a path as people type it whole: ~ is the home folder, and
// relative ones begin at folder.
func ResolvePath(path, folder string) (string, error) {
	path = strings.TrimSpace(path)
	if path == "~" || strings.HasPrefix(path, "~/") {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("the home folder is not known: %w", err)
		}
		path = filepath.Join(home, path[1:])
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	return filepath.Clean(path), nil
}

// FileSafe replaces what cannot be part of a file name on every system.
func FileSafe(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '.', r == '_', r == '-':
			return r
		}
		return '_'
	}, strings.TrimLeft(s, "."))
}

// maxListed bounds how many entries of a folder are read to complete a path.
const maxListed = 10_000

// CompletePath completes a path as people type it as far as the files of its folder allow:
// to the only file that fits, or to what all that fit have in common, which it returns too.
// extensions are those that files have, in lower case without dot; none for any. It reads
// the folder.
func CompletePath(typed, folder string, extensions []string) (completed string, choices []string) {
	at := strings.LastIndex(typed, "/") + 1
	dir, err := ResolvePath(typed[:at], folder)
	if err != nil {
		return typed, nil
	}
	file, err := os.Open(dir)
	if err != nil {
		return typed, nil
	}
	defer file.Close()
	entries, _ := file.ReadDir(maxListed) // what can be read helps
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, typed[at:]) || name[0] == '.' && typed[at:] == "" {
			continue
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.IsDir() {
			choices = append(choices, name+"/")
		} else if extension := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), ".")); len(extensions) == 0 || slices.Contains(extensions, extension) {
			choices = append(choices, name)
		}
	}
	if len(choices) == 0 {
		return typed, nil
	}
	slices.Sort(choices)
	common := choices[0]
	for _, choice := range choices[1:] {
		for !strings.HasPrefix(choice, common) {
			_, size := utf8.DecodeLastRuneInString(common)
			common = common[:len(common)-size]
		}
	}
	return typed[:at] + common, choices
}
