"""The bot of the examples plays whole games."""

import unittest
from types import SimpleNamespace

import bot
from harness import Case
from mancala.v1 import game_pb2, game_service_pb2


class BotPlays(Case):
    """Whole games, without trouble."""

    def play(self, *options):
        with self.server.bot("--seed", 7, *options) as process:
            out, errors = process.communicate()
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(errors, "")
        game, moves = self.assert_whole(self.client(), out.split()[1])
        self.assertEqual(game.status, game_pb2.GAME_STATUS_FINISHED)
        self.assertEqual(out.count("\n#"), len(moves))
        self.assertTrue(out.endswith(f"{bot.ended(game.result)}, {game.seq} events seen\n"), out[-100:])
        return game

    def both(self, *options):
        for strategy in "random", "greedy":
            game = self.play("--strategy", strategy, *options)
        return game

    def test_adji_boto(self):
        self.both("--variant", "adji-boto")

    def test_en_dodoi_on_six(self):
        self.assertEqual(self.both("--variant", "en-dodoi").holes, 6)

    def test_en_dodoi_on_ten(self):
        self.assertEqual(self.both("--variant", "en-dodoi", "--holes", "10").holes, 10)

    def test_en_dodoi_series(self):
        game = self.play("--variant", "en-dodoi", "--target-wins", "2")
        self.assertGreaterEqual(len(game.rounds), 2)
        self.assertEqual(max(game.result.south_score, game.result.north_score), 2)

    def test_bosh(self):
        self.both("--variant", "bosh")

    def test_sadeqa_ii(self):
        self.both("--variant", "sadeqa-ii")

    def test_the_same_seed_plays_the_same_game(self):
        first, second = self.play("--holes", "8"), self.play("--holes", "8")
        self.assertEqual(list(first.moves), list(second.moves))

    def test_what_fails_is_told_in_one_line(self):
        with self.server.bot("--variant", "chess") as process:
            out, errors = process.communicate()
        self.assertEqual((process.returncode, out), (1, ""))
        self.assertEqual(errors, "VARIANT_NOT_FOUND: There is no such variant.\n")


class BotWatches(unittest.TestCase):
    """What the bot makes of a stream that is not as it should be."""

    def test_a_gap_ends_it(self):
        events = [game_service_pb2.WatchGameResponse(event=game_pb2.GameEvent(seq=seq)) for seq in (1, 3)]
        games = SimpleNamespace(WatchGame=lambda request: events)
        with self.assertRaises(SystemExit) as ended:
            bot.watch(games, "")
        self.assertEqual(ended.exception.code, "gap in the events: 3 came after 1")
