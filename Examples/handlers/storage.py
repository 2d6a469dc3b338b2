#!/usr/bin/env python3
"""A handler for onClearCache and onRemove, to copy and to fill in.

    storage.py CACHE DOWNLOADS

The call is one line of JSON on stdin; each line on stdout is a report or, at the end, the result.
"""
import json
import os
import shutil
import signal
import sys


def say(**members):
    print(json.dumps(members), flush=True)


def files_in(folder):
    for parent, _, names in os.walk(folder):  # links are not followed
        for name in names:
            yield os.path.join(parent, name)


def clear(cache):
    files = list(files_in(cache))
    cleared = 0
    for number, file in enumerate(files, 1):
        size = os.lstat(file).st_blocks * 512
        os.unlink(file)
        cleared += size
        say(progress=number / len(files), message=f"{number} of {len(files)} files")
    say(outcome="completed", clearedBytes=cleared)


def remove(downloads, name):
    if name in ("", ".", "..") or "/" in name:
        sys.exit(f"{name} is no download.")  # the last line of stderr is what the person reads
    path = os.path.join(downloads, name)
    shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)


def main():
    cache, downloads = sys.argv[1:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))  # told to stop: the person backed out
    call = json.load(sys.stdin)
    if call["action"] == "onClearCache":
        clear(cache)
    elif call["action"] == "onRemove":
        remove(downloads, call["download"]["id"])
    else:
        sys.exit(f"storage.py does not know how to do {call['action']}.")


if __name__ == "__main__":
    main()
