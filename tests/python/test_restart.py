"""Servers that are killed, or told to stop, and come back."""

import socket
import threading

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

import harness
from harness import DEADLINE, OwnServer
from mancala.v1 import game_pb2, game_service_pb2


class Restarts(OwnServer):
    """What is done goes on, or is still there."""

    def bot_survives(self, stop):
        """The bot plays a game, in the middle of which the server is stopped, again and again. It must
        be the same game as without that."""
        options = "--variant", "bosh", "--seed", 7
        with self.server.bot(*options) as process:
            undisturbed, errors = process.communicate()
        self.assertEqual(process.returncode, 0, errors)

        with self.server.bot(*options, "--pause", "0.02") as process:
            # Read all along, so that the bot is never held up.
            errors = []
            reader = threading.Thread(target=lambda: errors.extend(process.stderr))
            reader.start()
            out, seen = "", 0
            for line in process.stdout:
                out += line
                seen += line.startswith("#")
                if line.startswith("#") and seen in (8, 20, 40):
                    stop()
                    self.server.start()
            reader.join(DEADLINE)
        self.assertEqual(process.returncode, 0, errors)
        self.assertGreater(seen, 40)
        self.assertTrue(any("trying again" in line for line in errors))
        game, moves = self.assert_whole(self.client(), out.split()[1])
        self.assertEqual(game.status, game_pb2.GAME_STATUS_FINISHED)
        self.assertEqual([event.seq for event in moves], printed(out))
        self.assertEqual(out.splitlines()[1:], undisturbed.splitlines()[1:])

    def test_bot_survives_sigkill(self):
        self.bot_survives(self.server.kill)

    def test_bot_survives_sigterm(self):
        self.bot_survives(self.server.terminate)

    def test_what_was_acknowledged_outlasts_sigkill(self):
        client = self.client()
        game = client.create("bosh")
        acknowledged = []
        for _ in range(3):
            for _ in range(5):
                request, answer = client.move(game)
                game = answer.game
                acknowledged.append((answer.outcome.mover, request.hole))
            self.server.kill()
            self.server.start()
            found = client.get(game.game_id)
            self.assertEqual([(move.mover, move.hole) for move in found.moves], acknowledged)
            before, now = (each.clocks.server_time.ToMilliseconds() for each in (game, found))
            self.assertLessEqual(before, now)
            found.clocks.CopyFrom(game.clocks)  # they have run on
            self.assertEqual(found, game)

    def test_sigterm_says_goodbye_to_watches(self):
        client = self.client()
        game = client.create()
        for _ in range(3):
            game = client.move(game)[1].game
        watch = client.watch(game.game_id, 0)
        events = (message.event for message in watch if message.HasField("event"))
        for seq in range(1, game.seq + 1):
            self.assertEqual(next(events).seq, seq)
        health = health_pb2_grpc.HealthStub(client.channel).Watch(
            health_pb2.HealthCheckRequest(service="mancala.v1.GameService"), timeout=3 * DEADLINE)
        self.assertEqual(next(health).status, health_pb2.HealthCheckResponse.SERVING)

        code, seconds = self.server.terminate()
        self.assertEqual(code, 0, self.server.log[-5:])
        self.assertLess(seconds, 15)
        harness.FIGURES.append(f"SIGTERM to exit with a watch open: {seconds:.2f} s")
        self.assertEqual(next(health).status, health_pb2.HealthCheckResponse.NOT_SERVING)
        last = next(message for message in watch if not message.HasField("presence"))
        self.assertEqual(last.goodbye.seq, game.seq)
        with self.assertRaises(grpc.RpcError) as caught:
            next(watch)
        self.assert_error(caught.exception, grpc.StatusCode.UNAVAILABLE, "DRAINING")

        self.server.start()
        watch = client.watch(game.game_id, game.seq)
        game = client.move(game)[1].game
        event = next(message.event for message in watch if message.HasField("event"))
        self.assertEqual(event.seq, game.seq)
        watch.cancel()

    def test_sigterm_ends_it_whoever_hangs_on(self):
        begun = b"POST /mancala.v1.RulesService/ListVariants HTTP/1.1\r\nHost: a\r\n" \
            b"Content-Type: application/grpc-web+proto\r\nContent-Length: 100\r\n\r\n"
        for data in b"", b"PRI * HTT", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", begun:
            connection = socket.create_connection(("127.0.0.1", self.server.port), DEADLINE)
            self.addCleanup(connection.close)
            connection.sendall(data)
        self.client()  # Answered on a later connection than those, so they have been accepted.
        code, seconds = self.server.terminate()
        self.assertEqual(code, 0, self.server.log[-5:])
        self.assertLess(seconds, 15)
        harness.FIGURES.append(f"SIGTERM to exit with clients that hang: {seconds:.2f} s")

    def test_a_repeated_request_has_the_same_answer(self):
        client = self.client()
        game = client.create()
        submit = client.raw("/mancala.v1.GameService/SubmitMove")
        answers = {}
        for turn in range(4):
            request = game_service_pb2.SubmitMoveRequest(
                game_id=game.game_id, hole=client.legal(game)[0], expected_turn=turn,
                request_id=f"00000000-0000-4000-8000-00000000000{turn}")
            answers[turn] = request, client.call(submit, request.SerializeToString())
        for _ in range(2):
            for request, answer in answers.values():
                self.assertEqual(client.call(submit, request.SerializeToString()), answer)
            self.server.kill()
            self.server.start()
        self.assertEqual(client.get(game.game_id).turn, 4)

        request, _ = answers[1]
        other_hole, other_turn = type(request)(), type(request)()
        other_hole.MergeFrom(request)
        other_hole.hole += 1
        other_turn.MergeFrom(request)
        other_turn.ClearField("expected_turn")
        for other in other_hole, other_turn:
            status = self.refused(
                grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_ID_REUSED",
                client.call, client.games.SubmitMove, other)
            violations = harness.details(status, harness.error_details_pb2.BadRequest)
            self.assertEqual(violations[0].field_violations[0].field, "request_id")
        self.assertEqual(client.get(game.game_id).turn, 4)

    def test_tokens_outlast_a_restart(self):
        client = self.client()
        self.assertEqual(self.server.terminate()[0], 0)
        self.server.start()
        self.assertEqual(client.move(client.create())[1].game.turn, 1)


def printed(out):
    """The seqs that the bot printed."""
    return [int(line[1:].split()[0]) for line in out.splitlines() if line.startswith("#")]
