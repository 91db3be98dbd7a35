package images

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"
)

// leftBehind is an engine with containers and images, which says what was removed.
type leftBehind struct {
	containers []container.Summary
	images     []image.Summary
	removed    []string
}

func (l *leftBehind) ContainerList(context.Context, container.ListOptions) ([]container.Summary, error) {
	return l.containers, nil
}

func (l *leftBehind) ContainerRemove(_ context.Context, id string, _ container.RemoveOptions) error {
	l.removed = append(l.removed, id)
	return nil
}

func (l *leftBehind) ImageList(context.Context, image.ListOptions) ([]image.Summary, error) {
	return l.images, nil
}

func (l *leftBehind) ImageRemove(_ context.Context, id string, _ image.RemoveOptions) ([]image.DeleteResponse, error) {
	l.removed = append(l.removed, id)
	return nil, nil
}

func TestSweepSparesInstallationsAtWork(t *testing.T) {
	now := time.Now()
	old, young := now.Add(-time.Hour).Unix(), now.Add(-time.Minute).Unix()
	e := &leftBehind{
		containers: []container.Summary{
			{ID: "made long ago", State: container.StateCreated, Created: old}, {ID: "just made", State: container.StateCreated, Created: young},
			{ID: "at work", State: container.StateRunning, Created: old},
		},
		images: []image.Summary{{ID: "without a name", Created: old}, {ID: "just built", Created: young}, {ID: "an image", Created: old, RepoTags: []string{"gate-deps-go:1"}}},
	}
	sweepInstallations(t.Context(), e, now)
	if want := []string{"made long ago", "without a name"}; !slices.Equal(e.removed, want) {
		t.Errorf("%q, want %q", e.removed, want)
	}
}
