"""Nothing secret is told: not in log lines at any level, not in errors."""

import uuid

import grpc
from mancala.v1 import game_pb2, game_service_pb2, player_service_pb2

from harness import DEADLINE, Client, OwnServer, program


class Secrets(OwnServer):
    OPTIONS = ("--log", "trace", "--registration", "open")

    def fails(self, call, request, *metadata):
        """Makes a call that must fail, and gives all that it says."""
        with self.assertRaises(grpc.RpcError) as caught:
            call(request, timeout=DEADLINE, metadata=metadata)
        error = caught.exception
        return f"{error.details()} {error.trailing_metadata()}"

    def test_nothing_secret_is_told(self):
        told = []
        client = Client(self.server)
        self.addCleanup(client.close)
        players, token = client.players, client.metadata[0][1].split()[1]
        secrets = {"token": token}

        secrets["id of a registration"] = str(uuid.uuid4())
        registration = player_service_pb2.RegisterPlayerRequest(
            name="Tester", kind=player_service_pb2.PLAYER_KIND_BOT, request_id=secrets["id of a registration"])
        secrets["token of it"] = players.RegisterPlayer(registration, timeout=DEADLINE).token
        registration.name = "Another"
        told.append(self.fails(players.RegisterPlayer, registration))

        service = program("token", "--scope", "service", "--name", "web", "--data-dir", self.server.data)
        secrets["token of a service"] = service.stdout.strip()
        self.assertEqual(service.returncode, 0, service)
        told.append(service.stderr)
        key = (self.server.data / "token.key").read_bytes()
        secrets["key"], secrets["key in hex"] = key.hex(), ", ".join(map(str, key[:8]))

        created = client.call(client.games.CreateGame, game_service_pb2.CreateGameRequest(
            variant="bosh", visibility=game_pb2.VISIBILITY_PRIVATE))
        secrets["join code"] = created.join_code
        join = game_service_pb2.JoinGameRequest(game_id=created.game.game_id, join_code=created.join_code[:-1])
        told.append(self.fails(client.games.JoinGame, join, ("authorization", f"Bearer {secrets['token of it']}")))

        get = player_service_pb2.GetPlayerRequest()
        for header in (f"Bearer {token}x", f"Basic {token}", token, f"Bearer {token[:-1]}"):
            told.append(self.fails(players.GetPlayer, get, ("authorization", header)))
        told.append(self.fails(
            players.GetPlayer, get, ("authorization", f"Bearer {secrets['token of a service']}"),
            ("x-mancala-player", str(uuid.uuid4()))))
        revoked = client.call(players.RevokeTokens, player_service_pb2.RevokeTokensRequest(
            request_id=str(uuid.uuid4())))
        secrets["token after a revocation"] = revoked.token
        told.append(self.fails(players.GetPlayer, get, client.metadata[0]))
        self.server.terminate()

        told.append("\n".join(self.server.log))
        self.assertIn("call ended", told[-1])
        self.assertIn("TRACE", told[-1])
        told = "\n".join(told)
        for name, secret in secrets.items():
            self.assertGreater(len(secret), 20, name)
            # Parts of it too: the beginning of a token is the same in all.
            for part in (secret, secret[-20:]):
                self.assertNotIn(part, told, name)
