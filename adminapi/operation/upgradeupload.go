package operation

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade"
)

// uploadAnswers uploads the files of the answers and looks at those that were
// uploaded before. What was uploaded is returned with an error as well.
func (s Site) uploadAnswers(ctx context.Context, ask UpgradeAsk, report func(UpgradeProgress)) (map[string]string, error) {
	uploads := map[string]string{}
	for _, field := range upgrade.Form(ask.Settings) {
		answer := ask.Answers[field.ID]
		if field.Kind != upgrade.File {
			continue
		}
		if err := s.uploadAnswer(ctx, field, answer, uploads, report); err != nil {
			return uploads, err
		}
	}
	return uploads, nil
}

func (s Site) uploadAnswer(ctx context.Context, field upgrade.Field, answer upgrade.Answer, uploads map[string]string,
	report func(UpgradeProgress),
) error {
	if answer.Path == "" {
		return s.checkGiven(ctx, field, answer.Upload, report)
	}
	content, err := ReadAnswerFile(answer.Path, field)
	if err != nil {
		return err
	}
	id, err := s.uploadFile(ctx, filepath.Base(answer.Path), content, report)
	if id != "" {
		uploads[field.ID] = id
	}
	return err
}

// uploadFile uploads a file and reads back that the site has kept it.
func (s Site) uploadFile(ctx context.Context, name string, content []byte, report func(UpgradeProgress)) (string, error) {
	part := adminapi.Part{FileName: name, File: true, Content: content, Secret: true}
	id, _, err := s.Client.Upload(ctx, part, "", func(sent, total int64) {
		report(UpgradeProgress{Step: StepUpload, File: name, Sent: sent, Total: total})
	})
	if err != nil {
		return "", err
	}
	report(UpgradeProgress{Step: StepVerify, File: name})
	return id, s.checkKept(ctx, id, name)
}

// checkGiven looks at what somebody else has uploaded. Who may upgrade may not
// always look at uploads: then the site itself decides.
func (s Site) checkGiven(ctx context.Context, field upgrade.Field, id string, report func(UpgradeProgress)) error {
	if id == "" {
		return nil
	}
	report(UpgradeProgress{Step: StepVerify, File: field.Label})
	if err := s.checkKept(ctx, id, field.Label); err != nil && !errors.Is(err, adminapi.KindPrivilege) {
		return err
	}
	return nil
}

func (s Site) checkKept(ctx context.Context, id, name string) error {
	item, err := s.Client.UploadItem(ctx, id)
	if err == nil && !item.Committed {
		err = fmt.Errorf("the site has not kept the upload of %s; nothing else was sent", name)
	}
	return err
}

// cleaningTime bounds the removal of uploads after the user has given up.
const cleaningTime = 5 * time.Second

// dropUploads takes back what was uploaded for an upgrade that was not begun,
// interrupted or not: a licence must not lie about. Where that fails the site
// keeps it, as it keeps every upload.
func (s Site) dropUploads(ctx context.Context, uploads map[string]string) {
	if len(uploads) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleaningTime)
	defer cancel()
	for _, id := range uploads {
		_, _ = s.Client.DeleteUpload(ctx, id)
	}
}
