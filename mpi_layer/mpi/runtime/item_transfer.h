#pragma once
// ItemTransfer: one send or receive of items of a datatype, from its start to its end. Items
// without holes are moved directly, others through a packed copy. Items to and from processes that
// exchange external32 (data_representation.h) are converted through a copy.
//
// Owned by its user, used by one thread at a time. It does not move and is not destroyed while its
// request is active. Keeps the datatype alive.
// Does not: know communicators. Processes are numbers of the messenger.
// More than 30 members, because each way to start a request of the messenger has a function, and
// the others are the state of this one transfer.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "mpi_layer/mpi/objects/datatype.h"
#include "mpi_layer/p2p/either_request.h"
#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi {

// `count` items at `address`. REQUIRES: count >= 0, and the number of bytes fits in 63 bits.
struct ItemBuffer {
  ItemBuffer() = default;
  ItemBuffer(DatatypeRef of_type, std::uintptr_t at, std::int64_t items)
      : type(std::move(of_type)), address(at), count(items) {}

  DatatypeRef type;
  std::uintptr_t address = 0;
  std::int64_t count = 0;

  Items items() const { return type->items(address, count); }
  std::int64_t bytes() const { return type->size() * count; }
  // They can be moved without packing, from begin(). For predefined basic types this does not need
  // the layout.
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
  // From now on, buffered sends use `room`. Without it they use the messenger, which makes a copy
  // of its own if necessary.
  void use(SendBuffer& room) { room_ = &room; }

  // As the functions of Messenger with these names. They set the buffer and the length in
  // `arguments`. Errors, after which nothing has started: the error classes of the messenger's
  // errors; MPI_ERR_NO_MEM: no memory for the copy; MPI_ERR_BUFFER: no room in the SendBuffer; of
  // sends, MPI_ERR_CONVERSION: external32 cannot represent a number.
  [[nodiscard]] int send(Messenger& messenger, ItemBuffer buffer, SendArguments arguments);
  [[nodiscard]] int receive(Messenger& messenger, ItemBuffer buffer, ReceiveArguments arguments);
  [[nodiscard]] int init_send(Messenger& messenger, ItemBuffer buffer, SendArguments arguments);
  [[nodiscard]] int init_receive(Messenger& messenger, ItemBuffer buffer,
                                 ReceiveArguments arguments);
  [[nodiscard]] int start(Messenger& messenger);
  [[nodiscard]] int receive_matched(Messenger& messenger, ItemBuffer buffer,
                                    MatchedMessage& message);

  // receive() followed by wait().
  [[nodiscard]] int receive_and_wait(Messenger& messenger, ItemBuffer buffer,
                                     ReceiveArguments arguments);
  // Blocks until the request is complete, and does what finish() does. Returns result().
  const MessageResult& wait(Messenger& messenger);
  // To be called when the request was reported complete. Unpacks or converts what was received.
  // Further calls after the same start do nothing.
  void finish();

  // The result of the request, with lengths in the format of this machine. REQUIRES: finish() was
  // called.
  const MessageResult& result() const {
    return is_restated_ ? restated_ : request_.request().result();
  }
  MessageRequest& request() { return request_.request(); }

 private:
  // The format in which the items are sent.
  enum class WireForm : std::uint8_t {
    kAsHere,
    kExternal,
    kToBeSeen,  // a receive from any source: depends on the source
  };

  int take(ItemBuffer buffer, bool receives, std::int32_t process);
  int take(ItemBuffer buffer, SendArguments& arguments);
  int take(ItemBuffer buffer, ReceiveArguments& arguments);
  bool is_direct() const {
    return form_ == WireForm::kAsHere ||
           (form_ == WireForm::kToBeSeen && external_bytes_ <= buffer_.bytes());
  }
  std::byte* bytes() const;
  int fill();
  int send_through_room(Messenger& messenger, const SendArguments& arguments);
  void finish_in_form();
  void take_external(std::uint64_t landed);

  ItemBuffer buffer_;
  SendBuffer* room_ = nullptr;  // a send through it is complete at once; its request is a send to
                                // kProcNull
  SendArguments buffered_;      // of a persistent send through room_
  std::unique_ptr<std::byte[]> packed_;
  std::int64_t capacity_ = 0;        // of the sent format, in bytes
  std::int64_t external_bytes_ = 0;  // length of the items in external32, if that is used
  WireForm form_ = WireForm::kAsHere;
  bool is_packed_ = false;
  bool receives_ = false;
  bool unfinished_ = false;
  bool is_restated_ = false;
  MessageResult restated_;
  EitherRequest request_;  // last member, so that it is destroyed first
};

}  // namespace lintel::mpi
