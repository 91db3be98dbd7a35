package wheels

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Wheel is a built package as pip takes one.
type Wheel struct {
	// File is its name, from which pip reads project, version and what it fits.
	File string
	// Requires is the version of Python that it asks for, "" for any.
	Requires string
	Data     []byte
}

var (
	separators = regexp.MustCompile(`[-_.]+`)
	field      = regexp.MustCompile(`(?m)^(Name|Version|Requires-Python): *(\S.*?)\s*$`)
	// compiled is the end of the name of an extension module: PEP 3149.
	compiled = regexp.MustCompile(`\.cpython-(\d+)-[a-z0-9_-]+\.so$`)
	version  = regexp.MustCompile(`^[A-Za-z0-9.!+]+$`)
)

// Normal is the name of a project as indexes compare it: PEP 503.
func Normal(name string) string {
	return strings.ToLower(separators.ReplaceAllString(name, "-"))
}

// build makes the wheel of a project from the files of a package: PEP 427. It is an
// error that none of the metadata among them is that of the project.
func build(project string, files map[string][]byte) (Wheel, error) {
	fields, folder, requires := metadata(project, files)
	if fields == nil {
		return Wheel{}, fmt.Errorf("the package has no metadata of %s", project)
	}
	if !version.MatchString(fields["Version"]) {
		return Wheel{}, fmt.Errorf("the metadata of %s has no version", project)
	}
	stem := strings.ReplaceAll(Normal(fields["Name"]), "-", "_") + "-" + fields["Version"]
	info, tag := stem+".dist-info/", "py3-none-any"
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	add := func(name string, data []byte) error {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if m := compiled.FindStringSubmatch(name); m != nil {
			tag = fmt.Sprintf("cp%s-cp%s-linux_x86_64", m[1], m[1])
		}
		to := name
		if rest, inside := strings.CutPrefix(name, folder+"/"); inside {
			if rest == "RECORD" || rest == "WHEEL" || rest == "METADATA" || rest == "INSTALLER" {
				continue
			}
			to = info + rest
		} else if name == folder || strings.Contains(path.Dir(name), ".dist-info") || strings.Contains(name, ".egg-info") {
			continue
		}
		if err := add(to, files[name]); err != nil {
			return Wheel{}, err
		}
	}
	for _, f := range []struct{ name, text string }{
		{"METADATA", requires}, {"WHEEL", "Wheel-Version: 1.0\nGenerator: gate\nRoot-Is-Purelib: true\nTag: " + tag + "\n"}, {"RECORD", ""},
	} {
		if err := add(info+f.name, []byte(f.text)); err != nil {
			return Wheel{}, err
		}
	}
	if err := z.Close(); err != nil {
		return Wheel{}, err
	}
	return Wheel{File: stem + "-" + tag + ".whl", Requires: fields["Requires-Python"], Data: buf.Bytes()}, nil
}

// metadata finds the metadata of a project among files: its fields, the file or folder
// that it is in, and its text, to which the requirements are added that setuptools keeps
// beside it in an .egg-info folder.
func metadata(project string, files map[string][]byte) (fields map[string]string, folder, text string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		dir, base := path.Split(name)
		dir = strings.TrimSuffix(dir, "/")
		switch {
		case base == "METADATA" && strings.HasSuffix(dir, ".dist-info"):
			folder = dir
		case base == "PKG-INFO" && strings.HasSuffix(dir, ".egg-info"):
			folder = dir
		case dir == "" && strings.HasSuffix(base, ".egg-info"):
			folder = name
		default:
			continue
		}
		head, body, _ := strings.Cut(strings.ReplaceAll(string(files[name]), "\r\n", "\n"), "\n\n")
		fields = map[string]string{}
		for _, m := range field.FindAllStringSubmatch(head, -1) {
			fields[m[1]] = m[2]
		}
		if Normal(fields["Name"]) != Normal(project) {
			continue
		}
		if !strings.Contains(head, "\nRequires-Dist:") {
			for line := range strings.SplitSeq(string(files[folder+"/requires.txt"]), "\n") {
				if strings.HasPrefix(line, "[") {
					break // what follows is asked for by extras or by conditions
				}
				if line != "" {
					head += "\nRequires-Dist: " + line
				}
			}
		}
		return fields, folder, head + "\n\n" + body
	}
	return nil, "", ""
}
