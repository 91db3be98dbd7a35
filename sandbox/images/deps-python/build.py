#!/usr/bin/python3 -I
"""Installs what lock files of Python name, or what manifests without one ask for, one folder for each project, and writes
/deps/report. Only built packages are taken, so that nothing of them is executed,
unless /in/scripts is there."""
import os, re, subprocess, sys

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
    argv += [] if scripts else ["--only-binary", ":all:"]
    # -I makes pip's Python deaf to the environment; pip itself still reads PIP_*.
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    print(done.stdout, flush=True)
    return done.returncode == 0, done.stdout


def why(output):
    errors = [l for l in output.splitlines() if l.startswith("ERROR: ")]
    return (errors[-1][7:] if errors else output.strip()[-200:] or "pip gave no reason").replace("\t", " ")[:300]


def install(n, target, complete, constraints, lines):
    """What cannot be had is noted, and the rest is installed."""
    for _ in range(20):
        if not any(named(l) for l in lines):
            return True
        ok, output = pip(target, complete, constraints, lines)
        if ok:
            return True
        missing = re.findall(r"No matching distribution found for ([A-Za-z0-9._-]+)", output)
        rest = [l for l in lines if not missing or named(l) != normal(missing[-1])]
        if len(rest) == len(lines):
            break
        print(f"{n}\tmissing\t{missing[-1]}\t{why(output)}", file=report)
        lines = rest
    some = False
    for line in [l for l in lines if named(l)]:
        ok, output = pip(target, complete, constraints, [l for l in lines if not named(l)] + [line])
        some = some or ok
        if not ok:
            print(f"{n}\tmissing\t{named(line)}\t{why(output)}", file=report)
    return some


for line in open("/in/plan"):
    n, kind, _ = line.rstrip("\n").split("\t")
    tree, target, done = f"/in/tree/{n}", f"/deps/{n}", False
    os.makedirs(target, exist_ok=True)
    constraints = f"{tree}/constraints.txt" if os.path.exists(f"{tree}/constraints.txt") else None
    for name in sorted(os.listdir(tree)):
        if name != "constraints.txt":
            lines = open(f"{tree}/{name}").read().splitlines()
            done = install(n, target, kind == "python-exported", constraints, lines) or done
    if kind == "python-manifest":
        for name in sorted(os.listdir(target)):
            m = re.fullmatch(r"(.+)-([^-]+)\.dist-info", name)
            if m:
                print(f"{n}\tresolved\t{m[1]}@{m[2]}\t", file=report)
    print(f"{n}\t{'ok' if done else 'failed'}\t\tnothing could be installed", file=report)
report.close()
