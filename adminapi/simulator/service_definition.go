package simulator

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// definition is the full description of a service: the fields of the contract,
// those that real sites add, and two that no client knows.
type definition struct {
	ServiceName           string          `json:"serviceName"`
	Type                  string          `json:"type"`
	Description           string          `json:"description"`
	ID                    string          `json:"id"`
	FolderName            string          `json:"folderName"`
	DeploymentID          string          `json:"deploymentId"`
	Provider              string          `json:"provider"`
	Capabilities          string          `json:"capabilities"`
	ClusterName           string          `json:"clusterName"`
	MinInstances          int             `json:"minInstancesPerNode"`
	MaxInstances          int             `json:"maxInstancesPerNode"`
	InstancesPerContainer int             `json:"instancesPerContainer"`
	MaxWaitTime           int             `json:"maxWaitTime"`
	MaxStartupTime        int             `json:"maxStartupTime"`
	MaxIdleTime           int             `json:"maxIdleTime"`
	MaxUsageTime          int             `json:"maxUsageTime"`
	LoadBalancing         string          `json:"loadBalancing"`
	IsolationLevel        string          `json:"isolationLevel"`
	RecycleInterval       int             `json:"recycleInterval"`
	RecycleStartTime      string          `json:"recycleStartTime"`
	KeepAliveInterval     int             `json:"keepAliveInterval"`
	Private               bool            `json:"private"`
	MaxUploadFileSize     int             `json:"maxUploadFileSize"`
	AllowedUploads        string          `json:"allowedUploadFileTypes"`
	Properties            map[string]any  `json:"properties"`
	Extensions            []extension     `json:"extensions"`
	FrameworkProperties   map[string]any  `json:"frameworkProperties"`
	Datasets              []dataset       `json:"datasets"`
	LastTuned             json.RawMessage `json:"x-lastTuned"`
	TuningProfile         map[string]any  `json:"x-tuningProfile"`
}

type extension struct {
	TypeName     string            `json:"typeName"`
	Enabled      bool              `json:"enabled"`
	Capabilities string            `json:"capabilities"`
	Properties   map[string]string `json:"properties"`
}

type dataset struct {
	ByReference     bool   `json:"byReference"`
	OnServerName    string `json:"onServerName"`
	OnPremiseName   string `json:"onPremiseName"`
	ConnectionClass string `json:"connectionClass"`
}

var providers = map[string]string{
	"MapServer": "DMaps", "FeatureServer": "SDS", "TileServer": "Tiles",
	"GeometryServer": "ArcObjects11", "GPServer": "ArcObjects11", "GPSyncServer": "ArcObjects11",
}

var capabilities = map[string]string{
	"MapServer": "Map,Query,Data", "FeatureServer": "Query,Create,Update,Delete,Editing,Sync", "TileServer": "Map,TilesOnly",
	"GeometryServer": "", "GPServer": "Uploads", "GPSyncServer": "",
}

// newDefinition makes a service's definition; the same service of the same
// seed always has the same.
func (w *world) newDefinition(s *service) definition {
	r := w.random("definition " + s.path())
	least := r.IntN(3)
	return definition{
		ServiceName: s.name, Type: s.kind, Description: s.description, ID: s.id, FolderName: s.folder,
		DeploymentID: s.deploymentID, Provider: providers[s.kind], Capabilities: capabilities[s.kind], ClusterName: "default",
		MinInstances: least, MaxInstances: least + 1 + r.IntN(4), InstancesPerContainer: 1 + r.IntN(4),
		MaxWaitTime: 60, MaxStartupTime: 300, MaxIdleTime: 1800, MaxUsageTime: 600,
		LoadBalancing: "ROUND_ROBIN", IsolationLevel: "HIGH",
		RecycleInterval: 24, RecycleStartTime: fmt.Sprintf("%02d:00", r.IntN(6)), KeepAliveInterval: -1,
		Private: s.folder == "System", MaxUploadFileSize: 0, AllowedUploads: "",
		Properties: properties(s, r), Extensions: extensions(s, r),
		FrameworkProperties: map[string]any{"frameworkVersion": w.version.short(), "sharedInstances": r.IntN(2) == 0},
		Datasets:            datasets(s, r),
		LastTuned:           json.RawMessage(fmt.Sprintf("%d.50", 1_700_000_000+r.IntN(90_000_000))),
		TuningProfile:       map[string]any{"name": "standard", "weights": []json.Number{"1.0", "0.250", "1e-3"}, "sourceId": json.Number("9007199254740993")},
	}
}

func properties(s *service, r *rand.Rand) map[string]any {
	switch s.kind {
	case "MapServer":
		return mapProperties(s, r)
	case "FeatureServer":
		return map[string]any{"maxRecordCount": 1000 * (1 + r.IntN(4)), "enableZDefaults": false, "zDefaultValue": json.Number("0.0"),
			"allowGeometryUpdates": true, "syncEnabled": true, "realm": "", "xssPreventionEnabled": true, "units": "esriMeters"}
	case "TileServer":
		return map[string]any{"isCached": true, "cacheDir": "/data/cache", "minLOD": 0, "maxLOD": 14 + r.IntN(8), "clientCachingAllowed": true, "maxExportTilesCount": 100000}
	case "GeometryServer":
		return map[string]any{"resultPath": "/data/output", "maximumRecords": 2000}
	default:
		return map[string]any{"executionType": map[string]string{"GPServer": "Asynchronous", "GPSyncServer": "Synchronous"}[s.kind],
			"toolbox": "/data/tools/" + letters(s.name) + ".tbx", "jobsDirectory": "/data/jobs", "maximumRecords": 1000, "showMessages": "Error", "resultMapServer": false}
	}
}

func mapProperties(s *service, r *rand.Rand) map[string]any {
	return map[string]any{
		"maxBufferCount": 100, "maxImageHeight": 4096, "maxImageWidth": 4096, "maxRecordCount": 1000 * (1 + r.IntN(2)),
		"filePath": "/data/maps/" + letters(s.name) + ".msd", "cacheOnDemand": false, "virtualOutputDir": "/rest/directories/output",
		"outputDir": "/data/output", "supportedImageReturnTypes": "MIME+URL", "isCached": r.IntN(3) == 0, "ignoreCache": false,
		"clientCachingAllowed": true, "cacheDir": "/data/cache", "antialiasingMode": "Normal", "textAntialiasingMode": "Force",
		"maxScale": json.Number("1000.0"), "minScale": json.Number("295828763.7957775"), "schemaLockingEnabled": false,
		"dateFieldsTimezoneID": "", "exportTilesAllowed": false, "disableIdentifyRelates": false,
	}
}

func extensions(s *service, r *rand.Rand) []extension {
	if s.kind != "MapServer" && s.kind != "FeatureServer" {
		return []extension{}
	}
	ogc := func(name, can string) extension {
		return extension{TypeName: name, Enabled: r.IntN(3) == 0, Capabilities: can, Properties: map[string]string{
			"title": s.name, "name": name[:3], "abstract": s.description, "onlineResource": "/services/" + letters(s.name) + "/" + name,
			"accessConstraints": "None", "fees": "None", "customGetCapabilities": "false", "keyword": "geodeck, sample"}}
	}
	if s.kind == "FeatureServer" {
		return []extension{ogc("WFSServer", "GetCapabilities,DescribeFeatureType,GetFeature")}
	}
	return []extension{
		ogc("WMSServer", "GetCapabilities,GetMap,GetFeatureInfo,GetStyles,GetLegendGraphic,GetSchemaExtension"),
		ogc("WFSServer", "GetCapabilities,DescribeFeatureType,GetFeature"),
		ogc("WCSServer", "GetCapabilities,DescribeCoverage,GetCoverage"),
	}
}

func datasets(s *service, r *rand.Rand) []dataset {
	list := []dataset{}
	if s.kind != "MapServer" && s.kind != "FeatureServer" {
		return list
	}
	for i := range 1 + r.IntN(3) {
		list = append(list, dataset{ByReference: r.IntN(2) == 0, OnServerName: fmt.Sprintf("%s_layer_%d", letters(s.name), i),
			OnPremiseName: fmt.Sprintf("C:\\data\\%s_%d.gdb", letters(s.name), i), ConnectionClass: "FileGDB"})
	}
	return list
}
