"""Plays both sides of a game of mancala, and watches it at the same time.

It knows no rules: the server says which moves there are. After an outage it goes on where it was.
"""

import argparse
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import grpc
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_status import rpc_status

from mancala.v1.board_pb2 import SIDE_NORTH, SIDE_SOUTH, EndReason, Outcome
from mancala.v1.game_pb2 import GAME_STATUS_ACTIVE
from mancala.v1.game_service_pb2 import (
    CallerSeat, CreateGameRequest, JoinGameRequest, SeatRequest, SubmitMoveRequest, WatchGameRequest)
from mancala.v1.game_service_pb2_grpc import GameServiceStub
from mancala.v1.player_service_pb2 import PLAYER_KIND_BOT, RegisterPlayerRequest
from mancala.v1.player_service_pb2_grpc import PlayerServiceStub
from mancala.v1.rules_service_pb2 import EnumerateMovesRequest
from mancala.v1.rules_service_pb2_grpc import RulesServiceStub

DEADLINE = 10  # seconds for a call
ATTEMPTS = 40  # with the pauses between them, about a minute
RETRIED = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED}
RETRIES = Path(__file__).resolve().parents[1] / "retry-service-config.json"
CHANNEL = [
    ("grpc.service_config", RETRIES.read_text()),  # what gRPC retries itself: short failures
    ("grpc.max_reconnect_backoff_ms", 2_000),
    ("grpc.keepalive_time_ms", 30_000),  # so that a watch notices a dead network
]
SIDES = {SIDE_SOUTH: "South", SIDE_NORTH: "North"}
LETTERS = "abcdefghij"  # of South's holes; North's are capitals


def call(method, request, token=None):
    """Calls until there is an answer: safe, since each request that changes something has an id."""
    metadata = [("authorization", f"Bearer {token}")] if token else []
    for attempt in range(ATTEMPTS + 1):
        try:
            return method(request, timeout=DEADLINE, metadata=metadata)
        except grpc.RpcError as error:
            wait_or_raise(error, attempt)


def wait_or_raise(error, attempt):
    """Waits before another attempt, longer each time, or raises the error if there should be none."""
    if error.code() not in RETRIED or attempt >= ATTEMPTS:
        raise error
    pause = min(0.1 * 2**attempt, 2) * random.uniform(0.5, 1)
    line = f"{error.code().name} ({error.details()}), trying again in {pause:.2f} s\n"
    print(line, end="", file=sys.stderr)  # in one piece, for several threads may do so at once
    time.sleep(pause)


def reason(error):
    """The reason of an error, for example ILLEGAL_MOVE; of one that is not the server's, its code."""
    status = rpc_status.from_call(error)
    for detail in status.details if status else ():
        info = ErrorInfo()
        if detail.Unpack(info):
            return info.reason
    return error.code().name


def register(channel, name):
    """A new player's token."""
    return call(PlayerServiceStub(channel).RegisterPlayer, RegisterPlayerRequest(
        name=name, kind=PLAYER_KIND_BOT, request_id=str(uuid4()))).token


def follow(games, game_id, seq=0):
    """Yields what a watch says of a game after an event, over outages, to the game's end."""
    attempt = 0
    while True:
        # Asks for what comes after the last event seen, so none is missed and none comes twice.
        request = WatchGameRequest(game_id=game_id, after_seq=seq, omit_steps=True)
        try:
            for message in games.WatchGame(request):
                attempt = 0
                if message.HasField("event"):
                    if message.event.seq != seq + 1:
                        sys.exit(f"gap in the events: {message.event.seq} came after {seq}")
                    seq = message.event.seq
                yield message
            return  # a stream ends without an error only after the game's last event
        except grpc.RpcError as error:
            wait_or_raise(error, attempt)
            attempt += 1


def watch(games, game_id):
    """Prints a game as it goes, to its end. Gives the number of events seen."""
    seq = 0
    for message in follow(games, game_id):
        if message.HasField("event"):
            event, seq = message.event, message.event.seq
            if event.HasField("moved"):
                print(f"\n#{seq} {told(event.moved)}\n{drawn(event.state.position)}", flush=True)
    return seq


def chosen(moves, strategy, lot):
    """The hole to play, of those that may be."""
    least = max(move.captured for move in moves) if strategy == "greedy" else 0
    return lot.choice([move.hole for move in moves if move.captured >= least])


def told(move):
    """A move in words."""
    letter = [*LETTERS[:move.position.holes], "swap"][move.hole]
    letter = letter if move.mover == SIDE_SOUTH else letter.upper()
    captures = f", captures {move.captured}" if move.captured else ""
    passed = f", {SIDES[move.passed]} must pass" if move.passed else ""
    ends = f". Round over: {ended(move.round_result)}" if move.HasField("round_result") else ""
    return f"{SIDES[move.mover]} plays {letter}{captures}{passed}{ends}"


def drawn(position):
    """A board as South sees it: North's row, from right to left, above South's."""
    holes, cells = len(position.south), [*position.south, *position.north]
    for closed in position.closed_holes:
        cells[closed] = "x"
    letters = LETTERS[:holes]
    rows = reversed(letters.upper()), reversed(cells[holes:]), cells[:holes], letters
    lines = ["    " + "".join(f"{cell:>4}" for cell in row) for row in rows]
    lines.insert(2, f"{position.north_store:>4}{'':{4 * holes}}{position.south_store:>6}")
    return "\n".join(lines)


def ended(result):
    """A result in words."""
    outcome = Outcome.Name(result.outcome).removeprefix("OUTCOME_")
    reason = EndReason.Name(result.reason).removeprefix("END_REASON_")
    return f"{outcome} {result.south_score}:{result.north_score} ({reason})".replace("_", " ").lower()


def play(channel, options):
    """Plays a game to its end."""
    games, rules = GameServiceStub(channel), RulesServiceStub(channel)
    lot = random.Random(options.seed)
    token = {side: register(channel, f"{name}'s bot") for side, name in SIDES.items()}
    game = call(games.CreateGame, CreateGameRequest(
        variant=options.variant, holes=options.holes, target_wins=options.target_wins,
        south=SeatRequest(caller=CallerSeat()), request_id=str(uuid4())), token[SIDE_SOUTH]).game
    game = call(games.JoinGame, JoinGameRequest(
        game_id=game.game_id, side=SIDE_NORTH, request_id=str(uuid4())), token[SIDE_NORTH]).game
    print(f"game {game.game_id}", flush=True)
    watching = ThreadPoolExecutor().submit(watch, games, game.game_id)
    while game.status == GAME_STATUS_ACTIVE and not watching.done():
        request = EnumerateMovesRequest(position=game.position, omit_steps=True)
        moves = call(rules.EnumerateMoves, request).moves
        hole = chosen(moves, options.strategy, lot)
        game = call(games.SubmitMove, SubmitMoveRequest(
            game_id=game.game_id, hole=hole, expected_turn=game.turn, request_id=str(uuid4()),
            omit_steps=True), token[game.position.to_move]).game
        time.sleep(options.pause)
    seen = watching.result()  # raises what the watch has raised
    print(f"\n{ended(game.result)}, {seen} events seen")


def options_of(description):
    """A command line with the options that every bot has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--server", default="127.0.0.1:50051", help="default: %(default)s")
    parser.add_argument("--variant", default="en-dodoi", help="default: %(default)s")
    parser.add_argument("--strategy", choices=["random", "greedy"], default="random")
    parser.add_argument("--seed", type=int, help="for the same choices each time")
    parser.add_argument("--pause", type=float, default=0, help="seconds between moves")
    return parser


if __name__ == "__main__":
    command_line = options_of(__doc__)
    command_line.add_argument("--holes", type=int, default=0, help="in a row; default: the variant's")
    command_line.add_argument("--target-wins", type=int, default=0, help="play a series of games")
    arguments = command_line.parse_args()
    try:
        with grpc.insecure_channel(arguments.server, CHANNEL) as connection:
            play(connection, arguments)
    except grpc.RpcError as failure:
        sys.exit(f"{reason(failure)}: {failure.details()}")
    except KeyboardInterrupt:
        sys.exit(130)
