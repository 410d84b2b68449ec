"""Random games are played on this service and in OpenSpiel at the same time, and must be the same games.

More of them, and others: run.py BINARY openspiel --games 20000 --seed 7
"""

import asyncio
import collections
import multiprocessing
import os
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor, wait

import grpc

import harness
from harness import DEADLINE, Case
from mancala.v1.board_pb2 import OUTCOME_DRAWN, OUTCOME_NORTH_WON, OUTCOME_SOUTH_WON, EndReason, Outcome
from mancala.v1.game_pb2 import GAME_STATUS_ACTIVE, GAME_STATUS_FINISHED
from mancala.v1.game_service_pb2 import (
    CallerSeat, CreateGameRequest, ListLegalMovesRequest, SeatRequest, SubmitMoveRequest)
from mancala.v1.game_service_pb2_grpc import GameServiceStub
from openspiel import Play, Position, load

# A move waits for the disk, a process doesn't: so it has many games at once.
AT_ONCE = 64
GAMES, SEED = 2_000, 1  # unless run.py is told others
OUTCOMES = {1: OUTCOME_SOUTH_WON, -1: OUTCOME_NORTH_WON, 0: OUTCOME_DRAWN}
PROGRESS = 5  # seconds
SHOWN = 5  # differences, at most

_counts = None  # of games, moves and differences; shared by the processes


def share_counts(counts):
    global _counts
    _counts = counts


class Difference(Exception):
    """What the two don't agree on."""


class Beside:
    """A game here and in OpenSpiel."""

    def __init__(self, variant, game, lot):
        self.play = Play(variant, game)
        self.lot = lot
        self.moves = []
        self.here = None  # the position

    def agree(self, what, openspiel, here):
        if openspiel != here:
            raise Difference(f"{what}: {openspiel} in OpenSpiel, {here} here")

    async def run(self, games, metadata):
        """Plays to the end; gives how it ended."""
        play = self.play
        seat = SeatRequest(caller=CallerSeat())
        create = CreateGameRequest(variant=play.variant, south=seat, north=seat)
        game = (await games.CreateGame(create, metadata=metadata, timeout=6 * DEADLINE)).game
        while True:
            self.here = Position.of(game.position)
            self.agree("the position", play.position(), self.here)
            self.agree("the turn", len(self.moves), game.turn)
            self.agree("the game is over", play.over(), game.status != GAME_STATUS_ACTIVE)
            if play.over():
                return self.end(game)
            if play.cut():
                return "cut"

            request = ListLegalMovesRequest(game_id=game.game_id, omit_steps=True)
            answer = await games.ListLegalMoves(request, timeout=6 * DEADLINE)
            self.agree("the turn of the legal moves", len(self.moves), answer.turn)
            actions = play.legal()
            self.agree("the legal holes", list(actions), [move.hole for move in answer.moves])

            hole = self.lot.choice(list(actions))
            turn = len(self.moves)
            self.moves.append("abcdef"[hole] if self.here.to_move == "S" else "ABCDEF"[hole])
            play.move(actions[hole])
            request = SubmitMoveRequest(
                game_id=game.game_id, hole=hole, expected_turn=turn, omit_steps=True)
            answer = await games.SubmitMove(request, metadata=metadata, timeout=6 * DEADLINE)
            game = answer.game
            if answer.outcome.position != game.position or answer.outcome.result != game.result:
                raise Difference(f"the answer contradicts itself: {answer}")

    def end(self, game):
        self.agree("finished", True, game.status == GAME_STATUS_FINISHED)
        self.agree("the winner", Outcome.Name(OUTCOMES[self.play.outcome()]), Outcome.Name(game.result.outcome))
        scores = self.play.position()[2:4]
        self.agree("the scores", scores, (game.result.south_score, game.result.north_score))
        return EndReason.Name(game.result.reason).removeprefix("END_REASON_").replace("_", " ").lower()


async def play_all(variant, seed, numbers, address, metadata):
    """Plays the games of these numbers; gives how many ended how, and the differences by number."""
    ends, differences, openspiel = collections.Counter(), [], load(variant)

    async def play_some():
        # Each takes from the same numbers. After a difference, games under way are still finished.
        for number in numbers:
            if _counts[2]:
                return
            beside = Beside(variant, openspiel, random.Random(f"{variant} {number} of {seed}"))
            try:
                ends[await beside.run(games, metadata)] += 1
            except (Difference, grpc.RpcError) as error:
                if isinstance(error, grpc.RpcError):
                    error = f"{error.code().name} here: {error.details()}"
                with _counts.get_lock():
                    _counts[2] += 1
                differences.append((number, (
                    f"{variant}, game {number} of seed {seed}, after {len(beside.moves)} moves: {error}\n"
                    f"  moves      {' '.join(beside.moves)}\n"
                    f"  OpenSpiel  {beside.play.position()}\n"
                    f"  here       {beside.here}")))
            with _counts.get_lock():
                _counts[0] += 1
                _counts[1] += len(beside.moves)

    numbers = iter(numbers)
    async with grpc.aio.insecure_channel(address) as channel:
        games = GameServiceStub(channel)
        await asyncio.gather(*(play_some() for _ in range(AT_ONCE)))
    return ends, differences


def play_share(*arguments):
    """What a process does."""
    return asyncio.run(play_all(*arguments))


class BesideOpenSpiel(Case):
    """After every move the positions, the legal moves and the end must be the same."""

    # What is compared is not how fast one may call.
    OPTIONS = ("--limit", "calls-per-player=1000000,calls-per-address=1000000,games-per-player=1000000")

    def play(self, variant):
        load(variant)  # here, so that its absence is told plainly
        games, seed = harness.GAMES or GAMES, SEED if harness.SEED is None else harness.SEED
        address, metadata = self.server.address, self.client().metadata
        processes = min(max(2, os.cpu_count() or 2), 8)
        context = multiprocessing.get_context("spawn")
        counts = context.Array("q", 3)
        began = time.monotonic()
        with ProcessPoolExecutor(processes, context, share_counts, (counts,)) as pool:
            # A game is the same whichever process plays it.
            waiting = shares = [
                pool.submit(play_share, variant, seed, range(share, games, processes), address, metadata)
                for share in range(processes)]
            while waiting := wait(waiting, PROGRESS).not_done:
                if harness.GAMES:
                    print(f"{variant}: {counts[0]:,} of {games:,} games, {counts[1]:,} moves, "
                          f"{time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        results = [share.result() for share in shares]
        ends = collections.Counter(cut=0)
        for some, _ in results:
            ends.update(some)
        differences = sorted(one for _, differences in results for one in differences)
        if differences:
            texts = "\n".join(text for _, text in differences[:SHOWN])
            self.fail(f"{len(differences)} of {counts[0]:,} games differ\n{texts}")
        self.assertEqual(ends.total(), games)
        told = ", ".join(f"{end} {number:,}" for end, number in ends.most_common())
        harness.FIGURES.append(
            f"{variant} beside OpenSpiel: {games:,} games of seed {seed}, {counts[1]:,} moves, "
            f"{time.monotonic() - began:.1f} s; {told}")

    def test_kalah(self):
        self.play("kalah")

    def test_oware(self):
        self.play("oware")
