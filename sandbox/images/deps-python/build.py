#!/usr/bin/python3 -I
"""Installs what lock files of Python name, or what manifests without one ask for, one folder for each project, and writes
/deps/report. Only built packages are taken, so that nothing of them is executed,
unless /in/scripts is there."""
import json, os, re, shutil, subprocess, sys, zipfile

scripts = os.path.exists("/in/scripts")
report = open("/deps/report", "w")


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def named(line):
    return normal(re.match(r"[A-Za-z0-9._-]+", line).group()) if re.match(r"[A-Za-z0-9]", line) else ""


def pip(target, complete, constraints, lines):
    with open("/tmp/requirements.txt", "w") as f:
        f.write("\n".join(lines) + "\n")
    argv = [sys.executable, "-I", "-m", "pip", "install", "--target", target, "--no-compile", "--no-cache-dir", "--no-input",
            "--disable-pip-version-check", "--no-warn-script-location", "--progress-bar", "off", "-r", "/tmp/requirements.txt"]
    argv += ["--no-deps"] if complete else []
    argv += ["-c", constraints] if constraints else []
    argv += ["--find-links", EMPTY] if os.path.exists(EMPTY) else []
    argv += [] if scripts else ["--only-binary", ":all:"]
    # -I makes pip's Python deaf to the environment; pip itself still reads PIP_*.
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    print(done.stdout, flush=True)
    return done.returncode == 0, done.stdout


def why(output):
    errors = [l for l in output.splitlines() if l.startswith("ERROR: ")]
    return (errors[-1][7:] if errors else output.strip()[-200:] or "pip gave no reason").replace("\t", " ")[:300]


# pip names one package that it cannot have and ends. This asks its index about all at once, and
# answers with the version that fits, with "" where none does, and the newest of all that there are.
ASK = """
import json, sys
from pip._internal.commands import create_command
from pip._internal.req.constructors import install_req_from_line
command = create_command("download")
options, _ = command.parse_args(json.loads(sys.argv[1]))
said = {}
with command.main_context():
    finder = command._build_package_finder(options, command.get_default_session(options))
    for text in json.load(sys.stdin):
        try:
            wanted = install_req_from_line(text)
        except Exception:
            continue
        if not wanted.name or wanted.link or not wanted.match_markers():
            continue
        fits = finder.find_best_candidate(wanted.name, wanted.specifier).best_candidate
        newest = max((c.version for c in finder.find_all_candidates(wanted.name)), default="")
        said[text] = [str(fits.version) if fits else "", str(newest)]
json.dump(said, sys.stdout)
"""


def ask(texts):
    """What the index says of requirements; nothing of those, or of all, that pip cannot be asked about."""
    options = [] if scripts else ["--only-binary", ":all:"]
    done = subprocess.run([sys.executable, "-I", "-c", ASK, json.dumps(options)], input=json.dumps(texts), stdout=subprocess.PIPE, text=True)
    try:
        return json.loads(done.stdout) if done.returncode == 0 else {}
    except ValueError:
        return {}


def plain(line):
    return re.split(r"\s--?[a-z]", line.split(" #")[0])[0].rstrip(" \\")


def available(n, manifest, lines):
    """The lines that the index has something for. A manifest takes another version where none fits."""
    said, out = ask([plain(l) for l in lines if named(l)]), []
    for l in lines:
        fits, newest = said.get(plain(l), ["?", ""])
        m = re.match(r"([A-Za-z0-9._-]+\s*(?:\[[^\]]*\])?)([^;]*)(;.*)?$", plain(l))
        if fits:
            out.append(l)
        elif newest and manifest and m:
            print(f"{n}\tnote\t\t{named(l)}: the index has no version that fits {m[2].strip()}; another one is taken", file=report)
            out.append(f"{m[1]} {m[3] or ''}")
        else:
            print(f"{n}\tmissing\t{named(l)}\tNo matching distribution found for {plain(l)}", file=report)
    return out


# Where the index lacks what a package asks for, an empty package takes its place while pip
# resolves, and is taken away afterwards.
EMPTY = "/tmp/empty"


def without(n, target, texts):
    """Makes empty packages for requirements of packages that the index has nothing for, and returns how many."""
    from pip._vendor.packaging.requirements import Requirement
    made = 0
    for text, (fits, _) in ask(texts).items():
        wanted = Requirement(text)
        for v in [v for s in wanted.specifier for v in (s.version.rstrip(".*"), s.version.rstrip(".*") + ".1")] + ["0.0.1", "999"]:
            name = re.sub(r"[-_.]+", "_", wanted.name)
            path = f"{EMPTY}/{name}-{v}-py3-none-any.whl"
            if fits or not re.fullmatch(r"[0-9.]+", v) or not wanted.specifier.contains(v) or os.path.exists(path):
                continue
            os.makedirs(EMPTY, exist_ok=True)
            info = f"{name}-{v}.dist-info/"
            with zipfile.ZipFile(path, "w") as z:
                z.writestr(info + "METADATA", f"Metadata-Version: 2.1\nName: {wanted.name}\nVersion: {v}\n")
                z.writestr(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: gate\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
                z.writestr(info + "RECORD", "")
            absent[info.rstrip("/")] = text
            made += 1
            break
    return made


def clear(n, target):
    """Takes the empty packages away and names what they stood for."""
    for name, text in sorted(absent.items()):
        if os.path.isdir(f"{target}/{name}"):
            shutil.rmtree(f"{target}/{name}")
            print(f"{n}\tmissing\t{normal(re.match('[A-Za-z0-9._-]+', text)[0])}\tNo matching distribution found for {text}", file=report)


absent = {}


def install(n, target, kind, constraints, lines):
    """What cannot be had is noted, and the rest is installed."""
    complete, asked = kind == "python-exported", False
    for _ in range(20):
        if not any(named(l) for l in lines):
            return True
        ok, output = pip(target, complete, constraints, lines)
        if ok:
            clear(n, target)
            return True
        lacks = re.findall(r"No matching distribution found for (\S[^\n]*)", output)
        rest = lines
        if lacks and not asked:
            rest, asked = available(n, kind == "python-manifest", lines), True
        if rest == lines and lacks:
            rest = [l for l in lines if named(l) != named(lacks[-1])]
            if len(rest) < len(lines):
                print(f"{n}\tmissing\t{named(lacks[-1])}\t{why(output)}", file=report)
        if rest == lines and not without(n, target, lacks + re.findall(r" depends on ([^\n;]+)", output)):
            break
        lines = rest
    some = False
    for line in [l for l in lines if named(l)]:
        ok, output = pip(target, complete, constraints, [l for l in lines if not named(l)] + [line])
        some = some or ok
        if not ok:
            print(f"{n}\tmissing\t{named(line)}\t{why(output)}", file=report)
    clear(n, target)
    return some


for line in open("/in/plan"):
    n, kind, _ = line.rstrip("\n").split("\t")
    tree, target, done = f"/in/tree/{n}", f"/deps/{n}", False
    os.makedirs(target, exist_ok=True)
    shutil.rmtree(EMPTY, ignore_errors=True)
    absent.clear()
    constraints = f"{tree}/constraints.txt" if os.path.exists(f"{tree}/constraints.txt") else None
    for name in sorted(os.listdir(tree)):
        if name != "constraints.txt":
            lines = open(f"{tree}/{name}").read().splitlines()
            done = install(n, target, kind, constraints, lines) or done
    if kind == "python-manifest":
        for name in sorted(os.listdir(target)):
            m = re.fullmatch(r"(.+)-([^-]+)\.dist-info", name)
            if m:
                print(f"{n}\tresolved\t{m[1]}@{m[2]}\t", file=report)
    print(f"{n}\t{'ok' if done else 'failed'}\t\tnothing could be installed", file=report)
report.close()
