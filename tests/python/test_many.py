"""The bot of the examples that plays many games at once, from one stream a player."""

import re
import signal
import threading
import time
from types import SimpleNamespace
from unittest import mock

import bot
import many
from harness import DEADLINE, Case, OwnServer
from mancala.v1.board_pb2 import END_REASON_TIMEOUT
from mancala.v1.game_pb2 import GAME_STATUS_FINISHED, GameEvent
from mancala.v1.game_service_pb2 import ListGamesRequest
from mancala.v1.player_service_pb2 import WatchPlayerResponse

OPTIONS = {
    "seed": 7, "variant": "en-dodoi", "strategy": "random", "pause": 0, "games": 5, "base": None,
    "increment": None}


def listed(client):
    """All games that the server lists."""
    return client.call(client.games.ListGames, ListGamesRequest(page_size=200)).games


class ManyCase(Case):
    """The bot as a process."""

    def many(self, *options):
        return self.server.bot(*options, script="many.py")

    def assert_all_played(self, out, games):
        """Asserts that each game of the server is finished and whole, and that the bot has heard of each
        event once; gives how often it watched anew."""
        client, moves = self.client(), 0
        ids = [game.game_id for game in listed(client)]
        self.assertEqual(len(ids), games)
        told = dict(re.findall(r"^game (\S+): (.*)$", out, re.MULTILINE))
        self.assertEqual((out.count("game "), sorted(told)), (games, sorted(ids)))
        for game_id in ids:
            game, made = self.assert_whole(client, game_id)
            moves += len(made)
            self.assertEqual(game.status, GAME_STATUS_FINISHED)
            self.assertEqual(told[game_id], f"{bot.ended(game.result)}, {game.seq} events")
        summary = re.fullmatch(rf"{games} games, {moves} moves, .* s, (\d+) reconnects", out.splitlines()[-1])
        self.assertTrue(summary, f"{moves} moves were made, but: {out[-100:]}")
        return int(summary[1])


class ManyOverKills(OwnServer, ManyCase):
    """A server that doesn't last."""

    def test_fifty_games_over_two_kills(self):
        began = time.monotonic()
        with self.many("--variant", "adji-boto") as process:
            # Read all along, so that the bot is never held up.
            errors = []
            reader = threading.Thread(target=lambda: errors.extend(process.stderr))
            reader.start()
            out, seq = process.stdout.readline(), 0
            self.assertEqual(out, "50 games created\n")
            client = self.client()
            game_id = listed(client)[0].game_id
            for middle in 12, 30:  # of more than fifty
                watch = client.watch(game_id, seq)
                seq = next(message.event.seq for message in watch if message.event.seq >= middle)
                self.server.kill()
                self.server.start()
            out += process.stdout.read()
            reader.join(DEADLINE)
        self.assertEqual(process.returncode, 0, errors)
        # Each of the two streams broke off each time.
        self.assertEqual(self.assert_all_played(out, 50), 4)
        self.assertLess(time.monotonic() - began, 45)

    def test_interrupted_while_the_server_is_away_it_ends(self):
        with self.many("--pause", 0.05) as process:
            process.stdout.readline()
            self.server.kill()
            process.stderr.readline()
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate()
        self.assertEqual(process.returncode, 130, errors)
        self.assertTrue(all("trying again" in line for line in errors.splitlines()), errors)


class ManyPlays(OwnServer, ManyCase):
    """A server that lasts."""

    def played(self, *options):
        with self.many(*options) as process:
            out, errors = process.communicate()
        self.assertEqual((process.returncode, errors), (0, ""))
        return out

    def test_games_have_the_time_that_is_asked_for(self):
        out = self.played("--games", 3, "--base", 60, "--increment", 0.5)
        self.assertEqual(self.assert_all_played(out, 3), 0)
        for game in listed(self.client()):
            time_given = game.time_control.base_time
            self.assertEqual((time_given.base.seconds, time_given.increment.nanos), (60, 500_000_000))

    def test_games_end_by_time_too(self):
        out = self.played("--games", 3, "--base", 1, "--pause", 0.6)
        self.assert_all_played(out, 3)
        self.assertEqual({game.result.reason for game in listed(self.client())}, {END_REASON_TIMEOUT})

    def test_no_games_are_soon_over(self):
        self.assertEqual(self.assert_all_played(self.played("--games", 0), 0), 0)

    def test_interrupted_it_ends(self):
        with self.many("--pause", 0.05) as process:
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate()
        self.assertEqual((process.returncode, errors), (130, ""))

    def test_wrong_use_is_told_in_one_line(self):
        for options, line in (
                (("--variant", "chess"), "VARIANT_NOT_FOUND: There is no such variant.\n"),
                (("--increment", 10_000), "INVALID_FIELD: ")):
            with self.many(*options) as process:
                out, errors = process.communicate()
            self.assertEqual((process.returncode, out, errors.count("\n")), (1, "", 1))
            self.assertTrue(errors.startswith(line), errors)

    def test_what_fails_in_a_move_ends_it(self):
        with mock.patch.object(many.ManyGames, "move", side_effect=ZeroDivisionError):
            with self.assertRaises(ZeroDivisionError):
                self.play()

    def test_the_end_of_a_game_is_found_without_a_cursor(self):
        made = []

        class Forgetful(many.ManyGames):
            lost = resets = 0

            def __init__(self, *arguments):
                super().__init__(*arguments)
                made.append(self)

            def hear(self, message):
                if message.HasField("heartbeat"):
                    raise AssertionError("it waits for what it has missed")
                self.resets += message.snapshot.reset
                if message.change.game.status == GAME_STATUS_FINISHED and not self.lost:
                    self.lost, self.cursor = 1, "foreign"
                    self.stream.cancel()
                else:
                    super().hear(message)

        with mock.patch.object(many, "ManyGames", Forgetful):
            self.play()
        self.assertEqual([(each.resets, each.reconnects, len(each.over)) for each in made], 2 * [(1, 1, 5)])
        self.assertEqual({game.status for game in listed(self.client())}, {GAME_STATUS_FINISHED})

    def test_a_gap_ends_it(self):
        player = many.ManyGames(self.channel(), SimpleNamespace(**OPTIONS), None)
        for seq in 1, 3:
            change = WatchPlayerResponse()
            change.change.game.game_id = "a game"
            change.change.game.seq = seq
            change.change.game.status = GAME_STATUS_FINISHED
            change.change.event.CopyFrom(GameEvent(seq=seq))
            if seq == 1:
                player.hear(change)
        with self.assertRaises(SystemExit) as ended:
            player.hear(change)
        self.assertEqual(ended.exception.code, "gap in the events of a game: 3 came after 1")

    def channel(self):
        channel = self.server.channel()
        self.addCleanup(channel.close)
        return channel

    def play(self):
        """Plays in this process, and prints nothing."""
        with mock.patch("builtins.print"):
            many.play(self.channel(), SimpleNamespace(**OPTIONS))
