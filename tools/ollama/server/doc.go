//go:build unix

// Package server runs a real Ollama server for tests: it builds the program once
// from its Go module, starts it with a models folder of its own, and gives it
// the tiny models of package tinygguf.
//
// It never touches another Ollama server or its models, listens on loopback only,
// and needs the module proxy for the first build alone.
package server
