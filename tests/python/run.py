"""Tests a server program from the outside, as its clients see it.

    pip install -r tests/python/requirements.txt
    python tests/python/run.py target/release/mancala [TEST ...] [--games N] [--seed N]

TEST is the name of a test, or a part of one; without any, all are run.
"""

import argparse
import shlex
import subprocess
import sys
import time
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
BOT = ROOT / "examples" / "python"


class Counting(unittest.TextTestResult):
    """Counts what passed, and says how long each test took."""

    passed = 0

    def startTest(self, test):
        self.began = time.monotonic()
        super().startTest(test)

    def addSuccess(self, test):
        self.passed += 1
        self.stream.write(f"{time.monotonic() - self.began:5.1f} s ")
        super().addSuccess(test)


def make_stubs():
    """Makes the stubs with the command that the bot's README gives."""
    readme = (BOT / "README.md").read_text()
    command = next(line for line in readme.splitlines() if "grpc_tools.protoc" in line)
    command = command.replace("python", shlex.quote(sys.executable), 1)
    subprocess.run(command, shell=True, cwd=ROOT, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=Path, help="the server program")
    parser.add_argument("tests", nargs="*", help="names of tests, or parts of them")
    parser.add_argument(
        "--games", type=int, help="random games of each variant beside OpenSpiel, with progress on stderr")
    parser.add_argument("--seed", type=int, help="of the random games")
    arguments = parser.parse_args()

    make_stubs()
    sys.path[:0] = [str(FOLDER), str(BOT)]
    import harness

    harness.BINARY = arguments.binary.resolve(strict=True)
    harness.GAMES, harness.SEED = arguments.games, arguments.seed
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{name}*" for name in arguments.tests] or None
    suite = loader.discover(str(FOLDER))
    began = time.monotonic()
    runner = unittest.TextTestRunner(sys.stdout, verbosity=2, resultclass=Counting)
    try:
        result = runner.run(suite)
    finally:
        harness.end_all()
    for figure in harness.FIGURES:
        print(figure)
    print(f"{time.monotonic() - began:.1f} s in all")
    # What failed outside of a test, as a server that doesn't start, counts as one that failed.
    failed = len({getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors})
    print(f"{result.passed} passed, {failed} failed")
    return 0 if result.passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
