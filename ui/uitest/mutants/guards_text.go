package main

// ofText are the guards against text of the site: on the screen, in files, in other programs.
var ofText = []guard{
	{
		holds: "no control character of the site reaches the terminal",
		cuts: []cut{
			{"adminapi/plain/plain.go", "if b < ' ' || b == 0x7f {\n\t\t\t\treturn false\n\t\t\t}", ""},
		},
		judge: judge{"adminapi/plain", "TestLineLeavesNothingATerminalObeys"},
	},
	{
		holds: "an escape sequence of the site is left out whole",
		cuts:  []cut{{"adminapi/plain/cleaner.go", "case b == escape:\n\t\tc.skipEscape()\n\tcase b < ' '", "case b < ' '"}},
		judge: judge{"adminapi/plain", "TestLineLeavesNothingATerminalObeys"},
	},
	{
		holds: "the text of a sequence such as a window title or a clipboard does not show",
		cuts:  []cut{{"adminapi/plain/cleaner.go", "case b == ']':\n\t\tc.at++\n\t\tc.skipString(true)", "case b == ']':\n\t\tc.at++"}},
		judge: judge{"adminapi/plain", "TestLineLeavesNothingATerminalObeys"},
	},
	{
		holds: "controls in their eight-bit form do not reach the terminal",
		cuts:  []cut{{"adminapi/plain/cleaner.go", "case r < 0xa0:\n\t\treturn kindOfC1(r)", "case r < 0xa0:\n\t\treturn printable"}},
		judge: judge{"adminapi/plain", "TestLineLeavesNothingATerminalObeys"},
	},
	{
		holds: "marks that turn the direction of a text do not reach the terminal",
		cuts:  []cut{{"adminapi/plain/cleaner.go", "case unicode.Is(invisible, r), unicode.Is(unicode.Cf, r):", "case unicode.Is(invisible, r):"}},
		judge: judge{"adminapi/plain", "TestLineLeavesNothingATerminalObeys|TestEveryCharacterIsSorted"},
	},
	{
		holds: "a character carries a few combining marks only",
		cuts:  []cut{{"adminapi/plain/cleaner.go", "if c.marks >= MaxMarks || c.full {", "if c.full {"}},
		judge: judge{"adminapi/plain", "TestLineLeavesNothingATerminalObeys|TestTextKeepsLines|TestEveryCharacterIsSorted"},
	},
	{
		holds: "a line of the site is bounded",
		cuts:  []cut{{"adminapi/plain/cleaner.go", "if c.cells+cells > MaxLine {", "if false {"}},
		judge: judge{"adminapi/plain", "TestLongTextEndsInAnEllipsis"},
	},
	{
		holds: "a text of the site is bounded",
		cuts:  []cut{{"adminapi/plain/cleaner.go", "if c.truncated || c.ended < MaxLines && len(c.out) <= MaxText {\n\t\treturn\n\t}", "if true {\n\t\treturn\n\t}"}},
		judge: judge{"adminapi/plain", "TestTextIsBounded"},
	},
	{
		holds: "no cell of a table begins a formula",
		cuts:  []cut{{"adminapi/plain/plain.go", "if strings.HasPrefix(start, sign) {", "if false && start == sign {"}},
		judge: judge{"adminapi/health", "TestCSVCellsBeginNoFormula"},
	},
	{
		holds: "Markdown holds no markup of the site",
		cuts:  []cut{{"adminapi/plain/plain.go", "case escaped(line, i):\n\t\t\tb.WriteByte('\\\\')", "case escaped(line, i):"}},
		judge: judge{"adminapi/health", "TestMarkdownHoldsNoMarkupOfTheServer"},
	},
	{
		holds: "HTML holds no markup of the site",
		cuts:  []cut{{"adminapi/health/exporthtml.go", "func esc(text string) string { return html.EscapeString(plain.Line(text)) }", "func esc(text string) string { return plain.Line(text) }"}},
		judge: judge{"adminapi/health", "TestHTMLHoldsOnlyItsOwnElements"},
	},
	{
		holds: "secret settings are masked in the review of an upgrade",
		cuts:  []cut{{"adminapi/secrets/json.go", "clean = n.hide(text, mask)", "n.hide(text, mask)"}},
		judge: judge{"adminapi/upgrade", "TestAReviewShowsUploadIDsAndHidesSecrets"},
	},
	{
		holds: "the value beside the name of a secret is masked",
		cuts:  []cut{{"adminapi/secrets/json.go", "t.values[i].isSecret = true", "_ = i"}},
		judge: judge{"adminapi/secrets", "TestJSONIsMaskedByItsNames"},
		also:  []judge{{"adminapi", "TestATraceHidesTheValueBesideTheNameOfASecret"}, {"adminapi/upgrade", "TestAReviewShowsUploadIDsAndHidesSecrets"}},
	},
	{
		holds: "a password in an address is masked",
		cuts:  []cut{{"adminapi/secrets/text.go", "inURL     = patterns{urlPassword}", "inURL     = patterns{privateKey}"}},
		judge: judge{"adminapi/secrets", "TestSecretsAreMaskedWhereANameOrASignSaysSo"},
	},
	{
		holds: "a sentence of the site that speaks of secrets stays what it is",
		cuts:  []cut{{"adminapi/secrets/text.go", "patterns = s.kept", "patterns = s.open"}},
		judge: judge{"adminapi/secrets", "TestKeptTextsSpeakOfSecrets"},
		also:  []judge{{"adminapi/journal", "TestOrdinaryMessagesAreStoredUnchanged"}},
	},
	{
		holds: "answers to secret settings are in no draft",
		cuts:  []cut{{"adminapi/upgrade/settingsfile.go", "if !fields[id].Secret && !holdsSecret(strings.TrimSpace(answer.JSON)) {", "if _ = fields; true {"}},
		judge: judge{"adminapi/operation", "TestADraftHoldsEverythingExceptSecrets"},
	},
	{
		holds: "JSON holds no character that a terminal obeys",
		cuts:  []cut{{"adminapi/plain/plain.go", "if bytes.IndexFunc(raw, unsafeInJSON) < 0 {", "if bytes.IndexFunc(raw, unsafeInJSON) < 1<<30 {"}},
		judge: judge{"adminapi/plain", "TestUnseenCharactersBecomeEscapesAndKeepTheirValue"},
	},
	{
		holds: "a word of the site in a command line is one word of the shell",
		cuts:  []cut{{"adminapi/plain/plain.go", `return "'" + strings.ReplaceAll(text, "'", ` + "`'\\''`" + `) + "'"`, "return text"}},
		judge: judge{"adminapi/plain", "TestAShellTakesAWordAsItIs"},
	},
	{
		holds: "no cell of the screen holds a control character",
		cuts: []cut{
			{"ui/paint/cells.go", "drawable(content) {\n\t\treturn content, width", "drawable(\"x\") {\n\t\treturn content, max(width, 1)"},
			{"ui/paint/cells.go", "} else if first < utf8.RuneSelf {\n\t\treturn \"\", 0\n\t}", "}"},
		},
		judge: judge{"ui/paint", "TestLinesAreReadAsTheyWouldBeShown|TestAFrameShowsWhatItsTextShows"},
	},
	{
		holds: "copied text cannot act where it is pasted",
		cuts:  []cut{{"ui/paint/terminal.go", "text = printable(text)", ""}},
		judge: judge{"ui/paint", "TestCopiedTextCannotActWhereItIsPasted"},
	},
	{
		holds: "a notification is never a command of the terminal",
		cuts:  []cut{{"ui/paint/terminal.go", "if line != \"\" && unicode.IsDigit(rune(line[0])) {", "if false {"}},
		judge: judge{"ui/paint", "TestANotificationIsNeverACommandOfTheTerminal"},
	},
	{
		holds: "no text of the site ends a notification",
		cuts:  []cut{{"ui/paint/terminal.go", "case r == utf8.RuneError, !unicode.IsPrint(r):\n\t\treturn -1\n\t}", "}"}},
		judge: judge{"ui/paint", "TestANotificationIsNeverACommandOfTheTerminal|TestANotificationReachesTheTerminalThroughMultiplexers"},
	},
	{
		holds: "an error on the screen of a command is one clean line",
		cuts:  []cut{{"ui/cli/exit.go", `"geodeck: "+plain.Line(strings.TrimSpace(f.Error()))`, `"geodeck: "+f.Error()`}},
		judge: judge{"ui/cli", "TestNothingOfAnErrorIsObeyedByATerminal"},
	},
	{
		holds: "the text of a panic has its secrets masked",
		cuts:  []cut{{"ui/cli/run.go", "plain.Line(mask.Text(text, secrets.Anywhere))", "plain.Line(text)"}},
		judge: judge{"ui/cli", "TestAPanicOfTheDashboardTellsNoSecret|TestNoCanaryTokenIsPrintedOrLoggedByAnyCommand"},
	},
	{
		holds: "a value of which nothing is known is in no crash report",
		cuts:  []cut{{"ui/cli/run.go", `return fmt.Sprintf("a value of type %T", value)`, `return fmt.Sprintf("%v", value)`}},
		judge: judge{"ui/cli", "TestAPanicIsASentenceOnTheScreenAndAStackInAPrivateFile|TestAPanicOfTheDashboardTellsNoSecret"},
	},
	{
		holds: "a secret that is printed by accident is a mask",
		cuts:  []cut{{"adminapi/secrets/secrets.go", "func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }", "func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, string(s)) }"}},
		judge: judge{"adminapi/secrets", "TestASecretIsPrintedAsAMask"},
	},
	{
		holds: "an earlier token is masked as well",
		cuts:  []cut{{"adminapi/secrets/known.go", "*to = (*to)[max(0, len(*to)-limit):]", "*to = (*to)[len(*to)-1:]"}},
		judge: judge{"adminapi", "TestEarlierSecretsAreMasked"},
		also:  []judge{{"adminapi/secrets", "TestTheNewestSecretsAreKept"}},
	},
	{
		holds: "a secret is masked before its text is cut",
		cuts:  []cut{{"adminapi/answer.go", "findFault(a.secrets.JSON(a.body, secrets.Anywhere), a.status)", "findFault(a.body, a.status)"}},
		judge: judge{"adminapi", "TestASecretIsMaskedBeforeTextIsCut"},
	},
	{
		holds: "a password is in no record of requests",
		cuts:  []cut{{"adminapi/signin.go", `path: []string{"generateToken"}, fields: fields, secrets: []secrets.Secret{password},`, `path: []string{"generateToken"}, fields: fields,`}},
		judge: judge{"adminapi", "TestAPasswordThatIsRefusedIsMaskedInTheRefusal"},
	},
	{
		holds: "a password that the site refused is forgotten",
		cuts:  []cut{{"adminapi/secrets/known.go", "\tk.forget(&k.others, \"\")\n", ""}},
		judge: judge{"adminapi", "TestAPasswordThatIsRefusedIsForgotten"},
		also:  []judge{{"adminapi/secrets", "TestASecretIsKnownForWhatTheSiteMakesOfIt"}},
	},
	{
		holds: "what the site has issued stays masked where it refuses it at once",
		cuts:  []cut{{"adminapi/signin.go", "s.client.secrets.AddToken(token.Value, true)\n\ts.setToken(token, user)", "s.setToken(token, user)"}},
		judge: judge{"adminapi", "TestWhatTheSiteHasIssuedIsNotForgotten"},
	},
	{
		holds: "a password that is a word masks no name",
		cuts:  []cut{{"adminapi/secrets/byvalue.go", "\t\t\tstanding = InNames\n", "\t\t\tstanding = rule\n"}},
		judge: judge{"adminapi", "TestNamesAndNumbersOfAnAnswerStayWhatTheyAre"},
		also:  []judge{{"adminapi/secrets", "TestNamesInJSONLoseTokensAlone"}},
	},
	{
		holds: "a message and its copy with a mask are one",
		cuts:  []cut{{"adminapi/upgrade/progress/log.go", "if !m.copies.Expect(message) {", "if true {"}},
		judge: judge{"adminapi/operation", "TestNoMessageCountsTwiceWhenAPasswordIsLearned"},
	},
	{
		holds: "a message of the dashboard is in the log of --debug by its type alone",
		cuts:  []cut{{"ui/update.go", "\treturn fmt.Sprintf(\"%T\", msg)\n}", "\treturn fmt.Sprintf(\"%T %v\", msg, msg)\n}"}},
		judge: judge{"ui", "TestTheLogOfMessagesHoldsNothingThatIsTyped"},
	},
}
