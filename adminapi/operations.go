package adminapi

// operation is what an administrator calls one request, and what the platform
// asks for it.
type operation struct {
	name      string  // goes after "cannot"
	privilege string  // in the words of the platform, empty where any user will do
	since     Version // zero where every site has it
}

const securityAndInfrastructure = "Security and infrastructure"

// Every operation of this package, with its privilege and the version it needs.
var (
	opRoot          = operation{name: "read the administrative root"}
	opMode          = operation{name: "read the mode of the site"}
	opSignIn        = operation{name: "sign in"}
	opSelf          = operation{name: "read who is signed in"}
	opSuites        = healthOperation("read the test suites")
	opSuite         = healthOperation("read a test suite")
	opRunHealth     = healthOperation("run a health check")
	opReports       = healthOperation("read the list of reports")
	opReport        = healthOperation("read a report")
	opDeleteReports = healthOperation("delete reports")
	opExportReports = healthOperation("export reports")
	opJobs          = operation{name: "read the list of jobs"}
	opJob           = operation{name: "read a job"}
	opFolder        = operation{name: "read a folder of services"}
	opService       = operation{name: "read the definition of a service"}
	opUpgrades      = operation{name: "read the status of upgrades"}
)

func healthOperation(name string) operation {
	return operation{name: name, privilege: securityAndInfrastructure, since: VersionHealth}
}
