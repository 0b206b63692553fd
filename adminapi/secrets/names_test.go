package secrets_test

import (
	"testing"

	"geodeck/adminapi/secrets"
)

// Each name with where it is that of a secret: anywhere, in a field of a request, in a member of JSON.
func TestNamesOfSecrets(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"password": "name field member", "DB_ADMIN-password": "name field member", "Passwort": "name field member", "keystorePassphrase": "name field member", "passcode": "name field member",
		"access_token": "name field member", "to\u212aen": "name field member", "client_ſecret": "name field member", "credentials": "name field member", "code_verifier": "name field member",
		"client_assertion": "name field member", "apiKey": "name field member", "x-api-key": "name field member", "Storage access key": "name field member", "private_key": "name field member",
		"AccountKey": "name field member", "sharedkey": "name field member", "pwd": "name field member", "PASS": "name field member", "sas": "name field member", "sig": "name field member",
		// What only speaks of secrets is looked for in JSON. Of a setting it may be the secret.
		"tokenUrl": "name field", "passwordType": "name field", "tokenExpiresIn": "name field", "tokenExpiration": "name field", "token_validity": "name field",
		// Fields of requests, and headers in JSON.
		"code": "field", "licenseFile": "field", "licenceUpload": "field", "Cookie": "field member", "authorization": "field member", "authorizationType": "field",
		"": "", "name": "", "passed": "", "signed": "", "basin": "", "codeName": "", "monkey": "", "keyboard": "", "key": "", "user": "", "compass": "",
	} {
		got := ""
		for _, is := range []struct {
			what string
			is   func(string) bool
		}{{"name", secrets.IsName}, {"field", secrets.IsField}, {"member", secrets.IsMember}} {
			if is.is(name) {
				if got != "" {
					got += " "
				}
				got += is.what
			}
		}
		if got != want {
			t.Errorf("%q is that of a secret as %q, want %q", name, got, want)
		}
	}
}

func TestMembersThatNameTheValueBesideThem(t *testing.T) {
	t.Parallel()
	for member, want := range map[string][2]bool{
		"id": {true, false}, "Name": {true, false}, "type": {true, false}, "key": {true, false},
		"value": {false, true}, "defaultValue": {false, true}, "DEFAULTVALUE": {false, true}, "values": {}, "identity": {}, "keys": {}, "": {},
	} {
		if got := [2]bool{secrets.TellsName(member), secrets.HoldsValue(member)}; got != want {
			t.Errorf("%s: %v", member, got)
		}
	}
	for text, want := range map[string]bool{"GWM_0003": true, "a.b:c-1": true, "": true, "not allowed": false, "é": false} {
		if secrets.IsCode(text) != want {
			t.Errorf("%q is a code: %v", text, !want)
		}
	}
}
