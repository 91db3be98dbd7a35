//go:build !amd64

package main

func waits([]string) {}
