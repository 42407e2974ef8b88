#pragma once
// ItemTransfer: one send or receive of items of a datatype, from its start to its end. Items
// without holes move as they are, others through a packed copy. To and from processes that exchange
// external32 (data_representation.h) they go in that form, through a copy as well.
//
// Owned by whoever waits for it, used by one thread at a time; does not move or die while its
// request is active. Holds on to the datatype. Does not: know communicators; processes are numbers
// of the messenger.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "mpi_layer/mpi/objects/datatype.h"
#include "mpi_layer/p2p/either_request.h"
#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi {

// `count` items at `address`. REQUIRES for its use: count >= 0, and the bytes fit into 63 bits.
struct ItemBuffer {
  ItemBuffer() = default;
  ItemBuffer(DatatypeRef of_type, std::uintptr_t at, std::int64_t items)
      : type(std::move(of_type)), address(at), count(items) {}

  DatatypeRef type;
  std::uintptr_t address = 0;
  std::int64_t count = 0;

  Items items() const { return type->items(address, count); }
  std::int64_t bytes() const { return type->size() * count; }
  // They move as they are, from begin(). Of predefined basic types that needs no look at the
  // layout.
  bool is_contiguous() const { return is_basic() || items().is_contiguous(); }
  // REQUIRES: is_contiguous(), and there are bytes.
  std::byte* begin() const {
    return is_basic() ? reinterpret_cast<std::byte*>(address) : items().begin();
  }

 private:
  bool is_basic() const { return type->is_predefined() && type->parts().empty(); }
};

class SendBuffer;

class ItemTransfer {
 public:
  // Buffered sends go through `room` from now on. Without: through the messenger, which keeps a
  // copy of its own where it must.
  void use(SendBuffer& room) { room_ = &room; }

  // What Messenger's functions of these names do; the buffer and the length in `arguments` are
  // filled in here. They return error classes: those of the messenger's refusals, MPI_ERR_NO_MEM
  // without room for the copy, MPI_ERR_BUFFER without room in the SendBuffer, and of sends
  // MPI_ERR_CONVERSION for a number that external32 cannot hold. Nothing has started then.
  [[nodiscard]] int send(Messenger& messenger, ItemBuffer buffer, SendArguments arguments);
  [[nodiscard]] int receive(Messenger& messenger, ItemBuffer buffer, ReceiveArguments arguments);
  [[nodiscard]] int init_send(Messenger& messenger, ItemBuffer buffer, SendArguments arguments);
  [[nodiscard]] int init_receive(Messenger& messenger, ItemBuffer buffer,
                                 ReceiveArguments arguments);
  [[nodiscard]] int start(Messenger& messenger);
  [[nodiscard]] int receive_matched(Messenger& messenger, ItemBuffer buffer,
                                    MatchedMessage& message);

  // receive() and wait() in one.
  [[nodiscard]] int receive_and_wait(Messenger& messenger, ItemBuffer buffer,
                                     ReceiveArguments arguments);
  // Blocks until the request is complete, and does what finish() does. Returns result().
  const Result& wait(Messenger& messenger);
  // To be called when the request has been told to be complete: brings what was received to its
  // items. Once for each start; further calls do nothing.
  void finish();

  // The request's, with lengths in bytes as items have them here. REQUIRES: finish() was called.
  const Result& result() const { return is_restated_ ? restated_ : request_.request().result(); }
  Request& request() { return request_.request(); }

 private:
  // In which form the items travel.
  enum class Form : std::uint8_t {
    kAsHere,
    kExternal,
    kToBeSeen,  // a receive from any source: the message's own will tell
  };

  int take(ItemBuffer buffer, bool receives, std::int32_t process);
  int take(ItemBuffer buffer, SendArguments& arguments);
  int take(ItemBuffer buffer, ReceiveArguments& arguments);
  bool is_direct() const {
    return form_ == Form::kAsHere ||
           (form_ == Form::kToBeSeen && external_bytes_ <= buffer_.bytes());
  }
  std::byte* bytes() const;
  int fill();
  int send_through_room(Messenger& messenger, const SendArguments& arguments);
  void finish_in_form();
  void take_external(std::uint64_t landed);

  ItemBuffer buffer_;
  SendBuffer* room_ = nullptr;  // a send through it is complete at once: what its request does is a
                                // send to nobody
  SendArguments buffered_;      // of a persistent send through it
  std::unique_ptr<std::byte[]> packed_;
  std::int64_t capacity_ = 0;        // of what travels, in bytes
  std::int64_t external_bytes_ = 0;  // of the items, unless they travel as here
  Form form_ = Form::kAsHere;
  bool is_packed_ = false;
  bool receives_ = false;
  bool unfinished_ = false;
  bool is_restated_ = false;
  Result restated_;
  EitherRequest request_;  // last, so that it ends first
};

}  // namespace lintel::mpi
