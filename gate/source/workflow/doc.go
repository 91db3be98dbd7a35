// Package workflow reads workflows and actions of GitHub as what they may do: what starts
// them, with which rights, on which machines, which actions and images of others they
// run, and where secrets go.
//
// The settings of other CI systems, of Dependabot and of Renovate are read by a table of
// their keys ([Forges]), and the settings of the repository itself as what protects its
// branches ([ReadSettings]).
//
// It promises to read any text within bounds, and to say so where it could not
// ([Read] returns an error): what could not be read may do anything.
//
// It doesn't decide what is dangerous, and it doesn't read the commands of steps: the
// rules do. The syntax is that of
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax.
package workflow
