package embedded

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestTextsThatReadLikeProgramsOfAnotherLanguageAreRead(t *testing.T) {
	const code = "import shutil; shutil.rmtree(\"/srv\")"
	for name, tc := range map[string]struct {
		lang gate.Language
		text string
		want string // in Python, "" where there is none
	}{
		"as an argument":                          {gate.LanguageShell, "python3 -c '" + code + "'", code},
		"behind many options":                     {gate.LanguageShell, "python3 " + strings.Repeat("-W ignore ", 100) + "-c '" + code + "'", code},
		"with quotes that are escaped":            {gate.LanguageShell, `python3 -c "import shutil; shutil.rmtree(\"/srv\")"`, code},
		"with a quote between two texts":          {gate.LanguageShell, `python3 -c 'import shutil; shutil.rmtree('\''/srv'\'')'`, "shutil.rmtree('/srv')"},
		"with a quote in quotes between two":      {gate.LanguageShell, `python3 -c 'import shutil; shutil.rmtree('"'"'/srv'"'"')'`, "shutil.rmtree('/srv')"},
		"with escapes":                            {gate.LanguageShell, `python3 -c $'import shutil\nshutil.rmtree("/srv")'`, "shutil.rmtree(\"/srv\")"},
		"by a variable":                           {gate.LanguageShell, "code='" + code + "'\npython3 -c \"$code\"", code},
		"by a here document in a substitution":    {gate.LanguageShell, "code=$(cat <<'E'\n" + code + "\nE\n)\npython3 -c \"$code\"", code},
		"by a pipe":                               {gate.LanguageShell, "printf '%s' '" + code + "' | python3 -", code},
		"by a here string":                        {gate.LanguageShell, "python3 - <<< '" + code + "'", code},
		"by a file that is written first":         {gate.LanguageShell, "cat > x.py <<E\n" + code + "\nE\npython3 x.py", code},
		"by lines that are printed":               {gate.LanguageShell, "{ echo 'import shutil'; echo 'shutil.rmtree(\"/srv\")'; } | python3", "import shutil\nshutil.rmtree(\"/srv\")"},
		"by escapes that are printed":             {gate.LanguageShell, "printf 'import shutil\\nshutil.rmtree(\"/srv\")' > x.py && python3 x.py", "import shutil\nshutil.rmtree(\"/srv\")"},
		"by a function":                           {gate.LanguageShell, "py() { python3 -c \"$1\"; }\npy '" + code + "'", code},
		"to an interpreter that a variable names": {gate.LanguageShell, "${PYTHON:-python3} -c '" + code + "'", code},
		"in the command of another shell":         {gate.LanguageShell, `ssh a.example.com "python3 -c 'import shutil; shutil.rmtree(\"/srv\")'"`, code},
		"two shells deep":                         {gate.LanguageShell, `bash -c "ssh a.example.com \"python3 -c 'import shutil; shutil.rmtree(1)'\""`, "shutil.rmtree(1)"},
		"from JavaScript":                         {gate.LanguageJavaScript, "const code = `" + code + "`;\nspawnSync('python3', ['-c', code]);", code},
		"from Go":                                 {gate.LanguageGo, "package a\n\nvar c = exec.Command(\"python3\", \"-c\", `" + code + "`)\n", code},
		"from a variable of make":                 {gate.LanguageMakefile, "define CODE\n" + code + "\nendef\nexport CODE\nall:\n\tpython3 -c \"$$CODE\"\n", code},
		"in a here string of PowerShell":          {gate.LanguagePowerShell, "python -c @'\n" + code + "\n'@\n", code},
		"piped from a here string":                {gate.LanguagePowerShell, "@'\n" + code + "\n'@ | python -\n", code},
		"in brackets of Ruby":                     {gate.LanguageRuby, "system('python3', '-c', %q{" + code + "})", code},
		"in a here document of Ruby":              {gate.LanguageRuby, "sh 'python3', '-c', <<~E\n  import shutil\n  shutil.rmtree(\"/srv\")\nE\n", "import shutil\nshutil.rmtree(\"/srv\")"},
		"in brackets of Perl":                     {gate.LanguagePerl, "system('python3', '-c', q{" + code + "});", code},
		"in a raw string of Rust":                 {gate.LanguageRust, "Command::new(\"python3\").arg(\"-c\").arg(r#\"" + code + "\"#);", code},
		"from Meson":                              {gate.LanguageMeson, "run_command('python3', '-c', '''" + code + "''')", code},
		"from Gradle":                             {gate.LanguageGroovy, "exec { commandLine 'python3', '-c', '''" + code + "''' }", code},
		"in braces of Tcl":                        {gate.LanguageTcl, "exec python3 -c {" + code + "}", code},
		"in a function of a database":             {gate.LanguageSQL, "CREATE FUNCTION f() RETURNS int LANGUAGE plpython3u AS $$\n" + code + "\n$$;\n", code},
		"in a block of a debugger":                {gate.LanguageDebugger, "python\n" + code + "\nend\n", code},
		"prose that names Python":                 {gate.LanguageShell, "echo 'import the data, then run python3 a.py'", ""},
		"a text where nothing names Python":       {gate.LanguageShell, "echo '" + code + "' > notes.txt", ""},
		"a sample in Ruby that starts none":       {gate.LanguageRuby, "SAMPLE = %q{" + code + "} # of Python", ""},
		"a debugger without such a block":         {gate.LanguageDebugger, "# python\nbreak main\nrun\n", ""},
		"a sample in a program that starts none":  {gate.LanguageJavaScript, "const sample = `" + code + "`; // of Python", ""},
	} {
		t.Run(name, func(t *testing.T) {
			holdsPython(t, tc.lang, tc.text, tc.want)
		})
	}
}
