"""The lobby bot of the examples finds others and plays with them."""

import itertools
import signal
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from google.protobuf.duration_pb2 import Duration

import bot
import lobby
import player
from harness import DEADLINE, OwnServer
from mancala.v1 import game_service_pb2 as api
from mancala.v1.board_pb2 import END_REASON_AGREEMENT, END_REASON_RESIGNATION, Position
from mancala.v1.game_pb2 import (
    GAME_STATUS_ABORTED, GAME_STATUS_FINISHED, OFFER_KIND_DRAW, OFFER_KIND_TAKEBACK)

CALLER = api.SeatRequest(caller=api.CallerSeat())


class LobbyCase(OwnServer):
    """Lobby bots, and the test itself as who they meet."""

    def lobby(self, *options):
        return self.server.bot(*options, script="lobby.py")

    def until(self, process, text):
        """Reads what a bot prints up to a line with a text."""
        out = ""
        for line in process.stdout:
            out += line
            if text in line:
                return out
        self.fail(f"no {text!r} in {out}{process.stderr.read()}")

    def ends(self, process, code=0):
        """Reads the rest of what a bot prints."""
        out, errors = process.stdout.read(), process.stderr.read()
        self.assertEqual(process.wait(), code, errors)
        return out, errors

    def listed(self, client, **filters):
        """All games that the server lists, the oldest first."""
        return client.call(client.games.ListGames, api.ListGamesRequest(**filters)).games[::-1]

    def opened(self, client, **fields):
        """A game that the test waits in, as North unless it says otherwise, and its events."""
        fields = {"variant": "en-dodoi", "north": CALLER, **fields}
        game = client.call(client.games.CreateGame, api.CreateGameRequest(**fields)).game
        watch = client.watch(game.game_id, game.seq)
        return game.game_id, (message.event for message in watch if message.HasField("event"))

    def change(self, events, name):
        """Reads events up to one of a kind; gives the change and the state after it."""
        event = next(event for event in events if event.WhichOneof("change") == name)
        return getattr(event, name), event.state

    def answer(self, client, game_id, offer, answer):
        client.call(client.games.AnswerOffer, api.AnswerOfferRequest(
            game_id=game_id, offer_id=offer.offer_id, answer=answer))

    def resign(self, client, game_id):
        client.call(client.games.ResignGame, api.ResignGameRequest(game_id=game_id))


class LobbyBotsMeet(LobbyCase):
    """Bots among themselves."""

    def test_two_play_rematches_over_kills(self):
        options = "--games", 3, "--draws", 0.03, "--takebacks", 0.2
        with self.lobby("--seed", 1, *options) as first, ThreadPoolExecutor() as pool:
            out, events, kills = self.until(first, "waits for somebody"), 0, 0
            with self.lobby("--seed", 2, *options) as second:
                other = pool.submit(second.communicate)
                for line in first.stdout:
                    out += line
                    events += line.startswith("#")
                    # Within a game, and while a rematch comes about.
                    if line.startswith("#") and events in (3, 9) or "(" in line and kills in (2, 3):
                        kills += 1
                        self.server.kill()
                        self.server.start()
                self.ends(first)
                other_out, errors = other.result()
        self.assertEqual(second.returncode, 0, errors)
        self.assertEqual(kills, 4)

        client = self.client()
        games = self.listed(client)
        self.assertEqual([game.status for game in games], 3 * [GAME_STATUS_FINISHED])
        for old, game in itertools.pairwise(games):
            self.assertEqual(game.rematch_of_game_id, old.game_id)
            self.assertEqual((game.south, game.north), (old.north, old.south))
        offers, answers = set(), set()
        for told in out, other_out:
            self.assertEqual(told.count(": plays"), 3)
            for game, part in zip(games, told.split(": plays")[1:]):
                watch = client.watch(game.game_id, 0)
                logged = [message.event for message in watch if message.HasField("event")]
                self.assertEqual([event.seq for event in logged], list(range(1, game.seq + 1)))
                # Every event after the one by which it sat down, each once.
                seqs = [int(line[1:].split()[0]) for line in part.splitlines() if line.startswith("#")]
                self.assertIn(seqs[0], (2, 3))
                self.assertEqual(seqs, list(range(seqs[0], game.seq + 1)))
                self.assertIn(f"game {game.game_id}: {bot.ended(game.result)}\n", part)
                offers |= {event.offer_made.offer.kind for event in logged if event.HasField("offer_made")}
                answers |= {
                    event.offer_answered.offer.kind for event in logged if event.HasField("offer_answered")}
        self.assertEqual(offers, {OFFER_KIND_DRAW, OFFER_KIND_TAKEBACK})
        self.assertEqual(answers, offers)

    def test_three_race_for_a_seat(self):
        client = self.client()
        game_id, events = self.opened(client)
        with self.lobby() as one, self.lobby() as two, self.lobby() as three:
            self.change(events, "seat_taken")
            self.resign(client, game_id)
            for process in one, two, three:
                out, errors = self.ends(process)
                self.assertEqual(errors, "")
                self.assertNotIn("nobody came", out)
        finished = self.listed(client, status=GAME_STATUS_FINISHED)
        seats = [seat.player_id for game in finished for seat in (game.south, game.north)]
        self.assertEqual((len(seats), len(set(seats))), (4, 4))
        aborted = self.listed(client, status=GAME_STATUS_ABORTED)
        self.assertEqual(len(finished) + len(aborted), len(self.listed(client)))
        for game in aborted:
            self.assertTrue(game.north.HasField("open"))

    def test_alone_it_ends(self):
        with self.lobby("--patience", 0.1) as process:
            out, errors = self.ends(process)
        game, = self.listed(self.client())
        self.assertEqual((out, errors), (f"game {game.game_id}: waits for somebody\nnobody came\n", ""))
        self.assertEqual(game.status, GAME_STATUS_ABORTED)


class LobbyBotPlays(LobbyCase):
    """A bot and the test."""

    def test_it_does_not_wait_for_ever_for_a_rematch(self):
        client = self.client()
        game_id, events = self.opened(client)
        with self.lobby("--games", 2, "--patience", 0.1) as process:
            self.change(events, "seat_taken")
            self.resign(client, game_id)
            out, _ = self.ends(process)
        self.assertTrue(out.endswith("nobody came\n"), out)
        played, again, alone = self.listed(client)
        self.assertEqual(played.result.reason, END_REASON_RESIGNATION)
        self.assertEqual(again.rematch_of_game_id, game_id)
        self.assertEqual(again.south.invited_player_id, played.north.player_id)
        self.assertTrue(alone.north.HasField("open"))
        self.assertEqual((again.status, alone.status), (GAME_STATUS_ABORTED, GAME_STATUS_ABORTED))

    def test_it_offers_draws(self):
        client = self.client()
        game_id, events = self.opened(client)
        with self.lobby("--draws", 1) as process:
            declined, state = self.change(events, "offer_made")
            self.assertEqual(declined.offer.kind, OFFER_KIND_DRAW)
            # It waits for the answer, and does nothing before.
            request = api.ListGameEventsRequest(
                game_id=game_id, after_seq=declined.offer.offer_id, wait=Duration(nanos=200_000_000))
            self.assertFalse(client.call(client.games.ListGameEvents, request).events)
            self.answer(client, game_id, declined.offer, api.OFFER_ANSWER_DECLINE)
            self.assertEqual(self.change(events, "moved")[1].turn, state.turn + 1)
            client.move(client.get(game_id))
            accepted, _ = self.change(events, "offer_made")
            self.answer(client, game_id, accepted.offer, api.OFFER_ANSWER_ACCEPT)
            self.ends(process)
        self.assertEqual(client.get(game_id).result.reason, END_REASON_AGREEMENT)

    def test_it_asks_for_takebacks(self):
        client = self.client()
        game_id, events = self.opened(client)
        with self.lobby("--draws", 0, "--takebacks", 1) as process:
            self.change(events, "moved")
            client.move(client.get(game_id))
            asked, _ = self.change(events, "offer_made")
            self.assertEqual(asked.offer.kind, OFFER_KIND_TAKEBACK)
            self.answer(client, game_id, asked.offer, api.OFFER_ANSWER_ACCEPT)
            answered, _ = self.change(events, "offer_answered")
            self.assertEqual(answered.moves_taken_back, 2)
            self.change(events, "moved")  # another time, for there is nothing to take back
            self.resign(client, game_id)
            self.ends(process)

    def test_it_answers_offers(self):
        client = self.client()
        game_id, events = self.opened(client)
        with self.lobby("--draws", 0, "--takebacks", 0) as process:
            self.change(events, "moved")
            client.move(client.get(game_id))
            self.change(events, "moved")  # the test's own
            self.change(events, "moved")
            client.call(client.games.RequestTakeback, api.RequestTakebackRequest(game_id=game_id))
            self.assertTrue(self.change(events, "offer_answered")[0].accepted)
            self.resign(client, game_id)
            self.ends(process)

    def test_it_agrees_to_a_draw_unless_it_is_ahead(self):
        for stores, accepted in (("20-0", False), ("0-20", True)):
            client = self.client()
            # The test, as North, is to move.
            position = Position(text=f"4,4,4,0,0,0/4,4,4,4,0,0 {stores} N")
            game_id, events = self.opened(client, start_position=position)
            # Of this seed the bot agrees to no draw by chance.
            with self.lobby("--seed", 7) as process:
                self.change(events, "seat_taken")
                client.call(client.games.OfferDraw, api.OfferDrawRequest(game_id=game_id))
                self.assertEqual(self.change(events, "offer_answered")[0].accepted, accepted)
                if not accepted:
                    self.resign(client, game_id)
                self.ends(process)

    def test_with_its_token_it_goes_on(self):
        client = self.client()
        game_id, events = self.opened(client)
        folder = tempfile.TemporaryDirectory(prefix="mancala-test-")
        self.addCleanup(folder.cleanup)
        token = Path(folder.name) / "token"
        options = "--draws", 0, "--takebacks", 0, "--token", token
        with self.lobby(*options) as process:
            self.change(events, "moved")
            process.kill()
        self.assertEqual(token.stat().st_mode & 0o777, 0o600)
        client.move(client.get(game_id))
        self.change(events, "moved")  # the test's own
        with self.lobby(*options) as process:
            self.change(events, "moved")
            self.resign(client, game_id)
            out, _ = self.ends(process)
        self.assertIn(f"game {game_id}: plays South\n", out)
        self.assertEqual(len(self.listed(client)), 1)

    def test_what_waited_before_a_restart_is_aborted(self):
        folder = tempfile.TemporaryDirectory(prefix="mancala-test-")
        self.addCleanup(folder.cleanup)
        options = "--patience", 0.1, "--token", Path(folder.name) / "token"
        with self.lobby("--patience", 60, *options[2:]) as process:
            self.until(process, "waits")
            process.kill()
        with self.lobby(*options) as process:
            self.ends(process)
        games = self.listed(self.client())
        self.assertEqual([game.status for game in games], 2 * [GAME_STATUS_ABORTED])
        self.assertEqual(games[0].south, games[1].south)

    def test_interrupted_it_lets_nobody_wait(self):
        client = self.client()
        with self.lobby() as process:
            self.until(process, "waits")
            process.send_signal(signal.SIGINT)
            self.assertEqual(self.ends(process, 130), ("", ""))
        game, = self.listed(client)
        self.assertEqual(game.status, GAME_STATUS_ABORTED)

    def test_wrong_use_is_told_in_one_line(self):
        with tempfile.NamedTemporaryFile("w", suffix=".token") as token:
            token.write("wrong")
            token.flush()
            for options, line in (
                    (("--variant", "chess"), "VARIANT_NOT_FOUND: There is no such variant.\n"),
                    (("--token", token.name), "TOKEN_INVALID: The token is not one of this server's.\n")):
                with self.lobby(*options) as process:
                    self.assertEqual(self.ends(process, 1), ("", line))


class Arranged(LobbyCase):
    """Bots of this process, to which happens at once what else would be chance, or take long."""

    def make(self, kind, **options):
        channel = self.server.channel()
        self.addCleanup(channel.close)
        defaults = {
            "seed": 7, "variant": "en-dodoi", "strategy": "random", "draws": 0, "takebacks": 0, "pause": 0,
            "games": 1, "patience": DEADLINE}
        options = SimpleNamespace(**{**defaults, **options})
        return kind(channel, bot.register(channel, "Lobby bot"), options)

    def test_three_see_the_same_seat(self):
        client, met = self.client(), threading.Barrier(3, timeout=DEADLINE)
        game_id, events = self.opened(client)

        class Bot(lobby.LobbyBot):
            met = False

            def open_games(self):
                games = list(super().open_games())
                if not self.met:
                    self.met = True
                    met.wait()
                return games

        bots = [self.make(Bot) for _ in range(3)]
        with mock.patch("builtins.print"), ThreadPoolExecutor() as pool:
            running = [pool.submit(each.run) for each in bots]
            self.change(events, "seat_taken")
            self.resign(client, game_id)
            for each in running:
                each.result()
        self.assertEqual(sorted(len(each.lost) for each in bots), [0, 1, 1])
        # The two that were too late have each opened a game, and met in the older one.
        games = self.listed(client)
        statuses = [game.status for game in games]
        self.assertEqual(statuses, [GAME_STATUS_FINISHED, GAME_STATUS_FINISHED, GAME_STATUS_ABORTED])
        self.assertEqual(games[1].north, games[2].south)

    def plays(self, of, game):
        """Plays a game in which nothing is heard at first but that the server lives, which it says after
        10 s."""
        def follow(*arguments):
            beat = api.WatchGameResponse(heartbeat=api.Heartbeat())
            return itertools.chain([beat], bot.follow(*arguments))
        with mock.patch.object(player, "follow", follow), mock.patch("builtins.print"):
            return of.play(game)

    def test_it_leaves_a_game_in_which_nobody_moves(self):
        client, leaver = self.client(), self.make(player.Player, patience=-1)
        game_id, _ = self.opened(client, north=api.SeatRequest(), south=CALLER)
        game = leaver.change(leaver.games.JoinGame, api.JoinGameRequest(game_id=game_id))
        self.assertFalse(self.plays(leaver, game))
        self.assertEqual(client.get(game_id).status, GAME_STATUS_ABORTED)

    def test_it_resigns_where_it_can_not_abort(self):
        client, leaver = self.client(), self.make(player.Player, patience=-1)
        game_id, _ = self.opened(client, north=api.SeatRequest(), south=CALLER)
        game = leaver.change(leaver.games.JoinGame, api.JoinGameRequest(game_id=game_id))
        client.move(game)
        leaver.game = leaver.games.GetGame(api.GetGameRequest(game_id=game_id)).game
        leaver.side = leaver.game.position.to_move
        leaver.move(game_id, leaver.game)
        self.assertTrue(self.plays(leaver, client.get(game_id)))
        self.assertEqual(client.get(game_id).result.reason, END_REASON_RESIGNATION)

    def test_it_moves_if_nobody_answers_its_offer(self):
        client, mover = self.client(), self.make(player.Player, draws=1)
        game_id, events = self.opened(client)
        game = mover.change(mover.games.JoinGame, api.JoinGameRequest(game_id=game_id))
        with ThreadPoolExecutor() as pool:
            played = pool.submit(self.plays, mover, game)
            self.change(events, "offer_made")
            self.change(events, "moved")
            self.resign(client, game_id)
            self.assertTrue(played.result())
