// The TCP connections between two processes that live are destroyed by the system, again and again.
// `direct` puts others in their place. The networks of libfabric 1.17 and 2.1 do not: there the
// peer is lost, which each operation on its way is told, and the next contact begins anew
// (doc/reliability.md).

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "tests/system/job/on_every_provider.h"
#include "tests/system/job/portals_calls.h"

namespace lintel::testing {
namespace {

constexpr std::size_t kBusy = 0;       // board word: puts are on their way
constexpr std::size_t kDestroyed = 1;  // board word: how often the connections were destroyed
constexpr std::size_t kEnded = 2;      // board word: 1 + how many puts were started
constexpr std::uint64_t kTimes = 5;

class LostConnection : public OnEveryProvider {
 protected:
  Environment environment() const {
    Environment all = OnEveryProvider::environment();
    all["LINTEL_PEER_TIMEOUT"] = "5s";
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(, LostConnection, ::testing::Values("direct", "net", "tcp;ofi_rxm"),
                         provider_name);

// One put, to its end. True: it has succeeded, and is acknowledged.
bool put(ptl_handle_md_t md, ptl_handle_eq_t queue, ptl_process_id_t target, std::uint64_t number) {
  LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, target, kPortal, 0, 1, 0, number));
  std::size_t ended = 0;
  while (true) {
    const ptl_event_t event = next_event(queue);
    if (event.ni_fail_type != PTL_NI_OK) {
      // After a failed SEND_END no ACK comes.
      if (event.type == PTL_EVENT_SEND_END || ++ended == 2) return false;
      LINTEL_MUST(PtlEQGet(queue, nullptr) == PTL_OK ? PTL_FAIL : PTL_OK);
      return false;
    }
    if (++ended == 2) return true;
  }
}
