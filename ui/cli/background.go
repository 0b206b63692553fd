package cli

import (
	"fmt"
	"strings"

	"geodeck/adminapi/journal"
	"geodeck/theme"
	"geodeck/ui/cli/session"
)

// backgrounds keeps what terminals tell of their background, in a file of the state folder with
// a line for each kind of terminal. It only spares the next start a change of its colours, so
// where the file cannot be read or written, nothing is said.
type backgrounds struct {
	disk   journal.Files
	folder string // empty where there is none
	kind   string // of this terminal
}

const (
	backgroundsFile = "backgrounds"
	maxBackgrounds  = 16 // kinds that are kept, the newest first
)

// words are the backgrounds as the file names them.
var words = map[string]theme.Background{"dark": theme.Dark, "light": theme.Light}

func backgroundsOf(s *session.Session) backgrounds {
	far := ""
	if s.Env("SSH_CONNECTION") != "" {
		far = "ssh"
	}
	folder, _ := s.StateFolder()
	return backgrounds{s.Options().Disk, folder, fmt.Sprintf("%q", []string{s.Env("TERM"), s.Env("TERM_PROGRAM"), far})}
}

// read returns what terminals of this kind have told last, and the lines of the other kinds.
func (b backgrounds) read() (kept theme.Background, others []string) {
	kept = theme.Unknown
	if b.folder == "" {
		return kept, nil
	}
	content, _ := journal.LoadState(b.disk, b.folder, backgroundsFile, 4<<10)
	for line := range strings.Lines(string(content)) {
		word, kind, _ := strings.Cut(line, " ")
		shade, known := words[word]
		switch {
		case known && kind == b.kind+"\n":
			kept = shade
		case known && len(others) < maxBackgrounds-1:
			others = append(others, line)
		}
	}
	return kept, others
}

// keep keeps what this terminal tells, or that it tells nothing.
func (b backgrounds) keep(told theme.Background) {
	kept, lines := b.read()
	if told == kept {
		return
	}
	for word, shade := range words {
		if shade == told {
			lines = append([]string{word + " " + b.kind + "\n"}, lines...)
		}
	}
	_ = journal.SaveState(b.disk, b.folder, backgroundsFile, []byte(strings.Join(lines, "")))
}
