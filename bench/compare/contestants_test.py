#!/usr/bin/env python3
"""What bench/compare runs, and what it reads out of other programs' output."""

import dataclasses
import os
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True

import contact_contestants
import contestants
import matrix
import impi_contestants
import mpi_contestants
import namespaces
import ranks_contestants
import tables
from processes import RunFailed
from compared_example import FACTS, TWO_HOSTS, outcome_of, requirement, verdict

HERE = os.path.dirname(os.path.realpath(__file__))


class OutputOfOthers(unittest.TestCase):
    def test_UcxMegabytesAreTurnedIntoMillionsOfBytes(self):
        columns = contestants.ucx_columns(
            "iterations,50.0_percentile_lat,avg_lat\n2000,0.691,1.5,2.5,1.16,60.00,1859,964\n")
        self.assertAlmostEqual(columns["MB/s"], 62.91456)
        self.assertEqual((columns["us"], columns["messages/s"]), (2.5, 964))

    def test_OfSeveralUcxLinesTheLastIsOverAll(self):
        columns = contestants.ucx_columns("100,1,9,9,9,9,9,9\n  200,1,2,3,4,5,6,7\n")
        self.assertEqual((columns["us"], columns["messages/s"]), (3, 7))

    def test_FiPingpongFigureIsTheTimeOfATransfer(self):
        text = ("bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n"
                "8       1k      =1k      15k         0.76s      0.02     382.23       0.00\n")
        self.assertEqual(contestants.pingpong_us(text), 382.23)

    def test_NetpipeSecondsAreTurnedIntoMicroseconds(self):
        self.assertAlmostEqual(contestants.netpipe_us("       8 1.215052   0.00005023\n", 8), 50.23)

    def test_OutputWithoutAFigureIsAFailureThatQuotesIt(self):
        for read in (contestants.ucx_columns, contestants.pingpong_us,
                     lambda text: contestants.netpipe_us(text, 8)):
            with self.assertRaisesRegex(RunFailed, "no route"):
                read("some warning\nno route to host\n")

    def test_AFailedLintelRunIsAFailure(self):
        with self.assertRaisesRegex(RunFailed, "wrong byte"):
            contestants.lintel_figure(
                {"status": "failed", "error": "wrong byte", "results": []}, "put_latency_us")

    def test_ALintelFigureWithoutVerifiedMessagesIsRefused(self):
        row = {"verified_messages": 0, "put_latency_us": {"value": 4.0}}
        with self.assertRaisesRegex(RunFailed, "verified no message"):
            contestants.lintel_figure(
                {"status": "ok", "error": None, "validated": True, "results": [row]},
                "put_latency_us")

    def test_WhatIsNotInstalledIsNamedWithItsPackage(self):
        absent = contestants.why_absent("net", find=lambda program: None)
        self.assertEqual(
            sorted(absent),
            ["NPtcp", "fi_pingpong", "mpiexec.mpich", "mpirun.openmpi", "ucx_perftest"])
        self.assertIn("netpipe-tcp", absent["NPtcp"])

    def test_ProgramsOverTcpDoNotStandBesideSharedMemory(self):
        self.assertEqual(sorted(contestants.why_absent("shm", find=lambda program: program)),
                         ["NPtcp", "mpiexec.mpich", "mpirun.openmpi", "ucx_perftest"])


class Providers(unittest.TestCase):
    def setUp(self):
        self.setup = contestants.Setup(
            contestants.Programs("raw", "perf", "lintel-run", "/programs", "/tree/lintel-mpirun",
                                 "impi-server"),
            "tcp;ofi_rxm", "direct", (2, 3))
        self.work = matrix.Work(8, 20, 10)
        nothing_asked = unittest.mock.patch.object(mpi_contestants, "said_by", return_value="")
        nothing_asked.start()
        self.addCleanup(nothing_asked.stop)

    def commands_of(self, program):
        """What each series of this program would run, or would run a pair of."""
        commands = []

        def run_one(command, *_, **__):
            commands.append(command)
            raise RunFailed("not run")

        def run_two(server, client, *_, namespace="", **__):
            self.assertEqual(namespace, self.setup.network.second)
            commands.extend((server, client))
            raise RunFailed("not run")

        with unittest.mock.patch.multiple(contestants.processes, run=run_one, run_pair=run_two):
            for one in contestants.SERIES:
                if (one.program == program
                    and not one.measure.startswith(("mpi-", "impi-", "ranks-"))):
                    with self.assertRaisesRegex(RunFailed, "not run"):
                        one.figure(self.setup, self.work)
        return commands

    def test_LintelPerfUsesTheLibrariesThatAreGiven(self):
        environments = []

        def run_one(*_, environment=None, **__):
            environments.append(environment)
            raise RunFailed("not run")

        with unittest.mock.patch.object(contestants.processes, "run", run_one):
            for libraries in ("", "/before/portals"):
                with self.assertRaises(RunFailed):
                    setup = dataclasses.replace(self.setup, libraries=libraries)
                    contestants.lintel_perf(setup, "rate", [])
        self.assertIsNone(environments[0])
        self.assertEqual(environments[1]["LD_LIBRARY_PATH"], "/before/portals")

    def test_LintelPerfGetsLintelsProvider(self):
        commands = self.commands_of("lintel")
        self.assertIn("passive", [command[1] for command in commands])
        for command in commands:
            self.assertEqual((command[0], command[command.index("--provider") + 1]),
                             ("perf", "direct"))

    def test_RawLibfabricAndFiPingpongGetLibfabricsProvider(self):
        for program, path, option in (("raw", "raw", "--provider"),
                                      ("fi_pingpong", "fi_pingpong", "-p")):
            commands = self.commands_of(program)
            self.assertNotEqual(commands, [])
            for command in commands:
                self.assertEqual((command[0], command[command.index(option) + 1]),
                                 (path, "tcp;ofi_rxm"))

    def test_WhereThereAreTwoHostsEveryPairIsToldTheAddresses(self):
        self.setup = dataclasses.replace(self.setup, network=TWO_HOSTS)
        for command in self.commands_of("raw"):
            self.assertEqual(
                command[-4:],
                ["--addresses", "10.77.0.1,10.77.0.2", "--target-namespace", "/proc/7/fd/3"])
        commands = self.commands_of("lintel")
        for server, client in zip(commands[::2], commands[1::2]):
            self.assertEqual(server[:5], ["perf", "--server", "--once", "--bind", "10.77.0.2"])
            self.assertEqual(client[-4:], ["--client", "10.77.0.2", "--bind", "10.77.0.1"])
            for command in (server, client):
                self.assertEqual(
                    (command[command.index("--cpu") + 1], command[command.index("--provider") + 1]),
                    ("2,3", "direct"))
        for program in ("ucx_perftest", "fi_pingpong", "NPtcp"):
            commands = self.commands_of(program)
            self.assertTrue(
                commands and all("10.77.0.2" in client for client in commands[1::2]), program)

    def test_LintelsMpiGetsLintelsProviderAndMtlOfiThatOfLibfabric(self):
        launched = {one.name: one.launch(self.setup) for one in mpi_contestants.CONTESTANTS}
        for name, (command, environment) in launched.items():
            of_lintel = name in (mpi_contestants.LINTEL, mpi_contestants.ON_LINTEL)
            self.assertEqual(
                environment.get("LINTEL_PROVIDER"), "direct" if of_lintel else None, name)
            self.assertEqual("tcp;ofi_rxm" in command, name == "Open MPI mtl ofi", name)
        command, _ = launched["Open MPI mtl ofi"]
        self.assertEqual(command[command.index("mtl_ofi_provider_include") + 1], "tcp;ofi_rxm")

    def test_TheServerAndTheJobsOfImpiGetLintelsProvider(self):
        server = unittest.mock.Mock()
        server.stdout.readline.return_value = "127.0.0.1:5000\n"
        line = '{"value": 7.25, "verified_messages": 20}'
        with unittest.mock.patch.multiple(
                impi_contestants.processes, start=unittest.mock.Mock(return_value=server),
                output_of=unittest.mock.Mock(return_value=line), end=unittest.mock.Mock()):
            self.assertEqual(
                impi_contestants.between_jobs("impi-latency")(self.setup, self.work), 7.25)
            self.assertEqual([call.args[2]["LINTEL_PROVIDER"]
                              for call in impi_contestants.processes.start.call_args_list],
                             ["direct"] * 3)

    def test_ByDefaultLintelUsesItsOwnSocketsOverTcpAndTheSameProviderElsewhere(self):
        for provider, of_lintel in (("net", "direct"), ("tcp", "direct"), ("tcp;ofi_rxm", "direct"),
                                    ("sockets", "direct"), ("shm", "shm"),
                                    ("verbs;ofi_rxm", "verbs;ofi_rxm")):
            self.assertEqual(contestants.lintel_provider_beside(provider), of_lintel)


class OtherMpis(unittest.TestCase):
    def setUp(self):
        nothing_asked = unittest.mock.patch.object(mpi_contestants, "said_by", return_value="")
        nothing_asked.start()
        self.addCleanup(nothing_asked.stop)
        self.setup = contestants.Setup(
            contestants.Programs("raw", "perf", "lintel-run", "/programs", "/tree/lintel-mpirun"),
            "net", "direct", (2, 3))

    def test_TheFigureIsFoundAmongWhatALauncherSays(self):
        line = ('{"measure": "latency", "of": 8, "messages": 10, "value": 7.25, "unit": "us", '
                '"verified_messages": 20}')
        self.assertEqual(mpi_contestants.figure_of(f"a warning\n{line}\n"), 7.25)

    def test_OutputWithoutOneFigureOrWithNothingVerifiedIsAFailure(self):
        line = '{"value": 7.25, "verified_messages": 0}'
        for text, said in ((f"{line}\n", "verified no message"), ("no provider\n", "no provider"),
                           (f"{line}\n{line}\n", "one line")):
            with self.assertRaisesRegex(RunFailed, said):
                mpi_contestants.figure_of(text)

    def test_EveryLauncherBindsNothingAndStartsTwoRanksThroughTheSameScript(self):
        for network in (namespaces.Network(), TWO_HOSTS):
            setup = dataclasses.replace(self.setup, network=network)
            for one in mpi_contestants.CONTESTANTS:
                with unittest.mock.patch.object(
                    mpi_contestants.processes, "run", side_effect=RunFailed("not run")
                ) as started:
                    with self.assertRaisesRegex(RunFailed, "not run"):
                        mpi_contestants.run(one, setup, ["latency", 8])
                command = started.call_args.args[0]
                at = command.index(mpi_contestants.RANK)
                self.assertRegex(" ".join(command[:at]), r" -n 2 .*--?bind(-to)? none", one.name)
                self.assertNotRegex(" ".join(command[:at]), "cpu|core", one.name)
                self.assertEqual(
                    command[at + 1:],
                    ["2,3", network.second, f"/programs/mpi_perf-{one.build}", "latency", "8"],
                    one.name)

    def test_BetweenTwoHostsAllTakeTheDeviceThatJoinsThem(self):
        setup = dataclasses.replace(self.setup, network=TWO_HOSTS)
        for one in mpi_contestants.CONTESTANTS:
            if one.over_tcp:
                command, environment = one.launch(setup)
                self.assertIn("lintel0", [*command, *environment.values()], one.name)
                self.assertNotIn("lo", [*command, *environment.values()], one.name)
                if "mpirun" in command[0]:
                    self.assertEqual(
                        environment["PMIX_MCA_ptl_tcp_if_include"], "lintel0", one.name)

    def test_UcxGetsADeviceBesideLoopbackOnOneHostToo(self):
        for name in ("Open MPI ucx", "MPICH ucx"):
            [one] = [one for one in mpi_contestants.CONTESTANTS if one.name == name]
            self.assertEqual(one.launch(self.setup)[1]["UCX_NET_DEVICES"], namespaces.DEVICE)
        self.assertEqual(contestants.UCX_ENVIRONMENT["UCX_NET_DEVICES"], namespaces.DEVICE)

    def test_SharedMemoryOfOpenMpiIsWhatItsSeriesCallsIt(self):
        line = "mca:btl:{}:version:component:1"
        for names, chosen in ((("self", "sm", "tcp"), "sm"), (("self", "sm", "vader"), "vader"),
                              (("vader",), "vader")):
            self.assertEqual(
                mpi_contestants.shared_memory_btl("\n".join(map(line.format, names))), chosen)

    def test_AnMpichThatWasNotBuiltForUcxIsAbsent(self):
        for device, absent in (("ch4:ucx", False), ("ch4:ofi", True), ("ch3:nemesis", True)):
            why = mpi_contestants.why_not_over_ucx(
                lambda program: program,
                lambda _: f"MPICH Version:    \t4.2.1\nMPICH Device:    \t{device}\n")
            self.assertEqual(device in why.get("mpiexec.mpich", ""), absent)
        self.assertEqual(mpi_contestants.why_not_over_ucx(lambda program: None), {})

    def test_OneThatWasNotCompiledIsNamedWithItsPackage(self):
        absent = mpi_contestants.why_not_compiled("/nowhere", find=lambda program: program)
        self.assertEqual(sorted(absent), ["mpiexec.mpich", "mpirun.openmpi"])
        self.assertIn("libmpich-dev", absent["mpiexec.mpich"])
        self.assertEqual(mpi_contestants.why_not_compiled("/nowhere", find=lambda program: None),
                         {})

    def test_OpenMpiOnLintelIsLaunchedByTheBuildTreesOwnScriptWithLintelsProvider(
            self):
        [one] = [one
                 for one in mpi_contestants.CONTESTANTS
                 if one.name == mpi_contestants.ON_LINTEL]
        command, environment = one.launch(self.setup)
        self.assertEqual((command[0], environment),
                         ("/tree/lintel-mpirun", {"LINTEL_PROVIDER": "direct"}))

    def test_WithoutTheComponentOpenMpiOnLintelIsAbsentWithThePackagesItNeeds(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("lintel-mpirun", "mpi_perf-openmpi")]
            setup = dataclasses.replace(self.setup, programs=dataclasses.replace(
                self.setup.programs, mpi_programs=folder, lintel_mpirun=paths[0]))
            for path in paths:
                self.assertIn(
                    "libopenmpi-dev",
                    mpi_contestants.why_not_on_lintel(
                        setup, find=lambda program: program)["lintel-mpirun"])
                with open(os.open(path, os.O_CREAT, 0o755)):
                    pass
            self.assertEqual(mpi_contestants.why_not_on_lintel(setup, find=lambda program: program),
                             {})
            self.assertIn(
                "openmpi-bin",
                mpi_contestants.why_not_on_lintel(
                    setup, find=lambda program: None)["lintel-mpirun"])

    def test_AFailureOfOpenMpiOnLintelIsLintels(self):
        self.assertIn("lintel-mpirun", contestants.OF_THIS_TREE)

    def test_EachModeIsAskedForWithTheWorkOfItsMeasure(self):
        work = matrix.Work(64, 20, 10, window=4)
        asked = {}
        for measure in matrix.MPI_MEASURES[:-1]:
            with unittest.mock.patch.object(
                    mpi_contestants, "run",
                    side_effect=lambda contestant, setup, arguments: arguments):
                asked[measure] = mpi_contestants.figure(None, measure)(self.setup, work)
        self.assertEqual(asked,
                         {"mpi-latency": ["latency", 64, 20, 10],
                          "mpi-rate": ["rate", 64, 20, 10, 4],
                          "mpi-bandwidth": ["bandwidth", 64, 20, 10, 4],
                          "mpi-bibandwidth": ["bibandwidth", 64, 20, 10, 4],
                          "mpi-allreduce": ["allreduce", 64, 20, 10],
                          "mpi-alltoall": ["alltoall", 64, 20, 10]})

    def test_SharedMemoryIsMarkedAsNotOverTcp(self):
        [name] = {one.name for one in contestants.SERIES if one.note == "not over TCP"}
        self.assertEqual(name, "Open MPI shared memory")

    def test_TheOthersThatLintelIsHeldAgainstHaveNothingOfLintelAndNoSharedMemory(
            self):
        for measure in matrix.MPI_MEASURES[:-1]:
            self.assertEqual(
                [one.name for one in contestants.SERIES if one.measure == measure and one.is_base],
                ["Open MPI ob1", "Open MPI mtl ofi", "Open MPI ucx", "MPICH ucx"])
        result = outcome_of({("mpi-rate", "Lintel MPI"): {8: [400]},
                             ("mpi-rate", "Open MPI ob1"): {8: [100]},
                             ("mpi-rate", "Open MPI on Lintel"): {8: [500]},
                             ("mpi-rate", "Open MPI shared memory"): {8: [9000]}})
        self.assertEqual(
            verdict(result, requirement("mpi-rate", 3, series="Lintel MPI")).reached, 4)

    def test_WhereSeriesAreNamedTheBestOfTheseIsWhatCounts(self):
        result = outcome_of({("mpi-rate", "Open MPI on Lintel"): {8: [90]},
                             ("mpi-rate", "Open MPI ob1"): {8: [60]},
                             ("mpi-rate", "Open MPI mtl ofi"): {8: [80]},
                             ("mpi-rate", "Open MPI ucx"): {8: [100]}})
        required = {"measure": "mpi-rate", "sizes": [8], "of": ["Open MPI on Lintel"],
                    "at_least_times_best": 1.0, "best_of": ["Open MPI ob1", "Open MPI mtl ofi"]}
        for best_of, text, reached in ((required["best_of"], "met", "1.125 x best of ob1, mtl ofi"),
                                       ([*required["best_of"], "Open MPI ucx"], "missed",
                                        "0.900 x best of ob1, mtl ofi, ucx"),
                                       (["Open MPI shared memory"], "not measured", "-")):
            [one] = matrix.requirements_of({**required, "best_of": best_of})
            one = verdict(result, one)
            self.assertEqual((one.text(), one.reached_text()), (text, reached))

    def test_LintelIsHeldAgainstTheBestOfTheOthers(self):
        result = outcome_of(
            {("mpi-rate", "Lintel MPI"): {8: [400]}, ("mpi-rate", "Open MPI ob1"): {8: [100]},
             ("mpi-rate", "MPICH ucx"): {8: [150]}})
        one = verdict(result, requirement("mpi-rate", 3, series="Lintel MPI"))
        self.assertEqual((one.text(), one.reached_text(), one.requirement.text()),
                         ("missed", "2.667 x others", "at least 3 x others"))

    def test_ALatencyBehindTheBestIsMetOnlyBesideARawLatencyThatIsBehindToo(self):
        required = matrix.Requirement(
            "mpi-latency", 8, "Lintel MPI", 1.0, True, True, or_times_raw=1.08)
        for lintel, raw, best, text in ((9.0, 12.0, 9.5, "met"), (10.7, 10.0, 9.5, "met"),
                                        (10.9, 10.0, 9.5, "missed"), (9.6, 9.0, 9.5, "missed")):
            result = outcome_of({("mpi-latency", "Lintel MPI"): {8: [lintel]},
                                 ("mpi-latency", "raw send"): {8: [raw]},
                                 ("mpi-latency", "MPICH ucx"): {8: [best]}})
            self.assertEqual(verdict(result, required).text(), text, (lintel, raw, best))

    def test_ALatencyBehindQueuesIsHeldAgainstTheSameWithout(self):
        series = "Lintel MPI, posted"
        result = outcome_of({("mpi-depth", series): {0: [10.0], 10000: [14.0]},
                             ("mpi-depth", "MPICH ucx, posted"): {0: [5.0], 10000: [90.0]}})
        one = verdict(result,
                      requirement("mpi-depth", 1.5, at_most=True, series=series, size=10000))
        self.assertEqual((one.text(), one.reached_text()), ("met", "1.400 x empty"))


class ManyRanks(unittest.TestCase):
    def setUp(self):
        self.setup = contestants.Setup(
            contestants.Programs("raw", "perf", "lintel-run", "/programs", "/tree/lintel-mpirun"),
            "net", "direct", (2, 3))

    def command_of(self, name, measure="ranks-barrier", ranks=16):
        [one] = [one for one in contestants.SERIES if (one.measure, one.name) == (measure, name)]
        with unittest.mock.patch.object(
            ranks_contestants.processes, "run", side_effect=RunFailed("not run")) as started:
            with self.assertRaisesRegex(RunFailed, "not run"):
                one.figure(self.setup, matrix.Work(ranks, 20, 10))
        self.assertEqual(started.call_args.kwargs["cpu"], (2, 3))
        return " ".join(started.call_args.args[0])

    def test_EveryLauncherStartsSoManyRanksAndBindsNone(self):
        for name, _, build, *_ in ranks_contestants.CONTESTANTS:
            command = self.command_of(name)
            self.assertRegex(command, r" -n 16 .*--?bind(-to)? none", name)
            self.assertRegex(command, f" /programs/ranks_perf-{build} barrier [0-9]+ [0-9]+$")

    def test_WhoDoesNotYieldMakesFewerCallsAsEachTakesSoLong(self):
        work = matrix.Work(16, 1000, 250)
        self.assertEqual(ranks_contestants.calls_of(work, True), (1000, 250))
        self.assertEqual(ranks_contestants.calls_of(work, False), (50, 12))
        self.assertEqual(ranks_contestants.calls_of(matrix.Work(64, 40, 10), False), (5, 2))
        self.assertTrue(self.command_of("Open MPI ob1, not yielding").endswith(" barrier 5 2"))

    def test_OpenMpiIsToldWhetherToYield(self):
        for name in ("Open MPI ob1", "Open MPI on Lintel"):
            self.assertIn("--mca mpi_yield_when_idle 1", self.command_of(f"{name}, yielding"))
            self.assertIn("--mca mpi_yield_when_idle 0", self.command_of(f"{name}, not yielding"))

    def test_TheMoreRanksTheFewerCallsButNeverTooFew(self):
        entry = {"rank_calls": 800, "fewest_messages": 20}
        self.assertEqual([matrix.messages_of(entry, ranks) for ranks in (4, 16, 64)], [200, 50, 20])

    def test_AColumnSaysHowManyRanksAndTheTextThatNoneHasAProcessor(self):
        self.assertEqual(matrix.column_text("ranks-barrier", 16), "16 ranks")
        self.assertIn("all ranks on processors 0 and 1, none with one of its own",
                      tables.conditions(FACTS, "net", "direct", 3, (0, 1), pinned=False))


class FirstContact(unittest.TestCase):
    LINE = ('{"measure": "first contact", "of": 8, "targets": 3, "first_us": 250.5, '
            '"first_us_each": [900.25, 250.5, 240.0], "second_us": 80.5, '
            '"second_us_each": [80.5, 70.0, 90.0]}')

    def setUp(self):
        self.setup = contestants.Setup(
            contestants.Programs("raw", "perf", "/tree/lintel-run", first_contact="/tree/contact"),
            "net", "direct", (2, 3))
        self.series = {one.name: one for one in contestants.OF_BUILDS}

    def started(self, setup, name="Lintel put, first"):
        """How the program is called."""
        with unittest.mock.patch.object(
            contact_contestants.processes, "run", side_effect=RunFailed("not run")) as started:
            with self.assertRaisesRegex(RunFailed, "not run"):
                self.series[name].figure(setup, matrix.Work(8, messages=16))
        return started.call_args

    def test_EachSeriesHasItsFigureOfTheLine(self):
        with unittest.mock.patch.object(
                contact_contestants.processes, "run", return_value=f"a warning\n{self.LINE}\n"):
            self.assertEqual(
                {name: one.figure(self.setup, matrix.Work(8, messages=3))
                 for name, one in self.series.items()},
                {"Lintel put, first of all": 900.25, "Lintel put, first": 250.5,
                 "Lintel put, second": 80.5})

    def test_OutputWithoutOneLineIsAFailureThatQuotesIt(self):
        for text, said in (("no secret\n", "no secret"), ("{nothing}\n", "not JSON"),
                           (f"{self.LINE}\n{self.LINE}\n", "one line")):
            with self.assertRaisesRegex(RunFailed, said):
                contact_contestants.figures_of(text)

    def test_ThereIsOneRankForEachContactAndOneThatMakesThem(self):
        for name in self.series:
            call = self.started(self.setup, name)
            self.assertEqual(call.args[0],
                             ["/tree/lintel-run", "-n", "17", "--bind", "none",
                              mpi_contestants.RANK, "2,3", "", "/tree/contact", "8"])
            self.assertEqual(call.kwargs["cpu"], (2, 3))

    def test_ItHasTheLibrariesThatAreGivenAndLintelsProvider(self):
        environment = self.started(self.setup).kwargs["environment"]
        self.assertEqual(environment["LINTEL_PROVIDER"], "direct")
        self.assertEqual(environment.get("LD_LIBRARY_PATH"), os.environ.get("LD_LIBRARY_PATH"))
        before = dataclasses.replace(self.setup, libraries="/before/portals")
        environment = self.started(before).kwargs["environment"]
        self.assertEqual((environment["LINTEL_PROVIDER"], environment["LD_LIBRARY_PATH"]),
                         ("direct", "/before/portals"))

    def test_ItIsAMeasureOfBuildsAlone(self):
        self.assertEqual({one.measure for one in contestants.OF_BUILDS},
                         set(matrix.BUILDS_MEASURES))
        self.assertFalse({one.measure for one in contestants.SERIES} & set(matrix.BUILDS_MEASURES))
        for name in ("matrix.json", "smoke.json"):
            document = matrix.document_of(os.path.join(HERE, name))
            for measure in matrix.BUILDS_MEASURES:
                for size in document[measure]["sizes"]:
                    self.assertGreater(matrix.work_of(document, measure, size).messages, 0)


class BetweenJobs(unittest.TestCase):
    def test_AllGetTheSameWork(self):
        work = matrix.Work(64, 20, 10, window=4)
        self.assertEqual(impi_contestants.arguments_of("impi-latency", work),
                         ["latency", "64", "20", "10"])
        self.assertEqual(impi_contestants.arguments_of("impi-bandwidth", work),
                         ["bandwidth", "64", "20", "10", "4"])

    def test_LintelIsHeldAgainstTheBetterTcpConnection(self):
        result = outcome_of({("impi-latency", "TCP, polling"): {8: [4.0]},
                             ("impi-latency", "TCP, blocking"): {8: [9.0]},
                             ("impi-latency", impi_contestants.BETWEEN_JOBS): {8: [10.0]}})
        required = requirement("impi-latency", 2.5, at_most=True,
                               series=impi_contestants.BETWEEN_JOBS)
        self.assertEqual((verdict(result, required).reached, verdict(result, required).met),
                         (2.5, True))
        self.assertEqual(required.text(), "at most 2.5 x tcp")

    def test_ItsRequirementsAreThoseOfLatencyAndBandwidth(self):
        mine = {(one.measure, one.size): (one.bound, one.at_most)
                for one in matrix.read(os.path.join(HERE, "matrix.json")).requirements
                if one.measure in matrix.IMPI_MEASURES}
        self.assertEqual(mine, {("impi-latency", 8): (2.5, True),
                                ("impi-bandwidth", 1 << 20): (0.7, False)})

    def test_AServerThatFailsIsQuoted(self):
        setup = contestants.Setup(contestants.Programs("", "", impi_server="/bin/false"), "net",
                                  "direct", None)
        with self.assertRaisesRegex(RunFailed, "impi-server: says no address"):
            impi_contestants.between_jobs("impi-latency")(setup, matrix.Work(8, 20, 10))


if __name__ == "__main__":
    unittest.main()
