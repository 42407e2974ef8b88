#!/usr/bin/env python3
"""How bench/compare writes its figures: documents, tables, pictures."""

import os
import shutil
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True

import contestants
import host
import matrix
import mpi_tables
import outcome
import plot
import tables
from compared_example import FACTS, TWO_HOSTS, command, outcome_of, requirement

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Documents(unittest.TestCase):
    def setUp(self):
        self.works = matrix.read(os.path.join(HERE, "smoke.json")).works
        self.result = outcome_of({(one.measure, one.name): {
                                      work.size: [10.0 + index] for work in self.works[one.measure]}
                                  for index, one in enumerate(contestants.SERIES)})

    def test_OnlyTheTextBetweenTheMarkersOfTheReleaseChanges(self):
        def document(twelve, thirteen):
            return (f"# Title\n\n<!-- numbers:begin debian-12 -->\n{twelve}\n"
                    "<!-- numbers:end debian-12 -->\n\n"
                    f"<!-- numbers:begin debian-13 -->\n{thirteen}\n"
                    "<!-- numbers:end debian-13 -->\n\nafter\n")
        self.assertEqual(
            tables.replace_block(document("old", "old"), "new \\1", tables.NUMBERS, "debian-12"),
            document("new \\1", "old"))
        self.assertEqual(
            tables.replace_block(document("old", "old"), "new", tables.NUMBERS, "debian-13"),
            document("old", "new"))

    def test_AReleaseThatHasNoBlockGetsOneBehindTheOthersOfItsFamily(self):
        def block(family, key, text):
            begin, end = tables.markers(family, key)
            return f"{begin}\n{text}\n{end}"
        numbers, mpi = block("numbers", "debian-12", "a"), block("mpi-numbers", "debian-12", "b")
        self.assertEqual(
            tables.replace_block(f"{numbers}\n\n## MPI\n\n{mpi}\n", "new", "numbers", "debian-13"),
            f"{numbers}\n\n{block('numbers', 'debian-13', 'new')}\n\n## MPI\n\n{mpi}\n")
        self.assertEqual(
            tables.replace_block(f"{numbers}\n\n## MPI\n\n{mpi}\n", "new", "mpi-numbers",
                                 "debian-12-two-hosts"),
            f"{numbers}\n\n## MPI\n\n{mpi}\n\n"
            f"{block('mpi-numbers', 'debian-12-two-hosts', 'new')}\n")

    def test_ADocumentWithoutAPlaceForTheBlockIsRefused(self):
        begin, end = tables.markers("numbers", "debian-12")
        for text in ("", begin, f"{end} {begin}", f"{begin} {end} {begin} {end}",
                     "<!-- mpi-numbers:begin debian-12 -->\n<!-- mpi-numbers:end debian-12 -->"):
            with self.assertRaisesRegex(ValueError, "expected .*<!-- numbers:begin debian-12 -->"):
                tables.replace_block(text, "new", "numbers", "debian-12")

    def test_TheDocumentsHaveAPlaceForEveryBlock(self):
        for name, families in (("doc/performance.md", ("numbers", "mpi-numbers", "impi-numbers")),
                               ("README.md", ("numbers", "mpi-numbers"))):
            with open(os.path.join(os.path.dirname(os.path.dirname(HERE)), name),
                      encoding="utf-8") as file:
                text = file.read()
            for family in families:
                self.assertIn("new", tables.replace_block(text, "new", family, "debian-99"))

    def test_ReadmeGetsTheHeadlineAndTheOtherPageAllOfIt(self):
        run = command("run")

        def pages():
            for name in ("README.md", "doc/performance.md"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    yield file.read()
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(
                run, "ROOT", folder):
            os.mkdir(os.path.join(folder, "doc"))
            for name in ("README.md", "doc/performance.md"):
                shutil.copy(os.path.join(ROOT, name), os.path.join(folder, name))
            readme, performance = pages()
            begin, end = tables.markers("numbers", "debian-12")
            run.write_figures("numbers", "debian-12", "few", "all")
            self.assertEqual(list(pages()),
                             [tables.replace_block(readme, "few", "numbers", "debian-12"),
                              tables.replace_block(performance, "all", "numbers", "debian-12")])
            self.assertIn(f"{begin}\nfew\n{end}", list(pages())[0])
            readme = list(pages())[0]
            run.write_figures("numbers", "debian-12" + run.TWO_HOSTS, "few", "joined")
            self.assertEqual(list(pages())[0], readme)  # two hosts are for the other page alone
            self.assertIn("\njoined\n", list(pages())[1])

    def test_TheHeadlineHasThreeRowsAndCountsEveryRequirement(self):
        result = outcome_of({(measure, name): {size: [figure]} for measure, size, figure in
                             (("latency", 8, 4.0), ("rate", 8, 100.0), ("bandwidth", 1 << 20, 5.0))
                             for name in ("raw send", "Lintel put", "UCX tag")})
        required = [requirement("latency", 1.1, at_most=True), requirement("rate", 4),
                    requirement("bandwidth", 0.9, size=1 << 20),
                    requirement("bandwidth", 0.9, size=65536)]
        verdicts = outcome.judge(result, required)
        headline = tables.headline_markdown(result, verdicts, [], FACTS).splitlines()
        self.assertEqual(len(headline), 5)
        self.assertTrue(
            headline[0].startswith("| Debian 12, TCP over loopback in a network namespace"),
            headline[0])
        self.assertTrue(headline[0].endswith("| required: 2 of 4 met |"), headline[0])
        self.assertEqual(headline[2],
                         "| Latency, half round trip, 8 B, µs | 4.00 (1.00) | 4.00 | 4.00 | at "
                         "most 1.1 x raw: met |")
        self.assertTrue(headline[3].endswith("| at least 4 x raw: put missed |"), headline[3])
        self.assertTrue(headline[4].startswith("| Bandwidth, one way, 1 MiB, MB/s | 5 (1.00) |"),
                        headline[4])

    def test_TheHeadlineOfMpiHasBothMpisOnLintelBesideTheOthersOverTcp(self):
        sizes = {"mpi-latency": 8, "mpi-rate": 8, "mpi-bandwidth": 1 << 20}
        result = outcome_of({(one.measure, one.name): {sizes[one.measure]: [7.0]}
                             for one in contestants.SERIES
                             if one.measure in sizes})
        required = [requirement("mpi-latency", 1.0, at_most=True, series="Lintel MPI"),
                    requirement("mpi-rate", 3, series="Lintel MPI")]
        headline = mpi_tables.headline_markdown(
            result, outcome.judge(result, required), FACTS).splitlines()
        self.assertEqual(len(headline), 5)
        self.assertTrue(
            headline[0].endswith(
                "| Lintel MPI | Open MPI on Lintel | Open MPI ob1 | Open MPI mtl ofi "
                "| Open MPI ucx | MPICH ucx | required of Lintel: 1 of 2 met |"), headline[0])
        self.assertTrue(headline[2].startswith("| latency, half round trip, 8 B, µs | 7.00 |"),
                        headline[2])
        self.assertTrue(headline[2].endswith("| at most 1 x others: met |"), headline[2])

    def test_ProseForADocumentHasNoLineOver120Columns(self):
        lines = tables.paragraph("* " + "word " * 100, "  ").splitlines()
        self.assertLessEqual(max(map(len, lines)), 120)
        self.assertTrue(all(line.startswith("  word") for line in lines[1:]))
        self.assertEqual(" ".join(" ".join(lines).split()), "* " + "word " * 99 + "word")

    def test_TheConditionsNameLintelsProviderWhereItIsAnotherThanThatOfLibfabric(self):
        said = tables.conditions(FACTS, "net", "direct", 15, (0, 1))
        self.assertIn("libfabric 1.17.0, provider `net`, Lintel over `direct`, UCX 1.13.1;", said)
        self.assertIn(
            "provider `net`, Lintel over `direct`, UCX 1.13.1, Open MPI 4.1.4, MPICH 4.0.2;",
            tables.conditions(FACTS, "net", "direct", 15, (0, 1), mpi=True))
        for provider in ("net", "shm"):
            self.assertIn(f"libfabric 1.17.0, provider `{provider}`, UCX 1.13.1;",
                          tables.conditions(FACTS, provider, provider, 15, (0, 1)))

    def test_TheConditionsSayReleaseNamespacesCongestionControlAndPinning(self):
        said = tables.conditions(FACTS, "net", "direct", 15, (0, 1))
        self.assertTrue(
            said.startswith(
                "**Debian 12.** CPU, 2 processors, Linux 6, TCP over loopback in a network "
                "namespace, congestion control cubic locked for all;"),
            said)
        self.assertRegex(said,
                         "pinned alike in every program .*: one to processor 0, one to 1; median "
                         "of 15 interleaved repeats.$")
        self.assertNotIn("congestion", tables.conditions(FACTS, "shm", "shm", 15, (0, 1)))
        joined = {**FACTS, "network": TWO_HOSTS.text()}
        self.assertIn("TCP between two network namespaces joined by veth",
                      tables.conditions(joined, "net", "direct", 15, (0, 1)))

    def test_TheReleaseIsWhatTheSystemCallsItself(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write('PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nNAME="Debian GNU/Linux"\n'
                       'VERSION_ID="13"\nVERSION="13 (trixie)"\n')
            file.flush()
            self.assertEqual(host.release(file.name), "Debian 13")

    def test_TheSummaryNamesWhichOfPutAndGetMissed(self):
        required = [requirement("bandwidth", 0.5, size=65536),
                    requirement("bandwidth", 99, size=65536, series="Lintel get")]
        summary = tables.summary_markdown(
            self.result, self.works, outcome.judge(self.result, required))
        [row] = [line for line in summary.splitlines() if "64 KiB" in line]
        self.assertIn("get missed", row)
        self.assertNotIn("put missed", row)

    def test_Portals4IsJudgedApartFromPortals3(self):
        required = [requirement("latency", 99, at_most=True),
                    requirement("latency", 0.1, at_most=True, series="Portals 4 put, counters"),
                    requirement("fetch", 1.1, at_most=True, series="Portals 4 fetch-atomic")]
        verdicts = outcome.judge(self.result, required)
        [row] = [line
                 for line in tables.summary_markdown(self.result, self.works, verdicts).splitlines()
                 if "Latency" in line]
        self.assertIn("| met |", row)
        summary = tables.portals4_markdown(self.result, self.works, verdicts)
        [row] = [line for line in summary.splitlines() if "Latency" in line]
        self.assertIn("| put, counters missed |", row)
        self.assertIn("at most 1.1 x get met.", summary)

    def test_TheSummaryOfMpiHasAColumnForEachThatWasMeasured(self):
        required = [requirement("mpi-rate", 99, series="Lintel MPI"),
                    requirement("mpi-depth", 1.5, at_most=True, series="Lintel MPI, posted",
                                size=20)]
        self.result.absent = {"mpiexec.mpich": "not installed"}
        summary = mpi_tables.summary_markdown(
            self.result, self.works, outcome.judge(self.result, required))
        self.assertIn(
            "| Lintel MPI (x best other) | Open MPI ob1 | Open MPI mtl ofi | Open MPI ucx |",
            summary)
        self.assertNotIn("MPICH", summary)
        [row] = [line for line in summary.splitlines() if "message rate" in line]
        self.assertTrue(row.endswith("| at least 99 x others | missed |"), row)
        [row] = [line
                 for line in summary.splitlines()
                 if "behind 20 posted, us" in line or "behind 20 posted, µs" in line]
        self.assertTrue(row.endswith("| at most 1.5 x empty | met |"), row)

    def test_OpenMpiOnLintelHasATableOfItsOwnBesideOpenMpiAlone(self):
        required = [matrix.Requirement("mpi-rate", 8, "Open MPI on Lintel", 1.0, False, True,
                                       best_of=("Open MPI ob1", "Open MPI mtl ofi"))]
        verdicts = outcome.judge(self.result, required)
        self.assertNotIn("on Lintel",
                         mpi_tables.summary_markdown(self.result, self.works, verdicts))
        summary = mpi_tables.on_lintel_markdown(self.result, self.works, verdicts)
        self.assertIn("| Open MPI on Lintel (x best) | Open MPI ob1 | Open MPI mtl ofi | Open MPI "
                      "ucx | Open MPI shared memory (not over TCP) |",
                      summary)
        self.assertNotIn("MPICH", summary)
        [row] = summary.splitlines()[2:]
        self.assertRegex(row, r"^\| message rate, 8 B, messages/s \| \d+ \(0\.\d\d\) \|")
        self.assertTrue(row.endswith("| at least 1 x best of ob1, mtl ofi | missed |"), row)
        self.result.absent = {"lintel-mpirun": "not built"}
        self.assertEqual(mpi_tables.on_lintel_markdown(self.result, self.works, verdicts), "")

    def test_ThePictureIsOfTcpAloneAndItsBarsOfThoseMeasuredBehindQueues(self):
        script = mpi_tables.script(self.result, self.works, plot.TERMINALS["svg"], "out.svg")
        self.assertNotIn("shared memory", script)
        lines, bars = [line for line in script.splitlines() if line.startswith("plot ")]
        self.assertIn("title 'Open MPI on Lintel'", lines)
        self.assertNotIn("on Lintel", bars)

    def test_GnuplotLeavesOutAnMpiThatHasNoFigure(self):
        self.result.fail("mpi-depth", "Open MPI mtl ofi, posted", 20, "not done")
        script = mpi_tables.script(self.result, self.works, plot.TERMINALS["svg"], "out.svg")
        [row] = [line for line in script.splitlines() if line.startswith('"posted" ')]
        self.assertEqual(row.split().count("?"), 1)
        self.assertIn("title 'MPICH ucx'", script)

    def test_LabelsInThePictureAreBrokenIntoLines(self):
        script = mpi_tables.script(self.result, self.works, plot.TERMINALS["svg"], "out.svg")
        over_size, under_bars = [
            line for line in script.splitlines() if line.startswith("set xtics ")
        ]
        self.assertIn('"64\\nKiB" 65536', over_size)
        self.assertIn('"posted,\\nany source" 2', under_bars)

    def test_AnAbsentProgramIsNamedAndHasNoRow(self):
        self.result.absent = {"NPtcp": "not installed"}
        text = tables.text_of(self.result, self.works, [])
        self.assertIn("# absent: NPtcp: not installed", text)
        self.assertNotIn("NetPIPE", text)

    def test_GnuplotIsAskedForTheBestRawLineLintelAndUcx(self):
        script = plot.script(self.result, self.works, plot.TERMINALS["svg"], "out.svg")
        for title in ("raw libfabric, best", "Lintel put", "Lintel get", "UCX tag"):
            self.assertIn(f"title '{title}'", script)
        self.assertNotIn("NetPIPE", script)


if __name__ == "__main__":
    unittest.main()
