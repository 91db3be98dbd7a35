// Package tools is the commands that programs call and that an image of the sandbox
// lacks: crontab, systemctl, ssh, curl, docker, sudo and the like.
//
// A command that is missing hides what a program wants of it: the program gives up, or asks first
// and does nothing. One that is there is recorded with its arguments, and the program goes on.
//
// What it promises: nothing here does more than an ordinary program in the same container could.
// Clients of the network reach the simulated internet only, since there is no other. The stand-ins
// are the last on the search path, so a command of the image always comes first.
package tools
