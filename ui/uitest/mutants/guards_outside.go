package main

// ofOutside are the guards of files for people, and of other programs.
var ofOutside = []guard{
	{
		holds: "a file that is there is never overwritten",
		cuts:  []cut{{"adminapi/operation/files.go", "os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)", "os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)"}},
		judge: judge{"adminapi/operation", "TestAFileThatIsThereIsNeverOverwritten"},
	},
	{
		holds: "a file that cannot be written whole is removed",
		cuts:  []cut{{"adminapi/operation/files.go", "_ = os.Remove(path)", ""}},
		judge: judge{"adminapi/operation", "TestAFileThatCannotBeWrittenWholeIsRemoved"},
	},
	{
		holds: "a pipe in place of a licence is refused, not waited for",
		cuts:  []cut{{"adminapi/operation/files.go", "os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)", "os.OpenFile(path, os.O_RDONLY|0*syscall.O_NONBLOCK, 0)"}},
		judge: judge{"adminapi/operation", "TestAPipeIsRefusedAndNotWaitedFor"},
	},
	{
		holds: "no other program gets the token",
		cuts:  []cut{{"adminapi/program/program.go", `return strings.HasPrefix(variable, "GEODECK_")`, "return false"}},
		judge: judge{"adminapi/operation", "TestAHookGetsTheAlarmAndNoSecret"},
	},
	{
		holds: "the file for an editor is private",
		cuts:  []cut{{"adminapi/journal/texts.go", "err = j.disk.privateFolder(building)", "err = j.disk.Mkdir(building, 0o755)"}},
		judge: judge{"adminapi/journal", "TestTheFileForAnEditorIsPrivateFromTheBeginning"},
	},
	{
		holds: "the file for an editor does not stay behind",
		cuts:  []cut{{"adminapi/operation/programs.go", "func (e *EditorFile) Close() error { return e.Remove() }", "func (e *EditorFile) Close() error { return nil }"}},
		judge: judge{"adminapi/operation", "TestTheEditorFileIsPrivateAndRemoved"},
	},
	{
		holds: "the file for an editor stays until its text is a draft",
		cuts:  []cut{{"ui/views/services/editor/drafts.go", "if r.err == nil {\n\t\t\tfor _, file", "if true {\n\t\t\tfor _, file"}},
		judge: judge{"ui/views/services", "TestTheFileOfAnEditorStaysUntilItsTextIsADraft"},
	},
	{
		holds: "a text of an editor that takes a draft back is offered",
		cuts:  []cut{{"ui/views/services/editor/offer.go", " && !k.Outside {", " {"}},
		judge: judge{"ui/views/services", "TestATextThatIsAsAtTheSiteIsOfferedBeforeTheDraftItWasMadeOf"},
	},
	{
		holds: "the text of an editor that is open is not offered",
		cuts:  []cut{{"adminapi/journal/texts.go", "|| d.Mine || d.Liveness == Alive", "|| d.Mine"}},
		judge: judge{"adminapi/journal", "TestOnlyATextThatWasChangedIsOfferedAndOnlyWhenItsProgramHasEnded"},
	},
	{
		holds: "an editor that saves an empty file deletes nothing",
		cuts:  []cut{{"adminapi/operation/programs.go", "case len(bytes.TrimSpace(text)) == 0:\n\t\terr = errors.New(\"the editor saved an empty file; nothing was changed\")\n\t", ""}},
		judge: judge{"adminapi/operation", "TestTheEditorFileShowsWhatTheEditorDid"},
	},
	{
		holds: "a command that hangs is ended with its children",
		cuts:  []cut{{"adminapi/program/program.go", "func endGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }", "func endGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }"}},
		judge: judge{"adminapi/operation", "TestACommandThatHangsIsEndedWithItsChildren|TestACommandThatFailsLeavesNoChildBehind"},
	},
	{
		holds: "secrets of a command line are not shown",
		cuts:  []cut{{"adminapi/secrets/text.go", "out.WriteString(text[end:at[2]] + hidden)\n\t\t\t\tend = at[3]", ""}},
		judge: judge{"adminapi/operation", "TestSecretsOfACommandLineAreNotShown"},
	},
	{
		holds: "what a command repeats of its secrets is not shown",
		cuts:  []cut{{"adminapi/secrets/text.go", "text = strings.ReplaceAll(text, part, hidden)", "_ = hidden"}},
		judge: judge{"adminapi/operation", "TestAProgramThatRepeatsItsSecretsDoesNotShowThem"},
	},
	{
		holds: "the simulated site is reached from its own machine only",
		cuts:  []cut{{"adminapi/simulator/server.go", `if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {`, `if ip := net.ParseIP(host); ip == nil && host == "" && false {`}},
		judge: judge{"adminapi/simulator", "TestOnlyLoopbackIsServed"},
	},
	{
		holds: "the recorded exchanges of the simulated site hold no secret",
		cuts:  []cut{{"adminapi/secrets/json.go", "case IsField(name):", "case false:"}},
		judge: judge{"adminapi/simulator", "TestARecordHoldsNoSecret"},
	},
	{
		holds: "the log of --debug is private",
		cuts:  []cut{{"ui/cli/debug.go", "os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)", "os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)"}, {"ui/cli/debug.go", "err = file.Chmod(0o600)", "err = nil"}},
		judge: judge{"ui/cli", "TestNoCanaryTokenIsPrintedOrLoggedByAnyCommand"},
	},
	{
		holds: "a token file holds a token and nothing else",
		cuts:  []cut{{"adminapi/signin/signin.go", "if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {", "if false {"}},
		judge: judge{".", "TestCommands/signin"},
	},
	{
		holds: "a token file that others may read is warned of",
		cuts:  []cut{{"adminapi/signin/signin.go", "mode.IsRegular() && mode.Perm()&0o077 != 0 {", "mode.IsRegular() && mode.Perm()&0o077 != 0 && false {"}},
		judge: judge{".", "TestCommands/signin"},
	},
	{
		holds: "the token of the environment goes to the chosen site alone",
		cuts:  []cut{{"ui/cli/settings.go", "\tif c.own == \"\" {\n\t\tf, env = c.flags, c.env\n\t}", "\tf, env = c.flags, c.env"}},
		judge: judge{"ui/cli", "TestSitesThatAreGoneToAndFroOnTheDashboard"},
	},
	{
		holds: "a plan that was changed is not sent",
		cuts:  []cut{{"adminapi/operation/planfile.go", "err != nil || sum != t.Checksum {", "err != nil || sum == \"\" {"}},
		judge: judge{"adminapi/operation", "TestAFileThatIsNoPlanOrNotPrivateOrChangedIsNotRead"},
	},
	{
		holds: "every name of a locked address is locked",
		cuts:  []cut{{"adminapi/sites/sites.go", "lines[addresses[i]] > 0 && !*of(s) {", "false {"}},
		judge: judge{"adminapi/sites", "TestEverySpellingOfALockedAddressIsLocked"},
	},
	{
		holds: "the address of a locked site is locked",
		cuts:  []cut{{"ui/cli/settings.go", "s.marked, s.which = file.LockedAt(s.url.value)", "_ = file"}},
		judge: judge{"ui/cli", "TestAnAddressOfALockedSiteGetsNothingBeforeItsNameIsGiven"},
	},
	{
		holds: "where config.yaml cannot be read no address is open",
		cuts:  []cut{{"ui/cli/settings.go", "return s.unread != nil || s.marked.Locked()", "return s.marked.Locked()"}},
		judge: judge{"ui/cli", "TestAnAddressOfALockedSiteGetsNothingBeforeItsNameIsGiven"},
	},
	{
		holds: "--unlock of another name unlocks nothing",
		cuts:  []cut{{"ui/cli/settings.go", "case slices.Contains(c.flags.unlock, name):", "case true:"}},
		judge: judge{"ui/cli", "TestALockedSiteGetsNothingBeforeItsNameIsGiven"},
	},
	{
		holds: "what comes late from a site that was left is dropped",
		cuts:  []cut{{"ui/deck.go", "if of.model != d.Model {", "if false {"}},
		judge: judge{"ui", "TestWhatComesLateFromASiteThatWasLeftIsDropped"},
	},
	{
		holds: "a command that cannot record sends nothing",
		cuts:  []cut{{"ui/cli/connection.go", "\t\treturn site, &operation.UnrecordedError{Err: err}\n\t}\n\tif c.warned {\n", "\t\treturn site, nil\n\t}\n\tif c.warned {\n"}, {"ui/cli/connection.go", "err = j.BeforeWrite(w)\n\t}\n\treturn err", "err = j.BeforeWrite(w)\n\t}\n\treturn nil"}},
		judge: judge{"ui/cli", "TestWithoutATrustedFolderForTheJournalNothingIsSent"},
	},
}
