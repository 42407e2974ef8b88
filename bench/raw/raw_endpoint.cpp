#include "bench/raw/raw_endpoint.h"

#include <rdma/fi_rma.h>

#include <array>

namespace lintel::bench {

template <class Post>
void RawEndpoint::start(const char* call, Post post) {
  for (;;) {
    const ssize_t code = post();
    if (code == 0) return;
    if (code != -FI_EAGAIN) check(code, call);
    poll();
  }
}

void RawEndpoint::send(std::size_t bytes) {
  if (bytes <= info_->tx_attr->inject_size) {
    start("fi_inject",
          [&] { return fi_inject(objects_.endpoint.get(), buffer_.data(), bytes, peer_); });
    return;
  }
  start("fi_send", [&] {
    return fi_send(objects_.endpoint.get(), buffer_.data(), bytes, objects_.descriptor, peer_,
                   nullptr);
  });
  ++started_;
}

void RawEndpoint::write(std::size_t bytes) {
  start("fi_write", [&] {
    return fi_write(objects_.endpoint.get(), buffer_.data(), bytes, objects_.descriptor, peer_,
                    peer_base_, peer_key_, nullptr);
  });
  ++started_;
}

void RawEndpoint::write_and_notify(std::size_t bytes) {
  start("fi_writedata", [&] {
    return fi_writedata(objects_.endpoint.get(), buffer_.data(), bytes, objects_.descriptor, 1,
                        peer_, peer_base_, peer_key_, nullptr);
  });
  ++started_;
}

void RawEndpoint::read(std::size_t bytes) {
  start("fi_read", [&] {
    return fi_read(objects_.endpoint.get(), buffer_.data(), bytes, objects_.descriptor, peer_,
                   peer_base_, peer_key_, nullptr);
  });
  ++started_;
}

void RawEndpoint::post_receives() {
  for (; receives_posted_ < receives_wanted_; ++receives_posted_) {
    const ssize_t code = fi_recv(objects_.endpoint.get(), buffer_.data(), buffer_.size(),
                                 objects_.descriptor, FI_ADDR_UNSPEC, nullptr);
    if (code == -FI_EAGAIN) return;  // the next call posts the rest
    check(code, "fi_recv");
  }
}

void RawEndpoint::poll() {
  std::array<fi_cq_data_entry, 16> entries;  // filled by the call, up to the count it returns
  const ssize_t count_read = fi_cq_read(objects_.completions.get(), entries.data(), entries.size());
  if (count_read == -FI_EAGAIN || count_read == 0) return idle_.found_nothing();
  if (count_read == -FI_EAVAIL) return read_failure();
  check(count_read, "fi_cq_read");
  idle_.completed();
  for (ssize_t i = 0; i < count_read; ++i) count(entries[static_cast<std::size_t>(i)]);
}

void RawEndpoint::count(const fi_cq_data_entry& entry) {
  if ((entry.flags & FI_RECV) != 0) {
    --receives_posted_;
    ++messages_;
  } else if ((entry.flags & FI_REMOTE_CQ_DATA) != 0) {
    ++notifications_;
  } else {
    ++completed_;
  }
}

void RawEndpoint::read_failure() {
  fi_cq_err_entry failure{};
  check(fi_cq_readerr(objects_.completions.get(), &failure, 0), "fi_cq_readerr");
  const int code = failure.err < 0 ? -failure.err : failure.err;  // shm of 1.17 reports it negative
  throw FabricError(std::string("an operation failed in the provider: ") + fi_strerror(code) + ".");
}

}  // namespace lintel::bench
