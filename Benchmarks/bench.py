"""What the benchmarks have in common: which rows are asked for, and the table that comes of them."""
import argparse
import os
import sys

import session


def parser(description, names, kind, quick):
    """For `--only`, of these names, and `--quick`; more can be added."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--only", metavar=f"{kind}[,{kind}]".upper(), help="of " + ", ".join(names))
    made.add_argument("--quick", action="store_true", help=quick)
    made.set_defaults(names=list(names), kind=kind)
    return made


def only(made, chosen):
    """The names that were asked for; ends the program at one that is none."""
    names = chosen.only.split(",") if chosen.only else chosen.names
    unknown = set(names) - set(chosen.names)
    if unknown:
        made.error(f"no {chosen.kind} {', '.join(sorted(unknown))}; there are {', '.join(chosen.names)}")
    return names


def show(lines):
    """Prints a table whose last column is the verdict. Returns whether a bar is missed."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    return any("MISSED" in line[-1] for line in lines)


def measure(description, rows, quick):
    """The program of rows that are functions: they yield name, text, figure, bar, goal and unit. Returns the status."""
    made = parser(description, rows, "row", quick)
    chosen = made.parse_args()
    names = only(made, chosen)
    if not os.access(session.RPCSHELL, os.X_OK):
        made.error(f"{session.RPCSHELL} is missing; build it first: make build")
    lines = [["row", "what", "measured", "bar", "goal", "verdict"]]
    for name in names:
        print(f"{name} …", file=sys.stderr)
        for row, what, value, bar, goal, unit in rows[name](chosen.quick):
            verdict = "MISSED" if value > bar else "goal" if value <= goal else "ok"
            lines.append([row, what, f"{value:.2f} {unit}".strip(), f"≤ {bar:g}", f"≤ {goal:g}", verdict])
    return show(lines)
