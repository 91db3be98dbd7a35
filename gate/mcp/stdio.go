package mcp

import (
	"context"
	"errors"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio serves one client over two streams, until it hangs up or ctx ends.
func (s *Server) ServeStdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	server := s.protocol()
	server.AddReceivingMiddleware(askedAside(server))
	err := server.Run(ctx, &sdk.IOTransport{Reader: in, Writer: out, MaxLineLength: maxMessage})
	if !errors.Is(err, io.EOF) && ctx.Err() == nil {
		return err
	}
	return nil // the ordinary end: the client has gone, or gate was told to end
}

// askedAside answers the question which protocols there are (server/discover) without taking
// it as the start of one. The SDK takes it so, and then refuses initialize as its duplicate:
// but a client that didn't get the answer in time (the AI SDK waits for one second, and gate may
// start more slowly) goes on with the older protocol, and that begins with initialize.
func askedAside(server *sdk.Server) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			r, ok := req.(*sdk.ServerRequest[*sdk.DiscoverParams])
			if !ok {
				return next(ctx, method, req)
			}
			_, there := sdk.NewInMemoryTransports()
			aside, err := server.Connect(ctx, there, nil)
			if err != nil {
				return nil, err
			}
			defer aside.Close()
			return next(ctx, method, &sdk.ServerRequest[*sdk.DiscoverParams]{Session: aside, Params: r.Params, Extra: r.Extra})
		}
	}
}
