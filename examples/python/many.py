"""Plays many games at once: two players, each with one stream of what happens in all of its games.

It knows no rules: the server says which moves there are. After an outage it goes on where it was.
"""

import sys
import threading
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

import grpc
from google.protobuf.duration_pb2 import Duration

from bot import CHANNEL, call, ended, options_of, reason, register, wait_or_raise
from mancala.v1.board_pb2 import SIDE_NORTH, SIDE_SOUTH
from mancala.v1.game_pb2 import (
    GAME_STATUS_ABORTED, GAME_STATUS_FINISHED, GAME_STATUS_WAITING, BaseTime, TimeControl)
from mancala.v1.game_service_pb2 import (
    CallerSeat, CreateGameRequest, JoinGameRequest, ListGamesRequest, SeatRequest)
from mancala.v1.player_service_pb2 import WatchPlayerRequest
from mancala.v1.player_service_pb2_grpc import PlayerServiceStub
from player import Player

WORKERS = 8  # threads that make moves; two more follow the streams
OVER = {GAME_STATUS_FINISHED, GAME_STATUS_ABORTED}


class ManyGames(Player):
    """A player, and all the games that it is in."""

    def __init__(self, channel, options, pool, told=False):
        super().__init__(channel, register(channel, "Bot of many games"), options)
        self.players, self.pool, self.told = PlayerServiceStub(channel), pool, told
        self.seqs = {}  # the newest event heard of, by game
        self.over = set()
        self.cursor = ""
        self.moves = self.reconnects = 0
        self.stream = self.failure = None
        self.stopped = False

    def invite(self, other, number):
        """Creates a game with another player, every second one with the sides changed."""
        seats = [SeatRequest(caller=CallerSeat()), SeatRequest(invited_player_id=other.me)]
        south, north = reversed(seats) if number % 2 else seats
        self.change(self.games.CreateGame, CreateGameRequest(
            variant=self.options.variant, south=south, north=north, time_control=time_control(self.options)))

    def run(self):
        """Follows the stream over outages, until all games are over."""
        attempt = 0
        while len(self.over) < self.options.games:
            # Asks for what comes after the last message, so nothing is missed and nothing comes twice.
            self.stream = self.players.WatchPlayer(
                WatchPlayerRequest(cursor=self.cursor), metadata=[("authorization", f"Bearer {self.token}")])
            try:
                while len(self.over) < self.options.games and not self.stopped:
                    self.hear(next(self.stream))
                    attempt = 0
            except grpc.RpcError as error:
                if not self.stopped:
                    self.reconnects += attempt == 0
                    wait_or_raise(error, attempt)
                    attempt += 1
            if self.stopped:
                break
        self.stop()
        if self.failure:
            raise self.failure

    def hear(self, message):
        """Takes up what a message says, and keeps its cursor."""
        kind = message.WhichOneof("message")
        if kind == "snapshot":
            for wanting in message.snapshot.games:
                self.look(wanting.game)
            if message.snapshot.reset and not message.snapshot.more:
                # Changes were missed: also those of games that began and ended meanwhile.
                self.look_at_all()
        elif kind == "change":
            game, event = message.change.game, message.change.event
            last = self.seqs.get(game.game_id, event.seq - 1)
            if event.seq > last + 1:
                sys.exit(f"gap in the events of {game.game_id}: {event.seq} came after {last}")
            self.moves += event.HasField("moved")
            self.look(game)
        if kind:  # else it is something new
            self.cursor = getattr(message, kind).cursor or self.cursor

    def look_at_all(self):
        """Looks at every game of the player."""
        request = ListGamesRequest(player_id=self.me, page_size=200)
        while True:
            page = call(self.games.ListGames, request, self.token)
            for game in page.games:
                self.look(game)
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    def look(self, game):
        """Has done what there is to do in a game, if it is news."""
        if game.seq <= self.seqs.get(game.game_id, 0):
            return
        self.seqs[game.game_id] = game.seq
        seats = {SIDE_SOUTH: game.south, SIDE_NORTH: game.north}
        if game.status in OVER:
            self.over.add(game.game_id)
            if self.told:
                print(f"game {game.game_id}: {ended(game.result)}, {game.seq} events", flush=True)
        elif game.status == GAME_STATUS_WAITING:
            if self.me in (seat.invited_player_id for seat in seats.values()):
                self.do(self.change, self.games.JoinGame, JoinGameRequest(game_id=game.game_id))
        elif seats[game.position.to_move].player_id == self.me:
            self.do(self.move, game.game_id, game)

    def do(self, task, *arguments):
        """Leaves something to the pool, so that the stream is heard meanwhile."""
        self.pool.submit(task, *arguments).add_done_callback(self.done)

    def done(self, task):
        """Ends it all if something failed."""
        if not task.cancelled() and task.exception():
            self.failure = task.exception()
            self.stop()

    def stop(self):
        """Ends the stream, and with it `run`; from any thread."""
        self.stopped = True
        if self.stream:
            self.stream.cancel()


def time_control(options):
    """What time the games give; None, if the options don't say, for what the server gives."""
    if options.base or options.increment:
        return TimeControl(base_time=BaseTime(base=options.base, increment=options.increment))


def play(channel, options):
    """Plays all games to their end."""
    began, pool = time.monotonic(), ThreadPoolExecutor(2 + WORKERS)
    players = [ManyGames(channel, options, pool, told) for told in (True, False)]
    watching = [pool.submit(player.run) for player in players]
    try:
        for number in range(options.games):
            players[0].invite(players[1], number)
        print(f"{options.games} games created", flush=True)
        wait(watching, return_when=FIRST_EXCEPTION)
    finally:
        for player in players:
            player.stop()
        closing = threading.Timer(1, channel.close)  # ends calls that wait for a server that is away
        closing.start()
        pool.shutdown(cancel_futures=True)
        closing.cancel()
    for each in watching:
        each.result()  # raises what has been raised there
    reconnects = sum(player.reconnects for player in players)
    print(f"{options.games} games, {players[0].moves} moves, {time.monotonic() - began:.1f} s, "
          f"{reconnects} reconnects")


def seconds(text):
    """A number of seconds as a message."""
    duration = Duration()
    duration.FromJsonString(f"{text}s")
    return duration


if __name__ == "__main__":
    command_line = options_of(__doc__)
    add = command_line.add_argument
    add("--games", type=int, default=50, help="how many to play; default: %(default)s")
    add("--base", type=seconds, help="seconds that a player has; default: seven days a move")
    add("--increment", type=seconds, help="seconds that each move adds")
    arguments = command_line.parse_args()
    try:
        with grpc.insecure_channel(arguments.server, CHANNEL) as connection:
            play(connection, arguments)
    except grpc.RpcError as failure:
        sys.exit(f"{reason(failure)}: {failure.details()}")
    except KeyboardInterrupt:
        sys.exit(130)
