#include "line_forwarder.h"

namespace lintel::run {

void LineForwarder::take(std::string_view bytes) {
  line_ += bytes;
  std::size_t start = 0;
  for (std::size_t end = line_.find('\n'); end != std::string::npos;
       end = line_.find('\n', start)) {
    pass_on(std::string_view(line_).substr(start, end + 1 - start));
    is_continued_ = false;
    start = end + 1;
  }
  line_.erase(0, start);
  if (line_.size() < kMaxLineBytes) return;
  pass_on(line_);
  is_continued_ = true;
  line_.clear();
}

void LineForwarder::end() {
  const bool is_open = !line_.empty() || is_continued_;
  if (!line_.empty()) pass_on(line_);
  if (is_open && !prefix_.empty()) output_->add("\n");
  line_.clear();
  is_continued_ = false;
}

void LineForwarder::pass_on(std::string_view piece) {
  if (!is_continued_) output_->add(prefix_);
  output_->add(piece);
}

}  // namespace lintel::run
