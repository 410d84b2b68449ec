"""Servers to test, and a client's words for what the tests do with them."""

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import uuid
from pathlib import Path

import grpc
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status

from mancala.v1 import game_service_pb2, player_service_pb2
from mancala.v1.game_service_pb2_grpc import GameServiceStub
from mancala.v1.player_service_pb2_grpc import PlayerServiceStub
from mancala.v1.rules_service_pb2_grpc import RulesServiceStub

ROOT = Path(__file__).resolve().parents[2]
BINARY = None  # set by run.py
GAMES = SEED = None  # set by run.py, if it is told
DEADLINE = 10  # seconds
FIGURES = []  # lines to print at the end

_running = []


def environment():
    """This process's environment without what would change the server's options."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MANCALA_")}
    # Where another server may listen for admins.
    return kept | {"MANCALA_ADMIN_LISTEN": "off"}


def program(*arguments):
    """Runs the program to its end."""
    command = [BINARY, *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=30, env=environment(), cwd=ROOT)


def end_all():
    """Ends what still runs, whatever happened."""
    for server in list(_running):
        server.kill()


class Server:
    """A server with a data folder of its own, which lasts over restarts, as its port does."""

    def __init__(self, *options):
        self.options = options
        self.folder = tempfile.TemporaryDirectory(prefix="mancala-test-")
        self.data = Path(self.folder.name) / "data"
        self.port = 0
        self.admin = None  # where it listens for admins, if it does
        self.log = []
        self.start()

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def start(self):
        """Starts it and waits until its health check says that it serves."""
        began = time.monotonic()
        command = [BINARY, "serve", "--listen", self.address, "--data-dir", self.data, *self.options]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment())
        _running.append(self)
        listening = threading.Event()
        self.reader = threading.Thread(target=self._read, args=(self.process.stderr, listening), daemon=True)
        self.reader.start()
        if not listening.wait(DEADLINE) or not self.port:
            self.kill()
            raise AssertionError(f"the server does not listen: {self.log}")
        with self.channel() as channel:
            health = health_pb2_grpc.HealthStub(channel)
            # Waits for the connection, not for a while.
            answer = health.Check(health_pb2.HealthCheckRequest(), timeout=DEADLINE, wait_for_ready=True)
        assert answer.status == health_pb2.HealthCheckResponse.SERVING, answer
        self.start_seconds = time.monotonic() - began

    def _read(self, stderr, listening):
        with stderr:
            for line in stderr:
                self.log.append(line.rstrip())
                if found := re.search(r"admins are listened to on (\S+)", line):
                    self.admin = found[1]
                if found := re.search(r"listening on 127\.0\.0\.1:(\d+)", line):
                    self.port = int(found[1])
                    listening.set()
        listening.set()

    def channel(self):
        return grpc.insecure_channel(self.address, [
            # Channels of one process would else share connections.
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 500),
        ])

    def terminate(self):
        """SIGTERM; gives exit code and seconds to the end."""
        began = time.monotonic()
        self.process.terminate()
        return self._ended(), time.monotonic() - began

    def kill(self):
        """SIGKILL: no chance to finish anything."""
        self.process.kill()
        return self._ended()

    def _ended(self):
        code = self.process.wait(30)
        self.reader.join(DEADLINE)
        if self in _running:
            _running.remove(self)
        return code

    def close(self):
        if self in _running:
            self.kill()
        self.folder.cleanup()

    @contextlib.contextmanager
    def bot(self, *options, script="bot.py"):
        """A bot as a process that plays on it; ended if it takes too long."""
        command = [sys.executable, ROOT / "examples/python" / script, "--server", self.address, *options]
        pipe = subprocess.PIPE
        with subprocess.Popen(list(map(str, command)), stdout=pipe, stderr=pipe, text=True) as process:
            limit = threading.Timer(6 * DEADLINE, process.kill)
            limit.start()
            try:
                yield process
                process.wait()
            finally:
                limit.cancel()
                process.kill()


class Client:
    """A player with a connection of its own."""

    def __init__(self, server):
        self.channel = server.channel()
        self.games = GameServiceStub(self.channel)
        self.players = PlayerServiceStub(self.channel)
        self.rules = RulesServiceStub(self.channel)
        registered = self.players.RegisterPlayer(player_service_pb2.RegisterPlayerRequest(
            name="Tester", kind=player_service_pb2.PLAYER_KIND_BOT), timeout=DEADLINE)
        self.metadata = [("authorization", f"Bearer {registered.token}")]

    def call(self, method, request):
        """Calls as this player; waits for a connection when the server has only just come back."""
        return method(request, timeout=DEADLINE, metadata=self.metadata, wait_for_ready=True)

    def create(self, variant="en-dodoi"):
        """A game with this player on both sides."""
        seat = game_service_pb2.SeatRequest(caller=game_service_pb2.CallerSeat())
        request = game_service_pb2.CreateGameRequest(variant=variant, south=seat, north=seat)
        return self.call(self.games.CreateGame, request).game

    def legal(self, game):
        request = game_service_pb2.ListLegalMovesRequest(game_id=game.game_id, omit_steps=True)
        return [move.hole for move in self.call(self.games.ListLegalMoves, request).moves]

    def move(self, game, hole=None):
        """Makes a move, the first legal one if no other is named; gives request and answer."""
        request = game_service_pb2.SubmitMoveRequest(
            game_id=game.game_id, hole=self.legal(game)[0] if hole is None else hole,
            expected_turn=game.turn, request_id=str(uuid.uuid4()))
        return request, self.call(self.games.SubmitMove, request)

    def get(self, game_id):
        return self.call(self.games.GetGame, game_service_pb2.GetGameRequest(game_id=game_id)).game

    def watch(self, game_id, after_seq):
        request = game_service_pb2.WatchGameRequest(game_id=game_id, after_seq=after_seq, omit_steps=True)
        return self.games.WatchGame(
            request, metadata=self.metadata, timeout=3 * DEADLINE, wait_for_ready=True)

    def raw(self, path):
        """A method that takes and gives bytes as they are on the wire."""
        return self.channel.unary_unary(path)

    def close(self):
        self.channel.close()


class Case(unittest.TestCase):
    """A test with a server that its whole class shares."""

    OPTIONS = ()

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.OPTIONS)
        cls.addClassCleanup(cls.server.close)

    def client(self):
        client = Client(self.server)
        self.addCleanup(client.close)
        return client

    def refused(self, code, reason, call, *arguments):
        """Asserts that a call fails so; gives its status."""
        with self.assertRaises(grpc.RpcError) as caught:
            call(*arguments)
        self.assert_error(caught.exception, code, reason)
        return rpc_status.from_call(caught.exception)

    def assert_error(self, error, code, reason):
        self.assertEqual(error.code(), code, error.details())
        status = rpc_status.from_call(error)
        self.assertIsNotNone(status, f"no details: {error.details()}")
        infos = details(status, error_details_pb2.ErrorInfo)
        self.assertEqual([(info.domain, info.reason) for info in infos], [("mancala.v1", reason)])

    def assert_serves(self):
        """Asserts that the server still runs and answers."""
        self.assertIsNone(self.server.process.poll(), self.server.log[-5:])
        client = self.client()
        _, answer = client.move(client.create())
        self.assertEqual(answer.game.turn, 1)
        self.assertFalse([line for line in self.server.log if "panicked" in line])

    def assert_whole(self, client, game_id):
        """Asserts that a finished game's events are whole, and tell what the game says."""
        game = client.get(game_id)
        events = [message.event for message in client.watch(game_id, 0) if message.HasField("event")]
        self.assertEqual([event.seq for event in events], list(range(1, game.seq + 1)))
        moves = [event for event in events if event.HasField("moved")]
        made = [(event.moved.mover, event.moved.hole) for event in moves]
        self.assertEqual(made, [(move.mover, move.hole) for move in game.moves])
        turns = [event.state.turn for event in events]
        self.assertEqual(turns, sorted(turns))
        last = events[-1].state
        self.assertEqual(last.position, game.position)
        self.assertEqual(last.result, game.result)
        self.assertEqual(last.turn, game.turn)
        return game, moves


class OwnServer(Case):
    """A test with a server of its own, which it may stop."""

    @classmethod
    def setUpClass(cls):
        pass

    def setUp(self):
        self.server = Server(*self.OPTIONS)
        self.addCleanup(self.server.close)


def details(status, kind):
    """The details of a kind in a status."""
    found = []
    for detail in status.details:
        message = kind()
        if detail.Unpack(message):
            found.append(message)
    return found
