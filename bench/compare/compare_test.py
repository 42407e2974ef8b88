#!/usr/bin/env python3
"""How bench/compare judges figures, and what its commands and its matrix ask for."""

import argparse
import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True

import contestants
import matrix
from compared_example import command, outcome_of, requirement, verdict

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Thresholds(unittest.TestCase):
    def test_EachIsDefinedOnceAndIsNoneOfTheOtherValues(self):
        thresholds = command("thresholds")
        for one in thresholds.THRESHOLDS:
            self.assertNotIn(thresholds.present_value(one), one.others)

    def test_EachHasItsSeriesAndWorkForItsSizes(self):
        thresholds = command("thresholds")
        document = matrix.document_of(os.path.join(HERE, "matrix.json"))
        for one in thresholds.THRESHOLDS:
            self.assertEqual({(series.measure, series.name) for series in
                              thresholds.series_of(one)}, set(one.series))
            for measure, _ in one.series:
                for size in one.sizes:
                    self.assertGreaterEqual(matrix.work_of(document, measure, size).messages, 128)

    def test_AChangedConstantIsTheOnlyChange(self):
        thresholds = command("thresholds")
        with tempfile.TemporaryDirectory() as folder:
            for one in thresholds.THRESHOLDS:
                copy = os.path.join(folder, one.limits)
                os.makedirs(os.path.dirname(copy), exist_ok=True)
                shutil.copy(os.path.join(ROOT, one.limits), copy)
                with open(copy, encoding="utf-8") as file:
                    before = file.read()
                thresholds.change(one, one.others[0], folder)
                with open(copy, encoding="utf-8") as file:
                    after = file.read()
                self.assertEqual(thresholds.present_value(one, folder), one.others[0])
                changed = [pair for pair in zip(before.splitlines(), after.splitlines())
                           if pair[0] != pair[1]]
                self.assertEqual(len(changed), 1)
                self.assertIn(one.name, changed[0][0])

    def test_ASettingIsInTheEnvironmentOfTheMovedSetupAlone(self):
        thresholds = command("thresholds")
        series = contestants.Series("latency", "one", "lintel",
                                    lambda setup, work: os.environ.get("LINTEL_EAGER_LIMIT"))
        before, moved = object(), object()
        with_setting = thresholds.with_setting(series, "LINTEL_EAGER_LIMIT", "7", moved)
        self.assertEqual([with_setting.figure(setup, None) for setup in (before, moved, before)],
                         [None, "7", None])


class Builds(unittest.TestCase):
    def code(self, measure, before, after, **bounds):
        """With which it ends, when these are the medians."""
        builds = command("builds")
        options = argparse.Namespace(turns=1, **{"most": None, "most_added": None, **bounds})
        one = next(series for series in (*contestants.SERIES, *contestants.OF_BUILDS)
                   if series.measure == measure)
        ratio = builds.turns.times(measure, before, after)
        with unittest.mock.patch.object(
                builds.turns, "measured", return_value=(ratio, ratio, ratio, before, after)
        ), contextlib.redirect_stdout(io.StringIO()):
            return builds.compare(options, (None, None), [(one, matrix.Work(8, 16))])

    def test_MostIsAboutTheRatioOfTimes(self):
        for measure, before, after, code in (("latency", 100, 104, 0), ("latency", 100, 106, 1),
                                             ("rate", 100, 96, 0), ("rate", 100, 94, 1)):
            self.assertEqual(self.code(measure, before, after, most=1.05), code)
            self.assertEqual(self.code(measure, before, after), 0)

    def test_MostAddedIsAboutTheDifferenceOfTimesAlone(self):
        for measure, before, after, code in (
                ("first-contact", 200, 299, 0), ("first-contact", 200, 301, 1),
                ("first-contact", 301, 200, 0), ("rate", 200, 301, 0), ("rate", 301, 200, 0)):
            self.assertEqual(self.code(measure, before, after, most_added=100), code)

    def test_MeasuresAreThoseOfRunAndItsOwn(self):
        measures = command("builds").measures
        self.assertEqual(measures("latency,first-contact"), ["latency", "first-contact"])
        with self.assertRaisesRegex(argparse.ArgumentTypeError, "'contact'; expected of .*"
                                    "ranks-dup, first-contact, separated by commas"):
            measures("contact")


class Judgement(unittest.TestCase):
    def test_TheMedianOfTheTurnsCounts(self):
        result = outcome_of({("latency", "Lintel put"): {8: [5, 600, 5.5]}})
        self.assertEqual(result.of("latency", "Lintel put", 8), 5.5)

    def test_OfMultiplesTheMedianOfThoseWithinEachTurnCounts(self):
        result = outcome_of({("latency", "raw send"): {8: [4, 100, 10]},
                             ("latency", "Lintel put"): {8: [5, 110, 11]}})
        self.assertEqual(result.times_base("latency", "Lintel put", 8), 1.1)

    def test_LatencyAtTheBoundIsMetAndAboveIsMissed(self):
        result = outcome_of({("latency", "raw send"): {8: [10.0]},
                             ("latency", "Lintel put"): {8: [11.0]}})
        self.assertEqual(verdict(result, requirement("latency", 1.1, at_most=True)).text(), "met")
        self.assertEqual(
            verdict(result, requirement("latency", 1.09, at_most=True)).text(), "missed")

    def test_BandwidthIsHeldAgainstTheBestRawFigure(self):
        result = outcome_of({("bandwidth", "raw send"): {8: [900]},
                             ("bandwidth", "raw write"): {8: [1000]},
                             ("bandwidth", "raw read"): {8: [500]},
                             ("bandwidth", "Lintel get"): {8: [940]}})
        self.assertEqual(result.best_base("bandwidth", 8), ("raw write", 1000))
        self.assertEqual(
            verdict(result, requirement("bandwidth", 0.95, series="Lintel get")).text(), "missed")
        self.assertEqual(
            verdict(result, requirement("bandwidth", 0.85, series="Lintel get")).text(), "met")

    def test_AFetchAtomicIsHeldAgainstAGet(self):
        result = outcome_of({("fetch", "Portals 4 get"): {8: [10.0]},
                             ("fetch", "Portals 4 fetch-atomic"): {8: [12.0]}})
        one = verdict(result,
                      requirement("fetch", 1.1, at_most=True, series="Portals 4 fetch-atomic"))
        self.assertEqual((one.text(), one.reached_text(), one.requirement.text()),
                         ("missed", "1.200 x get", "at most 1.1 x get"))

    def test_AnAbsoluteBoundIsInTheUnitOfTheMeasure(self):
        result = outcome_of({("passive", "Lintel put"): {8: [150.0]}})
        self.assertEqual(
            verdict(result, requirement("passive", 200, at_most=True, relative=False)).text(),
            "met")

    def test_WhatWasNotMeasuredIsNotMet(self):
        one = verdict(outcome_of({("latency", "Lintel put"): {8: [4.0]}}),
                      requirement("latency", 1.1, at_most=True))
        self.assertFalse(one.met)
        self.assertEqual(one.text(), "not measured")

    def test_ASeriesThatFailedInOneRepeatHasNoFigure(self):
        result = outcome_of({("latency", "Lintel put"): {8: [4.0]}})
        result.fail("latency", "Lintel put", 8, "exit code 1")
        self.assertIsNone(result.of("latency", "Lintel put", 8))


class Matrix(unittest.TestCase):
    def test_EverySeriesOfLintelIsJudgedButWhatOthersAreHeldAgainst(self):
        judged = {(one.measure, one.of)
                  for one in matrix.read(os.path.join(HERE, "matrix.json")).requirements}
        for one in contestants.SERIES:
            if one.program in ("lintel", "lintel-mpirun") and not one.is_base:
                self.assertIn((one.measure, one.name), judged)

    def test_EveryRequirementIsAboutSomethingMeasured(self):
        series = {(one.measure, one.name) for one in contestants.SERIES}
        for name in ("matrix.json", "smoke.json"):
            read = matrix.read(os.path.join(HERE, name))
            for one in read.requirements:
                self.assertIn((one.measure, one.of), series)
                self.assertIn(one.size, [work.size for work in read.works[one.measure]])

    def test_WhatARequirementNamesToBeHeldAgainstIsMeasured(self):
        series = {(one.measure, one.name) for one in contestants.SERIES}
        for name in ("matrix.json", "smoke.json"):
            for one in matrix.read(os.path.join(HERE, name)).requirements:
                self.assertLessEqual({(one.measure, of) for of in one.best_of}, series)

    def test_OpenMpiOnLintelHasToBeAheadAtEverySizeAndOfUcxFrom16KibOn(self):
        read = matrix.read(os.path.join(HERE, "matrix.json"))
        mine = {(one.measure, one.size): one
                for one in read.requirements
                if one.of == "Open MPI on Lintel"}
        self.assertEqual(sorted(mine),
                         sorted((measure, work.size)
                                for measure in matrix.MPI_MEASURES[:-1]
                                for work in read.works[measure]))
        for (measure, size), one in mine.items():
            self.assertEqual(
                one.best_of,
                ("Open MPI ob1", "Open MPI mtl ofi", *(["Open MPI ucx"] if size >= 16384 else [])))
            self.assertEqual((one.bound, one.relative, one.at_most),
                             (1.0, True, matrix.LOW_IS_GOOD[measure]))
        for measure in ("mpi-latency", "mpi-bandwidth"):
            self.assertEqual((read.works[measure][0].size, read.works[measure][-1].size),
                             (8, 4 << 20))

    def test_ABoundRelativeToSomethingElseIsRefused(self):
        with self.assertRaisesRegex(ValueError, "at_most_times_raw of fetch"):
            list(matrix.requirements_of({"measure": "fetch", "sizes": [8],
                                         "of": ["Portals 4 fetch-atomic"],
                                         "at_most_times_raw": 1.1}))
        named = {"measure": "mpi-rate", "sizes": [8], "of": ["Lintel MPI"],
                 "best_of": ["Open MPI ob1"]}
        for key in ("at_least_times_others", "at_least"):
            with self.assertRaisesRegex(ValueError, f"{key} of mpi-rate.*_times_best"):
                list(matrix.requirements_of({**named, key: 3}))

    def test_AllProgramsGetTheSameWorkAtASize(self):
        read = matrix.read(os.path.join(HERE, "matrix.json"))
        self.assertEqual([work.messages * work.size for work in read.works["bandwidth"]],
                         [1 << 28] * 4 + [128 << 22])
        self.assertTrue(
            all(work.window == 64 for work in read.works["bandwidth"] + read.works["rate"]))

    def test_RepeatsEndWhenTheNextOneWouldTakeTooLong(self):
        def begun(most, minutes, *ends):
            times = iter((100.0, *(100.0 + end for end in ends)))
            return list(matrix.repeats_within(most, minutes, lambda: next(times)))
        self.assertEqual(begun(3, None, 500, 900, 1300), [1, 2, 3])
        self.assertEqual(begun(9, 1, 20, 40, 60), [1, 2, 3])
        self.assertEqual(begun(9, 1, 25, 50), [1, 2])
        self.assertEqual(begun(9, 1, 40, 50, 59), [1])
        self.assertEqual(begun(9, 1, 29, 39, 49, 59), [1, 2, 3, 4])
        self.assertEqual(begun(9, 1, 500), [1])

    def test_TheMemoryOfAWindowIsBounded(self):
        read = matrix.read(os.path.join(HERE, "matrix.json"))
        self.assertEqual([work.window for work in read.works["mpi-bandwidth"]], [64] * 6 + [16])
        self.assertEqual([work.window for work in read.works["mpi-bibandwidth"]], [64, 64, 16])

    def test_LongMessagesAreFewerAndShortOnesAreBounded(self):
        read = matrix.read(os.path.join(HERE, "matrix.json"))
        self.assertEqual([work.messages for work in read.works["mpi-latency"]],
                         [10000, 10000, 10000, 4096, 1024, 256, 128])
        self.assertEqual([work.messages for work in read.works["mpi-bandwidth"]],
                         [200000, 200000, 16384, 4096, 1024, 256, 128])
        self.assertEqual(
            [work.window for work in read.works["mpi-latency"] + read.works["mpi-alltoall"]],
            [1] * 8)


class Invocation(unittest.TestCase):
    def test_NobodyWhoReadsItsOutputEndsACommandWithoutAMessage(self):
        endless = ("import invocation, itertools\n"
                   "invocation.run('endless', lambda: [print(i) for i in itertools.count()])")
        with subprocess.Popen([sys.executable, "-c", endless], cwd=HERE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            process.stdout.close()
            self.assertEqual(b"", process.stderr.read())
        self.assertEqual(141, process.returncode)


if __name__ == "__main__":
    unittest.main()
