package operation

// UpgradeStep is what a start of an upgrade is doing.
type UpgradeStep string

// The steps, in order.
const (
	StepReread UpgradeStep = "reading the settings again"
	StepUpload UpgradeStep = "uploading"
	StepVerify UpgradeStep = "reading the upload back"
	StepLook   UpgradeStep = "looking whether an upgrade runs"
	StepSend   UpgradeStep = "sending the upgrade"
)

// UpgradeProgress reports a step; Sent and Total are bytes of an upload.
type UpgradeProgress struct {
	Step        UpgradeStep
	File        string // base name, of an upload
	Sent, Total int64
}
