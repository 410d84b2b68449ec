"""The command line."""

import re
import socket
import tempfile
from pathlib import Path

import harness
from harness import ROOT, Case, Server, program


class Commands(Case):
    def fails(self, *arguments):
        """Runs a command that must fail with one clear line, and gives the line."""
        done = program(*arguments)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("mancala: "), done.stderr)
        return done.stderr

    def test_health(self):
        done = program("health", "--listen", self.server.address)
        self.assertEqual((done.returncode, done.stdout), (0, "SERVING\n"), done)

    def test_health_where_nothing_listens(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))  # taken, but nobody listens
            self.fails("health", "--listen", f"127.0.0.1:{free.getsockname()[1]}")

    def test_perft(self):
        done = program("perft", "en-dodoi", "--depth", 4)
        self.assertEqual(done.returncode, 0, done)
        *counts, total = done.stdout.splitlines()
        self.assertEqual(total, "total 610")
        self.assertEqual([line.split()[0] for line in counts], list("abcdef"))
        self.assertEqual(sum(int(line.split()[1]) for line in counts), 610)

    def test_check(self):
        for seed in sorted((ROOT / "seeds").glob("*.toml")):
            done = program("check", seed.relative_to(ROOT))
            self.assertEqual(done.returncode, 0, done)
            self.assertRegex(done.stdout, rf"^{seed.stem}: .+\nrules digest [0-9a-f]{{64}}\n$")

    def test_check_names_what_is_wrong(self):
        good = (ROOT / "seeds/bosh.toml").read_text()
        with tempfile.TemporaryDirectory() as folder:
            bad = Path(folder) / "bad.toml"
            bad.write_text(re.sub(r"^laps = .*$", 'laps = "sideways"', good, count=1, flags=re.MULTILINE))
            self.assertNotEqual(bad.read_text(), good)
            line = self.fails("check", bad)
            self.assertIn(str(bad), line)
            self.assertIn("rules.laps", line)

    def test_one_server_on_a_data_folder(self):
        line = self.fails("serve", "--listen", "127.0.0.1:0", "--data-dir", self.server.data)
        self.assertIn(str(self.server.data), line)
        self.assert_serves()

    def test_one_server_on_a_port(self):
        with tempfile.TemporaryDirectory() as folder:
            line = self.fails("serve", "--listen", self.server.address, "--data-dir", folder)
        self.assertIn(self.server.address, line)

    def test_beyond_loopback_only_if_told(self):
        with tempfile.TemporaryDirectory() as folder:
            line = self.fails("serve", "--listen", "0.0.0.0:0", "--data-dir", folder)
        self.assertIn("--insecure-listen", line)
        self.assertIn("--tls-cert", line)

    def test_certificate_and_key_belong_together(self):
        for option in ("--tls-cert", "--tls-key"):
            done = program("serve", option, "some.pem")
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
        line = self.fails("serve", "--tls-cert", "missing.pem", "--tls-key", "missing.pem")
        self.assertIn("missing.pem", line)

    def test_wrong_command_line(self):
        done = program("serve", "--no-such-option")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done)

    def test_figures_of_an_empty_server(self):
        server = Server()
        self.addCleanup(server.close)
        harness.FIGURES.append(f"start to first health answer: {server.start_seconds * 1_000:.0f} ms")
        self.assertLess(server.start_seconds, 2)
        status = Path(f"/proc/{server.process.pid}/status")
        if status.exists():  # Linux
            resident = int(re.search(r"^VmRSS:\s+(\d+) kB$", status.read_text(), re.MULTILINE)[1])
            harness.FIGURES.append(f"resident memory of an empty server: {resident / 1024:.1f} MiB")
            self.assertLess(resident, 60 * 1024)
