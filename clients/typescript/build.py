#!/usr/bin/env python3
"""Builds what is generated from the TypeScript client's sources.

usage: clients/typescript/build.py runtime|dist|file [FOLDER]

  runtime   write the sources into Swift, for 'hearth-api --typescript' and GET /client.ts:
            Sources/Family/API/TypeScript/TypeScriptRuntime.swift
  dist      compile the sources: JavaScript modules and declarations in FOLDER (dist). Needs tsc
  file      print the client as one file without imports, as hearth-api does

src/api.ts is generated from the API's declarations. All other sources are written by hand.
scripts/update-docs runs all of this.
"""

import pathlib
import re
import shutil
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
source = here / "src"
# In the order in which they depend on each other. react.ts is only in the package.
MODULES = ["errors", "timing", "client", "server", "account", "live", "store", "indexeddb", "sync"]
SWIFT = here / "../../Sources/Family/API/TypeScript/TypeScriptRuntime.swift"
DECLARATION = re.compile(
    r"^export ((?:abstract class|class|async function\*|async function|function|interface|type"
    r"|const) (\w+))", re.M)


def runtime():
    """The modules as one text that follows src/api.ts: no imports, and only public exports."""
    public = set(re.findall(r"\w+", (source / "index.ts").read_text()))
    parts = []
    for module in MODULES:
        text = (source / f"{module}.ts").read_text()
        text = re.sub(r"^import [^;]*;\n", "", text, flags=re.M)
        text = DECLARATION.sub(
            lambda found: found.group(0) if found.group(2) in public else found.group(1), text)
        parts.append(text.strip() + "\n")
    return "\n".join(parts)


def swift(text):
    if '"""#' in text or r"\#" in text:
        sys.exit("the sources have an end of a Swift text")
    return (
        "// Generated from clients/typescript/src by scripts/update-docs; don't edit.\n"
        "// swift-format-ignore-file\n\n"
        "/// The part of the TypeScript client that does not depend on the declarations.\n"
        "enum TypeScriptRuntime {\n"
        '    static let text = #"""\n' + text + '\n"""#\n}\n')


def main():
    match sys.argv[1:]:
        case ["runtime"]:
            SWIFT.write_text(swift(runtime()))
        case ["dist", *folder]:
            target = pathlib.Path(folder[0] if folder else here / "dist").resolve()
            shutil.rmtree(target, ignore_errors=True)
            subprocess.run(["tsc", "-p", here, "--outDir", target], check=True)
        case ["file"]:
            print((source / "api.ts").read_text() + "\n" + runtime(), end="")
        case _:
            sys.exit(__doc__)


main()
