package github

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// maxAttempts is how often one request is sent at the most.
const maxAttempts = 4

// retrier repeats requests where that can help and cannot do harm: those that
// GitHub says it refused for their rate, and those that may be repeated (all
// but POST) after a fault of the server or of the line.
type retrier struct {
	next    http.RoundTripper
	maxWait time.Duration
}

// RoundTrip implements http.RoundTripper.
func (r *retrier) RoundTrip(req *http.Request) (*http.Response, error) {
	waited := time.Duration(0)
	for attempt := 1; ; attempt++ {
		try, cancel, err := rewound(req, attempt)
		if err != nil {
			return nil, err
		}
		resp, err := r.next.RoundTrip(try)
		wait, again := backoff(req.Method, resp, err, attempt)
		if !again || attempt == maxAttempts || waited+wait > r.maxWait || req.Context().Err() != nil {
			if resp != nil {
				resp.Body = &cancelBody{resp.Body, cancel}
			} else {
				cancel()
			}
			return resp, err
		}
		if resp != nil {
			_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // lets the connection be used again
			resp.Body.Close()
		}
		cancel()
		waited += wait
		if err := sleep(req.Context(), wait); err != nil {
			return nil, err
		}
	}
}

// rewound returns the request for an attempt, with its body from the start and
// a deadline of its own.
func rewound(req *http.Request, attempt int) (*http.Request, context.CancelFunc, error) {
	ctx, cancel := context.WithTimeout(req.Context(), requestTimeout)
	try := req.Clone(ctx)
	if attempt == 1 || req.Body == nil {
		return try, cancel, nil
	}
	if req.GetBody == nil {
		cancel()
		return nil, nil, fmt.Errorf("%s %s cannot be repeated: its body is gone", req.Method, req.URL.Path)
	}
	body, err := req.GetBody()
	if err != nil {
		cancel()
		return nil, nil, err
	}
	try.Body = body
	return try, cancel, nil
}

// cancelBody ends the deadline of a request with its body.
type cancelBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *cancelBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// backoff says whether a request is to be sent again, and after how long.
func backoff(method string, resp *http.Response, err error, attempt int) (time.Duration, bool) {
	pause := time.Duration(1<<(attempt-1)) * time.Second
	pause += rand.N(pause / 2)
	switch {
	case err != nil:
		return pause, method != http.MethodPost
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusForbidden && limited(resp):
		return max(pause, askedWait(resp, time.Now())), true
	case resp.StatusCode >= 500:
		return pause, method != http.MethodPost
	}
	return 0, false
}

// limited tells a rate limit from a missing permission; both are 403.
// Source: docs.github.com, "Rate limits for the REST API".
func limited(resp *http.Response) bool {
	return resp.Header.Get("Retry-After") != "" || resp.Header.Get("X-RateLimit-Remaining") == "0"
}

// askedWait is how long GitHub asks to wait.
func askedWait(resp *http.Response, now time.Time) time.Duration {
	if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && s >= 0 && s < 1<<20 {
		return time.Duration(s) * time.Second
	}
	if reset, err := strconv.ParseInt(resp.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil && resp.Header.Get("X-RateLimit-Remaining") == "0" {
		return max(time.Unix(reset, 0).Sub(now)+time.Second, 0)
	}
	return 0
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
