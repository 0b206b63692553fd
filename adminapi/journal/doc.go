// Package journal is what this machine remembers of a site: drafts of what is
// being filled in, a log of every write, before and after it was sent, and a
// transcript of every run that was watched.
//
// A journal is a private folder (0700, files 0600, whatever the umask). Whole
// files are replaced atomically; logs only grow, and a line is on disk before
// the call that wrote it returns. Of a transcript of more than 64 MiB the middle is
// left out, and a line in it says how much. Every change is made under a lock, so that
// several programs can share the journal of one site. Symbolic links in the
// place of the journal's own folders and files are refused.
//
// A draft names its program, and each program writes its own: what two edit at once
// stands beside each other. A lock that ends with the program says whether it runs;
// which of them has the edit is told, and can be taken over, see [Journal.SaveDraft].
//
// Tokens and passwords are never stored. What is long or a secret of somebody's
// (definitions, settings, licences) is in the log as its checksum only.
package journal
