package images

import (
	"io"

	"github.com/docker/docker/client"
)

// Connection is a container engine that has to be closed after use.
type Connection interface {
	Engine
	io.Closer
}

// Connect returns the engine that the environment names (DOCKER_HOST and so on), or the
// one of this machine. Whether it answers shows with the first request.
func Connect() (Connection, error) {
	return client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
}
