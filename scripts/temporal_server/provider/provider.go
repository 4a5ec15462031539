// Package provider replaces Temporal's package of this name, which imports the clients of clouds: the server of the tests has no archives.
package provider

import (
	"errors"

	"go.temporal.io/server/common/archiver"
	"go.temporal.io/server/common/config"
)

// ArchiverProvider is the interface that Temporal's services expect.
type ArchiverProvider interface {
	RegisterBootstrapContainer(string, *archiver.HistoryBootstrapContainer, *archiver.VisibilityBootstrapContainer) error
	GetHistoryArchiver(scheme, service string) (archiver.HistoryArchiver, error)
	GetVisibilityArchiver(scheme, service string) (archiver.VisibilityArchiver, error)
}

var errNoArchive = errors.New("this server has no archives")

type noArchives struct{}

// NewArchiverProvider returns a provider that has none.
func NewArchiverProvider(*config.HistoryArchiverProvider, *config.VisibilityArchiverProvider) ArchiverProvider {
	return noArchives{}
}

func (noArchives) RegisterBootstrapContainer(string, *archiver.HistoryBootstrapContainer, *archiver.VisibilityBootstrapContainer) error {
	return nil
}

func (noArchives) GetHistoryArchiver(string, string) (archiver.HistoryArchiver, error) {
	return nil, errNoArchive
}

func (noArchives) GetVisibilityArchiver(string, string) (archiver.VisibilityArchiver, error) {
	return nil, errNoArchive
}
