"""Plays with whoever comes: takes an open seat, or opens a game and waits for somebody.

Each game is followed by a rematch, if the other wants one too. After an outage it goes on where it was.
"""

import sys
import time
from pathlib import Path

import grpc
from google.protobuf.duration_pb2 import Duration

from bot import CHANNEL, call, options_of, reason, register
from mancala.v1.game_pb2 import GAME_STATUS_ACTIVE, GAME_STATUS_WAITING
from mancala.v1.game_service_pb2 import (
    CallerSeat, CreateGameRequest, JoinGameRequest, ListGameEventsRequest, ListGamesRequest,
    RematchGameRequest, SeatRequest)
from player import Player

LOOK = Duration(seconds=1)  # how often a bot that waits looks for an older open game


class LobbyBot(Player):
    """A player that finds others to play with."""

    def __init__(self, channel, token, options):
        super().__init__(channel, token, options)
        self.lost = set()  # ids of games whose seat somebody else got

    def run(self):
        """Plays as many games as it should, or until nobody comes."""
        for game in self.listed(player_id=self.me, status=GAME_STATUS_WAITING):
            self.abort(game)  # it waited before a restart
        begun = list(self.listed(player_id=self.me, status=GAME_STATUS_ACTIVE))
        played, game = 0, None
        while played < self.options.games:
            game = game or (begun.pop() if begun else self.find())
            if not game:
                print("nobody came")
                return
            finished = self.play(game)
            played += finished
            game = self.rematch(game) if finished and played < self.options.games else None

    def listed(self, **filters):
        """The newest 200 games, the oldest first: so all bots agree which open one is to be filled."""
        request = ListGamesRequest(page_size=200, **filters)
        return reversed(call(self.games.ListGames, request, self.token).games)

    def find(self):
        """A game to play, joined or created; None if nobody comes."""
        until = time.monotonic() + self.options.patience
        while time.monotonic() < until:
            for game in self.open_games():
                if joined := self.change(self.games.JoinGame, JoinGameRequest(game_id=game.game_id)):
                    return joined
                self.lost.add(game.game_id)
            created = self.change(self.games.CreateGame, CreateGameRequest(
                variant=self.options.variant, south=SeatRequest(caller=CallerSeat())))
            if self.filled(created, until, look=True):
                return created

    def open_games(self):
        """Games of others with an open seat; if one of its own has one too, only those that are older."""
        for game in self.listed(variant=self.options.variant, open_seat=True):
            if self.me in (game.south.player_id, game.north.player_id):
                return
            if game.game_id not in self.lost:
                yield game

    def filled(self, game, until, look=False):
        """Waits until the other seat is taken. Aborts the game, and gives False, if nobody comes, or if it
        looks around and finds an older game to join: two that wait for each other would never meet."""
        self.game = game
        print(f"game {game.game_id}: waits for somebody", flush=True)
        request = ListGameEventsRequest(game_id=game.game_id, after_seq=game.seq, wait=LOOK)
        while time.monotonic() < until:
            if call(self.games.ListGameEvents, request, self.token).events:
                return True
            if look and any(self.open_games()):
                break
        return not self.abort(game)  # refused if somebody has just come

    def rematch(self, game):
        """The rematch of a game; None if the other doesn't come."""
        game = self.change(self.games.RematchGame, RematchGameRequest(game_id=game.game_id))
        until = time.monotonic() + self.options.patience
        if game and (game.status != GAME_STATUS_WAITING or self.filled(game, until)):
            return game


def token_of(channel, file):
    """The token that a file keeps, or a new player's, which the file then keeps."""
    if file and file.exists():
        return file.read_text("ascii").strip()
    token = register(channel, "Lobby bot")
    if file:
        file.touch(mode=0o600)  # it is a secret
        file.write_text(token)
    return token


def run(channel, options):
    """Plays. When it is interrupted it ends its game, unless a token lets it go on later."""
    bot = LobbyBot(channel, token_of(channel, options.token), options)
    try:
        bot.run()
    except KeyboardInterrupt:
        if not options.token:
            bot.leave()
        raise


if __name__ == "__main__":
    command_line = options_of(__doc__)
    add, shown = command_line.add_argument, "; default: %(default)s"
    add("--games", type=int, default=1, help="how many to play" + shown)
    add("--patience", type=float, default=60, help="seconds to wait for somebody, or for a move" + shown)
    add("--draws", type=float, default=0.005, help="chance of offering one, each turn" + shown)
    add("--takebacks", type=float, default=0.05, help="chance of asking for one, each turn" + shown)
    add("--token", type=Path, help="file to keep the player's token in; with it, a restart goes on")
    arguments = command_line.parse_args()
    try:
        with grpc.insecure_channel(arguments.server, CHANNEL) as connection:
            run(connection, arguments)
    except grpc.RpcError as failure:
        sys.exit(f"{reason(failure)}: {failure.details()}")
    except (OSError, UnicodeError) as failure:  # of the file
        sys.exit(f"{arguments.token}: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)
