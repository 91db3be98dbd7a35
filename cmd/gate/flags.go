package main

import (
	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate/engine"
)

// registerLayers adds the flags that say which layers run, and with what.
func registerLayers(cmd *cobra.Command, o *engine.Options) {
	fl := cmd.Flags()
	fl.StringSliceVar(&o.Layers, "layers", nil, "run and require these `LAYERS`: static, judge, sandbox (default: all that are there, required as the policy says)")
	fl.StringSliceVar(&o.Require, "require", nil, "`LAYERS` that must complete, besides those that the policy or --layers requires")
	fl.StringVar(&o.Ollama, "ollama", "", "`URL` of the Ollama server (default: the policy's, or $OLLAMA_HOST)")
	fl.StringVar(&o.Model, "model", "", "`NAME` of the model that judges")
	registerSandbox(cmd, o)
	complete(cmd, "layers", "static", "judge", "sandbox", "static,judge", "static,sandbox", "static,judge,sandbox")
}

func registerSandbox(cmd *cobra.Command, o *engine.Options) {
	fl := cmd.Flags()
	fl.StringVar(&o.Runtime, "runtime", "", "`NAME` of the container runtime: runc, runsc (default: the policy's, or $GATE_RUNTIME)")
	fl.StringVar(&o.Memory, "memory", "", "memory of one container, such as 512m (default: the policy's, or what fits the language)")
	fl.StringVar(&o.CPUs, "cpus", "", "cores of one container, such as 2 or 0.5 (default: the policy's)")
	fl.StringVar(&o.Timeout, "timeout", "", "time of one run, such as 30s")
	complete(cmd, "runtime", "runc", "runsc", "kata")
}

const shardUsage = "look only at part `I/N` of what there is, such as 2/4; gate merge puts the results together"

// registerCache adds the flags that say whether and where the cache is.
func registerCache(cmd *cobra.Command, o *engine.CacheOptions) {
	registerCacheDir(cmd, o)
	cmd.Flags().BoolVar(&o.Off, "no-cache", false, "ask and run everything anew, and keep nothing")
}

func registerCacheDir(cmd *cobra.Command, o *engine.CacheOptions) {
	cmd.Flags().StringVar(&o.Dir, "cache-dir", "", "`FOLDER` for what is known from earlier runs (default: $GATE_CACHE_DIR, or the user's cache folder)")
	_ = cmd.MarkFlagDirname("cache-dir") // the flag exists
}
