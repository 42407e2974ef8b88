#!/usr/bin/env python3
"""What bench/compare reads out of other programs' output, and how it judges and writes."""

import dataclasses
import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True

import contestants
import host
import matrix
import impi_contestants
import mpi_contestants
import mpi_tables
import namespaces
import outcome
import plot
import ranks_contestants
import tables
from processes import RunFailed

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TWO_HOSTS = namespaces.Network(2, "cubic", "/proc/7/fd/3")
FACTS = {
    "release": "Debian 12", "cpu": "CPU", "processors": "2", "kernel": "Linux 6",
    "network": namespaces.Network(1, "cubic").text(), "libfabric": "1.17.0",
    "ucx": "1.13.1", "openmpi": "4.1.4", "mpich": "4.0.2"}


def command(name):
    """One of the commands of this folder, as a module."""
    loader = importlib.machinery.SourceFileLoader(f"compare_{name}", os.path.join(HERE, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module  # where its dataclasses look for it
    loader.exec_module(module)
    return module


def outcome_of(figures):
    """{(measure, series): {size: [figures]}}"""
    result = outcome.Outcome(contestants.SERIES)
    for (measure, name), by_size in figures.items():
        for size, values in by_size.items():
            for value in values:
                result.add(measure, name, size, value)
    return result


def requirement(measure, bound, at_most=False, relative=True, series="Lintel put", size=8):
    return matrix.Requirement(measure, size, series, bound, at_most, relative)


def verdict(result, required):
    [one] = outcome.judge(result, [required])
    return one


class Thresholds(unittest.TestCase):
    def test_each_is_defined_once_and_is_none_of_the_other_values(self):
        thresholds = command("thresholds")
        for one in thresholds.THRESHOLDS:
            self.assertNotIn(thresholds.present_value(one), one.others)

    def test_each_has_its_series_and_work_for_its_sizes(self):
        thresholds = command("thresholds")
        document = matrix.document_of(os.path.join(HERE, "matrix.json"))
        for one in thresholds.THRESHOLDS:
            self.assertEqual({(series.measure, series.name) for series in
                              thresholds.series_of(one)}, set(one.series))
            for measure, _ in one.series:
                for size in one.sizes:
                    self.assertGreaterEqual(matrix.work_of(document, measure, size).messages, 128)

    def test_a_changed_constant_is_the_only_change(self):
        thresholds = command("thresholds")
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, thresholds.CONSTANTS)
            os.makedirs(os.path.dirname(copy))
            for one in thresholds.THRESHOLDS:
                shutil.copy(os.path.join(ROOT, thresholds.CONSTANTS), copy)
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

    def test_a_setting_is_in_the_environment_of_the_moved_setup_alone(self):
        thresholds = command("thresholds")
        series = contestants.Series("latency", "one", "lintel",
                                    lambda setup, work: os.environ.get("LINTEL_EAGER_LIMIT"))
        before, moved = object(), object()
        with_setting = thresholds.with_setting(series, "LINTEL_EAGER_LIMIT", "7", moved)
        self.assertEqual([with_setting.figure(setup, None) for setup in (before, moved, before)],
                         [None, "7", None])


class OutputOfOthers(unittest.TestCase):
    def test_ucx_megabytes_are_turned_into_millions_of_bytes(self):
        columns = contestants.ucx_columns(
            "iterations,50.0_percentile_lat,avg_lat\n2000,0.691,1.5,2.5,1.16,60.00,1859,964\n")
        self.assertAlmostEqual(columns["MB/s"], 62.91456)
        self.assertEqual((columns["us"], columns["messages/s"]), (2.5, 964))

    def test_of_several_ucx_lines_the_last_is_over_all(self):
        columns = contestants.ucx_columns("100,1,9,9,9,9,9,9\n  200,1,2,3,4,5,6,7\n")
        self.assertEqual((columns["us"], columns["messages/s"]), (3, 7))

    def test_fi_pingpong_figure_is_the_time_of_a_transfer(self):
        text = ("bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n"
                "8       1k      =1k      15k         0.76s      0.02     382.23       0.00\n")
        self.assertEqual(contestants.pingpong_us(text), 382.23)

    def test_netpipe_seconds_are_turned_into_microseconds(self):
        self.assertAlmostEqual(contestants.netpipe_us("       8 1.215052   0.00005023\n", 8), 50.23)

    def test_output_without_a_figure_is_a_failure_that_quotes_it(self):
        for read in (contestants.ucx_columns, contestants.pingpong_us,
                     lambda text: contestants.netpipe_us(text, 8)):
            with self.assertRaisesRegex(RunFailed, "no route"):
                read("some warning\nno route to host\n")

    def test_a_failed_lintel_run_is_a_failure(self):
        with self.assertRaisesRegex(RunFailed, "wrong byte"):
            contestants.lintel_figure(
                {"status": "failed", "error": "wrong byte", "results": []}, "put_latency_us")

    def test_a_lintel_figure_without_verified_messages_is_refused(self):
        row = {"verified_messages": 0, "put_latency_us": {"value": 4.0}}
        with self.assertRaisesRegex(RunFailed, "verified no message"):
            contestants.lintel_figure(
                {"status": "ok", "error": None, "validated": True, "results": [row]},
                "put_latency_us")

    def test_what_is_not_installed_is_named_with_its_package(self):
        absent = contestants.why_absent("net", find=lambda program: None)
        self.assertEqual(
            sorted(absent),
            ["NPtcp", "fi_pingpong", "mpiexec.mpich", "mpirun.openmpi", "ucx_perftest"])
        self.assertIn("netpipe-tcp", absent["NPtcp"])

    def test_programs_over_tcp_do_not_stand_beside_shared_memory(self):
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

    def test_lintel_perf_uses_the_libraries_that_are_given(self):
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

    def test_lintel_perf_gets_lintels_provider(self):
        commands = self.commands_of("lintel")
        self.assertIn("passive", [command[1] for command in commands])
        for command in commands:
            self.assertEqual((command[0], command[command.index("--provider") + 1]),
                             ("perf", "direct"))

    def test_raw_libfabric_and_fi_pingpong_get_libfabrics_provider(self):
        for program, path, option in (("raw", "raw", "--provider"),
                                      ("fi_pingpong", "fi_pingpong", "-p")):
            commands = self.commands_of(program)
            self.assertNotEqual(commands, [])
            for command in commands:
                self.assertEqual((command[0], command[command.index(option) + 1]),
                                 (path, "tcp;ofi_rxm"))

    def test_where_there_are_two_hosts_every_pair_is_told_the_addresses(self):
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

    def test_lintels_mpi_gets_lintels_provider_and_mtl_ofi_that_of_libfabric(self):
        launched = {one.name: one.launch(self.setup) for one in mpi_contestants.CONTESTANTS}
        for name, (command, environment) in launched.items():
            of_lintel = name in (mpi_contestants.LINTEL, mpi_contestants.ON_LINTEL)
            self.assertEqual(
                environment.get("LINTEL_PROVIDER"), "direct" if of_lintel else None, name)
            self.assertEqual("tcp;ofi_rxm" in command, name == "Open MPI mtl ofi", name)
        command, _ = launched["Open MPI mtl ofi"]
        self.assertEqual(command[command.index("mtl_ofi_provider_include") + 1], "tcp;ofi_rxm")

    def test_the_server_and_the_jobs_of_impi_get_lintels_provider(self):
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

    def test_by_default_lintel_uses_its_own_sockets_over_tcp_and_the_same_provider_elsewhere(self):
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

    def test_the_figure_is_found_among_what_a_launcher_says(self):
        line = ('{"measure": "latency", "of": 8, "messages": 10, "value": 7.25, "unit": "us", '
                '"verified_messages": 20}')
        self.assertEqual(mpi_contestants.figure_of(f"a warning\n{line}\n"), 7.25)

    def test_output_without_one_figure_or_with_nothing_verified_is_a_failure(self):
        line = '{"value": 7.25, "verified_messages": 0}'
        for text, said in ((f"{line}\n", "verified no message"), ("no provider\n", "no provider"),
                           (f"{line}\n{line}\n", "one line")):
            with self.assertRaisesRegex(RunFailed, said):
                mpi_contestants.figure_of(text)

    def test_every_launcher_binds_nothing_and_starts_two_ranks_through_the_same_script(self):
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

    def test_between_two_hosts_all_take_the_device_that_joins_them(self):
        setup = dataclasses.replace(self.setup, network=TWO_HOSTS)
        for one in mpi_contestants.CONTESTANTS:
            if one.over_tcp:
                command, environment = one.launch(setup)
                self.assertIn("lintel0", [*command, *environment.values()], one.name)
                self.assertNotIn("lo", [*command, *environment.values()], one.name)
                if "mpirun" in command[0]:
                    self.assertEqual(
                        environment["PMIX_MCA_ptl_tcp_if_include"], "lintel0", one.name)

    def test_ucx_gets_a_device_beside_loopback_on_one_host_too(self):
        for name in ("Open MPI ucx", "MPICH ucx"):
            [one] = [one for one in mpi_contestants.CONTESTANTS if one.name == name]
            self.assertEqual(one.launch(self.setup)[1]["UCX_NET_DEVICES"], namespaces.DEVICE)
        self.assertEqual(contestants.UCX_ENVIRONMENT["UCX_NET_DEVICES"], namespaces.DEVICE)

    def test_shared_memory_of_open_mpi_is_what_its_series_calls_it(self):
        line = "mca:btl:{}:version:component:1"
        for names, chosen in ((("self", "sm", "tcp"), "sm"), (("self", "sm", "vader"), "vader"),
                              (("vader",), "vader")):
            self.assertEqual(
                mpi_contestants.shared_memory_btl("\n".join(map(line.format, names))), chosen)

    def test_an_mpich_that_was_not_built_for_ucx_is_absent(self):
        for device, absent in (("ch4:ucx", False), ("ch4:ofi", True), ("ch3:nemesis", True)):
            why = mpi_contestants.why_not_over_ucx(
                lambda program: program,
                lambda _: f"MPICH Version:    \t4.2.1\nMPICH Device:    \t{device}\n")
            self.assertEqual(device in why.get("mpiexec.mpich", ""), absent)
        self.assertEqual(mpi_contestants.why_not_over_ucx(lambda program: None), {})

    def test_one_that_was_not_compiled_is_named_with_its_package(self):
        absent = mpi_contestants.why_not_compiled("/nowhere", find=lambda program: program)
        self.assertEqual(sorted(absent), ["mpiexec.mpich", "mpirun.openmpi"])
        self.assertIn("libmpich-dev", absent["mpiexec.mpich"])
        self.assertEqual(mpi_contestants.why_not_compiled("/nowhere", find=lambda program: None),
                         {})

    def test_open_mpi_on_lintel_is_launched_by_the_build_trees_own_script_with_lintels_provider(
            self):
        [one] = [one
                 for one in mpi_contestants.CONTESTANTS
                 if one.name == mpi_contestants.ON_LINTEL]
        command, environment = one.launch(self.setup)
        self.assertEqual((command[0], environment),
                         ("/tree/lintel-mpirun", {"LINTEL_PROVIDER": "direct"}))

    def test_without_the_component_open_mpi_on_lintel_is_absent_with_the_packages_it_needs(self):
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

    def test_a_failure_of_open_mpi_on_lintel_is_lintels(self):
        self.assertIn("lintel-mpirun", contestants.OF_THIS_TREE)

    def test_each_mode_is_asked_for_with_the_work_of_its_measure(self):
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

    def test_shared_memory_is_marked_as_not_over_tcp(self):
        [name] = {one.name for one in contestants.SERIES if one.note == "not over TCP"}
        self.assertEqual(name, "Open MPI shared memory")

    def test_the_others_that_lintel_is_held_against_have_nothing_of_lintel_and_no_shared_memory(
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

    def test_where_series_are_named_the_best_of_these_is_what_counts(self):
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

    def test_lintel_is_held_against_the_best_of_the_others(self):
        result = outcome_of(
            {("mpi-rate", "Lintel MPI"): {8: [400]}, ("mpi-rate", "Open MPI ob1"): {8: [100]},
             ("mpi-rate", "MPICH ucx"): {8: [150]}})
        one = verdict(result, requirement("mpi-rate", 3, series="Lintel MPI"))
        self.assertEqual((one.text(), one.reached_text(), one.requirement.text()),
                         ("missed", "2.667 x others", "at least 3 x others"))

    def test_a_latency_behind_the_best_is_met_only_beside_a_raw_latency_that_is_behind_too(self):
        required = matrix.Requirement(
            "mpi-latency", 8, "Lintel MPI", 1.0, True, True, or_times_raw=1.08)
        for lintel, raw, best, text in ((9.0, 12.0, 9.5, "met"), (10.7, 10.0, 9.5, "met"),
                                        (10.9, 10.0, 9.5, "missed"), (9.6, 9.0, 9.5, "missed")):
            result = outcome_of({("mpi-latency", "Lintel MPI"): {8: [lintel]},
                                 ("mpi-latency", "raw send"): {8: [raw]},
                                 ("mpi-latency", "MPICH ucx"): {8: [best]}})
            self.assertEqual(verdict(result, required).text(), text, (lintel, raw, best))

    def test_a_latency_behind_queues_is_held_against_the_same_without(self):
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

    def test_every_launcher_starts_so_many_ranks_and_binds_none(self):
        for name, _, build, *_ in ranks_contestants.CONTESTANTS:
            command = self.command_of(name)
            self.assertRegex(command, r" -n 16 .*--?bind(-to)? none", name)
            self.assertRegex(command, f" /programs/ranks_perf-{build} barrier [0-9]+ [0-9]+$")

    def test_who_does_not_yield_makes_fewer_calls_as_each_takes_so_long(self):
        work = matrix.Work(16, 1000, 250)
        self.assertEqual(ranks_contestants.calls_of(work, True), (1000, 250))
        self.assertEqual(ranks_contestants.calls_of(work, False), (50, 12))
        self.assertEqual(ranks_contestants.calls_of(matrix.Work(64, 40, 10), False), (5, 2))
        self.assertTrue(self.command_of("Open MPI ob1, not yielding").endswith(" barrier 5 2"))

    def test_open_mpi_is_told_whether_to_yield(self):
        for name in ("Open MPI ob1", "Open MPI on Lintel"):
            self.assertIn("--mca mpi_yield_when_idle 1", self.command_of(f"{name}, yielding"))
            self.assertIn("--mca mpi_yield_when_idle 0", self.command_of(f"{name}, not yielding"))

    def test_the_more_ranks_the_fewer_calls_but_never_too_few(self):
        entry = {"rank_calls": 800, "fewest_messages": 20}
        self.assertEqual([matrix.messages_of(entry, ranks) for ranks in (4, 16, 64)], [200, 50, 20])

    def test_a_column_says_how_many_ranks_and_the_text_that_none_has_a_processor(self):
        self.assertEqual(matrix.column_text("ranks-barrier", 16), "16 ranks")
        self.assertIn("all ranks on processors 0 and 1, none with one of its own",
                      tables.conditions(FACTS, "net", "direct", 3, (0, 1), pinned=False))


class Judgement(unittest.TestCase):
    def test_the_median_of_the_turns_counts(self):
        result = outcome_of({("latency", "Lintel put"): {8: [5, 600, 5.5]}})
        self.assertEqual(result.of("latency", "Lintel put", 8), 5.5)

    def test_of_multiples_the_median_of_those_within_each_turn_counts(self):
        result = outcome_of({("latency", "raw send"): {8: [4, 100, 10]},
                             ("latency", "Lintel put"): {8: [5, 110, 11]}})
        self.assertEqual(result.times_base("latency", "Lintel put", 8), 1.1)

    def test_latency_at_the_bound_is_met_and_above_is_missed(self):
        result = outcome_of({("latency", "raw send"): {8: [10.0]},
                             ("latency", "Lintel put"): {8: [11.0]}})
        self.assertEqual(verdict(result, requirement("latency", 1.1, at_most=True)).text(), "met")
        self.assertEqual(
            verdict(result, requirement("latency", 1.09, at_most=True)).text(), "missed")

    def test_bandwidth_is_held_against_the_best_raw_figure(self):
        result = outcome_of({("bandwidth", "raw send"): {8: [900]},
                             ("bandwidth", "raw write"): {8: [1000]},
                             ("bandwidth", "raw read"): {8: [500]},
                             ("bandwidth", "Lintel get"): {8: [940]}})
        self.assertEqual(result.best_base("bandwidth", 8), ("raw write", 1000))
        self.assertEqual(
            verdict(result, requirement("bandwidth", 0.95, series="Lintel get")).text(), "missed")
        self.assertEqual(
            verdict(result, requirement("bandwidth", 0.85, series="Lintel get")).text(), "met")

    def test_a_fetch_atomic_is_held_against_a_get(self):
        result = outcome_of({("fetch", "Portals 4 get"): {8: [10.0]},
                             ("fetch", "Portals 4 fetch-atomic"): {8: [12.0]}})
        one = verdict(result,
                      requirement("fetch", 1.1, at_most=True, series="Portals 4 fetch-atomic"))
        self.assertEqual((one.text(), one.reached_text(), one.requirement.text()),
                         ("missed", "1.200 x get", "at most 1.1 x get"))

    def test_an_absolute_bound_is_in_the_unit_of_the_measure(self):
        result = outcome_of({("passive", "Lintel put"): {8: [150.0]}})
        self.assertEqual(
            verdict(result, requirement("passive", 200, at_most=True, relative=False)).text(),
            "met")

    def test_what_was_not_measured_is_not_met(self):
        one = verdict(outcome_of({("latency", "Lintel put"): {8: [4.0]}}),
                      requirement("latency", 1.1, at_most=True))
        self.assertFalse(one.met)
        self.assertEqual(one.text(), "not measured")

    def test_a_series_that_failed_in_one_repeat_has_no_figure(self):
        result = outcome_of({("latency", "Lintel put"): {8: [4.0]}})
        result.fail("latency", "Lintel put", 8, "exit code 1")
        self.assertIsNone(result.of("latency", "Lintel put", 8))


class BetweenJobs(unittest.TestCase):
    def test_all_get_the_same_work(self):
        work = matrix.Work(64, 20, 10, window=4)
        self.assertEqual(impi_contestants.arguments_of("impi-latency", work),
                         ["latency", "64", "20", "10"])
        self.assertEqual(impi_contestants.arguments_of("impi-bandwidth", work),
                         ["bandwidth", "64", "20", "10", "4"])

    def test_lintel_is_held_against_the_better_tcp_connection(self):
        result = outcome_of({("impi-latency", "TCP, polling"): {8: [4.0]},
                             ("impi-latency", "TCP, blocking"): {8: [9.0]},
                             ("impi-latency", impi_contestants.BETWEEN_JOBS): {8: [10.0]}})
        required = requirement("impi-latency", 2.5, at_most=True,
                               series=impi_contestants.BETWEEN_JOBS)
        self.assertEqual((verdict(result, required).reached, verdict(result, required).met),
                         (2.5, True))
        self.assertEqual(required.text(), "at most 2.5 x tcp")

    def test_its_requirements_are_those_of_latency_and_bandwidth(self):
        mine = {(one.measure, one.size): (one.bound, one.at_most)
                for one in matrix.read(os.path.join(HERE, "matrix.json")).requirements
                if one.measure in matrix.IMPI_MEASURES}
        self.assertEqual(mine, {("impi-latency", 8): (2.5, True),
                                ("impi-bandwidth", 1 << 20): (0.7, False)})

    def test_a_server_that_fails_is_quoted(self):
        setup = contestants.Setup(contestants.Programs("", "", impi_server="/bin/false"), "net",
                                  "direct", None)
        with self.assertRaisesRegex(RunFailed, "impi-server: says no address"):
            impi_contestants.between_jobs("impi-latency")(setup, matrix.Work(8, 20, 10))


class Matrix(unittest.TestCase):
    def test_every_series_of_lintel_is_judged_but_what_others_are_held_against(self):
        judged = {(one.measure, one.of)
                  for one in matrix.read(os.path.join(HERE, "matrix.json")).requirements}
        for one in contestants.SERIES:
            if one.program in ("lintel", "lintel-mpirun") and not one.is_base:
                self.assertIn((one.measure, one.name), judged)

    def test_every_requirement_is_about_something_measured(self):
        series = {(one.measure, one.name) for one in contestants.SERIES}
        for name in ("matrix.json", "smoke.json"):
            read = matrix.read(os.path.join(HERE, name))
            for one in read.requirements:
                self.assertIn((one.measure, one.of), series)
                self.assertIn(one.size, [work.size for work in read.works[one.measure]])

    def test_what_a_requirement_names_to_be_held_against_is_measured(self):
        series = {(one.measure, one.name) for one in contestants.SERIES}
        for name in ("matrix.json", "smoke.json"):
            for one in matrix.read(os.path.join(HERE, name)).requirements:
                self.assertLessEqual({(one.measure, of) for of in one.best_of}, series)

    def test_open_mpi_on_lintel_has_to_be_ahead_at_every_size_and_of_ucx_from_16_kib_on(self):
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

    def test_a_bound_relative_to_something_else_is_refused(self):
        with self.assertRaisesRegex(ValueError, "at_most_times_raw of fetch"):
            list(matrix.requirements_of({"measure": "fetch", "sizes": [8],
                                         "of": ["Portals 4 fetch-atomic"],
                                         "at_most_times_raw": 1.1}))
        named = {"measure": "mpi-rate", "sizes": [8], "of": ["Lintel MPI"],
                 "best_of": ["Open MPI ob1"]}
        for key in ("at_least_times_others", "at_least"):
            with self.assertRaisesRegex(ValueError, f"{key} of mpi-rate.*_times_best"):
                list(matrix.requirements_of({**named, key: 3}))

    def test_all_programs_get_the_same_work_at_a_size(self):
        read = matrix.read(os.path.join(HERE, "matrix.json"))
        self.assertEqual([work.messages * work.size for work in read.works["bandwidth"]],
                         [1 << 28] * 4 + [128 << 22])
        self.assertTrue(
            all(work.window == 64 for work in read.works["bandwidth"] + read.works["rate"]))

    def test_repeats_end_when_the_next_one_would_take_too_long(self):
        def begun(most, minutes, *ends):
            times = iter((100.0, *(100.0 + end for end in ends)))
            return list(matrix.repeats_within(most, minutes, lambda: next(times)))
        self.assertEqual(begun(3, None, 500, 900, 1300), [1, 2, 3])
        self.assertEqual(begun(9, 1, 20, 40, 60), [1, 2, 3])
        self.assertEqual(begun(9, 1, 25, 50), [1, 2])
        self.assertEqual(begun(9, 1, 40, 50, 59), [1])
        self.assertEqual(begun(9, 1, 29, 39, 49, 59), [1, 2, 3, 4])
        self.assertEqual(begun(9, 1, 500), [1])

    def test_the_memory_of_a_window_is_bounded(self):
        read = matrix.read(os.path.join(HERE, "matrix.json"))
        self.assertEqual([work.window for work in read.works["mpi-bandwidth"]], [64] * 6 + [16])
        self.assertEqual([work.window for work in read.works["mpi-bibandwidth"]], [64, 64, 16])

    def test_long_messages_are_fewer_and_short_ones_are_bounded(self):
        read = matrix.read(os.path.join(HERE, "matrix.json"))
        self.assertEqual([work.messages for work in read.works["mpi-latency"]],
                         [10000, 10000, 10000, 4096, 1024, 256, 128])
        self.assertEqual([work.messages for work in read.works["mpi-bandwidth"]],
                         [200000, 200000, 16384, 4096, 1024, 256, 128])
        self.assertEqual(
            [work.window for work in read.works["mpi-latency"] + read.works["mpi-alltoall"]],
            [1] * 8)


class Documents(unittest.TestCase):
    def setUp(self):
        self.works = matrix.read(os.path.join(HERE, "smoke.json")).works
        self.result = outcome_of({(one.measure, one.name): {
                                      work.size: [10.0 + index] for work in self.works[one.measure]}
                                  for index, one in enumerate(contestants.SERIES)})

    def test_only_the_text_between_the_markers_of_the_release_changes(self):
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

    def test_a_release_that_has_no_block_gets_one_behind_the_others_of_its_family(self):
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

    def test_a_document_without_a_place_for_the_block_is_refused(self):
        begin, end = tables.markers("numbers", "debian-12")
        for text in ("", begin, f"{end} {begin}", f"{begin} {end} {begin} {end}",
                     "<!-- mpi-numbers:begin debian-12 -->\n<!-- mpi-numbers:end debian-12 -->"):
            with self.assertRaisesRegex(ValueError, "expected .*<!-- numbers:begin debian-12 -->"):
                tables.replace_block(text, "new", "numbers", "debian-12")

    def test_the_documents_have_a_place_for_every_block(self):
        for name, families in (("doc/performance.md", ("numbers", "mpi-numbers", "impi-numbers")),
                               ("README.md", ("numbers", "mpi-numbers"))):
            with open(os.path.join(os.path.dirname(os.path.dirname(HERE)), name),
                      encoding="utf-8") as file:
                text = file.read()
            for family in families:
                self.assertIn("new", tables.replace_block(text, "new", family, "debian-99"))

    def test_readme_gets_the_headline_and_the_other_page_all_of_it(self):
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

    def test_the_headline_has_three_rows_and_counts_every_requirement(self):
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

    def test_the_headline_of_mpi_has_both_mpis_on_lintel_beside_the_others_over_tcp(self):
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

    def test_prose_for_a_document_has_no_line_over_120_columns(self):
        lines = tables.paragraph("* " + "word " * 100, "  ").splitlines()
        self.assertLessEqual(max(map(len, lines)), 120)
        self.assertTrue(all(line.startswith("  word") for line in lines[1:]))
        self.assertEqual(" ".join(" ".join(lines).split()), "* " + "word " * 99 + "word")

    def test_the_conditions_name_lintels_provider_where_it_is_another_than_that_of_libfabric(self):
        said = tables.conditions(FACTS, "net", "direct", 15, (0, 1))
        self.assertIn("libfabric 1.17.0, provider `net`, Lintel over `direct`, UCX 1.13.1;", said)
        self.assertIn(
            "provider `net`, Lintel over `direct`, UCX 1.13.1, Open MPI 4.1.4, MPICH 4.0.2;",
            tables.conditions(FACTS, "net", "direct", 15, (0, 1), mpi=True))
        for provider in ("net", "shm"):
            self.assertIn(f"libfabric 1.17.0, provider `{provider}`, UCX 1.13.1;",
                          tables.conditions(FACTS, provider, provider, 15, (0, 1)))

    def test_the_conditions_say_release_namespaces_congestion_control_and_pinning(self):
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

    def test_the_release_is_what_the_system_calls_itself(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write('PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nNAME="Debian GNU/Linux"\n'
                       'VERSION_ID="13"\nVERSION="13 (trixie)"\n')
            file.flush()
            self.assertEqual(host.release(file.name), "Debian 13")

    def test_the_summary_names_which_of_put_and_get_missed(self):
        required = [requirement("bandwidth", 0.5, size=65536),
                    requirement("bandwidth", 99, size=65536, series="Lintel get")]
        summary = tables.summary_markdown(
            self.result, self.works, outcome.judge(self.result, required))
        [row] = [line for line in summary.splitlines() if "64 KiB" in line]
        self.assertIn("get missed", row)
        self.assertNotIn("put missed", row)

    def test_portals4_is_judged_apart_from_portals3(self):
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

    def test_the_summary_of_mpi_has_a_column_for_each_that_was_measured(self):
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

    def test_open_mpi_on_lintel_has_a_table_of_its_own_beside_open_mpi_alone(self):
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

    def test_the_picture_is_of_tcp_alone_and_its_bars_of_those_measured_behind_queues(self):
        script = mpi_tables.script(self.result, self.works, plot.TERMINALS["svg"], "out.svg")
        self.assertNotIn("shared memory", script)
        lines, bars = [line for line in script.splitlines() if line.startswith("plot ")]
        self.assertIn("title 'Open MPI on Lintel'", lines)
        self.assertNotIn("on Lintel", bars)

    def test_gnuplot_leaves_out_an_mpi_that_has_no_figure(self):
        self.result.fail("mpi-depth", "Open MPI mtl ofi, posted", 20, "not done")
        script = mpi_tables.script(self.result, self.works, plot.TERMINALS["svg"], "out.svg")
        [row] = [line for line in script.splitlines() if line.startswith('"posted" ')]
        self.assertEqual(row.split().count("?"), 1)
        self.assertIn("title 'MPICH ucx'", script)

    def test_labels_in_the_picture_are_broken_into_lines(self):
        script = mpi_tables.script(self.result, self.works, plot.TERMINALS["svg"], "out.svg")
        over_size, under_bars = [
            line for line in script.splitlines() if line.startswith("set xtics ")
        ]
        self.assertIn('"64\\nKiB" 65536', over_size)
        self.assertIn('"posted,\\nany source" 2', under_bars)

    def test_an_absent_program_is_named_and_has_no_row(self):
        self.result.absent = {"NPtcp": "not installed"}
        text = tables.text_of(self.result, self.works, [])
        self.assertIn("# absent: NPtcp: not installed", text)
        self.assertNotIn("NetPIPE", text)

    def test_gnuplot_is_asked_for_the_best_raw_line_lintel_and_ucx(self):
        script = plot.script(self.result, self.works, plot.TERMINALS["svg"], "out.svg")
        for title in ("raw libfabric, best", "Lintel put", "Lintel get", "UCX tag"):
            self.assertIn(f"title '{title}'", script)
        self.assertNotIn("NetPIPE", script)


class Invocation(unittest.TestCase):
    def test_nobody_who_reads_its_output_ends_a_command_without_a_message(self):
        endless = ("import invocation, itertools\n"
                   "invocation.run('endless', lambda: [print(i) for i in itertools.count()])")
        with subprocess.Popen([sys.executable, "-c", endless], cwd=HERE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            process.stdout.close()
            self.assertEqual(b"", process.stderr.read())
        self.assertEqual(141, process.returncode)


if __name__ == "__main__":
    unittest.main()
