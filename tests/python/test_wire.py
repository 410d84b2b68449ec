"""What no client should send, and what every tool asks."""

import random
import socket

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from harness import DEADLINE, Case, details

SERVICES = {"mancala.v1.GameService", "mancala.v1.PlayerService", "mancala.v1.RulesService"}
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = b"\0\0\0\4\0\0\0\0\0"


class Garbage(Case):
    """After each test the server must still serve."""

    # Many connections in a short time: how many there may be is tested elsewhere.
    OPTIONS = ("--limit", "connections-per-address=100000")

    def setUp(self):
        self.addCleanup(self.assert_serves)

    def send(self, data):
        """Sends bytes, then reads until the server has closed or nothing more comes."""
        with socket.create_connection(("127.0.0.1", self.server.port), DEADLINE) as connection:
            try:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65_536):
                    pass
            except TimeoutError:
                self.fail("the connection is left open")
            except OSError:
                pass  # closed before all was sent or read

    def test_random_bytes(self):
        lot = random.Random(7)
        for size in (1, 9, 24, 100, 10_000, 1_000_000):
            for _ in range(5):
                self.send(lot.randbytes(size))

    def test_truncated_preface(self):
        for size in range(len(PREFACE)):
            self.send(PREFACE[:size])

    def test_random_frames(self):
        lot = random.Random(7)
        for _ in range(100):
            frames = b"".join(
                size.to_bytes(3, "big") + bytes([lot.randrange(12)]) + lot.randbytes(5) + lot.randbytes(size)
                for size in (lot.choice((0, 4, 8, 60, 20_000)) for _ in range(10)))
            self.send(PREFACE + SETTINGS + frames)

    def test_http_that_is_not_grpc(self):
        texts = (
            b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"GET /\r\n",
            b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n")
        for text in texts:
            self.send(text)

    def test_connections_that_say_nothing(self):
        idle = [socket.create_connection(("127.0.0.1", self.server.port), DEADLINE) for _ in range(200)]
        self.assert_serves()
        for connection in idle:
            connection.close()

    def test_request_that_is_too_large(self):
        client = self.client()
        submit = client.raw("/mancala.v1.GameService/SubmitMove")
        # On one connection, which has to stand it.
        for size in (64 * 1024 + 1, 200_000, 10_000_000, 10_000_000):
            status = self.refused(
                grpc.StatusCode.RESOURCE_EXHAUSTED, "REQUEST_TOO_LARGE", client.call, submit, bytes(size))
            self.assertTrue(details(status, error_details_pb2.QuotaFailure))

    def test_malformed_message(self):
        client = self.client()
        for path in "GameService/SubmitMove", "RulesService/EnumerateMoves", "GameService/WatchGame":
            call = client.raw(f"/mancala.v1.{path}")
            # A length beyond the end, a wire type that there isn't, text that is not UTF-8, a long varint.
            for data in b"\x0a\x7f", b"\x0f", b"\x0a\x02\xff\xfe", b"\x10" + b"\xff" * 11:
                with self.subTest(path=path, data=data):
                    self.refused(
                        grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_REQUEST", client.call, call, data)

    def test_random_messages(self):
        client, lot = self.client(), random.Random(7)
        for path in "GameService/SubmitMove", "RulesService/EnumerateMoves", "GameService/CreateGame":
            call = client.raw(f"/mancala.v1.{path}")
            for _ in range(100):
                with self.assertRaises(grpc.RpcError) as caught:
                    client.call(call, lot.randbytes(lot.randrange(1, 40)))
                self.assertEqual(caught.exception.code(), grpc.StatusCode.INVALID_ARGUMENT)

    def test_method_that_there_is_not(self):
        for path in "/mancala.v1.GameService/Cheat", "/mancala.v2.GameService/SubmitMove":
            with self.assertRaises(grpc.RpcError) as caught:
                client = self.client()
                client.call(client.raw(path), b"")
            self.assertEqual(caught.exception.code(), grpc.StatusCode.UNIMPLEMENTED)


class Tools(Case):
    """Health and reflection."""

    def test_reflection_v1alpha(self):
        database = ProtoReflectionDescriptorDatabase(self.client().channel)
        self.assertLessEqual(SERVICES, set(database.get_services()))
        service = DescriptorPool(database).FindServiceByName("mancala.v1.GameService")
        fields = service.methods_by_name["SubmitMove"].input_type.fields_by_name
        self.assertEqual(fields["request_id"].number, 4)

    def test_reflection_v1(self):
        # Its messages are those of v1alpha under another name.
        call = self.client().channel.stream_stream(
            "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
            reflection_pb2.ServerReflectionRequest.SerializeToString,
            reflection_pb2.ServerReflectionResponse.FromString)
        answers = call(iter([reflection_pb2.ServerReflectionRequest(list_services="")]), timeout=DEADLINE)
        listed = next(answers).list_services_response.service
        self.assertLessEqual(SERVICES, {service.name for service in listed})

    def test_health(self):
        health = health_pb2_grpc.HealthStub(self.client().channel)
        for service in ("", *SERVICES):
            answer = health.Check(health_pb2.HealthCheckRequest(service=service), timeout=DEADLINE)
            self.assertEqual(answer.status, health_pb2.HealthCheckResponse.SERVING, service)
        with self.assertRaises(grpc.RpcError) as caught:
            health.Check(health_pb2.HealthCheckRequest(service="none"), timeout=DEADLINE)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.NOT_FOUND)
