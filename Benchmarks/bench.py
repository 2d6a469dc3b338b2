"""What the benchmarks have in common: which rows are asked for, and the table that comes of them."""
import argparse


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
