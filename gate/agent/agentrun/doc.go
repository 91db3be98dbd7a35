// Package agentrun lets a model do a task with the layers of this machine, which is the
// command `gate agent`:
//
//	options → policy, session, data → agent.Run over open layers → files, report
//
// What it promises: a program gets no way out of its container and no layer less than the
// three, whatever the policy of the folder says; nothing suppresses a finding in it; a
// task that is not done is an error with its exit code (package exit).
//
// What it does not do: talk with the model or decide what is handed out (package agent),
// fetch data (package data), or render what the layers found (its caller hands in what
// does).
package agentrun
