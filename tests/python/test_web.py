"""gRPC-Web, as a browser speaks it, with nothing but HTTP."""

import http.client

from harness import DEADLINE, Case
from mancala.v1 import rules_service_pb2

ORIGIN = "http://127.0.0.1:8000"
STRANGER = "http://127.0.0.1:8001"
PATH = "/mancala.v1.RulesService/ListVariants"
TRAILERS = 0x80


class Web(Case):
    OPTIONS = ("--allow-origin", ORIGIN)

    def ask(self, method, path=PATH, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=DEADLINE)
        self.addCleanup(connection.close)
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, names)
        response = connection.getresponse()
        return response, response.read()

    def post(self, body, path=PATH, **headers):
        return self.ask(
            "POST", path, body, content_type="application/grpc-web+proto", x_grpc_web="1", **headers)

    def preflight(self, origin):
        return self.ask(
            "OPTIONS", origin=origin, access_control_request_method="POST",
            access_control_request_headers="authorization,content-type,x-grpc-web,grpc-timeout")[0]

    def test_call(self):
        response, body = self.post(frame(b""), origin=ORIGIN)
        self.assertEqual(response.status, 200)
        self.assertEqual(response.headers["content-type"], "application/grpc-web+proto")
        self.assertEqual(response.headers["access-control-allow-origin"], ORIGIN)
        (data, message), (end, trailers) = frames(body)
        self.assertEqual((data, end), (0, TRAILERS))
        variants = rules_service_pb2.ListVariantsResponse.FromString(message).variants
        self.assertIn("en-dodoi", [variant.variant for variant in variants])
        self.assertEqual(fields(trailers)["grpc-status"], "0")

    def test_call_that_fails(self):
        request = rules_service_pb2.GetVariantRequest(variant="chess").SerializeToString()
        response, body = self.post(frame(request), PATH.replace("ListVariants", "GetVariant"), origin=ORIGIN)
        self.assertEqual(response.status, 200)
        status = ending(response, body)
        self.assertEqual(status["grpc-status"], "5")
        self.assertIn("grpc-status-details-bin", status)
        exposed = response.headers["access-control-expose-headers"].replace(" ", "").split(",")
        self.assertLessEqual({"grpc-status", "grpc-message", "grpc-status-details-bin"}, set(exposed))

    def test_malformed_frames(self):
        bodies = {
            "none": b"",
            "a header that is cut off": b"\0\0",
            "a message that is cut off": b"\0\0\0\0\x64abc",
            "an unknown flag": b"\7\0\0\0\0",
            "compressed with nothing": b"\1\0\0\0\2ab",
        }
        for name, body in bodies.items():
            with self.subTest(name):
                self.assertEqual(ending(*self.post(body))["grpc-status"], "3")
        for body in b"\0\xff\xff\xff\xff", frame(bytes(64 * 1024 + 1)):
            self.assertEqual(ending(*self.post(body))["grpc-status"], "8")
        self.assert_serves()

    def test_preflight(self):
        response = self.preflight(ORIGIN)
        self.assertIn(response.status, (200, 204))
        self.assertEqual(response.headers["access-control-allow-origin"], ORIGIN)
        self.assertIn("POST", response.headers["access-control-allow-methods"])
        allowed = response.headers["access-control-allow-headers"].lower().replace(" ", "").split(",")
        self.assertLessEqual({"authorization", "content-type", "x-grpc-web", "grpc-timeout"}, set(allowed))

    def test_origin_that_is_not_allowed(self):
        self.assertIsNone(self.preflight(STRANGER).headers["access-control-allow-origin"])
        response, _ = self.post(frame(b""), origin=STRANGER)
        self.assertIsNone(response.headers["access-control-allow-origin"])


def frame(message):
    """A message as it travels."""
    return b"\0" + len(message).to_bytes(4, "big") + message


def frames(body):
    """The frames of a body: flags and data of each."""
    found = []
    while body:
        size = int.from_bytes(body[1:5], "big")
        assert len(body) >= 5 + size, "a frame is cut off"
        found.append((body[0], body[5:5 + size]))
        body = body[5 + size:]
    return found


def ending(response, body):
    """The status and what belongs to it: in the headers, or in a frame of trailers."""
    found = dict(response.headers)
    for flags, data in frames(body):
        if flags == TRAILERS:
            found |= fields(data)
    return found


def fields(trailers):
    """Trailers as a dictionary."""
    lines = trailers.decode("ascii").split("\r\n")
    return dict(map(str.strip, line.split(":", 1)) for line in lines if line)
