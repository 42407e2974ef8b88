// libFuzzer entry: the two ends of a connection whose TCP connections are cut where the input says.
// The input is a list of commands: what an end sends, how much of it goes out and arrives, and
// cuts. In the end each piece has arrived once, whole and in order, and nothing is kept.

#include <cstdlib>

#include "tests/fuzz/input.h"
#include "tests/unit/direct/stream_pair.h"

namespace {

using namespace lintel;
using namespace lintel::transport;
using lintel::testing::Input;

void require(bool holds) {
  if (!holds) std::abort();
}

// Both ends of a stream say the same of it, as far as they can know.
void require_agreement(const StreamEnd& from, const StreamEnd& to) {
  require(to.inbound.position() <= from.outbound.sent());
  require(from.outbound.acknowledged() <= to.inbound.position());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  LonePair pair;
  unsigned number = 0;  // of the pieces, whose contents differ by it
  while (!input.empty()) {
    const std::uint8_t command = input.byte();
    StreamEnd& end = command / 8 % 2 == 0 ? pair.a : pair.b;
    StreamEnd& other = &end == &pair.a ? pair.b : pair.a;
    switch (command % 8) {
      case 0:
        if (end.may_send()) end.send_message(filled(input.byte() * 7U, ++number));
        break;
      case 1:
        if (!end.may_send()) break;
        ++number;
        end.send_write(filled(1U + input.byte() * 40U, number), number);
        break;
      case 2:
        if (!end.may_send()) break;
        ++number;
        end.send_placed(PlacementKey(number), filled(input.byte() % 129U, number),
                        filled(1U + input.byte() * 40U, number));
        break;
      case 3: end.pass_on(1U + input.byte()); break;
      case 4: end.pass_on(1U + input.byte() * 256U); break;
      case 5: require(StreamPair::receive(end, other, 1U + input.byte() * 16U)); break;
      case 6: other.stalls = input.byte() % 4; break;
      default:
        // Of what is on its way, a part arrives before the cut.
        for (StreamEnd* const from : {&pair.a, &pair.b})
          from->wire.resize(from->wire.size() * input.byte() / 255U);
        require(StreamPair::receive(pair.a, pair.b, 1U + input.byte() * 16U));
        require(StreamPair::receive(pair.b, pair.a, 1U + input.byte() * 16U));
        require(pair.cut());
    }
    require_agreement(pair.a, pair.b);
    require_agreement(pair.b, pair.a);
  }
  require(pair.settle());
  require(StreamPair::difference(pair.a, pair.b).empty());
  require(StreamPair::difference(pair.b, pair.a).empty());
  require(pair.a.inbound.position() == pair.b.outbound.sent());
  require(pair.b.inbound.position() == pair.a.outbound.sent());
  return 0;
}
