// Package action holds the scripts behind action.yml, and their tests: each
// script alone, with real bash and a real HTTP server in place of GitHub's
// releases; the workflows that users copy, with actionlint; and the whole action
// in a workflow, with act, real containers and a fake GitHub.
//
// What the scripts promise: every input comes in through the environment and is
// never parsed as shell, nothing that a pull request controls is run as gate, and no sandbox
// image that was not built here is used without the signature that it has to have.
// What they do not do: decide anything. That is what gate itself is for.
package action
