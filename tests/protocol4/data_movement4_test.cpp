// Section 3.15: put and get: which bytes move, between what kinds of memory, and how long the
// memory is in use.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {
namespace {

ptl_size_t address_of(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

Bytes joined(const std::vector<Bytes>& pieces) {
  Bytes all;
  for (const Bytes& piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
  return all;
}

class DataMovement4 : public Portals4Test {
 protected:
  ptl_handle_me_t target(Bytes& region, unsigned options = kPut, std::size_t rank = 1) {
    return append(region, {.options = options | kNoLink}, rank);
  }
  Md everything(std::size_t rank = 0) {
    return bind(ptl_md_t{nullptr, PTL_SIZE_MAX, 0, queue(rank), PTL_CT_NONE}, PTL_SIZE_MAX, rank);
  }
  ptl_me_t everywhere() const {
    Bytes none;
    ptl_me_t all = me(none, {.options = kBoth | kNoLink});
    all.start = nullptr;
    all.length = PTL_SIZE_MAX;
    return all;
  }
  Bytes data = pattern(16);
  Bytes memory = Bytes(16);
};

// ---- Which bytes

TEST_F(DataMovement4, PutWritesItsRegionAtTheRemoteOffset) {
  target(memory);
  ASSERT_EQ(put(bind(data), {.ack = PTL_ACK_REQ, .offset = 3, .local = 5, .length = 4}), PTL_OK);
  EXPECT_EQ(part(memory, 3, 4), part(data, 5, 4));
  EXPECT_EQ(part(memory, 0, 3), Bytes(3));
  EXPECT_EQ(part(memory, 7, 9), Bytes(9));
  EXPECT_EQ(story(0), "SEND ACK 4@3");
  EXPECT_EQ(story(1), "PUT 4/4@3");
}

TEST_F(DataMovement4, GetReadsAtTheRemoteOffsetIntoItsRegion) {
  target(data, kGet);
  ASSERT_EQ(get(bind(memory), {.offset = 3, .local = 5, .length = 4}), PTL_OK);
  EXPECT_EQ(part(memory, 5, 4), part(data, 3, 4));
  EXPECT_EQ(part(memory, 0, 5), Bytes(5));
  EXPECT_EQ(part(memory, 9, 7), Bytes(7));
  EXPECT_EQ(story(0), "REPLY 4@3");
  EXPECT_EQ(story(1), "GET 4/4@3");
}

TEST_F(DataMovement4, PutIsShortenedToTheRoom) {
  for (const std::size_t length : {std::size_t{16}, std::size_t{10000}}) {
    start({});
    Bytes more = pattern(length), room(12);
    target(room);
    ASSERT_EQ(put(bind(more), {.ack = PTL_ACK_REQ, .offset = 4, .hdr_data = 77}), PTL_OK);
    EXPECT_EQ(part(room, 4, 8), part(more, 0, 8));
    EXPECT_EQ(story(0), "SEND ACK 8@4");
    const Events events = take(1);
    EXPECT_EQ(story(events), "PUT 8/" + std::to_string(length) + "@4");
    EXPECT_EQ(only(events, PTL_EVENT_PUT).hdr_data, 77U);
  }
}

TEST_F(DataMovement4, GetIsShortenedToTheRoom) {
  for (const std::size_t length : {std::size_t{16}, std::size_t{10000}}) {
    start({});
    Bytes room = pattern(12), mine(length, 0xee);
    target(room, kGet);
    ASSERT_EQ(get(bind(mine), {.offset = 4}), PTL_OK);
    EXPECT_EQ(part(mine, 0, 8), part(room, 4, 8));
    EXPECT_EQ(part(mine, 8, length - 8), Bytes(length - 8, 0xee));
    EXPECT_EQ(story(0), "REPLY 8@4");
    EXPECT_EQ(story(1), "GET 8/" + std::to_string(length) + "@4");
  }
}

TEST_F(DataMovement4, BeyondTheEndNothingMovesAndEverythingElseHappens) {
  for (const ptl_size_t offset : {ptl_size_t{16}, ptl_size_t{17}, PTL_SIZE_MAX}) {
    for (const std::size_t length : {std::size_t{16}, std::size_t{5000}}) {
      start({});
      Bytes out = pattern(length), room(16), in(length);
      target(room, kBoth);
      ASSERT_EQ(put(bind(out), {.ack = PTL_ACK_REQ, .offset = offset, .hdr_data = 9}), PTL_OK);
      ASSERT_EQ(get(bind(in), {.offset = offset}), PTL_OK);
      const std::string at = "@" + std::to_string(offset);
      EXPECT_EQ(story(0), "SEND ACK 0" + at + " REPLY 0" + at);
      const std::string moved = " 0/" + std::to_string(length) + at;
      EXPECT_EQ(story(1), "PUT" + moved + " GET" + moved);
      EXPECT_EQ(room, Bytes(16));
      EXPECT_EQ(in, Bytes(length));
    }
  }
}

TEST_F(DataMovement4, ZeroLengthOperationsMatchAndEnd) {
  Bytes nothing;
  target(nothing, kBoth);
  const Md md = bind(nothing);
  ASSERT_EQ(put(md, {.ack = PTL_ACK_REQ, .hdr_data = 5}), PTL_OK);
  ASSERT_EQ(get(md), PTL_OK);
  EXPECT_EQ(story(0), "SEND ACK 0@0 REPLY 0@0");
  const Events events = take(1);
  EXPECT_EQ(story(events), "PUT 0/0@0 GET 0/0@0");
  EXPECT_EQ(only(events, PTL_EVENT_PUT).hdr_data, 5U);
}

TEST_F(DataMovement4, EagerLimitIsInclusiveAndNothingShows) {
  for (const std::size_t length : {1023U, 1024U, 1025U, 200000U}) {
    start({});
    Bytes out = pattern(length), there(length), back(length);
    target(there, kBoth);
    ASSERT_EQ(put(bind(out), {.ack = PTL_ACK_REQ}), PTL_OK);
    ASSERT_EQ(get(bind(back)), PTL_OK);
    EXPECT_EQ(there, out);
    EXPECT_EQ(back, out);
    EXPECT_EQ(kinds(0), "SEND ACK REPLY");
    EXPECT_EQ(kinds(1), "PUT GET");
  }
}

// ---- Kinds of memory

TEST_F(DataMovement4, PiecesAreOneMemoryWhateverTheirSizes) {
  for (const std::size_t length : {std::size_t{100}, std::size_t{10000}}) {
    start({});
    std::vector<Bytes> from{
        pattern(1, 3), {}, pattern(length / 2, 5), pattern(length - length / 2 - 1, 7)};
    std::vector<Bytes> to{Bytes(length / 3), Bytes(length - length / 3 - 2), {}, Bytes(2)};
    std::vector<Bytes> back{Bytes(length - 1), Bytes(1)};
    append(iovec_me(to, {.options = kBoth | kNoLink}));
    ASSERT_EQ(put(bind_iovec(from), {.ack = PTL_ACK_REQ}), PTL_OK);
    ASSERT_EQ(get(bind_iovec(back)), PTL_OK);
    EXPECT_EQ(joined(to), joined(from));
    EXPECT_EQ(joined(back), joined(from));
    EXPECT_EQ(kinds(0), "SEND ACK REPLY");
  }
}

TEST_F(DataMovement4, OffsetsAddressThePiecesOneAfterTheOther) {
  std::vector<Bytes> from{pattern(10), pattern(10, 2)}, to{Bytes(7), Bytes(13)};
  append(iovec_me(to, {.options = kPut | kNoLink}));
  ASSERT_EQ(put(bind_iovec(from), {.ack = PTL_ACK_REQ, .offset = 5, .local = 8, .length = 6}),
            PTL_OK);
  EXPECT_EQ(part(joined(to), 5, 6), part(joined(from), 8, 6));
  EXPECT_EQ(part(joined(to), 0, 5), Bytes(5));
  EXPECT_EQ(part(joined(to), 11, 9), Bytes(9));
  // The room is the sum of the pieces.
  ASSERT_EQ(put(bind_iovec(from), {.ack = PTL_ACK_REQ, .offset = 15}), PTL_OK);
  EXPECT_EQ(story(0), "SEND ACK 6@5 SEND ACK 5@15");
}

TEST_F(DataMovement4, MdOfTheWholeAddressSpaceTakesAddressesAsOffsets) {
  const Md all = everything();
  for (const std::size_t length : {std::size_t{16}, std::size_t{50000}}) {
    Bytes out = pattern(length), there(length), back(length);
    const ptl_handle_me_t entry = target(there, kBoth);
    ASSERT_EQ(put(all, {.ack = PTL_ACK_REQ, .local = address_of(out.data()), .length = length}),
              PTL_OK);
    ASSERT_EQ(get(all, {.local = address_of(back.data()), .length = length}), PTL_OK);
    EXPECT_EQ(there, out);
    EXPECT_EQ(back, out);
    EXPECT_EQ(unlink(entry), PTL_OK);
  }
  EXPECT_EQ(kinds(0), "SEND ACK REPLY SEND ACK REPLY");
  EXPECT_EQ(post_put(all, {.local = PTL_SIZE_MAX - 3, .length = 4}), PTL_ARG_INVALID);
  EXPECT_EQ(post_put(all, {.local = PTL_SIZE_MAX, .length = 0}), PTL_OK);
}

TEST_F(DataMovement4, EntryOfTheWholeAddressSpaceTakesAddressesAsOffsets) {
  append(everywhere());
  for (const std::size_t length : {std::size_t{16}, std::size_t{50000}}) {
    Bytes out = pattern(length), there(length), back(length);
    ASSERT_EQ(put(bind(out), {.ack = PTL_ACK_REQ, .offset = address_of(there.data())}), PTL_OK);
    EXPECT_EQ(only(take(1), PTL_EVENT_PUT).start, there.data());
    ASSERT_EQ(get(bind(back), {.offset = address_of(there.data())}), PTL_OK);
    EXPECT_EQ(there, out);
    EXPECT_EQ(back, out);
    EXPECT_EQ(only(take(1), PTL_EVENT_GET).start, there.data());
  }
  EXPECT_EQ(kinds(0), "SEND ACK REPLY SEND ACK REPLY");
}

TEST_F(DataMovement4, MemoryThatIsOnlySentFromMayBeReadOnly) {
  const std::size_t length = 4 * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* page = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  const Bytes expected = pattern(length);
  std::memcpy(page, expected.data(), length);
  ASSERT_EQ(::mprotect(page, length, PROT_READ), 0);
  Bytes there(length);
  target(there);
  const Md md = bind(ptl_md_t{page, length, 0, queue(0), PTL_CT_NONE}, length);
  ASSERT_EQ(put(md, {.ack = PTL_ACK_REQ, .length = 100}), PTL_OK);
  EXPECT_EQ(part(there, 0, 100), part(expected, 0, 100));
  ASSERT_EQ(put(md, {.ack = PTL_ACK_REQ}), PTL_OK);
  EXPECT_EQ(there, expected);
  EXPECT_EQ(kinds(0), "SEND ACK SEND ACK");
  ::munmap(page, length);
}

TEST_F(DataMovement4, VolatileMemoryMayChangeWhenTheCallHasReturned) {
  target(memory);
  const Bytes before = data;
  const Md md = bind(data, {.options = PTL_MD_VOLATILE});
  ASSERT_EQ(post_put(md), PTL_OK);  // no session yet: the message waits
  std::ranges::fill(data, std::uint8_t{0});
  job->settle();
  EXPECT_EQ(memory, before);
}

TEST_F(DataMovement4, VolatileUpToItsLimitWhateverTheWayToTheTarget) {
  ASSERT_GT(job->limits().max_volatile_size, 0U);
  Bytes most = pattern(job->limits().max_volatile_size), there(most.size());
  const Bytes before = most;
  target(there);
  ASSERT_EQ(post_put(bind(most, {.options = PTL_MD_VOLATILE}), {.ack = PTL_ACK_REQ}), PTL_OK);
  std::ranges::fill(most, std::uint8_t{0});
  job->settle();
  EXPECT_EQ(there, before);
}

TEST_F(DataMovement4, UnorderedAndUnreliableMdsCarryPuts) {
  for (const unsigned options :
       {PTL_MD_UNORDERED, PTL_MD_UNRELIABLE, PTL_MD_UNORDERED | PTL_MD_UNRELIABLE}) {
    start({});
    Bytes there(16);
    target(there);
    ASSERT_EQ(put(bind(data, {.options = options})), PTL_OK);
    EXPECT_EQ(there, data);
    EXPECT_EQ(kinds(0), "SEND");
  }
}

// ---- Memory in use

TEST_F(DataMovement4, MdIsInUseUntilItsPutHasLeft) {
  Bytes out = pattern(5000), there(5000);
  target(there);
  for (const Md& md : {bind(data), bind(out)}) {
    ASSERT_EQ(post_put(md), PTL_OK);
    EXPECT_EQ(release(md), PTL_IN_USE);
    job->settle();
    EXPECT_EQ(kinds(0), "SEND");
    EXPECT_EQ(release(md), PTL_OK);
  }
}

TEST_F(DataMovement4, MdIsInUseUntilItsReplyHasCome) {
  Bytes there = pattern(5000), in(5000);
  target(there, kGet);
  for (const ptl_size_t length : {ptl_size_t{10}, ptl_size_t{5000}}) {
    const Md md = bind(in);
    ASSERT_EQ(post_get(md, {.length = length}), PTL_OK);
    EXPECT_EQ(release(md), PTL_IN_USE);
    EXPECT_TRUE(alive(md.handle, 0));
    job->settle();
    EXPECT_EQ(kinds(0), "REPLY");
    EXPECT_EQ(release(md), PTL_OK);
    EXPECT_EQ(release(md), PTL_ARG_INVALID);
  }
}

// ---- Order

TEST_F(DataMovement4, ALargePutIsNotOvertakenInMatching) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    JobOptions4 options;
    options.network.seed = seed;
    start(options);
    Bytes large = pattern(8000), first(8000), second(8000);
    target(first, kPut | PTL_ME_USE_ONCE);
    target(second, kPut | PTL_ME_USE_ONCE);
    ASSERT_EQ(post_put(bind(large)), PTL_OK);
    ASSERT_EQ(put(bind(data)), PTL_OK);
    EXPECT_EQ(first, large) << "seed " << seed;
    EXPECT_EQ(part(second, 0, 16), data) << "seed " << seed;
  }
}

TEST_F(DataMovement4, SmallPutsAndGetsAreOrdered) {
  target(memory, kBoth);
  Bytes later = pattern(16, 9), seen(16), seen_last(16);
  ASSERT_EQ(post_put(bind(data)), PTL_OK);
  ASSERT_EQ(post_get(bind(seen)), PTL_OK);
  ASSERT_EQ(post_put(bind(later)), PTL_OK);
  ASSERT_EQ(get(bind(seen_last)), PTL_OK);
  EXPECT_EQ(seen, data);
  EXPECT_EQ(seen_last, later);
}

// ---- Oneself, and every kind of interface

TEST_F(DataMovement4, PutToOneself) {
  for (const std::size_t length : {std::size_t{16}, std::size_t{200000}}) {
    start({});
    Bytes out = pattern(length), there(length);
    target(there, kPut, 0);
    ASSERT_EQ(post_put(bind(out), {.to = 0, .ack = PTL_ACK_REQ}), PTL_OK);
    EXPECT_EQ(there, Bytes(length)) << "nothing happens inside the call";
    job->settle();
    EXPECT_EQ(there, out);
    const Events events = take(0);
    EXPECT_EQ(events.size(), 3U) << kinds(events);
    only(events, PTL_EVENT_SEND);
    only(events, PTL_EVENT_PUT);
    EXPECT_EQ(events.back().type, PTL_EVENT_ACK);
  }
}

TEST_F(DataMovement4, GetFromOneself) {
  for (const std::size_t length : {std::size_t{16}, std::size_t{200000}}) {
    start({});
    Bytes there = pattern(length), in(length);
    target(there, kGet, 0);
    ASSERT_EQ(get(bind(in), {.to = 0}), PTL_OK);
    EXPECT_EQ(in, there);
    const Events events = take(0);
    EXPECT_EQ(events.size(), 2U) << kinds(events);
    only(events, PTL_EVENT_GET);
    only(events, PTL_EVENT_REPLY);
  }
}

class DataMovement4OnEveryInterface : public DataMovement4,
                                      public ::testing::WithParamInterface<unsigned> {
 protected:
  DataMovement4OnEveryInterface() { start({.interface = GetParam()}); }
};

INSTANTIATE_TEST_SUITE_P(All, DataMovement4OnEveryInterface,
                         ::testing::Values(PTL_NI_MATCHING | PTL_NI_LOGICAL,
                                           PTL_NI_NO_MATCHING | PTL_NI_LOGICAL,
                                           PTL_NI_MATCHING | PTL_NI_PHYSICAL,
                                           PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL));

TEST_P(DataMovement4OnEveryInterface, PutAndGet) {
  target(memory, kBoth);
  ASSERT_EQ(put(bind(data), {.ack = PTL_ACK_REQ}), PTL_OK);
  EXPECT_EQ(memory, data);
  Bytes back(16);
  ASSERT_EQ(get(bind(back)), PTL_OK);
  EXPECT_EQ(back, data);
  EXPECT_EQ(kinds(0), "SEND ACK REPLY");
  const ptl_process_t self = job->id(0);
  for (const ptl_event_t& event : take(1)) {
    if (job->logical()) {
      EXPECT_EQ(event.initiator.rank, 0U);
    } else {
      EXPECT_EQ(event.initiator.phys.nid, self.phys.nid);
      EXPECT_EQ(event.initiator.phys.pid, self.phys.pid);
    }
  }
}

}  // namespace
}  // namespace lintel::testing
