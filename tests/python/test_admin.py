"""The commands of admins and for tokens, against a server with an address for admins."""

import re
import stat

import grpc
from mancala.v1 import game_pb2, game_service_pb2, player_service_pb2
from mancala.v1.player_service_pb2_grpc import PlayerServiceStub

from harness import DEADLINE, Client, OwnServer, program


class Admin(OwnServer):
    OPTIONS = ("--admin-listen", "127.0.0.1:0")

    def admin(self, *arguments, server=None):
        server = server or self.server.admin
        done = program("admin", "--server", server, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        return done.stdout.splitlines()

    def test_what_an_admin_does(self):
        client = Client(self.server)
        self.addCleanup(client.close)
        game = client.create()
        me = client.call(client.players.GetPlayer, player_service_pb2.GetPlayerRequest()).player
        lines = self.admin("games", me.player_id)
        self.assertEqual(lines, [f"{game.game_id} en-dodoi active ply 0"])
        lines = self.admin("abort", game.game_id, "--note", "asked for it")
        self.assertEqual(lines, [f"{game.game_id} en-dodoi aborted ply 0"])
        self.assertEqual(client.get(game.game_id).status, game_pb2.GAME_STATUS_ABORTED)
        self.assertEqual(self.admin("rename", me.player_id, "Another"), [f'{me.player_id} "Another" not banned'])
        self.assertEqual(self.admin("ban", me.player_id), [f'{me.player_id} "Another" banned'])
        create = game_service_pb2.CreateGameRequest(variant="bosh")
        self.refused(
            grpc.StatusCode.PERMISSION_DENIED, "PLAYER_BANNED", client.call, client.games.CreateGame, create)
        self.assertEqual(self.admin("unban", me.player_id), [f'{me.player_id} "Another" not banned'])
        client.create()
        lines = self.admin("audit")
        self.assertEqual(len(lines), 4, lines)
        self.assertRegex(
            lines[0], rf'^1 \d{{4}}-\d\d-\d\dT\S+ "admin address" abort {game.game_id} "asked for it"$')
        self.assertNotIn("Another", "".join(lines))
        self.assertEqual(self.admin("audit", "--after", 3), lines[3:])

        limits = {line.split()[0]: line.split()[1:] for line in self.admin("limits")}
        self.assertEqual(limits.pop("limit"), ["value", "used", "refused"])
        self.assertEqual(limits["streams"], ["100000", "0", "0"])
        self.assertEqual(limits["calls-per-player"][1], "-")

    def test_elsewhere_it_needs_a_token(self):
        done = program("admin", "--server", self.server.address, "limits")
        self.assertEqual((done.returncode, done.stdout), (1, ""), done)
        self.assertRegex(done.stderr, "^mancala: .*token.*\n$")
        for scope, code in (("admin", 0), ("service", 1)):
            made = program("token", "--scope", scope, "--name", "ops", "--data-dir", self.server.data)
            self.assertEqual((made.returncode, made.stderr), (0, ""), made)
            self.assertTrue(re.fullmatch(r"[\w-]+\.[\w-]+\.[\w-]+\n", made.stdout), made.stdout)
            file = self.server.data / "ops.token"
            file.write_text(made.stdout)
            done = program("admin", "--server", self.server.address, "--token-file", file, "limits")
            self.assertEqual(done.returncode, code, done)
            self.assertNotIn(made.stdout.strip(), done.stderr)
        for bad in ("a b", "", "x" * 65):
            done = program("token", "--scope", "admin", "--name", bad, "--data-dir", self.server.data)
            self.assertEqual(done.returncode, 2, done)

    def test_the_data_folder_is_its_owners(self):
        self.assertEqual(stat.S_IMODE(self.server.data.stat().st_mode), 0o700)


class OtherWays(OwnServer):
    OPTIONS = ("--registration", "off", "--limit", "calls-per-player=50,streams=7", "--admin-listen", "127.0.0.1:0")

    def test_options_are_heeded(self):
        done = program("admin", "--server", self.server.admin, "limits")
        self.assertIn("\nstreams 7 0 0\n", done.stdout)
        with self.server.channel() as channel:
            register = PlayerServiceStub(channel).RegisterPlayer
            request = player_service_pb2.RegisterPlayerRequest(
                name="Tester", kind=player_service_pb2.PLAYER_KIND_BOT)
            self.refused(
                grpc.StatusCode.PERMISSION_DENIED, "REGISTRATION_CLOSED",
                lambda: register(request, timeout=DEADLINE))
