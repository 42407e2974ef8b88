// Checks wire_format.h, frame_format.h, stream_format.h and their codecs against
// doc/wire_format.md. Bytes, values and offsets come from the document. This file only says which
// field of a struct each name means.

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "portals/engine/wire/wire_codec.h"
#include "portals/engine/wire/wire_format.h"
#include "transport/direct/resumption_proof.h"
#include "transport/direct/stream_format.h"
#include "transport/session/frame_codec.h"
#include "transport/session/frame_format.h"
#include "transport/session/job_key.h"
#include "transport/session/session_proof.h"
#include "wire_document.h"

namespace {

using namespace lintel::portals::wire;
using lintel::test::Example;
using lintel::test::ExampleField;
using lintel::test::Layout;
using lintel::test::read_wire_document;
using lintel::test::WireDocument;
using lintel::transport::ConfirmBody;
using lintel::transport::FrameHeader;
using lintel::transport::FrameKind;
using lintel::transport::Greeting;
using lintel::transport::GreetingKind;
using lintel::transport::Introduction;
using lintel::transport::PieceHeader;
using lintel::transport::PieceKind;
using lintel::transport::PlacedHeader;
using lintel::transport::RecordHeader;
using lintel::transport::RefuseBody;
using lintel::transport::Resumption;
using lintel::transport::ResumptionHalf;
using lintel::transport::ResumptionKey;
using lintel::transport::WriteHeader;

const WireDocument& document() {
  static const WireDocument the_document = read_wire_document(LINTEL_WIRE_DOCUMENT);
  return the_document;
}

struct Field {
  const char* name;
  std::size_t offset;
  std::size_t size;
};
using Fields = std::vector<Field>;

#define FIELD(Struct, name) \
  Field { #name, offsetof(Struct, name), sizeof(Struct::name) }

const Fields kFrameHeader = {FIELD(FrameHeader, magic),          FIELD(FrameHeader, version),
                             FIELD(FrameHeader, kind),           FIELD(FrameHeader, receiver_slot),
                             FIELD(FrameHeader, receiver_epoch), FIELD(FrameHeader, sequence),
                             FIELD(FrameHeader, acknowledged),   FIELD(FrameHeader, length)};
const Fields kIntroduction = {FIELD(Introduction, nid),
                              FIELD(Introduction, pid),
                              FIELD(Introduction, incarnation),
                              FIELD(Introduction, slot),
                              FIELD(Introduction, epoch),
                              FIELD(Introduction, echoed_epoch),
                              FIELD(Introduction, oldest_version),
                              FIELD(Introduction, flags),
                              FIELD(Introduction, reserved),
                              FIELD(Introduction, provider),
                              FIELD(Introduction, nonce),
                              FIELD(Introduction, proof)};
const Fields kRefuseBody = {FIELD(RefuseBody, echoed_epoch),   FIELD(RefuseBody, reason),
                            FIELD(RefuseBody, oldest_version), FIELD(RefuseBody, reserved),
                            FIELD(RefuseBody, provider),       FIELD(RefuseBody, echoed_nonce)};
const Fields kConfirmBody = {FIELD(ConfirmBody, proof)};
const Fields kRecordHeader = {FIELD(RecordHeader, length), FIELD(RecordHeader, reserved)};
const Fields kGreeting = {FIELD(Greeting, magic),       FIELD(Greeting, version),
                          FIELD(Greeting, kind),        FIELD(Greeting, reserved),
                          FIELD(Greeting, from_nid),    FIELD(Greeting, from_pid),
                          FIELD(Greeting, to_nid),      FIELD(Greeting, to_pid),
                          FIELD(Greeting, incarnation), FIELD(Greeting, generation)};
const Fields kResumption = {FIELD(Resumption, received), FIELD(Resumption, nonce),
                            FIELD(Resumption, proof)};
const Fields kPieceHeader = {FIELD(PieceHeader, length), FIELD(PieceHeader, kind),
                             FIELD(PieceHeader, message_bytes), FIELD(PieceHeader, flags)};
const Fields kWriteHeader = {FIELD(WriteHeader, key), FIELD(WriteHeader, address),
                             FIELD(WriteHeader, immediate), FIELD(WriteHeader, reserved)};
const Fields kPlacedHeader = {FIELD(PlacedHeader, key)};
const Fields kMessageHeader = {FIELD(MessageHeader, version), FIELD(MessageHeader, kind),
                               FIELD(MessageHeader, flags), FIELD(MessageHeader, interface_kind),
                               FIELD(MessageHeader, payload_length)};
const Fields kRequest = {FIELD(Request, header),
                         FIELD(Request, initiator_nid),
                         FIELD(Request, initiator_pid),
                         FIELD(Request, user),
                         FIELD(Request, job),
                         FIELD(Request, target_nid),
                         FIELD(Request, target_pid),
                         FIELD(Request, portal_index),
                         FIELD(Request, cookie),
                         FIELD(Request, match_bits),
                         FIELD(Request, offset),
                         FIELD(Request, length),
                         FIELD(Request, header_data),
                         FIELD(Request, md_handle),
                         FIELD(Request, md_generation),
                         FIELD(Request, sender_token),
                         FIELD(Request, return_offset),
                         FIELD(Request, atomic_operation),
                         FIELD(Request, atomic_datatype),
                         FIELD(Request, reserved),
                         FIELD(Request, operand)};
const Fields kResponse = {FIELD(Response, header),
                          FIELD(Response, initiator_nid),
                          FIELD(Response, initiator_pid),
                          FIELD(Response, user),
                          FIELD(Response, job),
                          FIELD(Response, target_nid),
                          FIELD(Response, target_pid),
                          FIELD(Response, portal_index),
                          FIELD(Response, failure),
                          FIELD(Response, list),
                          FIELD(Response, reserved),
                          FIELD(Response, match_bits),
                          FIELD(Response, offset),
                          FIELD(Response, requested_length),
                          FIELD(Response, manipulated_length),
                          FIELD(Response, md_handle),
                          FIELD(Response, md_generation),
                          FIELD(Response, return_offset),
                          FIELD(Response, request_token),
                          FIELD(Response, sender_token)};
const Fields kClear = {FIELD(Clear, header),         FIELD(Clear, source_token),
                       FIELD(Clear, receiver_token), FIELD(Clear, length),
                       FIELD(Clear, immediate),      FIELD(Clear, segment_count)};
const Fields kSegment = {FIELD(Segment, key), FIELD(Segment, address), FIELD(Segment, length)};
const Fields kWritten = {FIELD(Written, header), FIELD(Written, receiver_token),
                         FIELD(Written, write_count)};
const Fields kDiscard = {FIELD(Discard, header), FIELD(Discard, token)};

// --- the layout tables ---

struct LayoutCase {
  const char* name;
  const Fields& fields;
  std::size_t size;
};

class WireLayout : public testing::TestWithParam<LayoutCase> {};

TEST_P(WireLayout, TableNamesEveryFieldWithItsOffsetAndSize) {
  const auto& [name, fields, size] = GetParam();
  const Layout& layout = document().layout(name);
  std::vector<std::string> documented;
  for (const auto& row : layout.rows)
    documented.push_back(row.name + " " + std::to_string(row.offset) + " " +
                         std::to_string(row.size));
  std::vector<std::string> compiled;
  for (const auto& field : fields)
    compiled.push_back(std::string(field.name) + " " + std::to_string(field.offset) + " " +
                       std::to_string(field.size));
  EXPECT_THAT(documented, testing::ElementsAreArray(compiled));
}

TEST_P(WireLayout, TableLeavesNoGapAndEndsWhereTheStructEnds) {
  const auto& [name, fields, size] = GetParam();
  std::size_t end = 0;
  for (const auto& row : document().layout(name).rows) {
    EXPECT_EQ(row.offset, end) << row.name;
    end = row.offset + row.size;
  }
  EXPECT_EQ(end, size);
}

INSTANTIATE_TEST_SUITE_P(
    OfTheDocument, WireLayout,
    testing::Values(LayoutCase{"FrameHeader", kFrameHeader, sizeof(FrameHeader)},
                    LayoutCase{"Introduction", kIntroduction, sizeof(Introduction)},
                    LayoutCase{"RefuseBody", kRefuseBody, sizeof(RefuseBody)},
                    LayoutCase{"ConfirmBody", kConfirmBody, sizeof(ConfirmBody)},
                    LayoutCase{"RecordHeader", kRecordHeader, sizeof(RecordHeader)},
                    LayoutCase{"MessageHeader", kMessageHeader, sizeof(MessageHeader)},
                    LayoutCase{"Request", kRequest, sizeof(Request)},
                    LayoutCase{"Response", kResponse, sizeof(Response)},
                    LayoutCase{"Clear", kClear, sizeof(Clear)},
                    LayoutCase{"Segment", kSegment, sizeof(Segment)},
                    LayoutCase{"Written", kWritten, sizeof(Written)},
                    LayoutCase{"Discard", kDiscard, sizeof(Discard)},
                    LayoutCase{"Greeting", kGreeting, sizeof(Greeting)},
                    LayoutCase{"Resumption", kResumption, sizeof(Resumption)},
                    LayoutCase{"PieceHeader", kPieceHeader, sizeof(PieceHeader)},
                    LayoutCase{"WriteHeader", kWriteHeader, sizeof(WriteHeader)},
                    LayoutCase{"PlacedHeader", kPlacedHeader, sizeof(PlacedHeader)}),
    [](const auto& one) { return std::string(one.param.name); });

// --- the examples against themselves ---

std::uint64_t big_endian(const Example& example, const ExampleField& field) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < field.size; ++i)
    value = value << 8 | std::to_integer<std::uint64_t>(example.bytes[field.offset + i]);
  return value;
}

TEST(WireDocument, EveryStatedValueIsWhatItsBytesSay) {
  for (const Example& example : document().examples) {
    for (const ExampleField& field : example.fields) {
      SCOPED_TRACE(example.layer + " " + example.name + ": " + field.name);
      if (field.value) {
        EXPECT_LE(field.size, 8U);
        EXPECT_EQ(big_endian(example, field), *field.value);
      } else if (field.text) {
        std::string padded = *field.text;
        padded.resize(field.size, '\0');
        EXPECT_EQ(std::memcmp(padded.data(), example.bytes.data() + field.offset, field.size), 0);
      }
    }
  }
}

TEST(WireDocument, HasAnExampleOfEveryMessageAndFrame) {
  std::vector<std::string> names;
  for (const Example& example : document().examples)
    names.push_back(example.layer + " " + example.name);
  for (const char* name : {"put", "ack", "get", "cleared-get", "reply", "getput", "clear",
                           "written", "discard", "unanswered-put", "announced-put",
                           "announced-reply", "atomic", "fetch-atomic", "swap", "refused-ack"}) {
    EXPECT_THAT(names, testing::Contains(std::string("message ") + name));
  }
  for (const char* name :
       {"hello", "welcome", "confirm", "refuse", "data", "ack", "ping", "goodbye"}) {
    EXPECT_THAT(names, testing::Contains(std::string("frame ") + name));
  }
  for (const char* name :
       {"connect", "accept", "resume", "proof", "acknowledge", "message", "write", "placed"}) {
    EXPECT_THAT(names, testing::Contains(std::string("stream ") + name));
  }
}

// --- the messages against the codec ---

// Sets the fields of the host-order struct at `to` to the stated values of `prefix` + field name.
// Its "header" is filled field by field.
void fill(const Example& example, const Fields& fields, const std::string& prefix,
          unsigned char* to) {
  const auto put = [&](const Field& field, auto value) {
    ASSERT_EQ(field.size, sizeof value) << prefix << field.name;
    std::memcpy(to + field.offset, &value, sizeof value);
  };
  for (const Field& field : fields) {
    const std::string name = field.name;
    if (name == "header") {
      fill(example, kMessageHeader, prefix, to);
      continue;
    }
    const ExampleField* stated = example.field(prefix + name);
    ASSERT_NE(stated, nullptr) << prefix << name;
    ASSERT_EQ(stated->size, field.size) << prefix << name;
    if (stated->text) {
      std::memcpy(to + field.offset, stated->text->data(), stated->text->size());
    } else if (field.size > sizeof *stated->value) {  // random bytes, and proofs
      std::memcpy(to + field.offset, example.bytes.data() + stated->offset, field.size);
    } else if (name != "reserved") {  // `reserved` stays 0
      switch (field.size) {
        case 1: put(field, static_cast<std::uint8_t>(*stated->value)); break;
        case 2: put(field, static_cast<std::uint16_t>(*stated->value)); break;
        case 4: put(field, static_cast<std::uint32_t>(*stated->value)); break;
        default: put(field, *stated->value); break;
      }
    }
  }
}

template <class T>
T stated(const Example& example, const Fields& fields, const std::string& prefix = "") {
  T value{};
  fill(example, fields, prefix, reinterpret_cast<unsigned char*>(&value));
  return value;
}

// What follows the fixed part: data, or the CLEAR of a get.
std::size_t payload_size(const Example& example) {
  for (const char* first : {"data", "clear version"}) {
    if (const ExampleField* field = example.field(first))
      return example.bytes.size() - field->offset;
  }
  return 0;
}

// A put has fewer fields than other requests.
Request stated_request(const Example& example) {
  const std::size_t end = example.bytes.size() - payload_size(example);
  Fields present;
  for (const Field& field : kRequest) {
    if (field.offset < end) present.push_back(field);
  }
  auto request = stated<Request>(example, present);
  if (end <= offsetof(Request, md_handle)) request.md_handle = kNoDescriptor;
  return request;
}

template <class T>
std::vector<std::byte> encoded(const T& value) {
  std::vector<std::byte> bytes(fixed_size(value.header));
  encode(value, bytes.data());
  return bytes;
}

std::vector<std::byte> encoded(const Segment& segment) {
  std::vector<std::byte> bytes(sizeof segment);
  encode(segment, bytes.data());
  return bytes;
}

void append(std::vector<std::byte>& bytes, const std::vector<std::byte>& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

// Appends a CLEAR, whose fields have `prefix`, and its segments.
void append_clear(std::vector<std::byte>& bytes, const Example& example,
                  const std::string& prefix) {
  append(bytes, encoded(stated<Clear>(example, kClear, prefix)));
  for (std::size_t i = 0;; ++i) {
    const std::string segment = prefix + "segment " + std::to_string(i) + " ";
    if (example.field(segment + "key") == nullptr) return;
    append(bytes, encoded(stated<Segment>(example, kSegment, segment)));
  }
}

void append_payload(std::vector<std::byte>& bytes, const Example& example) {
  if (example.field("clear version") != nullptr) append_clear(bytes, example, "clear ");
  if (const ExampleField* data = example.field("data")) {
    for (const char c : *data->text) bytes.push_back(static_cast<std::byte>(c));
  }
}

template <class T>
bool same(const T& left, const T& right) {
  static_assert(std::has_unique_object_representations_v<T>);
  return std::memcmp(&left, &right, sizeof(T)) == 0;
}

struct MessageCase {
  const char* name;
  MessageKind kind;
};

std::string test_name(const testing::TestParamInfo<MessageCase>& info) {
  std::string name;
  for (const char* c = info.param.name; *c != '\0'; ++c) {
    if (*c != '-') name += *c;
  }
  return name;
}

class WireRequest : public testing::TestWithParam<MessageCase> {};

TEST_P(WireRequest, EncodesToTheBytesOfTheDocument) {
  const Example& example = document().example("message", GetParam().name);
  auto bytes = encoded(stated_request(example));
  append_payload(bytes, example);
  EXPECT_EQ(bytes, example.bytes);
}

TEST_P(WireRequest, ParsesToTheValuesOfTheDocument) {
  const Example& example = document().example("message", GetParam().name);
  const auto header = parse_header(example.bytes);
  ASSERT_TRUE(header);
  EXPECT_EQ(static_cast<MessageKind>(header->kind), GetParam().kind);
  EXPECT_TRUE(same(parse_request(example.bytes), stated_request(example)));
  EXPECT_EQ(payload_of(example.bytes, *header).size(), payload_size(example));
}

INSTANTIATE_TEST_SUITE_P(OfTheDocument, WireRequest,
                         testing::Values(MessageCase{"put", MessageKind::kPut},
                                         MessageCase{"unanswered-put", MessageKind::kPut},
                                         MessageCase{"announced-put", MessageKind::kPut},
                                         MessageCase{"get", MessageKind::kGet},
                                         MessageCase{"cleared-get", MessageKind::kGet},
                                         MessageCase{"getput", MessageKind::kGetPut}),
                         test_name);

class WireResponse : public testing::TestWithParam<MessageCase> {};

TEST_P(WireResponse, EncodesToTheBytesOfTheDocument) {
  const Example& example = document().example("message", GetParam().name);
  auto bytes = encoded(stated<Response>(example, kResponse));
  append_payload(bytes, example);
  EXPECT_EQ(bytes, example.bytes);
}

TEST_P(WireResponse, ParsesToTheValuesOfTheDocument) {
  const Example& example = document().example("message", GetParam().name);
  const auto header = parse_header(example.bytes);
  ASSERT_TRUE(header);
  EXPECT_EQ(static_cast<MessageKind>(header->kind), GetParam().kind);
  EXPECT_TRUE(same(parse_response(example.bytes), stated<Response>(example, kResponse)));
  EXPECT_EQ(payload_of(example.bytes, *header).size(), payload_size(example));
}

INSTANTIATE_TEST_SUITE_P(OfTheDocument, WireResponse,
                         testing::Values(MessageCase{"ack", MessageKind::kAck},
                                         MessageCase{"refused-ack", MessageKind::kAck},
                                         MessageCase{"reply", MessageKind::kReply},
                                         MessageCase{"announced-reply", MessageKind::kReply}),
                         test_name);

TEST(WireClear, EncodesToTheBytesOfTheDocument) {
  const Example& example = document().example("message", "clear");
  std::vector<std::byte> bytes;
  append_clear(bytes, example, "");
  EXPECT_EQ(bytes, example.bytes);
}

TEST(WireClear, ParsesToTheValuesOfTheDocument) {
  const Example& example = document().example("message", "clear");
  const auto header = parse_header(example.bytes);
  ASSERT_TRUE(header);
  EXPECT_TRUE(same(parse_clear(example.bytes), stated<Clear>(example, kClear)));
  const auto payload = payload_of(example.bytes, *header);
  EXPECT_TRUE(same(parse_segment(payload, 0), stated<Segment>(example, kSegment, "segment 0 ")));
  EXPECT_TRUE(same(parse_segment(payload, 1), stated<Segment>(example, kSegment, "segment 1 ")));
}

TEST(WireClear, InAGetParsesToTheValuesOfTheDocument) {
  const Example& example = document().example("message", "cleared-get");
  const auto get = parse_header(example.bytes);
  ASSERT_TRUE(get);
  EXPECT_EQ(get->flags, kFlagTracked | kFlagCleared);
  const auto message = payload_of(example.bytes, *get);
  const auto header = parse_header(message);
  ASSERT_TRUE(header);
  const auto clear = stated<Clear>(example, kClear, "clear ");
  EXPECT_TRUE(same(parse_clear(message), clear));
  EXPECT_EQ(clear.source_token, 0U);
  EXPECT_EQ(clear.length, parse_request(example.bytes).length);
  EXPECT_EQ(header->interface_kind, get->interface_kind);
  EXPECT_TRUE(same(parse_segment(payload_of(message, *header), 0),
                   stated<Segment>(example, kSegment, "clear segment 0 ")));
}

TEST(WireWritten, EncodesAndParsesAsInTheDocument) {
  const Example& example = document().example("message", "written");
  const auto written = stated<Written>(example, kWritten);
  EXPECT_EQ(encoded(written), example.bytes);
  ASSERT_TRUE(parse_header(example.bytes));
  EXPECT_TRUE(same(parse_written(example.bytes), written));
}

TEST(WireDiscard, EncodesAndParsesAsInTheDocument) {
  const Example& example = document().example("message", "discard");
  const auto discard = stated<Discard>(example, kDiscard);
  EXPECT_EQ(encoded(discard), example.bytes);
  ASSERT_TRUE(parse_header(example.bytes));
  EXPECT_TRUE(same(parse_discard(example.bytes), discard));
}

TEST(WireDocument, AckAndReplySwapInitiatorAndTargetOfTheirRequestAndEchoTheRest) {
  const auto expect_answer = [](const char* request_name, const char* response_name) {
    SCOPED_TRACE(response_name);
    const Request request = parse_request(document().example("message", request_name).bytes);
    const Response response = parse_response(document().example("message", response_name).bytes);
    EXPECT_EQ(response.initiator_nid, request.target_nid);
    EXPECT_EQ(response.initiator_pid, request.target_pid);
    EXPECT_EQ(response.target_nid, request.initiator_nid);
    EXPECT_EQ(response.target_pid, request.initiator_pid);
    EXPECT_EQ(response.portal_index, request.portal_index);
    EXPECT_EQ(response.match_bits, request.match_bits);
    EXPECT_EQ(response.offset, request.offset);
    EXPECT_EQ(response.requested_length, request.length);
    EXPECT_EQ(response.md_handle, request.md_handle);
    EXPECT_EQ(response.md_generation, request.md_generation);
    EXPECT_EQ(response.return_offset, request.return_offset);
    EXPECT_EQ(response.request_token, request.sender_token);
  };
  expect_answer("put", "ack");
  expect_answer("atomic", "refused-ack");
  expect_answer("get", "reply");
}

// --- the frames against their codec ---

struct FrameCase {
  const char* name;
  FrameKind kind;
};

class WireFrame : public testing::TestWithParam<FrameCase> {};

template <class T>
void append_frame_part(std::vector<std::byte>& bytes, const T& part) {
  bytes.resize(bytes.size() + sizeof(T));
  lintel::transport::encode(bytes.data() + bytes.size() - sizeof(T), part);
}

TEST_P(WireFrame, EncodesToTheBytesOfTheDocument) {
  const Example& example = document().example("frame", GetParam().name);
  std::vector<std::byte> bytes;
  append_frame_part(bytes, stated<FrameHeader>(example, kFrameHeader));
  switch (GetParam().kind) {
    case FrameKind::kHello:
    case FrameKind::kWelcome:
      append_frame_part(bytes, stated<Introduction>(example, kIntroduction));
      break;
    case FrameKind::kRefuse:
      append_frame_part(bytes, stated<RefuseBody>(example, kRefuseBody));
      break;
    case FrameKind::kConfirm:
      append_frame_part(bytes, stated<ConfirmBody>(example, kConfirmBody));
      break;
    default: break;
  }
  EXPECT_EQ(bytes, example.bytes);
}

TEST_P(WireFrame, DecodesToTheValuesOfTheDocument) {
  const Example& example = document().example("frame", GetParam().name);
  EXPECT_TRUE(same(lintel::transport::decode<FrameHeader>(example.bytes.data()),
                   stated<FrameHeader>(example, kFrameHeader)));
  const std::byte* body = example.bytes.data() + sizeof(FrameHeader);
  switch (GetParam().kind) {
    case FrameKind::kHello:
    case FrameKind::kWelcome:
      EXPECT_TRUE(same(lintel::transport::decode<Introduction>(body),
                       stated<Introduction>(example, kIntroduction)));
      break;
    case FrameKind::kRefuse:
      EXPECT_TRUE(same(lintel::transport::decode<RefuseBody>(body),
                       stated<RefuseBody>(example, kRefuseBody)));
      break;
    case FrameKind::kConfirm:
      EXPECT_TRUE(same(lintel::transport::decode<ConfirmBody>(body),
                       stated<ConfirmBody>(example, kConfirmBody)));
      break;
    default: break;
  }
}

TEST_P(WireFrame, StatesMagicVersionKindAndLength) {
  const Example& example = document().example("frame", GetParam().name);
  EXPECT_EQ(example.field("magic")->value, lintel::transport::kFrameMagic);
  EXPECT_EQ(example.field("version")->value, lintel::transport::kFrameVersion);
  EXPECT_EQ(example.field("kind")->value, static_cast<std::uint64_t>(GetParam().kind));
  EXPECT_EQ(example.field("length")->value, example.bytes.size() - sizeof(FrameHeader));
}

INSTANTIATE_TEST_SUITE_P(OfTheDocument, WireFrame,
                         testing::Values(FrameCase{"hello", FrameKind::kHello},
                                         FrameCase{"welcome", FrameKind::kWelcome},
                                         FrameCase{"confirm", FrameKind::kConfirm},
                                         FrameCase{"refuse", FrameKind::kRefuse},
                                         FrameCase{"ack", FrameKind::kAck},
                                         FrameCase{"ping", FrameKind::kPing},
                                         FrameCase{"goodbye", FrameKind::kGoodbye}),
                         [](const auto& one) { return std::string(one.param.name); });

// Of the examples hello, welcome and confirm, by the job's secret that the document states.
TEST(WireHandshake, ProofsOfTheDocumentAreThoseOfTheCode) {
  using lintel::transport::decode;
  using lintel::transport::HandshakeHalf;
  const auto example = [](const char* name) -> const std::vector<std::byte>& {
    return document().example("frame", name).bytes;
  };
  const auto half = [&](const char* name) {
    return HandshakeHalf{lintel::transport::kFrameVersion,
                         decode<Introduction>(example(name).data() + sizeof(FrameHeader))};
  };
  const HandshakeHalf hello = half("hello");
  const HandshakeHalf welcome = half("welcome");
  constexpr std::string_view kSecret = "an example of a job's secret";
  lintel::transport::JobKey job;
  job.give(std::as_bytes(std::span(kSecret.data(), kSecret.size())));
  const lintel::ProcessId responder{lintel::NodeId(welcome.introduction.nid),
                                    lintel::Pid(welcome.introduction.pid)};
  const auto ends_with = [](const std::vector<std::byte>& bytes, const auto& proof) {
    return std::equal(proof.rbegin(), proof.rend(), bytes.rbegin());
  };
  EXPECT_TRUE(ends_with(example("hello"), prove_hello(*job.key(), responder, hello)));
  EXPECT_TRUE(ends_with(example("welcome"), prove_welcome(*job.key(), {}, hello, welcome)));
  EXPECT_TRUE(ends_with(example("confirm"), prove_confirmation(*job.key(), {}, hello, welcome)));
}

TEST(WireDataFrame, HeaderAndRecordHeadersEncodeToTheBytesOfTheDocument) {
  const Example& example = document().example("frame", "data");
  const auto expect_at = [&](std::size_t offset, const auto& part) {
    std::vector<std::byte> bytes;
    append_frame_part(bytes, part);
    EXPECT_EQ(std::memcmp(bytes.data(), example.bytes.data() + offset, bytes.size()), 0)
        << "at " << offset;
  };
  expect_at(0, stated<FrameHeader>(example, kFrameHeader));
  expect_at(example.field("record 0 length")->offset,
            stated<RecordHeader>(example, kRecordHeader, "record 0 "));
  expect_at(example.field("record 1 length")->offset,
            stated<RecordHeader>(example, kRecordHeader, "record 1 "));
}

TEST(WireDataFrame, RecordsAreWholeMessagesAtTheirStatedPlaces) {
  const Example& example = document().example("frame", "data");
  const std::span<const std::byte> bytes = example.bytes;
  lintel::transport::RecordReader reader(bytes.subspan(sizeof(FrameHeader)));
  std::vector<MessageKind> kinds;
  for (std::span<const std::byte> message; reader.next(message);) {
    const std::string prefix = "record " + std::to_string(kinds.size()) + " ";
    EXPECT_EQ(message.data(),
              bytes.data() + example.field(prefix + "length")->offset + sizeof(RecordHeader));
    EXPECT_EQ(message.size(), example.field(prefix + "length")->value);
    const auto header = parse_header(message);
    ASSERT_TRUE(header) << prefix;
    kinds.push_back(static_cast<MessageKind>(header->kind));
  }
  EXPECT_FALSE(reader.malformed());
  EXPECT_THAT(kinds, testing::ElementsAre(MessageKind::kPut, MessageKind::kDiscard));
}

// --- the stream of `direct` ---

// The struct with the stated values is encoded at `offset` of the example, and is decoded from
// there.
template <class Wire>
void expect_on_stream(const Example& example, std::size_t offset, const Wire& stated_value) {
  std::vector<std::byte> wire(sizeof(Wire));
  lintel::transport::encode(wire.data(), stated_value);
  ASSERT_GE(example.bytes.size(), offset + sizeof(Wire));
  EXPECT_EQ(std::memcmp(wire.data(), example.bytes.data() + offset, sizeof(Wire)), 0)
      << example.name << " at " << offset;
  EXPECT_TRUE(same(lintel::transport::decode<Wire>(example.bytes.data() + offset), stated_value))
      << example.name << " at " << offset;
}

// Checks the greeting of that kind at the beginning of the example.
Greeting expect_greeting(const Example& example, GreetingKind kind) {
  const auto greeting = stated<Greeting>(example, kGreeting);
  EXPECT_EQ(greeting.magic, lintel::transport::kGreetingMagic);
  EXPECT_EQ(greeting.version, lintel::transport::kStreamVersion);
  EXPECT_EQ(static_cast<GreetingKind>(greeting.kind), kind);
  EXPECT_EQ(example.bytes.size(),
            sizeof(Greeting) +
                (lintel::transport::has_resumption(greeting.kind) ? sizeof(Resumption) : 0));
  expect_on_stream(example, 0, greeting);
  return greeting;
}

TEST(WireStream, GreetingsAreAsInTheDocument) {
  expect_greeting(document().example("stream", "connect"), GreetingKind::kConnect);
  expect_greeting(document().example("stream", "accept"), GreetingKind::kAccept);
}

// Checks the greeting of that kind and the Resumption behind it.
Resumption expect_resumption(const Example& example, GreetingKind kind) {
  expect_greeting(example, kind);
  const auto resumption = stated<Resumption>(example, kResumption, "resumption ");
  expect_on_stream(example, sizeof(Greeting), resumption);
  return resumption;
}

TEST(WireStream, ARequestToResumeIsAGreetingAndAResumptionWithANonce) {
  const Resumption resumption =
      expect_resumption(document().example("stream", "resume"), GreetingKind::kResume);
  EXPECT_EQ(resumption.received, 0U);
  for (const std::byte byte : resumption.proof) EXPECT_EQ(byte, std::byte{0});
}

// The bytes of the document, put together here byte by byte.
class ProofBytes {
 public:
  void add_word(std::string_view word) {
    for (const char letter : word) bytes_.push_back(static_cast<std::byte>(letter));
  }
  void add_number(std::uint64_t number, int bytes) {
    while (bytes-- > 0) bytes_.push_back(static_cast<std::byte>(number >> (8 * bytes)));
  }
  void add_half(const ResumptionHalf& half, std::uint64_t generation, std::uint64_t received) {
    add_number(half.name.nid.value, 4);
    add_number(half.name.pid.value, 4);
    add_number(ntohl(half.end.sin_addr.s_addr), 4);
    add_number(ntohs(half.end.sin_port), 2);
    add_number(0, 2);
    add_number(half.incarnation, 8);
    add_number(generation, 8);
    add_number(received, 8);
    bytes_.insert(bytes_.end(), half.nonce.begin(), half.nonce.end());
  }
  lintel::transport::Digest proof(const ResumptionKey& key) const {
    return lintel::transport::hmac_sha256(key, {bytes_});
  }

 private:
  std::vector<std::byte> bytes_;
};

ResumptionHalf half_of(const Greeting& greeting, std::uint16_t port) {
  ResumptionHalf half;
  half.name = {lintel::NodeId(greeting.from_nid), lintel::Pid(greeting.from_pid)};
  half.incarnation = greeting.incarnation;
  half.end.sin_addr.s_addr = htonl(greeting.from_nid);
  half.end.sin_port = htons(port);
  return half;
}

// Of the examples resume and proof, by what the document states of the connection.
TEST(WireStream, ProofsOfAResumptionCoverTheBytesOfTheDocument) {
  const Resumption request =
      expect_resumption(document().example("stream", "resume"), GreetingKind::kResume);
  const Resumption proof =
      expect_resumption(document().example("stream", "proof"), GreetingKind::kProof);
  ResumptionHalf requester =
      half_of(stated<Greeting>(document().example("stream", "resume"), kGreeting), 40000);
  ResumptionHalf other =
      half_of(stated<Greeting>(document().example("stream", "accept"), kGreeting), 12000);
  std::memcpy(requester.nonce.data(), request.nonce, requester.nonce.size());
  requester.received = proof.received;
  requester.generation =
      stated<Greeting>(document().example("stream", "proof"), kGreeting).generation;
  ResumptionKey key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(i);
  for (std::size_t i = 0; i < other.nonce.size(); ++i)
    other.nonce[i] = static_cast<std::byte>(0xc0 + i);
  other.received = 77;
  other.generation = 8;

  const auto requested = prove_request(key, requester, other);
  EXPECT_EQ(std::memcmp(requested.data(), proof.proof, requested.size()), 0);
  ProofBytes of_request;
  of_request.add_word("resume");
  of_request.add_half(requester, requester.generation, requester.received);
  of_request.add_half(other, 0, 0);
  EXPECT_EQ(of_request.proof(key), requested);
  ProofBytes of_answer;
  of_answer.add_word("resumed");
  of_answer.add_half(requester, requester.generation, requester.received);
  of_answer.add_half(other, other.generation, other.received);
  EXPECT_EQ(of_answer.proof(key), prove_resumed(key, requester, other));
}

// Checks the piece header of that kind at the beginning of the example.
PieceHeader expect_piece(const Example& example, PieceKind kind) {
  const auto piece = stated<PieceHeader>(example, kPieceHeader, "piece ");
  EXPECT_EQ(static_cast<PieceKind>(piece.kind), kind);
  expect_on_stream(example, 0, piece);
  return piece;
}

TEST(WireStream, AnAcknowledgementIsAPieceHeaderWithTheLowBitsOfThePosition) {
  const Example& example = document().example("stream", "acknowledge");
  const PieceHeader piece = expect_piece(example, PieceKind::kAcknowledge);
  EXPECT_EQ(example.bytes.size(), sizeof(PieceHeader));
  EXPECT_EQ(piece.flags, 0U);
  const auto proof =
      stated<Resumption>(document().example("stream", "proof"), kResumption, "resumption ");
  EXPECT_EQ(piece.length, static_cast<std::uint32_t>(proof.received));
}

TEST(WireStream, AMessageIsAPieceHeaderAndAFrame) {
  const Example& example = document().example("stream", "message");
  const PieceHeader piece = expect_piece(example, PieceKind::kMessage);
  const std::vector<std::byte> message(example.bytes.begin() + sizeof(PieceHeader),
                                       example.bytes.end());
  EXPECT_EQ(piece.length, message.size());
  EXPECT_EQ(message, document().example("frame", "ping").bytes);
}

TEST(WireStream, AWriteIsAPieceHeaderAWriteHeaderAndTheBytes) {
  const Example& example = document().example("stream", "write");
  const PieceHeader piece = expect_piece(example, PieceKind::kWrite);
  expect_on_stream(example, sizeof(PieceHeader),
                   stated<WriteHeader>(example, kWriteHeader, "write "));
  EXPECT_EQ(example.field("data")->offset, sizeof(PieceHeader) + sizeof(WriteHeader));
  EXPECT_EQ(piece.length, payload_size(example));
  EXPECT_EQ(piece.flags, lintel::transport::kAcknowledgeWhenIdle);
}

TEST(WireStream, APlacedMessageBeginsWithAPieceHeaderAndAPlacedMessageHeader) {
  const Example& example = document().example("stream", "placed");
  const PieceHeader piece = expect_piece(example, PieceKind::kPlaced);
  EXPECT_EQ(piece.flags,
            lintel::transport::kAcknowledgeWhenIdle | lintel::transport::kAcknowledgeSoon);
  const auto placed_message = stated<PlacedHeader>(example, kPlacedHeader, "placed ");
  EXPECT_EQ(placed_message.key >> 63, 0U);
  expect_on_stream(example, sizeof(PieceHeader), placed_message);
  EXPECT_EQ(example.bytes.size(), sizeof(PieceHeader) + sizeof(PlacedHeader));
}

}  // namespace
