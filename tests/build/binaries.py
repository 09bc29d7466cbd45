#!/usr/bin/env python3
"""Reads every program and library that the build made, and those that are installed: none looks for libraries in the
current folder, and all are hardened. binaries.py BUILD [--hardened]"""
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def output_of(*command, **options):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def binaries_in(folder):
    """Programs and shared libraries, each once. What CMake compiled to try the compiler is not ours."""
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file() or {"CMakeFiles", "node_modules"} & set(path.parts):
            continue
        with path.open("rb") as file:
            start = file.read(18)
        if start[:4] == b"\x7fELF" and start[16] in (2, 3):  # a program at a fixed address, or one that can be anywhere
            yield path


def unsafe_folders(dynamic):
    """Where the binary looks for libraries that is neither absolute nor beside itself."""
    for path in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic):
        yield from (f for f in path.split(":") if not re.match(r"/|\$ORIGIN(/|$)", f))


def weaknesses(path, dynamic):
    segments = output_of("readelf", "-lW", path)
    if "GNU_RELRO" not in segments or "NOW" not in dynamic:
        yield "tables of addresses stay writable"
    if re.search(r"GNU_STACK.*\bRWE\b", segments):
        yield "the stack is executable"
    if "Elf file type is DYN" not in segments:
        yield "it is always at the same address"


def not_hardened_flags(build):
    """Flags that leave no trace in every binary, of our sources that lack them."""
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        for flag in ("-D_FORTIFY_SOURCE=", "-ftrivial-auto-var-init="):
            if "/src/" in entry["file"] and entry["file"].endswith(".cpp") and flag not in entry["command"]:
                yield f"{entry['file']} is compiled without {flag}"


def imports(path, pattern):
    return re.search(rf"\b{pattern}\b", output_of("readelf", "--dyn-syms", "-W", path))


def planted_libraries_are_left_alone(program):
    """In a folder that holds a file for every library that the program needs, none of those is loaded."""
    with tempfile.TemporaryDirectory() as folder:
        for library in re.findall(r"(\S+) => /", output_of("ldd", program)):
            Path(folder, library).write_text("not a library", encoding="utf-8")
        assert os.listdir(folder)
        environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
        done = subprocess.run([program, "--version"], cwd=folder, env=environment, text=True, capture_output=True)
        return [] if done.returncode == 0 else [f"{program} loads what lies in the current folder: {done.stderr.strip()}"]


def has_landing_pads(path):
    """ENDBR64 where an indirect call or jump may arrive. Debian's own start-up code has none, so the linker cannot mark
    the whole program, and there is nothing to read but the instructions."""
    return platform.machine() != "x86_64" or path.read_bytes().count(b"\xf3\x0f\x1e\xfa") > 100


def install(build, prefix):
    output_of("cmake", "--install", build, "--prefix", prefix / "usr")
    if (build / "bindings").is_dir():
        output_of("cmake", "--install", build, "--prefix", prefix / "package", "--component", "python")


def main():
    build, hardened = Path(sys.argv[1]).resolve(), "--hardened" in sys.argv
    with tempfile.TemporaryDirectory() as temporary:
        prefix = Path(temporary)
        install(build, prefix)
        built = [p for p in binaries_in(build) if "build-" not in str(p.relative_to(build))]
        installed = list(binaries_in(prefix))
        faults = list(not_hardened_flags(build)) if hardened else []
        for path in built + installed:
            dynamic = output_of("readelf", "-dW", path)
            faults += [f"{path} looks for libraries in '{folder}'" for folder in unsafe_folders(dynamic)]
            if hardened:
                faults += [f"{path}: {weakness}" for weakness in weaknesses(path, dynamic)]
        shipped = [p for p in built + installed if re.match(r"pssc$|libpssc\.so|_core", p.name)]
        for path in shipped if hardened else []:
            if not imports(path, "__stack_chk_fail"):
                faults.append(f"{path}: the stack is not protected")
            if "_core" not in path.name and not imports(path, r"__(mem\w+|v?snprintf|fprintf|read|recv)_chk"):
                faults.append(f"{path}: no call is checked for its buffer's size")
            if not has_landing_pads(path):
                faults.append(f"{path}: calls can be led anywhere")
        for program in (build / "pssc", prefix / "usr" / "bin" / "pssc"):
            faults += planted_libraries_are_left_alone(program)
        print("\n".join(faults) or f"{len(built)} built and {len(installed)} installed binaries are sound")
        assert len(installed) >= 2 and len(shipped) >= 4
        return 1 if faults else 0


sys.exit(main())
