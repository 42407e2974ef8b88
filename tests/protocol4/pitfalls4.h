#pragma once
// The suite of the pitfalls of Portals 4: each test's name begins with the number of the clause in
// the list of what is most often got wrong. Those of which tests elsewhere speak as a subject of
// their own:
//    1 numbers of the header, 2 its last code     tests/unit/api4/portals4_header_test.cpp
//    4 handles that are wrong or old, everywhere  arguments4_test.cpp
//    5 limits that are garbage, 3 PTL_PID_MAX     limits4_test.cpp, arguments4_test.cpp
//   25 the whole address space                    data_movement4_test.cpp,
//   tests/system/clients4/shmem.c, osc.c
//   26 sources that are read-only                 data_movement4_test.cpp,
//   tests/system/clients4/shmem.c
//   27 lists of pieces                            data_movement4_test.cpp
//   28 arithmetic and comparisons                 tests/unit/engine/atomic_operation_test.cpp,
//   atomics4_test.cpp
//   30 a target that never calls                  collectives4_test.cpp, tests/system/clients4,
//   tests/system/application_bypass_test.cpp 31 no processor burnt while idle
//   tests/system/clients4/idle.c
//   32 PtlAbort, 45 waiters of a freed counter    counting4_test.cpp, tests/system/clients4/rest.c
//   33 shutting with operations under way         interfaces4_test.cpp, failures4_test.cpp
//   34 triggers that go round in one process      triggered4_test.cpp
//   35 ranks that start at once                   tests/system/clients4/exchange.c: job_publish
//   43 two libraries of one name                  tests/package/portals4.sh
//   46 spinning on two processors                 the tests of tests/system/clients4 with 4
//   processes
//   47 no notice of another licence               tests/package/notices.sh
// 42 and 44 are of other people's programs: how theirs are started and judged. Ours need no
// launcher: all of tests/system/clients4 start by themselves.

#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {

class Pitfalls4 : public Portals4Test {
 protected:
  static constexpr unsigned kOnce = kPut | PTL_ME_USE_ONCE;
  int put_acked(const Md& md, ptl_match_bits_t bits = kBits) {
    return put(md, {.ack = PTL_ACK_REQ, .bits = bits});
  }

  Bytes memory = Bytes(4096);
  Bytes data = pattern(8);
};

}  // namespace lintel::testing
