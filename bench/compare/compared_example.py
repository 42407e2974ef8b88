"""Commands of this folder, and outcomes of a comparison, for tests."""

import importlib.machinery
import importlib.util
import os
import sys

sys.dont_write_bytecode = True

import contestants
import matrix
import namespaces
import outcome

HERE = os.path.dirname(os.path.realpath(__file__))
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
