#!/usr/bin/env python3
"""The man page and --help name the same commands and options."""
import pathlib
import re
import subprocess
import sys

program, page = sys.argv[1], pathlib.Path(sys.argv[2]).read_text(encoding="utf-8").replace("\\-", "-")


def help_of(*arguments):
    return subprocess.run([program, *arguments, "--help"], check=True, capture_output=True, text=True).stdout


commands = set(re.findall(r"^  (\w+) {2,}\S", help_of().split("Subcommands:")[1], re.M))
in_page = set(re.findall(r"^\.BI? (\w+)", page.split(".SH COMMANDS")[1].split(".SH OPTIONS")[0], re.M))
in_page &= commands | {word for word in in_page if f".B {word}\n" in page or f".BI {word} " in page}
option = re.compile(r"(--[a-z][a-z-]+)")
offered = set(option.findall(help_of())) | {name for c in commands for name in option.findall(help_of(c))}
documented = set(option.findall(page))
faults = [f"man page lacks command {c}" for c in sorted(commands - in_page)]
faults += [f"man page lacks option {o}" for o in sorted(offered - documented)]
faults += [f"no command has option {o} of the man page" for o in sorted(documented - offered)]
if len(commands) < 11:
    faults.append(f"only {sorted(commands)} were read from --help")
print("\n".join(faults) or "man page and help agree")
sys.exit(1 if faults else 0)
