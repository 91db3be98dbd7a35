// Package fork joins two results about the pull request of a fork: the one that
// the trusted job has found itself, and the one that the job of the fork claims.
//
// What it promises: the joint result is never better than the trusted one, and
// never a pass where the claim is missing, is about other content, lacks a layer
// that the policy requires, or comes from a workflow that the pull request has
// changed, or from a job that also runs what it has changed.
//
// What it does not do: fetch, decode or publish anything. Both results must have
// been checked for their form.
package fork
