//go:build !amd64

package main

func int80() int { panic("no such call on this machine") }

func x32() { panic("no such call on this machine") }
