"""Facts about this machine that the figures depend on."""

import os
import platform
import re
import shutil
import time

import processes

# share of the processors; above it, figures describe the other programs rather than the measured
# ones
BUSY_SHARE = 0.1


def first_match(pattern, path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            found = re.search(pattern, file.read(), re.MULTILINE)
    except OSError:
        return None
    return found.group(1).strip() if found else None


def cpu_model():
    model = first_match(r"^model name\s*:\s*(.*)$", "/proc/cpuinfo") or platform.machine()
    virtual = first_match(r"^flags\s*:.*\b(hypervisor)\b", "/proc/cpuinfo") is not None
    return f"{model}{', virtual machine' if virtual else ''}"


def version_from(command, pattern, environment=None):
    if shutil.which(command[0]) is None:
        return None
    try:
        found = re.search(pattern, processes.run(command, environment=environment))
    except processes.RunFailed:
        return None
    return found.group(1) if found else None


def release(path="/etc/os-release"):
    """As Debian 12."""
    name, version = (first_match(rf'^{key}="?([^"\n]*)"?$', path) for key in ("NAME", "VERSION_ID"))
    return f"{(name or platform.system()).split()[0]} {version or platform.release()}"


def facts(network):
    """Name -> text, in the order in which reports show them. `network`: a namespaces.Network."""
    return {
        "release": release(),
        "cpu": cpu_model(),
        "processors": str(os.cpu_count()),
        "kernel": f"{platform.system()} {re.match(r'[0-9.]*[0-9]', platform.release()).group()}",
        "network": network.text(),
        "congestion_control": network.congestion,
        "libfabric": version_from(["fi_info", "--version"], r"libfabric: (\S+)")
        or version_from(["pkg-config", "--modversion", "libfabric"], r"(\S+)")
        or "unknown",
        "ucx": version_from(["ucx_info", "-v"], r"ersion:? (\d\S*)")
        or version_from(["pkg-config", "--modversion", "ucx"], r"(\S+)")
        or "none",
        "openmpi": version_from(["mpirun.openmpi", "--version"], r"\((?:Open MPI|OpenRTE)\) (\S+)")
        or "none",
        "mpich": version_from(["mpichversion"], r"MPICH Version:\s*(\S+)") or "none",
    }


def settings_in_environment():
    """Variables that change what the programs do, so that a report can say so."""
    return {name: value
            for name, value in sorted(os.environ.items())
            if name.startswith(("LINTEL_", "FI_", "UCX_"))}


def processor_times(cpus):
    """(busy, all) clock ticks of these processors so far."""
    busy = total = 0
    with open("/proc/stat", encoding="ascii") as file:
        for line in file:
            found = re.match(r"cpu(\d+) (.*)", line)
            if found and int(found.group(1)) in cpus:
                ticks = list(map(int, found.group(2).split()[:8]))
                total += sum(ticks)
                busy += sum(ticks) - ticks[3] - ticks[4]  # without idle and waiting for disks
    return busy, total


def busy_share(cpus, seconds=1.0):
    """How much of these processors other programs use now."""
    busy, total = processor_times(cpus)
    time.sleep(seconds)
    busy_after, total_after = processor_times(cpus)
    return (busy_after - busy) / max(total_after - total, 1)
