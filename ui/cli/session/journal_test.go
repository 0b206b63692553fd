package session

import (
	"errors"
	"syscall"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
)

func TestNothingIsSentWithoutARecord(t *testing.T) {
	s := New(Options{})
	_, err := s.opened.get(func() (opened, error) {
		unopened := NewJournal(func() (*journal.Journal, error) { return nil, syscall.ENOSPC })
		return opened{Site: operation.Site{Client: &adminapi.Client{}}, journal: unopened}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.SiteToWrite(t.Context()); !errors.As(err, new(*operation.UnrecordedError)) || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("it says %v", err)
	}
}
