package adminapi

// operation is what an administrator calls one request, and what the platform
// asks for it.
type operation struct {
	name      string  // goes after "cannot"
	privilege string  // in the words of the platform, empty where any user will do or none is named
	since     Version // zero where every site has it
	upgrade   bool    // below the Upgrades resource: closed while an upgrade runs
}

// Capabilities, in the words of the platform.
const (
	securityAndInfrastructure = "Security and infrastructure"
	securityOrServers         = "Security and infrastructure, or Servers"
	publisher                 = "Publisher, or an administrator"
	defaultAdministrator      = "the default administrator role"
	editors                   = "Update, Delete, or Security and infrastructure, or the Publisher role"
)

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

	opServiceStatus  = operation{name: "read the state of a service"}
	opEditService    = operation{name: "edit the service", privilege: editors, since: VersionEdit}
	opEditServiceJob = operation{name: "edit the service in a job", privilege: editors, since: VersionEditJob}
	opStartService   = operation{name: "start the service"}
	opStopService    = operation{name: "stop the service"}

	opPlacement        = placementOperation("read where the pods of the service run")
	opEditPlacement    = placementOperation("edit where the pods of the service run")
	opDeployment       = operation{name: "read a deployment", privilege: defaultAdministrator}
	opDeploymentStatus = operation{name: "read how many pods of a deployment are ready", privilege: defaultAdministrator}

	opAvailable       = upgradeOperation("read the updates that are available", VersionUpgrades)
	opUpgradeSettings = upgradeOperation("read the settings of an upgrade", VersionUpgrades)
	opStartUpgrade    = upgradeOperation("start the upgrade", VersionUpgrades)
	opCurrentVersion  = upgradeOperation("read the installed version", VersionUpgrades)
	opInstalled       = upgradeOperation("read the installed updates", VersionUpgrades)
	opUpgradeHistory  = upgradeOperation("read the history of upgrades", VersionUpgrades)
	opCheckRollback   = upgradeOperation("read what can be rolled back", VersionUpgrades)
	opRollback        = upgradeOperation("start the rollback", VersionUpgrades)
	opImportManifest  = upgradeOperation("import the version manifest", VersionUpgrades)
	opManifestStatus  = upgradeOperation("read where the version manifest is from", VersionManifestStatus)
	opUpgradeConfig   = upgradeOperation("read where the pods of an upgrade run", VersionUpgradeConfig)

	opUpload       = operation{name: "upload the file", privilege: publisher}
	opUploadItem   = operation{name: "read an uploaded file", privilege: publisher}
	opDeleteUpload = operation{name: "delete an uploaded file", privilege: publisher}
	opBackupStores = operation{name: "read the stores of backups"}
	opBackups      = operation{name: "read the list of backups"}
)

func healthOperation(name string) operation {
	return operation{name: name, privilege: securityAndInfrastructure, since: VersionHealth}
}

func placementOperation(name string) operation {
	return operation{name: name, privilege: securityAndInfrastructure, since: VersionPlacement}
}

func upgradeOperation(name string, since Version) operation {
	return operation{name: name, privilege: securityOrServers, since: since, upgrade: true}
}
