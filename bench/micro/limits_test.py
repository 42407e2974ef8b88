#!/usr/bin/env python3
"""limits_test.py <lintel_micro_bench>: holds the in-process costs to their limits (limits.py).

Limits of time are stretched, because the machine may be slow and busy.
"""

import sys

sys.dont_write_bytecode = True

import limits

SLACK = 3.0

costs = limits.measure(sys.argv[1])
for cost in costs:
    print(f"{'met' if cost.met(SLACK) else 'MISSED':<7}{cost.what}: {cost.text()}, required "
          f"{cost.required()}"
          + (f" (here times {SLACK:.0f})" if cost.unit == "ns" else ""))
sys.exit(0 if all(cost.met(SLACK) for cost in costs) else 1)
