#pragma once
// Messenger's waiting: what a call that blocks gives to the engine to drive it until a condition on requests holds. For the sources of this folder.

#include <utility>

#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi {

// Drains the queue, then asks `holds`. While its caller sleeps, whoever takes in an event or ends a request wakes it.
template <class Holds>
class Messenger::Awaited final : public portals::Condition {
 public:
  Awaited(Messenger& messenger, Holds holds) : Condition(true), messenger_(messenger), holds_(std::move(holds)) {}
  bool holds() override {
    messenger_.drain();
    return holds_();
  }
  void react() override { messenger_.drain(); }
  void asleep(bool asleep) override {
    messenger_.sleepers_ += asleep ? 1U : ~0U;
    messenger_.queue_->sleepers += asleep ? 1U : ~0U;
  }

 private:
  Messenger& messenger_;
  Holds holds_;
};

// Blocks until it holds. `seek` is asked at the beginning of the wait, and after each further while: whether somebody is waited for who was not met yet
// (contact.cpp). REQUIRES: the lock.
template <class Holds, class Seek>
void Messenger::wait_until(Holds holds, Seek seek) {
  Awaited<Holds> awaited(*this, std::move(holds));
  if (awaited.holds()) return;
  bool over = false;
  while (!over) over = process_.progress().wait_until(awaited, seek() ? process_.now() + options_.contact_after : kNever);
}

}  // namespace lintel::mpi
