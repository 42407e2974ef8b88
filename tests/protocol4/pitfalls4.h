#pragma once
// The suite of the pitfalls of Portals 4: each test's name begins with the number of the clause in the list of what is most often got wrong.

#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {

class Pitfalls4 : public Portals4Test {
 protected:
  static constexpr unsigned kOnce = kPut | PTL_ME_USE_ONCE;
  int put_acked(const Md& md, ptl_match_bits_t bits = kBits) { return put(md, {.ack = PTL_ACK_REQ, .bits = bits}); }

  Bytes memory = Bytes(4096);
  Bytes data = pattern(8);
};

}  // namespace lintel::testing
