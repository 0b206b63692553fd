package adminapi_test

import "geodeck/adminapi"

const licenceCanary = "CANARY-licence-71f3a9"

var (
	aFile     = adminapi.Part{FileName: "a.json", Content: []byte("{}")}
	anUpgrade = []adminapi.Part{
		{Name: "versionManifest", Content: []byte(`{"id":"rel_1"}`)},
		{Name: "versionManifestFile", File: true},
		{Name: "licenseFile", FileName: "site licence.json", File: true, Secret: true, Content: []byte(`{"code":"` + licenceCanary + `"}`)},
		{Name: "upgradeSettings", Content: []byte("{}")},
	}
)
