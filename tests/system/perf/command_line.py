"""Wrong use: one sentence that names the value and what was expected, exit code 2, no hang."""

import os
import re

from perf_tool import ATOMICS, PerfTest, Server, run


class CommandLine(PerfTest):
    def largest(self, name, limit):
        """The limit that it names. On the default network it is known."""
        said = self.refuses([name, "--api", "4", "--sizes", "16M"], f"bytes ({limit})")
        most = int(re.search(r"at most (\d+) bytes", said)[1])
        if "LINTEL_PROVIDER" not in os.environ:
            self.assertEqual(most, 65536)
        return most

    def test_AnUnknownSubCommandIsRefused(self):
        self.refuses(["put-latency"], "'put-latency'")

    def test_NoSubCommandIsRefused(self):
        self.refuses([], "sub-command")

    def test_AnUnknownOptionIsRefused(self):
        self.refuses(["put-lat", "--no-such-option"], "'--no-such-option'")

    def test_SizesThatAreNoneAreRefused(self):
        for text in ["0", "", "x", "8,0", "8,,16", "-1", "65G", "1.5K"]:
            with self.subTest(text):
                self.refuses(["put-lat", "--sizes", text], "--sizes")

    def test_BadNumbersAreRefused(self):
        for option in ["--iterations", "--window", "--repeats", "--iovec", "--deadline", "--cpu",
                       "--passive-seconds", "--min"]:
            for text in ["x", "-5", "99999999999999999999"]:
                with self.subTest(option=option, text=text):
                    self.refuses(["put-lat", option, text], f"{option}: '{text}'")

    def test_AMinimumAboveTheMaximumIsRefused(self):
        self.refuses(["put-lat", "--min", "16", "--max", "8"], "--min 16")

    def test_AnUnknownChoiceIsRefused(self):
        for option, expected in [("--completion", "local or remote"),
                                 ("--units", "MB or MiB or Gb"),
                                 ("--passive-mode", "compute or sleep"), ("--api", "3 or 4"),
                                 ("--notify", "events or counters")]:
            with self.subTest(option):
                self.refuses(["put-lat", option, "sideways"],
                             f"{option}: 'sideways' is not usable; expected {expected}")

    def test_NumbersOutOfRangeAreRefused(self):
        for option, text in [("--sizes", "0"), ("--iovec", "0"), ("--iovec", "4097"),
                             ("--window", "0"), ("--window", "65537"), ("--iterations", "0"),
                             ("--repeats", "0"), ("--passive-seconds", "0")]:
            with self.subTest(option, text=text):
                self.refuses(["put-lat", option, text], f"{option}: '{text}'")

    def test_TwoRolesAreRefused(self):
        self.refuses(["put-lat", "--server", "--client", "127.0.0.1"], "--server")

    def test_ACpuThatIsNotThereIsRefused(self):
        self.refuses(["put-lat", "--cpu", "4000"], "'4000'")

    def test_AnUnknownProviderIsRefused(self):
        result = run("put-lat", "--provider", "nosuchprovider")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("nosuchprovider", result.stderr)

    def test_AReportFileThatCannotBeWrittenIsRefusedBeforeMeasuring(self):
        self.refuses(["put-lat", "--json", "/nonexistent/report.json"],
                     "'/nonexistent/report.json'")

    def test_ASwapLargerThanTheInterfaceAllowsIsRefused(self):
        self.refuses(["swap-lat", "--sizes", "1G"], "'1073741824'")

    def test_AnApiThatIsNoneIsRefusedWithThoseThatAre(self):
        for text in ["2", "5", "34", "portals4"]:
            with self.subTest(text):
                self.refuses(["put-lat", "--api", text],
                             f"--api: '{text}' is not usable; expected 3 or 4")

    def test_CountersWithoutPortals4AreRefused(self):
        for arguments in [["--notify", "counters"], ["--api", "3", "--notify", "counters"]]:
            with self.subTest(arguments):
                self.refuses(["put-lat", *arguments],
                             "--notify: 'counters' is not usable with --api 3")

    def test_AtomicOperationsWithoutPortals4AreRefused(self):
        for name in ATOMICS:
            for arguments in [[], ["--api", "3"]]:
                with self.subTest(name, arguments=arguments):
                    self.refuses([name, *arguments], f"--api: '3' is not usable with {name}")

    def test_AtomicOperationsBeyondTheLimitOrWithoutWholeWordsAreRefused(self):
        for name, limit in [("fetch-lat", "max_fetch_atomic_size"),
                            ("atomic-rate", "max_atomic_size")]:
            with self.subTest(name):
                most = self.largest(name, limit)
                self.refuses([name, "--api", "4", "--sizes", f"8,{most + 8}"],
                             f"'{most + 8}' is not usable with {name}; expected at most {most} "
                             f"bytes ({limit})")
                self.refuses([name, "--api", "4", "--sizes", "8,12"],
                             f"'12' is not usable with {name}; expected a multiple of 8 bytes")

    def test_ASwapLargerThanPortals4AllowsIsRefused(self):
        most = self.largest("swap-lat", "max_fetch_atomic_size")
        self.refuses(["swap-lat", "--api", "4", "--sizes", str(most + 1)],
                     f"'{most + 1}' is not usable with swap-lat; expected at most {most} bytes "
                     "(max_fetch_atomic_size)")

    def test_AHostNameThatDoesNotResolveIsRefused(self):
        self.refuses(["put-lat", "--client", "no-such-host.invalid", "--deadline", "2"],
                     "'no-such-host.invalid'", limit=8)

    def test_AServerThatIsNotThereIsNamedWithinTheDeadline(self):
        self.refuses(["put-lat", "--client", "127.0.0.1:1000", "--deadline", "1"],
                     "127.0.0.1 pid 1000", limit=4)

    def test_AHostThatDoesNotAnswerIsNamedWithinTheDeadline(self):
        self.refuses(["put-lat", "--client", "203.0.113.9", "--deadline", "1"],
                     "203.0.113.9 pid 17", limit=4)

    def test_AProcessIdThatIsTakenIsRefused(self):
        with Server() as server:
            self.refuses(["--server", "--pid", server.address.split(":")[1]],
                         server.address.split(":")[1])
