// tools/wireshark/lintel.lua on captured loopback traffic, over Lintel's own sockets and through
// libfabric.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "endpoint_pair.h"
#include "frame_bytes.h"
#include "live_capture.h"
#include "tshark.h"

namespace {

using namespace lintel::test;
using namespace lintel::portals::wire;
using lintel::transport::FrameKind;
using testing::ElementsAre;

constexpr std::uint32_t kInitiatorNid = 0x7f000001;
constexpr std::uint32_t kInitiatorPid = 101;
constexpr std::uint32_t kTargetNid = 0x7f000001;
constexpr std::uint32_t kTargetPid = 202;

Request request(MessageKind kind, std::uint64_t match_bits, std::uint32_t payload,
                std::uint64_t length) {
  Request request{};
  request.header = {kMessageVersion, static_cast<std::uint8_t>(kind), kFlagTracked, 0, payload};
  request.initiator_nid = kInitiatorNid;
  request.initiator_pid = kInitiatorPid;
  request.target_nid = kTargetNid;
  request.target_pid = kTargetPid;
  request.portal_index = 4;
  request.match_bits = match_bits;
  request.length = length;
  request.md_handle = 3;
  if (kind == MessageKind::kPut) request.header.flags |= kFlagAckWanted;
  return request;
}

Response response(MessageKind kind, const Request& to, std::uint32_t payload,
                  std::uint64_t manipulated) {
  Response response{};
  response.header = {kMessageVersion, static_cast<std::uint8_t>(kind), 0, 0, payload};
  response.initiator_nid = to.target_nid;
  response.initiator_pid = to.target_pid;
  response.target_nid = to.initiator_nid;
  response.target_pid = to.initiator_pid;
  response.portal_index = to.portal_index;
  response.match_bits = to.match_bits;
  response.requested_length = to.length;
  response.manipulated_length = manipulated;
  response.md_handle = to.md_handle;
  return response;
}

class LiveDissector : public testing::Test {
 protected:
  ~LiveDissector() override { std::remove(path_.c_str()); }

  std::string path_ =
      testing::TempDir() + "lintel_live_dissector_" + std::to_string(getpid()) + ".pcapng";
};

class ProviderFraming : public LiveDissector, public testing::WithParamInterface<const char*> {};

TEST_P(ProviderFraming, ShowsPutAckGetReplyAndGetPutAsTheProviderFramesThem) {
  const LoopbackPorts ports = free_loopback_ports();
  LiveCapture capture(path_, ports);
  if (!capture.running())
    GTEST_SKIP() << "capturing on loopback is not permitted here: " << capture.complaint();

  const Request put = request(MessageKind::kPut, 0xa1, 8, 8);
  const Request get = request(MessageKind::kGet, 0xa2, 0, 4);
  const Request getput = request(MessageKind::kGetPut, 0xa3, 4, 4);
  const std::unique_ptr<EndpointPair> pair = open_pair(GetParam(), ports);
  pair->send_to_target(data_frame({message(put, "eight by")}));
  pair->send_to_initiator(data_frame({message(response(MessageKind::kAck, put, 0, 5))}));
  pair->send_to_target(data_frame({message(get), message(getput, "swap")}));
  pair->send_to_initiator(
      data_frame({message(response(MessageKind::kReply, get, 4, 4), "four"),
                  message(response(MessageKind::kReply, getput, 4, 4), "olds")}));
  pair->write_to_target(bytes_of("written"), 77);
  pair->send_to_target(bare_frame(FrameKind::kGoodbye));
  ASSERT_TRUE(capture.wait_for(bare_frame(FrameKind::kGoodbye), std::chrono::seconds(10)));
  capture.stop();

  const std::vector<std::string> fields = {
      "lintel.frame.kind",         "lintel.kind",       "lintel.match_bits",
      "lintel.initiator.pid",      "lintel.target.pid", "lintel.length",
      "lintel.manipulated_length", "lintel.data",       "lintel.immediate"};
  std::vector<DecodedPacket> packets;
  for (DecodedPacket& packet : decode(path_, fields, "-o tcp.try_heuristic_first:TRUE")) {
    if (!packet["lintel.frame.kind"].empty() || !packet["lintel.immediate"].empty())
      packets.push_back(std::move(packet));
  }
  ASSERT_EQ(packets.size(), 6U);
  EXPECT_EQ(packets[0], (DecodedPacket{{"lintel.frame.kind", {"4"}},
                                       {"lintel.kind", {"1"}},
                                       {"lintel.match_bits", {"0x00000000000000a1"}},
                                       {"lintel.initiator.pid", {"101"}},
                                       {"lintel.target.pid", {"202"}},
                                       {"lintel.length", {"8"}},
                                       {"lintel.manipulated_length", {}},
                                       {"lintel.data", {"6569676874206279"}},
                                       {"lintel.immediate", {}}}));
  EXPECT_THAT(packets[1].at("lintel.kind"), ElementsAre("2"));
  EXPECT_THAT(packets[1].at("lintel.initiator.pid"), ElementsAre("202"));
  EXPECT_THAT(packets[1].at("lintel.target.pid"), ElementsAre("101"));
  EXPECT_THAT(packets[1].at("lintel.manipulated_length"), ElementsAre("5"));
  EXPECT_THAT(packets[2].at("lintel.kind"), ElementsAre("3", "5"));
  EXPECT_THAT(packets[2].at("lintel.match_bits"),
              ElementsAre("0x00000000000000a2", "0x00000000000000a3"));
  EXPECT_THAT(packets[2].at("lintel.data"), ElementsAre("73776170"));
  EXPECT_THAT(packets[3].at("lintel.kind"), ElementsAre("4", "4"));
  EXPECT_THAT(packets[3].at("lintel.data"), ElementsAre("666f7572", "6f6c6473"));
  EXPECT_THAT(packets[4].at("lintel.immediate"), ElementsAre("77"));
  EXPECT_THAT(packets[5].at("lintel.frame.kind"), ElementsAre("7"));
}

std::string provider_name(const testing::TestParamInfo<const char*>& one) {
  return one.param == std::string("tcp;ofi_rxm") ? "rxm" : one.param;
}

INSTANTIATE_TEST_SUITE_P(OnLoopback, ProviderFraming,
                         testing::Values("direct", "net", "tcp;ofi_rxm"), provider_name);

class ProviderTraffic : public LiveDissector, public testing::WithParamInterface<const char*> {};

TEST_P(ProviderTraffic, ShowsTheOperationsOfAPortalsProgram) {
  const LoopbackPorts ports = free_loopback_ports();
  LiveCapture capture(path_, ports);
  if (!capture.running())
    GTEST_SKIP() << "capturing on loopback is not permitted here: " << capture.complaint();

  // A process id of 1024 or more is the port. Provider and loopback do not depend on the
  // environment.
  const std::string program = "LINTEL_PROVIDER=" + std::string(GetParam()) +
                              " LINTEL_INTERFACE=" + ports.host + " " LINTEL_PORTALS_TRAFFIC " ";
  ASSERT_EQ(
      std::system(
          (program + std::to_string(ports.initiator) + " " + std::to_string(ports.target)).c_str()),
      0);
  const Bytes goodbye = bare_frame(FrameKind::kGoodbye);
  ASSERT_TRUE(capture.wait_for(std::span(goodbye).first(4), std::chrono::seconds(10)));
  capture.stop();

  std::map<std::string, std::vector<std::string>> shown;  // of the whole capture
  for (const DecodedPacket& packet :
       decode(path_,
              {"lintel.frame.kind", "lintel.kind", "lintel.match_bits", "lintel.malformed",
               "lintel.immediate"},
              "-o tcp.try_heuristic_first:TRUE")) {
    for (const auto& [field, values] : packet)
      shown[field].insert(shown[field].end(), values.begin(), values.end());
  }
  EXPECT_THAT(shown["lintel.malformed"], testing::IsEmpty());
  // HELLO, WELCOME, CONFIRM, DATA
  EXPECT_THAT(shown["lintel.frame.kind"], testing::IsSupersetOf({"1", "2", "8", "4"}));
  EXPECT_THAT(shown["lintel.kind"], ElementsAre("1", "2", "3", "4", "5", "4", "1", "16", "2"));
  EXPECT_THAT(shown["lintel.match_bits"],
              ElementsAre("0x00000000000000b1", "0x00000000000000b1", "0x00000000000000b2",
                          "0x00000000000000b2", "0x00000000000000b3", "0x00000000000000b3",
                          "0x00000000000000b4", "0x00000000000000b4"));
  // The immediate of the CLEAR, then that of the only write.
  ASSERT_EQ(shown["lintel.immediate"].size(), 2U);
  EXPECT_EQ(shown["lintel.immediate"][0], shown["lintel.immediate"][1]);
}

INSTANTIATE_TEST_SUITE_P(OnLoopback, ProviderTraffic, testing::Values("direct", "net"),
                         provider_name);

}  // namespace
