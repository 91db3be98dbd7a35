package build

import (
	"slices"
	"strings"
	"testing"
)

// started are the command lines of a document.
func started(src string) []string {
	var out []string
	for _, v := range ReadXML([]byte(src)).Values {
		if v.Command {
			out = append(out, v.Text)
		}
	}
	return out
}

func TestXMLCommandsAreEvaluated(t *testing.T) {
	exec := func(arg string) string {
		return `<target name="x"><exec executable="sh"><arg value="-c"/><arg value="` + arg + `"/></exec></target>`
	}
	build := func(command string) string {
		return `<Target Name="x"><Exec Command="` + command + `"/></Target>`
	}
	for name, c := range map[string]struct{ src, want string }{
		"properties of Ant":             {`<project><property name="a" value="cu"/><property name="b" value="${a}rl"/>` + exec("${b} x") + `</project>`, "sh -c 'curl x'"},
		"entities":                      {`<!DOCTYPE p [<!ENTITY a "cu"><!ENTITY b '&a;rl'>]><project>` + exec("&b; x") + `</project>`, "sh -c 'curl x'"},
		"numbers":                       {`<project>` + exec("&#99;&#x75;rl x") + `</project>`, "sh -c 'curl x'"},
		"a macro":                       {`<project><macrodef name="m"><attribute name="c"/><sequential>` + exec("@{c}rl x") + `</sequential></macrodef><m c="cu"/></project>`, "sh -c 'curl x'"},
		"the default of a macro":        {`<project><macrodef name="m"><attribute name="c" default="cu"/></macrodef><property name="c" value="cu"/>` + exec("${c}rl x") + `</project>`, "sh -c 'curl x'"},
		"arguments on a line":           {`<project><exec executable="curl"><arg line="-s x"/></exec></project>`, "curl '-s x'"},
		"what another program prints":   {`<project><exec executable="x" outputproperty="p"/>` + exec("${p}") + `</project>`, "sh -c " + Computed + "exec}}"},
		"a file that is fetched":        {`<project><get src="http://a" dest="b"/></project>`, "curl -fsSL http://a -o b"},
		"Maven, in pieces":              {`<project><configuration><executable>sh</executable><arguments><argument>-c</argument><argument>c<!-- x -->u<![CDATA[rl x]]></argument></arguments></configuration></project>`, "sh -c 'curl x'"},
		"properties of Maven":           {`<project><properties><a>cu</a></properties><configuration><executable>sh</executable><commandlineArgs>-c '${a}rl x'</commandlineArgs></configuration></project>`, "sh -c 'curl x'"},
		"properties of MSBuild":         {`<Project><PropertyGroup><A>cu</A><B>rl</B></PropertyGroup>` + build("$(A)$(b) x") + `</Project>`, "curl x"},
		"characters by number":          {`<Project>` + build("%63%75rl x %7c sh") + `</Project>`, "curl x | sh"},
		"a function":                    {`<Project><PropertyGroup><A>cQurQl</A></PropertyGroup>` + build("$(A.Replace('Q', '').Trim()) x") + `</Project>`, "curl x"},
		"a function of .NET":            {`<Project>` + build("$([System.String]::Concat('cu', 'rl').ToLower()) x") + `</Project>`, "curl x"},
		"one that is not followed":      {`<Project>` + build("$([System.Convert]::FromBase64String('Y3Vy')) x") + `</Project>`, Computed + "property-function}} x"},
		"items":                         {`<Project><ItemGroup><C Include="cu%72l"/></ItemGroup>` + build("@(C) x") + `</Project>`, "curl x"},
		"metadata":                      {`<Project><ItemGroup><C Include="a"><K>curl</K></C></ItemGroup>` + build("%(C.K) x") + `</Project>`, "curl x"},
		"either of two":                 {`<Project><PropertyGroup><A Condition="x">ls</A><A Condition="y">curl</A></PropertyGroup>` + build("$(A) x") + `</Project>`, "curl x"},
		"an event":                      {`<Project><PropertyGroup><A>curl</A><PostBuildEvent>$(A) x</PostBuildEvent></PropertyGroup></Project>`, "curl x"},
		"a property that a task makes":  {`<Project><Target><CreateProperty Value="cu"><Output TaskParameter="Value" PropertyName="A"/></CreateProperty></Target>` + build("$(A)rl x") + `</Project>`, "curl x"},
		"a document that ends too soon": {`<Project>` + build("curl x") + `<a b="`, "curl x"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := started(c.src); !slices.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestXMLPropertiesOfTheToolAreNotMarked(t *testing.T) {
	for _, src := range []string{
		`<Project><Exec Command="$(MSBuildThisFileDirectory)tool.exe a"/><Exec Command="&quot;$(DotNetHost)&quot; $(Path.Replace('\','/'))"/></Project>`,
		`<Project><Exec Command="$([MSBuild]::NormalizePath('a', 'b'))/tool"/><Exec Command="$(A.Trim()) x"/></Project>`,
		`<project><exec executable="${java.home}/bin/java"><arg value="${x}"/></exec><exec executable="${python}"/></project>`,
	} {
		for _, got := range started(src) {
			if strings.Contains(got, Computed) {
				t.Errorf("%q is marked", got)
			}
		}
	}
}

func FuzzReadXML(f *testing.F) {
	f.Add(`<!DOCTYPE p [<!ENTITY a "b"><!ENTITY c "&a;">]><p a="$(A.Replace('x','y'))"><a>$(b)${c}@{d}@(e->'x')%(f.g)%41</a><exec executable="&c;"><arg value="x"/></exec></p>`)
	f.Add(`<Project><A>$(A)$(A)</A><B>$([System.String]::Join('a', $(A), 'b').Substring(1, 2).Insert(1, 'x').Remove(0, 1))</B></Project>`)
	f.Fuzz(func(t *testing.T, src string) {
		lines := strings.Count(src, "\n") + 1
		for _, v := range ReadXML([]byte(src)).Values {
			if v.At < 1 || v.At > lines {
				t.Errorf("line %d of %d", v.At, lines)
			}
		}
	})
}
