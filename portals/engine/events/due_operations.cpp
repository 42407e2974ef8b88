#include "portals/engine/events/due_operations.h"

namespace lintel::portals {

WaitingLine* DueOperations::line_of(SlotId trigger) {
  if (const CountingEvent* const counter = counters_.get(trigger)) return counter->line;
  // It was freed since its operations became due.
  for (WaitingLine& line : waiting_) {
    if (line.trigger == trigger) return &line;
  }
  return nullptr;
}

WaitingLine& DueOperations::add_line(SlotId trigger) {
  WaitingLine& line = waiting_.emplace_back(trigger);
  if (CountingEvent* const counter = counters_.get(trigger)) counter->line = &line;
  return line;
}

DueOperations::Lines::iterator DueOperations::end_line(Lines::iterator line) {
  CountingEvent* const counter = counters_.get(line->trigger);
  if (counter != nullptr && counter->line == &*line) counter->line = nullptr;
  return waiting_.erase(line);
}

}  // namespace lintel::portals
