"""Messages between two jobs of Lintel, beside a TCP connection with nothing around it.

IMPI makes the jobs one world, with one rank in each. All over loopback, one processor for each
side.
"""

import os

import mpi_contestants
import processes
from matrix import IMPI_MEASURES, WINDOWED
from namespaces import LOOPBACK
from processes import RunFailed

PREFIX = "impi-"  # how the names of its measures begin
BETWEEN_JOBS = "Lintel between jobs"
TCP_PAIR = "tcp-pair"  # what its program is called


def arguments_of(measure, work):
    return list(map(str,
                    [measure.removeprefix(PREFIX), work.size, work.messages, work.warm_up,
                     *([work.window] if measure in WINDOWED else [])]))


def tcp(measure, *options):
    def figure(setup, work):
        return mpi_contestants.figure_of(
            processes.run([setup.programs.tcp_pair, *arguments_of(measure, work), *options],
                          cpu=setup.cpus))
    return figure


def between_jobs(measure):
    """Runs a server and two jobs. Client 0 has rank 0 of the world, which says the figure. The
    other job and the server must end well, too."""
    def figure(setup, work):
        environment = {**os.environ, "IMPI_AUTH_NONE": "", "LINTEL_PROVIDER": setup.lintel_provider}
        server_command = [setup.programs.impi_server, "-server", "2", "-host", LOOPBACK]
        started = [processes.start(server_command, None, environment)]
        try:
            address = started[0].stdout.readline().strip()
            if not address:
                raise RunFailed("impi-server: says no address: "
                                f"{processes.last_line(started[0].stderr.read())}")
            program = mpi_contestants.program_of(setup.programs.mpi_programs, "lintel")
            commands = [[setup.programs.lintel_run, "-n", "1", "--impi", f"{client}@{address}",
                         program, *arguments_of(measure, work)]
                        for client in (0, 1)]
            started += [processes.start(command, cpu, environment)
                        for command, cpu in zip(commands, setup.cpus)]
            out = processes.output_of(started[1], commands[0])
            processes.output_of(started[2], commands[1])
            processes.output_of(started[0], server_command)
            return mpi_contestants.figure_of(out)
        finally:
            for process in started:
                processes.end(process)
    return figure


def series(make):
    """`make` is contestants.Series. The better of the two ways to wait for a socket is the base."""
    for measure in IMPI_MEASURES:
        yield make(measure, "TCP, polling", TCP_PAIR, tcp(measure), is_base=True)
        yield make(measure, "TCP, blocking", TCP_PAIR, tcp(measure, "blocking"), is_base=True)
        yield make(measure, BETWEEN_JOBS, "lintel", between_jobs(measure))
