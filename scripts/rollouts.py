"""Rounds at random, OpenSpiel's rollouts beside ours: on one core, in turn, in the same run.

    scripts/speed

OpenSpiel's figure is its own evaluator in C++: a search of two simulations, each of which plays so
many rounds at random from the position that it reached, the start and one move later.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

try:
    import pyspiel
except ImportError:
    sys.exit("OpenSpiel is missing. What installs it: scripts/venv")

GAMES = {"kalah": "mancala", "oware": "oware"}  # ours, OpenSpiel's
ROUNDS = 15  # measurements of each, in turn
MILLIS = 400  # about, a measurement


def rollouts(game, count, seed):
    """Rounds a second of OpenSpiel's evaluator."""
    evaluator = pyspiel.RandomRolloutEvaluator(count, seed)
    simulations = 2
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, simulations, 1, False, seed, False)
    state = game.new_initial_state()
    began = time.perf_counter()
    bot.step(state)
    return simulations * count / (time.perf_counter() - began)


def playouts(program, variant, seed):
    """Rounds a second of ours."""
    command = [program, "playouts", variant, "--millis", str(MILLIS), "--seed", str(seed)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout.split()[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path, help="the built example `speed`")
    program = parser.parse_args().program.resolve(strict=True)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

    subprocess.run([program, "perft"], check=True)
    print()
    print("| rounds at random | OpenSpiel | mancala | ratio |")
    print("| --- | --- | --- | --- |")
    for variant, name in GAMES.items():
        game = pyspiel.load_game(name)
        count = max(1, int(rollouts(game, 500, 0) * MILLIS / 2000))
        theirs, ours, ratios = [], [], []
        for seed in range(1, ROUNDS + 1):
            print(f"{variant}: {seed} of {ROUNDS}", end="\r", file=sys.stderr)
            theirs.append(rollouts(game, count, seed))
            ours.append(playouts(program, variant, seed))
            ratios.append(ours[-1] / theirs[-1])
        median = statistics.median
        print(f"| `{variant}` | {median(theirs):,.0f}/s | {median(ours):,.0f}/s "
              f"| {median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f}) |")


if __name__ == "__main__":
    main()
