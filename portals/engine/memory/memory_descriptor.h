#pragma once
// MemoryDescriptor: a region of a program's memory, with the rules of its use: which operations,
// how many, at which offset, and which queue gets their events.
//
// Owned by the interface's pool. Guarded by the process' lock.
// Invariants: (1) active implies threshold != 0; (2) the threshold never becomes negative;
// kUnlimited does not change; (3) the local offset never exceeds the region's length; (4) an
// automatic unlink is due only after an operation has made the descriptor inactive.
// More than 30 members, because about half are functions of one line: what the description says,
// and what the descriptor is busy with.
// Does not: log events, know match lists, or move bytes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/ids.h"
#include "base/slot_pool.h"
#include "portals/engine/memory/descriptor_snapshot.h"
#include "portals/engine/memory/memory_region.h"

namespace lintel::portals {

class MatchEntry;

// What a descriptor allows and asks for. The options of Portals 3 are first, with the values of
// portals3.h, so that its C interface need not convert them.
namespace option {
inline constexpr std::uint32_t kPut = 0x001;
inline constexpr std::uint32_t kGet = 0x002;
inline constexpr std::uint32_t kManageRemote = 0x004;
inline constexpr std::uint32_t kTruncate = 0x008;
inline constexpr std::uint32_t kAckDisable = 0x010;
inline constexpr std::uint32_t kIovec = 0x020;
inline constexpr std::uint32_t kMaxSize = 0x040;
inline constexpr std::uint32_t kStartDisable = 0x080;
inline constexpr std::uint32_t kEndDisable = 0x100;
inline constexpr std::uint32_t kPortals3 = 0x1ff;  // all of the above
// Options of Portals 4.
// the descriptor is used up when less than max_size is left
inline constexpr std::uint32_t kMinFree = 0x200;
inline constexpr std::uint32_t kBeyondEnd =
    0x400;  // with kTruncate: accepts requests beyond the end, with 0 bytes
inline constexpr std::uint32_t kSuccessDisable = 0x800;    // no events of operations that succeed
inline constexpr std::uint32_t kSendDisable = 0x1000;      // no SEND_END
inline constexpr std::uint32_t kLinkDisable = 0x2000;      // no LINK
inline constexpr std::uint32_t kUnlinkDisable = 0x4000;    // no UNLINK, no FREE
inline constexpr std::uint32_t kOverflowDisable = 0x8000;  // no *_OVERFLOW
// no PORTAL_DISABLED because of a message that it matched
inline constexpr std::uint32_t kFlowDisable = 0x10000;
// in an overflow list: no unexpected header
inline constexpr std::uint32_t kHeaderDisable = 0x20000;
// an unexpected header moves the local offset by the requested length
inline constexpr std::uint32_t kGrowByRequest = 0x40000;
inline constexpr std::uint32_t kCountSend = 0x80000;  // what its counting event counts
inline constexpr std::uint32_t kCountReply = 0x100000;
inline constexpr std::uint32_t kCountAck = 0x200000;
inline constexpr std::uint32_t kCountTarget = 0x400000;
inline constexpr std::uint32_t kCountOverflow = 0x800000;
inline constexpr std::uint32_t kCountBytes = 0x1000000;  // counts bytes instead of operations
// the program may change the memory when the call has returned
inline constexpr std::uint32_t kVolatile = 0x2000000;
inline constexpr std::uint32_t kUnreliable = 0x4000000;  // for operations that want no ack
// the memory may not be mapped: it is probed before it is touched
inline constexpr std::uint32_t kUnsure = 0x8000000;
}  // namespace option

inline constexpr std::int32_t kUnlimited = -1;

// From what a descriptor is made. `described` is the content of snapshots; `region` is the memory.
struct DescriptorRules {
  DescriptorSnapshot described;
  MemoryRegion region;
  UserId user{0xffffffffU};  // the user whose requests it accepts; 0xffffffff: any
  SlotId counter;            // counting event; generation 0: none
};

class MemoryDescriptor {
 public:
  MemoryDescriptor(DescriptorRules rules, bool unlink_when_used_up)
      : unlink_when_used_up_(unlink_when_used_up) {
    describe(std::move(rules));
  }
  MemoryDescriptor(const MemoryDescriptor&) = delete;
  MemoryDescriptor& operator=(const MemoryDescriptor&) = delete;

  // Replaces the description and sets the local offset to 0 (PtlMDUpdate). Whether it unlinks
  // itself does not change.
  void describe(DescriptorRules rules);

  bool active() const { return active_; }
  bool has(std::uint32_t option) const { return (snapshot_.options & option) != 0; }
  const MemoryRegion& region() const { return region_; }
  const DescriptorSnapshot& snapshot() const { return snapshot_; }
  SlotId queue() const { return snapshot_.queue; }
  void forget_queue() { snapshot_.queue = {}; }
  SlotId counter() const { return counter_; }
  void forget_counter() { counter_ = {}; }
  UserId user() const { return user_; }

  // The part of a request that this descriptor accepts, and its place.
  struct Acceptance {
    std::uint64_t offset;
    std::uint64_t length;
  };
  // The target's test (clause 4.5). Nothing: the descriptor refuses, and the search continues.
  // `needed` is a set of option::kPut and kGet.
  std::optional<Acceptance> accept(std::uint32_t needed, std::uint64_t request_offset,
                                   std::uint64_t request_length) const;

  // Charges it for an unexpected header that it claims. The data are in other memory; only the
  // local offset may change (Portals 4, LOCAL_INC_UH_RLENGTH).
  void charge_claimed(std::uint64_t request_length);
  // Whether `acceptance` would use it up.
  bool used_up_by(const Acceptance& acceptance) const;
  // Charges it for one accepted request: advances the local offset, then does what charge() does.
  void charge_accepted(const Acceptance& acceptance);
  // Charges it for one operation of any kind: takes one unit of the threshold, and makes it
  // inactive at 0.
  void charge();

  // The next request uses its memory from the beginning. REQUIRES: the data there are no longer
  // needed; active(), not in_use().
  void rewind() { local_offset_ = 0; }

  // No further operation may use it. It is unlinked as soon as it is not busy.
  void retire() {
    active_ = false;
    unlink_due_ = true;
  }

  // begin() and end(), in pairs: an operation moves data of this descriptor in between.
  void begin() { ++pending_; }
  void end();
  bool busy() const { return pending_ != 0; }
  // The same for an operation whose data do not move now (Portals 4).
  enum class Awaits : std::uint8_t {
    kAck,  // data that have not left yet are counted separately
    kReply,
    kTrigger,  // of a counting event, or room after the trigger
  };
  void begin(Awaits what) {
    begin();
    ++awaited_[static_cast<std::size_t>(what)];
  }
  void end(Awaits what) {
    --awaited_[static_cast<std::size_t>(what)];
    end();
  }
  bool awaits(Awaits what) const { return awaited_[static_cast<std::size_t>(what)] != 0; }
  bool data_move() const { return pending_ != awaited_[0] + awaited_[1] + awaited_[2]; }
  // It is busy, or its memory has the data of an unexpected header.
  bool in_use() const { return busy() || headers > 0; }
  // An operation has used the descriptor up; it is unlinked as soon as it is not busy.
  bool unlink_due() const { return unlink_due_; }

  SlotId id;                    // in the interface's pool; set once after creation
  MatchEntry* entry = nullptr;  // not owned; null if it belongs to no entry
  // In an overflow list: the number of unexpected headers whose data are in its memory. Until it is
  // 0 the descriptor is kept after its entry has ended.
  std::uint32_t headers = 0;
  bool unlinked = false;

 private:
  void use_up();
  void move_to(std::uint64_t local_offset);

  DescriptorSnapshot snapshot_;
  MemoryRegion region_;
  SlotId counter_;
  UserId user_{0xffffffffU};
  std::uint64_t local_offset_ = 0;
  std::uint32_t pending_ = 0;
  std::array<std::uint32_t, 3> awaited_{};  // of them
  bool active_ = false;
  bool unlink_when_used_up_;
  bool unlink_due_ = false;
};

}  // namespace lintel::portals
