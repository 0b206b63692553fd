package main

// ofJournal are the guards of what is on disk.
var ofJournal = []guard{
	{
		holds: "the record of a write is on disk before it is sent",
		cuts:  []cut{{"adminapi/journal/lines.go", "if err == nil && !d.noSync {\n\t\terr = f.Sync()\n\t}", ""}},
		judge: judge{"adminapi/journal", "TestARecordIsOnDiskBeforeItsWriteIsSent"},
	},
	{
		holds: "a file is on disk before it takes the place of the one before",
		cuts:  []cut{{"adminapi/journal/private.go", "if err == nil && !d.noSync {\n\t\terr = f.Sync()\n\t}", ""}},
		judge: judge{"adminapi/journal", "TestWhatReplacesAFileIsOnDiskBeforeItHasItsName"},
	},
	{
		holds: "the new name of a file is on disk",
		cuts:  []cut{{"adminapi/journal/private.go", "return explain(path, err)\n\t}\n\treturn d.syncFolder(filepath.Dir(path))\n}\n\n// fill", "return explain(path, err)\n\t}\n\treturn nil\n}\n\n// fill"}},
		judge: judge{"adminapi/journal", "TestWhatReplacesAFileIsOnDiskBeforeItHasItsName"},
	},
	{
		holds: "the name of a new log is on disk before its first write is sent",
		cuts:  []cut{{"adminapi/journal/lines.go", "if err := d.syncFolder(filepath.Dir(path)); err != nil {\n\t\t\treturn err\n\t\t}\n\t}\n\treturn explain(path, d.writeFrom", "_ = filepath.Dir(path)\n\t}\n\treturn explain(path, d.writeFrom"}},
		judge: judge{"adminapi/journal", "TestARecordIsOnDiskBeforeItsWriteIsSent"},
	},
	{
		holds: "a failed write leaves the file before it",
		cuts:  []cut{{"adminapi/journal/private.go", "err = d.fill(f, write)\n\tif err == nil {", "err = d.fill(f, write)\n\tif true {"}},
		judge: judge{"adminapi/journal", "TestAFailedWriteReplacesNothing"},
	},
	{
		holds: "a record that does not fit is removed whole",
		cuts:  []cut{{"adminapi/journal/lines.go", "_ = f.Truncate(end) // if this fails too, a cut line is left", "_ = end"}},
		judge: judge{"adminapi/journal", "TestARecordThatDoesNotFitIsRemoved|TestALineThatDoesNotFitIsRemovedWhole"},
	},
	{
		holds: "a line that a crash has cut off spoils no other",
		cuts:  []cut{{"adminapi/journal/lines.go", "case whole >= 0 && (start >= 0 || from == 0):\n\t\t\treturn tail[start+1 : whole], from + int64(whole) + 1, nil", "case whole >= 0 && (start >= 0 || from == 0):\n\t\t\treturn tail[start+1 : whole], size, nil"}},
		judge: judge{"adminapi/journal", "TestALineCutOffByACrashHarmsNothing"},
	},
	{
		holds: "programs that share a journal change it one after the other",
		cuts:  []cut{{"adminapi/journal/private.go", "if err := j.locks.wait(context.Background(), f, lockTimeout); err != nil {\n\t\treturn explain(path, err)\n\t}", ""}},
		judge: judge{"adminapi/journal", "TestTwoProgramsOnOneSite|TestTheWaitForALockEnds"},
	},
	{
		holds: "the wait for a lock ends",
		cuts:  []cut{{"adminapi/journal/private.go", "if !l.clock.Now().Before(until) {", "if _ = until; false {"}},
		judge: judge{"adminapi/journal", "TestTheWaitForALockEnds"},
	},
	{
		holds: "a claim without locks of the file system excludes at least this program",
		cuts:  []cut{{"adminapi/journal/claim.go", "_, held = j.claims.LoadOrStore(target, info)", "j.claims.Store(target, info)"}},
		judge: judge{"adminapi/journal", "TestWithoutLocksTheRecordStopsTheNextWrite"},
	},
	{
		holds: "nobody else can read the folders of a journal",
		cuts:  []cut{{"adminapi/journal/private.go", "folderMode fs.FileMode = 0o700", "folderMode fs.FileMode = 0o755"}},
		judge: judge{"adminapi/journal", "TestNobodyElseCanReadAJournalWhateverTheUmask"},
	},
	{
		holds: "nobody else can read the files of a journal",
		cuts:  []cut{{"adminapi/journal/private.go", "fileMode   fs.FileMode = 0o600", "fileMode   fs.FileMode = 0o644"}},
		judge: judge{"adminapi/journal", "TestNobodyElseCanReadAJournalWhateverTheUmask"},
	},
	{
		holds: "rights that others have at a file are removed",
		cuts:  []cut{{"adminapi/journal/private.go", "if info.Mode().Perm() != fileMode {\n\t\treturn explain(path, f.Chmod(fileMode))\n\t}", ""}},
		judge: judge{"adminapi/journal", "TestRightsOfOthersAreRemoved"},
	},
	{
		holds: "a link in the place of a file is not followed",
		cuts:  []cut{{"adminapi/journal/disk.go", "flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK", "flags|syscall.O_NONBLOCK"}},
		judge: judge{"adminapi/journal", "TestALinkInThePlaceOfAFileIsNotFollowed"},
	},
	{
		holds: "a link in the place of a folder is not followed",
		cuts:  []cut{{"adminapi/journal/private.go", "case info.Mode()&fs.ModeSymlink != 0:\n\t\treturn nil, explain(name, syscall.ELOOP)\n\tcase !info.IsDir():", "case !info.IsDir() && info.Mode()&fs.ModeSymlink == 0:"}},
		judge: judge{"adminapi/journal", "TestALinkInThePlaceOfAFileIsNotFollowed|TestFoldersThatCannotHoldAJournalAreRefusedInASentence"},
	},
	{
		holds: "a pipe in the place of the log does not hang the program",
		cuts:  []cut{{"adminapi/journal/disk.go", "flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK", "flags|syscall.O_NOFOLLOW"}},
		judge: judge{"adminapi/journal", "TestAPipeInThePlaceOfTheLogDoesNotHang"},
	},
	{
		holds: "what belongs to another user is not used",
		cuts:  []cut{{"adminapi/journal/private.go", "if !d.Owned(info) {", "if false {"}},
		judge: judge{"adminapi/journal", "TestWhatBelongsToAnotherUserIsNotUsed"},
	},
	{
		holds: "a folder that others may write to holds no journal",
		cuts:  []cut{{"adminapi/journal/private.go", "if err == nil && info.Mode().Perm()&0o022 != 0 {", "if err == nil && info.Mode().Perm()&0o022 < 0 {"}},
		judge: judge{"adminapi/journal", "TestFoldersThatCannotHoldAJournalAreRefusedInASentence"},
	},
	{
		holds: "a transcript keeps within its budget",
		cuts:  []cut{{"adminapi/journal/transcript.go", "if err == nil && t.state.end > t.journal.budget {", "if false {"}},
		judge: judge{"adminapi/journal", "TestATranscriptThatIsTooLongLacksItsMiddleAndSaysSo"},
	},
	{
		holds: "a transcript without its middle says so",
		cuts:  []cut{{"adminapi/journal/transcriptcut.go", "sum.Messages + sum.LeftOut; leftOut > 0 {", "sum.Messages + sum.LeftOut; leftOut < 0 {"}},
		judge: judge{"adminapi/journal", "TestATranscriptThatIsTooLongLacksItsMiddleAndSaysSo"},
	},
	{
		holds: "a message that two programs have seen is in the transcript once",
		cuts:  []cut{{"adminapi/journal/copies.go", "return len(s.keys) > before", "return before >= 0"}},
		judge: judge{"adminapi/journal", "TestAMessageOfTwoWritersIsStoredOnce"},
	},
	{
		holds: "no token or password of a request reaches the disk",
		cuts:  []cut{{"adminapi/journal/lines.go", "case secrets.IsName(name):\n\t\treturn secrets.Mask\n\t", ""}},
		judge: judge{"adminapi/journal", "TestNoSecretReachesTheDisk"},
	},
	{
		holds: "no passphrase of a request reaches the disk",
		cuts:  []cut{{"adminapi/secrets/names.go", "words = `token|passw|passcode|passphrase|secret", "words = `token|passw|passcode|secret"}},
		judge: judge{"adminapi/journal", "TestNoSecretReachesTheDisk"},
	},
	{
		holds: "a definition is in the log by its checksum only",
		cuts:  []cut{{"adminapi/journal/lines.go", "return len(value) > maxValue || hiddenNames().MatchString(name)", "return false"}},
		judge: judge{"adminapi/journal", "TestNoSecretReachesTheDisk|TestEveryWriteIsThereWithItsOutcome"},
	},
	{
		holds: "an error that repeats a secret is masked in the log",
		cuts:  []cut{{"adminapi/journal/actions.go", "e.Message = sentence(without(secretsIn(w.Fields), err.Error()))", "e.Message = sentence(err.Error())"}},
		judge: judge{"adminapi/journal", "TestAnErrorThatRepeatsAPartOfASecretIsMasked"},
	},
	{
		holds: "a message that holds a secret is masked in the transcript",
		cuts:  []cut{{"adminapi/journal/transcriptcut.go", "masked := maskText(shortened(text, room));", "masked := shortened(text, room);"}},
		judge: judge{"adminapi/journal", "TestATranscriptHoldsNoSecret"},
	},
	{
		holds: "a backup that was changed is not restored",
		cuts:  []cut{{"adminapi/journal/backups.go", "if hashOf(content) != all[at].Hash {", "if false {"}},
		judge: judge{"adminapi/journal", "TestAChangedBackupIsAnError"},
	},
	{
		holds: "a change of the log of writes is noticed",
		cuts:  []cut{{"adminapi/journal/verify.go", "case !c.changed && !isChained(line, c.link):", "case false:"}},
		judge: judge{"adminapi/journal", "TestAChangedLogIsNoticedAtItsFirstBrokenLine"},
	},
	{
		holds: "lines removed from the end of the log of writes are noticed",
		cuts:  []cut{{"adminapi/journal/verify.go", "case counts > lines:\n\t\treturn FaultEnding\n\t", ""}},
		judge: judge{"adminapi/journal", "TestAChangedLogIsNoticedAtItsFirstBrokenLine"},
	},
	{
		holds: "a crash between a line and the head of the log is no false alarm",
		cuts:  []cut{{"adminapi/journal/verify.go", "case counts == lines, c.found != nil && *c.found == counts:", "case counts == lines:"}},
		judge: judge{"adminapi/journal", "TestAHeadThatACrashHasLeftBehindIsNoFalseAlarm"},
	},
	{
		holds: "a head that was removed or replaced stays known after the next line",
		cuts:  []cut{{"adminapi/journal/actions.go", "e.Head = &counts", "_ = counts"}},
		judge: judge{"adminapi/journal", "TestWhatIsRemovedFromARecordIsToldAndStaysTold"},
	},
	{
		holds: "a record that a backup or a transcript belongs to is missed",
		cuts:  []cut{{"adminapi/journal/verify.go", "return c.held[id] })", "return true })"}},
		judge: judge{"adminapi/journal", "TestWhatIsRemovedFromARecordIsToldAndStaysTold"},
	},
	{
		holds: "no line is counted that a power cut can take",
		cuts:  []cut{{"adminapi/journal/chain.go", "if err := j.disk.syncFile(j.actionsPath()); err == nil {", "if true {"}},
		judge: judge{"adminapi/journal/memdisk", "TestNoCrashOfAWriteIsTakenForARemovedLine"},
	},
	{
		holds: "the words of an outcome that are not known mean unknown",
		cuts:  []cut{{"adminapi/journal/record.go", "\t\t}\n\t}\n\treturn adminapi.OutcomeUnknown\n}", "\t\t}\n\t}\n\treturn adminapi.OutcomeDone\n}"}},
		judge: judge{"adminapi/journal", "TestEveryWriteIsThereWithItsOutcome|TestAWriteWithoutAnOutcomeIsPendingAtTheNextStart|TestAnOverriddenWriteStopsNothingAndStaysUnknown"},
	},
	{
		holds: "only what was accepted has an end",
		cuts:  []cut{{"adminapi/journal/actions.go", "case r.Outcome != adminapi.OutcomeDone:", "case false:"}},
		judge: judge{"adminapi/journal", "TestAnAcceptedWriteIsSettledOnceAndKeepsItsOutcome"},
	},
	{
		holds: "a draft is not replaced by the edit of another program",
		cuts:  []cut{{"adminapi/journal/drafts.go", `fileName(key, key)+"."+s.self.program.Run+draftEnd`, `fileName(key, key)+".run"+draftEnd`}},
		judge: judge{"adminapi/journal", "TestTheSecondToSaveLearnsWhoHasTheEdit|TestADraftThatWasLeftIsNotReplacedByAnotherEdit"},
	},
	{
		holds: "a draft of a program that runs is not discarded",
		cuts:  []cut{{"adminapi/journal/drafts.go", "case now.Liveness == Alive, !now.Saved.Equal(d.Saved):\n\t\t\treturn &DraftHeldError{*now}", ""}},
		judge: judge{"adminapi/journal", "TestADraftOfARunningProgramIsNotDiscarded"},
	},
	{
		holds: "a damaged draft is set aside, not replaced",
		cuts:  []cut{{"adminapi/journal/drafts.go", "err = errors.Join(err, s.disk.setAside(d))", "_ = s"}},
		judge: judge{"adminapi/journal", "TestADamagedDraftIsReportedAndSetAside"},
	},
	{
		holds: "no id leads to a file outside of its folder",
		cuts:  []cut{{"adminapi/journal/transcript.go", "filepath.Join(j.transcriptFolder(), filepath.Base(id)+transcriptEnding)", "filepath.Join(j.transcriptFolder(), id+transcriptEnding)"}, {"adminapi/journal/transcript.go", "if name, ok := transcriptID(filepath.Base(path)); !ok || name != id {", "if false {"}},
		judge: judge{"adminapi/journal", "TestAnIDNamesNoOtherFile"},
	},
	{
		holds: "a crash report is in a private file",
		cuts:  []cut{{"adminapi/journal/private.go", "err := f.Chmod(fileMode) // whatever the umask was", "err := f.Chmod(0o644)"}},
		judge: judge{"ui/cli", "TestAPanicIsASentenceOnTheScreenAndAStackInAPrivateFile"},
	},
}
