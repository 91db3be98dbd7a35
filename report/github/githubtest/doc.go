// Package githubtest is a GitHub for tests: an HTTP server that keeps pull
// requests, comments, check runs and uploads in memory.
//
// What it promises: a request that GitHub's own OpenAPI description (openapi.json,
// MIT, cut to the endpoints that gate uses) does not allow is answered with 422
// and fails the test, so that code which only works against the fake cannot
// exist; the limits that the description leaves out (lengths, page sizes) are
// enforced; every request is on record; any request can be made to fail.
//
// What it does not do: check permissions, or behave like GitHub beyond what is
// described here.
package githubtest
