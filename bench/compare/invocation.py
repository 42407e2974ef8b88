"""What the commands of this folder have alike: types of options, and how signals end them."""

import argparse
import os
import signal
import sys


class Unusable(Exception):
    """What was asked for cannot be done. The text says why, and what was expected."""


class Ended(BaseException):
    """By SIGTERM. As with Ctrl-C what was started is ended first, and the namespaces with it."""


def end_orderly(*_):
    raise Ended


def run(name, main):
    """Exits with what `main` returns; with 2 and the sentence of an Unusable; after a signal, or
    when nobody reads its output any more, with 128 and the signal's number."""
    # a shell makes its background jobs ignore it
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, end_orderly)
    try:
        sys.exit(main())
    except Unusable as reason:
        print(f"{name}: {reason}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except Ended:
        sys.exit(128 + signal.SIGTERM)
    except BrokenPipeError:
        # the interpreter writes what is left when it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)


def positive(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}'; expected a number from 1 on")
    return int(text)
