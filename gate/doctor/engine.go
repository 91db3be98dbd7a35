package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/images"
)

// checkEngine looks at the container engine and everything in it.
func checkEngine(ctx context.Context, p gate.Policy) []Diagnosis {
	absent := absence(p, gate.LayerSandbox)
	none := func(err error) []Diagnosis {
		return []Diagnosis{{What: "container engine", State: absent, Detail: err.Error(), Fix: engine.EngineHint}}
	}
	docker, err := sandbox.Open(ctx, sandbox.Options{})
	if err != nil {
		return none(err)
	}
	defer docker.Close()
	info, err := docker.Info(ctx)
	if err != nil {
		return none(err)
	}
	all := []Diagnosis{{What: "container engine", State: OK, Detail: fmt.Sprintf("%s at %s, kernel %s, cgroup v%s, %d cores",
		info.Engine, info.Host, info.Kernel, info.CgroupVersion, info.Cores)}}
	if !info.Seccomp {
		all = append(all, Diagnosis{What: "seccomp", State: absent, Detail: "the engine cannot filter system calls", Fix: "use an engine with seccomp"})
	}
	all = append(all, checkAppArmor(info.AppArmor, docker.AppArmor()))
	for _, w := range info.Warnings {
		all = append(all, Diagnosis{What: "engine warning", State: Note, Detail: w})
	}
	all = append(all, checkRuntime(ctx, docker, info, p.Sandbox.Runtime, absent), checkEngineDisk(info, freeSpace), checkLeftovers(ctx, docker))
	return append(all, checkImages(info, p, absent)...)
}

// AppArmorProfile is the profile for the containers, as `apparmor_parser` reads it.
func AppArmorProfile() string { return sandbox.AppArmorProfile() }

// FalcoRules are rules for Falco about the containers.
func FalcoRules() string { return sandbox.FalcoRules() }

// checkAppArmor says which profile confines containers besides everything else.
func checkAppArmor(there bool, profile string) Diagnosis {
	d := Diagnosis{What: "apparmor", State: OK, Detail: profile + " confines the containers"}
	switch {
	case !there:
		d.State, d.Detail = Absent, "the engine's machine has none; what confines containers holds without it"
	case profile != sandbox.AppArmorName:
		d.State, d.Detail = Note, "the engine's own profile confines the containers; gate's is not loaded, or only root can see it"
		d.Fix = "gate doctor --print-apparmor | sudo tee /etc/apparmor.d/" + sandbox.AppArmorName + " && sudo apparmor_parser -r -W /etc/apparmor.d/" + sandbox.AppArmorName
	}
	return d
}

// trier tries what a runtime can do; [*sandbox.Docker] does.
type trier interface {
	Try(ctx context.Context, runtime, image string) (sandbox.SelfTest, error)
}

// checkRuntime starts a container under the runtime of the policy and says what
// works there.
func checkRuntime(ctx context.Context, engine trier, info sandbox.Info, name string, absent State) Diagnosis {
	d := Diagnosis{What: "runtime " + name, State: OK}
	var image string
	for _, have := range info.Images {
		if len(have.Refs) > 0 {
			image = have.Refs[0]
			break
		}
	}
	t, err := engine.Try(ctx, name, image)
	switch {
	case err != nil && image == "":
		d.Detail = "known to the engine; not tried, because there is no sandbox image"
	case err != nil:
		d.State, d.Detail = absent, err.Error()
	case t.Problem != "":
		d.State, d.Detail, d.Fix = absent, t.Problem, t.Next+"; or use another one with --runtime"
	default:
		d.Detail = t.Describe()
	}
	return d
}

// checkImages looks for the images that the policy names, or gate's own, and at
// their age.
func checkImages(info sandbox.Info, p gate.Policy, absent State) []Diagnosis {
	var all []Diagnosis
	for _, name := range images.Languages() {
		ref := imageRef(p, name)
		d := Diagnosis{What: "image " + name, State: absent, Detail: ref + " is not in the engine", Fix: images.Command(name)}
		for _, have := range info.Images {
			if !slices.Contains(have.Refs, ref) {
				continue
			}
			age := time.Since(have.Created)
			d.State, d.Fix = OK, ""
			d.Detail = fmt.Sprintf("%s, %d MB, %d days old, %s", ref, have.Size/1_000_000, int(age.Hours()/24), have.Labels[images.LabelVersions])
			if age > images.MaxAge {
				d.State, d.Fix = Note, images.Command(name)+"   # fixes of more than a month are missing"
			}
		}
		all = append(all, d)
	}
	return all
}

// imageRef is the image that serves a runtime: the policy's, or gate's own.
func imageRef(p gate.Policy, name string) string {
	for _, l := range policy.ImageNames()[name] {
		if ref := p.Sandbox.Images[l]; ref != "" {
			return ref
		}
	}
	return images.Ref(name)
}
