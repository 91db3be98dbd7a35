package mcp

import (
	"context"
	"errors"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio serves one client over two streams, until it hangs up or ctx ends.
func (s *Server) ServeStdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	err := s.protocol().Run(ctx, &sdk.IOTransport{Reader: in, Writer: out, MaxLineLength: maxMessage})
	if !errors.Is(err, io.EOF) && ctx.Err() == nil {
		return err
	}
	return nil // the ordinary end: the client has gone, or gate was told to end
}
