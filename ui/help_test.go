package ui_test

import (
	"regexp"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"

	"geodeck/ui"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

func TestHelpListsEveryCommandOfTheScreenAndItsKey(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.commands = nil // help names also what cannot be done at present
	d.keys("help")
	var seen strings.Builder
	d.keys("rows.open-all")
	for range 12 {
		seen.WriteString(d.model.View())
		d.keys("pgdown")
	}
	for _, text := range []string{"Move", "↑ ↓ k j", "Moves the selection.", "Opens a file.", "Everywhere", "ctrl+z", ":sign in", "Shows Alpha."} {
		if !strings.Contains(seen.String(), text) {
			t.Errorf("no %q in\n%s", text, seen.String())
		}
	}
	d.keys("q")
	d.gone("Help for")
}

func TestHelpBeginsWithWhatCanBeDoneRightNow(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.commands = v.commands[1:2]
	d.keys("help")
	d.see("Help for Alpha")
	screen := d.model.View()
	if run, root := strings.Index(screen, "Runs what"), strings.Index(screen, "Everywhere"); run < 0 || root < run || strings.Contains(screen, "Opens a file") {
		t.Errorf("the help begins with\n%s", screen)
	}
	d.keys("rows.filter")
	d.text("opens a FILE")
	d.see("Not possible right now")
	d.see(":open alpha <file>")
}

func TestHelpFoldsMovesAndWhatIsTypedAndAFilterFindsThem(t *testing.T) {
	t.Parallel()
	d, _ := one(t)
	d.keys("help rows.bottom")
	d.see("▸ Moving and typing")
	d.gone("The filter line")
	d.keys("enter")
	d.see("▾ Moving and typing")
	d.keys("enter rows.filter")
	d.text("deletes word")
	d.see("ctrl+w")
	d.keys("esc") // and where it was found is shown
	d.see("Empties the line.")
}

func TestHelpHasTwoColumnsAndNamesWhereThereIsRoom(t *testing.T) {
	t.Parallel()
	for width, names := range map[int]bool{110: false, 200: true} {
		d, _ := one(t)
		d.send(tea.WindowSizeMsg{Width: width, Height: 40})
		d.keys("help")
		two := false
		for line := range strings.Lines(d.model.View()) {
			two = two || strings.Contains(line, "Moves the selection.") && strings.Contains(line, "Opens a file.")
		}
		if named := strings.Contains(d.model.View(), ":run alpha"); !two || named != names {
			t.Errorf("%d wide: two columns %v, names %v\n%s", width, two, named, d.model.View())
		}
		uitest.Fits(t, d.model.View(), width, 40)
	}
}

func TestHelpIsFilteredAsListsAre(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	d.keys("help rows.bottom rows.filter")
	d.text("quit")
	d.see("  2 of ") // from the end back to the first one found, below its title
	v.told = nil
	d.see("Quits; asks first") // both lines of a sentence that is wrapped
	d.see("lost.")
	d.gone("Moves the selection.")
	d.send(uitest.Paste("e"))
	d.see("Nothing here has this text.")
	uitest.Fits(t, d.model.View(), 80, 24)
	d.keys("backspace enter esc rows.top")
	d.see("Moves the selection.")
	d.keys("esc")
	d.gone("Help for")
	if len(v.told) > 0 {
		t.Errorf("the view heard %v", v.told)
	}
}

func TestADialogWithoutTextListsItsKeys(t *testing.T) {
	t.Parallel()
	choice, word := "", ""
	form := func(fields ...huh.Field) views.Dialog {
		return widget.NewForm(uitest.Theme(), widget.FormOptions{ID: "f", Title: "Format", Build: func() *huh.Form { return huh.NewForm(huh.NewGroup(fields...)) }, Submit: func() tea.Cmd { return nil }})
	}
	question := func(word string) views.Dialog {
		return widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "do it", Word: word, Then: views.Send(landed{})})
	}
	for says, dialog := range map[string]views.Dialog{
		"Answers yes; enter alone": question(""),
		"Closes the page":          widget.NewMessage(uitest.Theme(), "m", "Title", "text"),
		"Chooses in a list":        form(huh.NewSelect[string]().Title("As").Options(huh.NewOptions("json", "csv")...).Value(&choice)),
	} {
		d, _ := one(t)
		d.send(views.Open{Dialog: dialog})
		before := d.model.View()
		d.see("? keys")
		d.keys("?")
		d.see("Keys of this dialog")
		d.see(says)
		d.keys("?")
		d.gone("Keys of this dialog")
		if after := d.model.View(); after != before {
			t.Errorf("the dialog is not as it was:\n%s", after)
		}
	}
	for _, dialog := range []views.Dialog{question("none"), form(huh.NewInput().Title("Name").Value(&word))} {
		d, _ := one(t)
		d.send(views.Open{Dialog: dialog})
		d.keys("?")
		d.see("?")
		d.gone("Keys of this dialog")
		d.gone("? keys")
	}
}

func TestAKeyOfTheScreenIsToldOnce(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.commands = append(v.commands, views.Command{ID: "alpha.back", Key: "esc", Help: "Clears what is found."})
	d.keys("help")
	d.see("Clears what is found.")
	d.gone("Clears the error")
}

// "In a conflict." is no help: where a sentence is too long, what the key does is kept.
func TestASentenceOfTheHelpIsCutWhereItSaysWhatAKeyDoes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Delete the chosen report at the site; a file is only closed.":                                    "Delete the chosen report at the site.",
		"Run a health check at the site: choose suites and a name.":                                       "Run a health check at the site.",
		"In a conflict: choose your version or the site's.":                                               "In a conflict: choose your version or the site's.",
		"Add a line, or a first term. On a node: tolerate its taint; on a label: require it.":             "Add a line, or a first term.",
		"Goes to the next field; in the last one sends. Where there is something to complete, completes.": "Goes to the next field.",
	} {
		if got := views.Clause(text, 38); got != want {
			t.Errorf("%q instead of %q", got, want)
		}
	}
	for _, group := range ui.KeyTable() {
		for _, c := range group.Commands {
			for width := 10; width < 60; width += 5 {
				if got := views.Clause(c.Help, width); regexp.MustCompile(`^(Edit one of them|(After|At|In|On|When|Where|While) [^,:]*)\.$`).MatchString(got) {
					t.Errorf("%d cells: %s says %q", width, c.ID, got)
				}
			}
		}
	}
}
