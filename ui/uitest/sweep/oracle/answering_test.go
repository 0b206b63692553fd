package oracle_test

import "geodeck/ui/uitest/sweep/oracle"

// page is a form with two answers.
const page = ` Upgrade settings

   Install the latest patch too *
   Keep yes unless support advises otherwise.
   ← no →

   Licence file *
   Path to a local .json file.
   > /home/ada/12.0.0.json

`

// reviewedForm is the review of it.
const reviewedForm = `From           11.5.0.6745
Latest patch   Not installed, nor the 5 skipped updates.
Licence        12.0.0.json (83 bytes), for 12.0.0
Storage class name
               changed: "fast
               <&>"
Admin password [secret]

upgradeSettings
  {"userInputs": [
    {"id": "updateToLatestPatch", "value": false},
    {"id": "storageClassName", "value": "fast <&>"}
  ]}
`

// answered are what was filled in there.
func answered(patch, licence, class string) []oracle.Answer {
	return []oracle.Answer{
		{Label: "Install the latest patch too", ID: "updateToLatestPatch", Kind: oracle.Choice, Text: patch}, {Label: "Licence file", ID: "licenseUpload", Kind: oracle.Path, Text: licence},
		{Label: "Storage class name", ID: "storageClassName", Kind: oracle.JSONText, Text: class}, {Label: "Admin password", ID: "adminPassword", Kind: oracle.Masked, Text: `"x"`},
	}
}

func fills(patch, licence, class string) func(*day) {
	return func(d *day) {
		d.FormShown("program-1", page, answered(patch, licence, class))
		d.Reviewed("program-1", "", reviewedForm, answered(patch, licence, class))
	}
}

var formDays = []ruleDay{
	{"a form has each answer that was given to it", fills("no", "/home/ada/12.0.0.json", "0"), fills("yes", "/home/ada/12.0.0.json", "0")},
	{"a form has each answer that was given to it", fills("no", "/home/ada/12.0.0.json", "0"), fills("no", "/home/ada/12.0.json", "0")},
	{"a review shows what was filled in", fills("no", "/home/ada/12.0.0.json", `"fast <&>"`), fills("yes", "/home/ada/12.0.0.json", `"fast <&>"`)},
	{"a review shows what was filled in", fills("no", "/home/ada/12.0.0.json", `"fast <&>"`), fills("no", "/home/ada/9.3.json", `"fast <&>"`)},
	{"a review shows what was filled in", fills("no", "/home/ada/12.0.0.json", `"fast <&>"`), fills("no", "/home/ada/12.0.0.json", `"slow"`)},
	{"the request of a review has what was filled in", fills("no", "", `"fast <&>"`), fills("yes", "", `"fast <&>"`)},
	{"the request of a review has what was filled in", fills("no", "", `"fast <&>"`), fills("no", "", "7")},
}
