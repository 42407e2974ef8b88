// Codes for a network that refuses: an impossible address, a pid in use, no network at all.

#include <climits>

#include "portals/api3/library.h"
#include "tests/protocol/protocol_test.h"

namespace lintel::testing {
namespace {

class Unreachable : public ProtocolTest {
 protected:
  Unreachable() {
    JobOptions options;
    options.session.max_peers = 2;  // the third name is no possible address
    start(options);
    EXPECT_EQ(put(source(data)), PTL_OK);
    EXPECT_EQ(put(source(data), {.to = 0}), PTL_OK);
    take(0);
  }
  Bytes data = pattern(8);
};

constexpr ptl_process_id_t kImpossible{0x0a00ffff, 1};

TEST_F(Unreachable, EveryOperationSaysSoAndConsumesNothing) {
  const ptl_handle_md_t md = source(data, {.threshold = 3});
  EXPECT_EQ(PtlPut(md, PTL_ACK_REQ, kImpossible, 0, 0, 0, 0, 0), PTL_PROCESS_INVALID);
  EXPECT_EQ(PtlPutRegion(md, 0, 1, PTL_ACK_REQ, kImpossible, 0, 0, 0, 0, 0), PTL_PROCESS_INVALID);
  EXPECT_EQ(PtlGet(md, kImpossible, 0, 0, 0, 0), PTL_PROCESS_INVALID);
  EXPECT_EQ(PtlGetRegion(md, 0, 1, kImpossible, 0, 0, 0, 0), PTL_PROCESS_INVALID);
  EXPECT_EQ(PtlGetPut(md, md, kImpossible, 0, 0, 0, 0, 0), PTL_PROCESS_INVALID);
  job->settle();
  EXPECT_EQ(kinds(0), "");
  EXPECT_EQ(state_of(md, 0).threshold, 3);
  EXPECT_EQ(PtlMDUnlink(md), PTL_OK);
}

TEST_F(Unreachable, RegionIsLookedAtBeforeTheProcess) {
  EXPECT_EQ(PtlPutRegion(source(data), 9, 1, PTL_ACK_REQ, kImpossible, 0, 0, 0, 0, 0),
            PTL_MD_ILLEGAL);
}

TEST_F(Unreachable, DistanceIsTheLargestNumber) {
  unsigned long distance = 0;
  EXPECT_EQ(PtlNIDist(job->ni(), kImpossible, &distance), PTL_PROCESS_INVALID);
  EXPECT_EQ(distance, ULONG_MAX);
}

// Returns the code of PtlNIInit when opening the transport fails with `loss`.
int open_with_failure(Loss loss) {
  portals::ProcessOptions options;
  options.progress_thread = false;
  portals::Process process(
      options,
      [loss](Pid, std::string& explanation) -> Result<std::unique_ptr<transport::Transport>> {
        explanation = "a test refuses";
        return Error(loss, "open", "a test refuses");
      });
  const api3::ScopedProcess in_force(process);
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  const int code = PtlNIInit(PTL_IFACE_DEFAULT, 5, nullptr, nullptr, &ni);
  EXPECT_EQ(ni, PTL_INVALID_HANDLE);
  EXPECT_EQ(PtlNIFini(0x20000001), PTL_NI_INVALID);
  return code;
}

TEST(Opening, PidThatIsTakenIsInvalid) {
  EXPECT_EQ(open_with_failure(Loss::kOperation), PTL_PID_INVALID);
}

TEST(Opening, NoNetworkIsFailure) { EXPECT_EQ(open_with_failure(Loss::kInterface), PTL_FAIL); }

}  // namespace
}  // namespace lintel::testing
