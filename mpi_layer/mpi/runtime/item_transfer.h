#pragma once
// ItemTransfer: one send or receive of items of a datatype, from its start to its end. Items without holes move as they are, others through a packed copy.
//
// Owned by whoever waits for it, used by one thread at a time; does not move or die while its request is active. Holds on to the datatype.
// Does not: know communicators; processes are numbers of the messenger.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "mpi_layer/mpi/objects/datatype.h"
#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi {

// `count` items at `address`. REQUIRES for its use: count >= 0, and the bytes fit into 63 bits.
struct ItemBuffer {
  ItemBuffer() = default;
  ItemBuffer(DatatypeRef of_type, std::uintptr_t at, std::int64_t items) : type(std::move(of_type)), address(at), count(items) {}

  DatatypeRef type;
  std::uintptr_t address = 0;
  std::int64_t count = 0;

  Items items() const { return type->items(address, count); }
  std::int64_t bytes() const { return type->size() * count; }
  // They move as they are, from begin(). Of predefined basic types that needs no look at the layout.
  bool is_contiguous() const { return is_basic() || items().is_contiguous(); }
  // REQUIRES: is_contiguous(), and there are bytes.
  std::byte* begin() const { return is_basic() ? reinterpret_cast<std::byte*>(address) : items().begin(); }

 private:
  bool is_basic() const { return type->is_predefined() && type->parts().empty(); }
};

class SendBuffer;

class ItemTransfer {
 public:
  // Buffered sends go through `room` from now on. Without: through the messenger, which keeps a copy of its own where it must.
  void use(SendBuffer& room) { room_ = &room; }

  // What Messenger's functions of these names do; the buffer and the length in `arguments` are filled in here. kNoMemory: no room for the packed copy;
  // kNoRoom: none in the SendBuffer.
  [[nodiscard]] Refusal send(Messenger& messenger, ItemBuffer buffer, SendArguments arguments);
  [[nodiscard]] Refusal receive(Messenger& messenger, ItemBuffer buffer, ReceiveArguments arguments);
  [[nodiscard]] Refusal init_send(Messenger& messenger, ItemBuffer buffer, SendArguments arguments);
  [[nodiscard]] Refusal init_receive(Messenger& messenger, ItemBuffer buffer, ReceiveArguments arguments);
  [[nodiscard]] Refusal start(Messenger& messenger);
  [[nodiscard]] Refusal receive_matched(Messenger& messenger, ItemBuffer buffer, MatchedMessage& message);

  // receive() and wait() in one.
  [[nodiscard]] Refusal receive_and_wait(Messenger& messenger, ItemBuffer buffer, ReceiveArguments arguments);
  // Blocks until the request is complete, and does what finish() does.
  const Result& wait(Messenger& messenger);
  // To be called when the request has been told to be complete: brings what was received to its items. Once for each start; further calls do nothing.
  void finish();

  Request& request() { return request_; }

 private:
  bool take(ItemBuffer buffer, bool receives);
  bool take(ItemBuffer buffer, SendArguments& arguments);
  bool take(ItemBuffer buffer, ReceiveArguments& arguments);
  std::byte* bytes() const;
  void fill();

  ItemBuffer buffer_;
  SendBuffer* room_ = nullptr;  // a send through it is complete at once: what its request does is a send to nobody
  SendArguments buffered_;      // of a persistent send through it
  std::unique_ptr<std::byte[]> packed_;
  bool is_packed_ = false;
  bool receives_ = false;
  bool unfinished_ = false;
  Request request_;  // last, so that it ends first
};

}  // namespace lintel::mpi
