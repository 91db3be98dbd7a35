package main

import (
	"github.com/spf13/cobra"
)

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{Use: "doctor", Short: "See what is there, what is missing, and how to get it", Example: "  gate doctor", RunE: func(*cobra.Command, []string) error { return nil }}
}
