package document_test

import (
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/document"
)

func TestEveryFieldOfTheContractIsKnown(t *testing.T) {
	t.Parallel()
	for path, want := range map[document.Path]document.Field{
		"serviceName":                                  {Group: document.Description, Widget: document.OneLine, Kind: document.String},
		"type":                                         {Group: document.Description, Widget: document.OneLine, Kind: document.String},
		"description":                                  {Group: document.Description, Widget: document.OneLine, Kind: document.String},
		"capabilities":                                 {Group: document.Description, Widget: document.CommaList, Kind: document.String},
		"clusterName":                                  {Group: document.Framework, Widget: document.OneLine, Kind: document.String},
		"minInstancesPerNode":                          {Group: document.Framework, Widget: document.Integer, Kind: document.Number},
		"maxInstancesPerNode":                          {Group: document.Framework, Widget: document.Integer, Kind: document.Number},
		"maxWaitTime":                                  {Group: document.Framework, Widget: document.TimeInteger, Kind: document.Number},
		"maxIdleTime":                                  {Group: document.Framework, Widget: document.TimeInteger, Kind: document.Number},
		"maxUsageTime":                                 {Group: document.Framework, Widget: document.TimeInteger, Kind: document.Number},
		"recycleInterval":                              {Group: document.Framework, Widget: document.TimeInteger, Kind: document.Number},
		"recycleStartTime":                             {Group: document.Framework, Widget: document.ClockTime, Kind: document.String},
		"loadBalancing":                                {Group: document.Framework, Widget: document.OneLine, Kind: document.String},
		"isolationLevel":                               {Group: document.Framework, Widget: document.OneLine, Kind: document.String},
		"keepAliveInterval":                            {Group: document.Framework, Widget: document.TimeInteger, Kind: document.Number},
		"frameworkProperties":                          {Group: document.Framework, Kind: document.Object},
		"properties":                                   {Group: document.TypeProperties, Kind: document.Object},
		"properties.maxBufferCount":                    {Group: document.TypeProperties, Widget: document.Integer},
		"properties.maxImageHeight":                    {Group: document.TypeProperties, Widget: document.Integer},
		"properties.maxImageWidth":                     {Group: document.TypeProperties, Widget: document.Integer},
		"properties.maxRecordCount":                    {Group: document.TypeProperties, Widget: document.Integer},
		"properties.filePath":                          {Group: document.TypeProperties, Widget: document.OneLine, Path: true},
		"properties.cacheDir":                          {Group: document.TypeProperties, Widget: document.OneLine, Path: true},
		"properties.virtualOutputDir":                  {Group: document.TypeProperties, Widget: document.OneLine, Path: true},
		"properties.jobsDirectory":                     {Group: document.TypeProperties, Path: true},
		"properties.cacheOnDemand":                     {Group: document.TypeProperties, Widget: document.OnOff},
		"properties.isCached":                          {Group: document.TypeProperties, Widget: document.OnOff},
		"properties.ignoreCache":                       {Group: document.TypeProperties, Widget: document.OnOff},
		"properties.clientCachingAllowed":              {Group: document.TypeProperties, Widget: document.OnOff},
		"properties.supportedImageReturnTypes":         {Group: document.TypeProperties, Widget: document.OneLine},
		"properties.anything":                          {Group: document.TypeProperties},
		"datasets":                                     {Group: document.TypeProperties, Kind: document.Array},
		"extensions":                                   {Group: document.Extensions, Kind: document.Array},
		"extensions[WMSServer]":                        {Group: document.Extensions, Kind: document.Object},
		"extensions[3]":                                {Group: document.Extensions, Kind: document.Object},
		"extensions[WMSServer].typeName":               {Group: document.Extensions, Widget: document.OneLine, Kind: document.String},
		"extensions[WMSServer].enabled":                {Group: document.Extensions, Widget: document.OnOff, Kind: document.Bool},
		`extensions[typeName="a b"].capabilities`:      {Group: document.Extensions, Widget: document.CommaList, Kind: document.String},
		"extensions[WMSServer].properties":             {Group: document.Extensions, Kind: document.Object},
		`extensions[WMSServer].properties["odd.name"]`: {Group: document.Extensions, Widget: document.OneLine, Kind: document.String},
	} {
		got, ok := document.FieldOf(path)
		if !ok || got.Group != want.Group || got.Widget != want.Widget || got.Kind != want.Kind || got.Path != want.Path {
			t.Errorf("%s: got %+v", path, got)
		}
	}
	for path, group := range map[document.Path]document.Group{
		"x-lastTuned": document.Other, "": document.Other, "extensions[WMSServer].x": document.Extensions,
		"properties.a.b": document.TypeProperties, "datasets[0].x": document.TypeProperties, "frameworkProperties.a[0]": document.Framework,
	} {
		if _, ok := document.FieldOf(path); ok || document.GroupOf(path) != group {
			t.Errorf("%s: known %v, group %s", path, ok, document.GroupOf(path))
		}
	}
}

func TestFieldsAreExplainedAndInTheOrderOfTheirGroups(t *testing.T) {
	t.Parallel()
	groups := []document.Group{document.Description, document.Framework, document.TypeProperties, document.Extensions}
	at := 0
	for _, f := range document.Fields() {
		if f.Text == "" || !strings.HasSuffix(f.Text, ".") {
			t.Errorf("%s is not explained: %q", f.Pattern, f.Text)
		}
		if f.Widget == document.TimeInteger && !strings.Contains(f.Text, "Unit not documented") {
			t.Errorf("%s does not say that its unit is not documented", f.Pattern)
		}
		group := slices.Index(groups, f.Group)
		if group < at {
			t.Errorf("%s is out of order", f.Pattern)
		}
		at = group
	}
}

func TestAWidgetSuitsWhatTheValueIs(t *testing.T) {
	t.Parallel()
	d := parse(t, `{"maxWaitTime":60,"maxIdleTime":"60","capabilities":"Map","recycleStartTime":"00:00","private":"false",
		"properties":{"isCached":true,"maxScale":1.5,"x":"y","z":null},"datasets":[],"minInstancesPerNode":1}`)
	for path, want := range map[document.Path]document.Widget{
		"maxWaitTime": document.TimeInteger, "maxIdleTime": document.OneLine, "capabilities": document.CommaList, "recycleStartTime": document.ClockTime,
		"private": document.OneLine, "properties.isCached": document.OnOff, "properties.maxScale": document.NumberText, "properties.x": document.OneLine,
		"properties.z": document.AnyWidget, "datasets": document.AnyWidget, "minInstancesPerNode": document.Integer,
	} {
		if n, _ := d.Find(path); document.WidgetFor(n) != want {
			t.Errorf("%s: got %d", path, document.WidgetFor(n))
		}
	}
}

func TestItemsOfACommaList(t *testing.T) {
	t.Parallel()
	if got := document.Items(" Map,Query ,, Data"); !slices.Equal(got, []string{"Map", "Query", "Data"}) || document.Items("") != nil {
		t.Error(got)
	}
}
