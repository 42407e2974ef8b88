// libFuzzer entry: a hostile network (engine_fuzz.h) into a process of Portals 3.
//
// Checks that every discarded message is counted once under one cause, and that nothing is left
// when all peers are gone: no operation, no registered memory, no owed event.

#include <vector>

#include "portals3.h"
#include "tests/fuzz/engine_fuzz.h"

namespace {

using namespace lintel;
using namespace lintel::testing;

constexpr ptl_process_id_t kAnyone{PTL_NID_ANY, PTL_PID_ANY};
constexpr ptl_pt_index_t kPortal = 4;

class Fuzz final : public EngineFuzz {
 public:
  Fuzz(const std::uint8_t* data, std::size_t size);

 private:
  wire::MessageKind request_kind(unsigned command, std::uint8_t) override {
    return command == 1   ? wire::MessageKind::kPut
           : command == 2 ? wire::MessageKind::kGet
                          : wire::MessageKind::kGetPut;
  }
  void aim(wire::Request& request) override { request.portal_index = kPortal; }
  void call() override;
  void finish() override;
  void check_registers();

  ptl_handle_ni_t ni_ = PTL_INVALID_HANDLE;
  ptl_handle_eq_t queue_ = PTL_EQ_NONE;
  std::vector<ptl_md_iovec_t> pieces_;
  std::vector<ptl_handle_md_t> sources_;  // bound, for operations of this process
};

Fuzz::Fuzz(const std::uint8_t* data, std::size_t size) : EngineFuzz(data, size, 65536) {
  require(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &ni_) == PTL_OK);
  require(PtlEQAlloc(ni_, 8, PTL_EQ_HANDLER_NONE, &queue_) == PTL_OK);
  for (std::size_t place = 0; place + 700 < kMemory; place += 1400)
    pieces_.push_back({memory_.data() + place, 700 - place % 512});
  const unsigned all = PTL_MD_OP_PUT | PTL_MD_OP_GET;
  struct Entry {
    ptl_match_bits_t bits;
    ptl_match_bits_t ignore;
    ptl_md_t md;
    ptl_unlink_t unlink;
  };
  const Entry entries[] = {
      {1,
       0,
       {memory_.data(), kMemory, PTL_MD_THRESH_INF, 0, all | PTL_MD_MANAGE_REMOTE, nullptr, queue_},
       PTL_RETAIN},
      {2,
       0,
       {memory_.data(), kMemory / 2, PTL_MD_THRESH_INF, 0, all | PTL_MD_TRUNCATE, nullptr, queue_},
       PTL_RETAIN},
      {3,
       0,
       {pieces_.data(), pieces_.size(), PTL_MD_THRESH_INF, 0,
        all | PTL_MD_IOVEC | PTL_MD_TRUNCATE | PTL_MD_MANAGE_REMOTE, nullptr, queue_},
       PTL_RETAIN},
      {4,
       0,
       {memory_.data(), kMemory, 3, 0, all | PTL_MD_MANAGE_REMOTE, nullptr, queue_},
       PTL_UNLINK},
      {5,
       0,
       {memory_.data(), kMemory, PTL_MD_THRESH_INF, 512, all | PTL_MD_MAX_SIZE, nullptr, queue_},
       PTL_UNLINK},
      {0,
       ~ptl_match_bits_t{7},
       {memory_.data(), 64, PTL_MD_THRESH_INF, 0, all | PTL_MD_ACK_DISABLE, nullptr, PTL_EQ_NONE},
       PTL_RETAIN},
  };
  for (const Entry& entry : entries) {
    ptl_handle_me_t me = PTL_INVALID_HANDLE;
    require(PtlMEAttach(ni_, kPortal, kAnyone, entry.bits, entry.ignore, PTL_UNLINK, PTL_INS_AFTER,
                        &me) == PTL_OK);
    require(PtlMDAttach(me, entry.md, entry.unlink, nullptr) == PTL_OK);
  }
  for (const ptl_size_t bytes : {ptl_size_t{16}, ptl_size_t{4000}}) {
    ptl_handle_md_t md = PTL_INVALID_HANDLE;
    require(PtlMDBind(ni_, {memory_.data() + 64, bytes, PTL_MD_THRESH_INF, 0, 0, nullptr, queue_},
                      PTL_RETAIN, &md) == PTL_OK);
    sources_.push_back(md);
  }
  ptl_handle_md_t scattered = PTL_INVALID_HANDLE;
  require(PtlMDBind(
              ni_,
              {pieces_.data(), pieces_.size(), PTL_MD_THRESH_INF, 0, PTL_MD_IOVEC, nullptr, queue_},
              PTL_RETAIN, &scattered) == PTL_OK);
  sources_.push_back(scattered);
}

void Fuzz::call() {
  const std::uint8_t choice = input_.byte();
  const ptl_handle_md_t md = sources_[choice / 8U % sources_.size()];
  const ProcessId& name = kPeers[choice & 1];
  const ptl_process_id_t target{name.nid.value, name.pid.value};
  ptl_event_t event;
  switch (choice % 7) {
    case 0: static_cast<void>(PtlPut(md, PTL_ACK_REQ, target, kPortal, 0, 1, 0, 9)); break;
    case 1: static_cast<void>(PtlPut(md, PTL_NO_ACK_REQ, target, kPortal, 0, 1, 0, 9)); break;
    case 2: static_cast<void>(PtlGet(md, target, kPortal, 0, 1, 0)); break;
    case 3: static_cast<void>(PtlGetPut(md, sources_[0], target, kPortal, 0, 1, 0, 9)); break;
    case 4:
      while (PtlEQGet(queue_, &event) != PTL_EQ_EMPTY) {
      }
      break;
    case 5: {  // any handle given so far, valid or not
      ptl_md_t now{};
      static_cast<void>(PtlMDUpdate(md, &now, nullptr, PTL_EQ_NONE));
      if (PtlMDUnlink(md) == PTL_OK) {
        ptl_handle_md_t again = PTL_INVALID_HANDLE;
        require(PtlMDBind(ni_, now, PTL_RETAIN, &again) == PTL_OK);
        sources_[choice / 8U % sources_.size()] = again;
      }
      break;
    }
    default: {
      ptl_handle_me_t me = PTL_INVALID_HANDLE;
      require(PtlMEAttach(ni_, kPortal, kAnyone, choice % 8, 0, PTL_UNLINK, PTL_INS_BEFORE, &me) ==
              PTL_OK);
      require(PtlMDAttach(
                  me,
                  {memory_.data() + 1, 600, 1, 0, PTL_MD_OP_PUT | PTL_MD_OP_GET, nullptr, queue_},
                  PTL_UNLINK, nullptr) == PTL_OK);
      break;
    }
  }
}

void Fuzz::check_registers() {
  ptl_sr_value_t total = 0;
  ptl_sr_value_t sum = 0;
  ptl_sr_value_t malformed = 0;
  require(PtlNIStatus(ni_, PTL_SR_DROP_COUNT, &total) == PTL_OK);
  require(PtlNIStatus(ni_, PTL_SR_DROP_MALFORMED, &malformed) == PTL_OK);
  for (ptl_sr_index_t reg = PTL_SR_DROP_PT_INDEX; reg <= PTL_SR_DROP_MALFORMED; ++reg) {
    ptl_sr_value_t value = 0;
    require(PtlNIStatus(ni_, reg, &value) == PTL_OK);
    sum += value;
  }
  require(total == sum);
  require(malformed >= malformed_);
}

// Nothing is owed.
void Fuzz::finish() {
  poll();
  check_registers();
  lose_all_peers();
  ptl_event_t event;
  while (PtlEQGet(queue_, &event) != PTL_EQ_EMPTY) {
  }
  ptl_md_t now{};
  require(PtlMDUpdate(sources_[0], &now, nullptr, PTL_EQ_NONE) == PTL_OK);
  // the queue is empty and no event is owed to it
  require(PtlMDUpdate(sources_[0], nullptr, &now, queue_) == PTL_OK);
  for (const ptl_handle_md_t md : sources_) require(PtlMDUnlink(md) == PTL_OK);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Fuzz(data, size).run();
  return 0;
}
