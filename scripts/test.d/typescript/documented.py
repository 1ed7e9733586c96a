"""Prints the TypeScript examples of a document as one function that the compiler checks.

usage: documented.py DOCUMENT
"""

import pathlib
import re
import sys

text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
blocks = re.findall(r"^```ts\n(.*?)^```$", text, re.M | re.S)
if not blocks:
    sys.exit(f"{sys.argv[1]} has no examples")
imports = [line for block in blocks for line in re.findall(r"^import .*$", block, re.M)]
print("\n".join(imports))
# What an app has of its own.
print("""
declare const typed: string, password: string, memberId: string;
declare function show(text: string): void;
declare function showMode(mode: string): void;
declare const closeDialog: () => void, showOffline: () => void, showSignIn: () => void;
declare const reload: () => Promise<void>;
declare function welcome(name: string): Promise<void>;
declare const process: { env: { [name: string]: string | undefined } };
export async function documented() {
  void [typed, password, memberId, show, showMode, closeDialog, showOffline, showSignIn];
  void [reload, welcome, process];""")
for block in blocks:
    print(re.sub(r"^import .*\n", "", block, flags=re.M))
names = re.findall(r"^(?:const|(?:async )?function) (\w+)|^const \{ (.*?) \}", "\n".join(blocks), re.M)
print("  return [" + ", ".join(filter(None, (part for pair in names for part in pair))) + "];\n}")
