// MPI_MINLOC, MPI_MAXLOC.
#include "mpi_layer/mpi/objects/machine_number.h"

namespace lintel::mpi {

namespace {

// `Wins` says whether the left value is the result. For equal values the lower index is.
template <class Pair, class Wins>
void locate(const void* in, void* inout, std::size_t count) {
  const char* from = static_cast<const char*>(in);
  char* to = static_cast<char*>(inout);
  for (std::size_t i = 0; i < count; ++i, from += sizeof(Pair), to += sizeof(Pair)) {
    Pair a;
    Pair b;
    std::memcpy(&a, from, sizeof(Pair));
    std::memcpy(&b, to, sizeof(Pair));
    if (!Wins{}(a.value, b.value) && (a.value != b.value || !(a.index < b.index))) continue;
    // Copied member by member, because the padding of a pair must not be written.
    std::memcpy(to + offsetof(Pair, value), &a.value, sizeof a.value);
    std::memcpy(to + offsetof(Pair, index), &a.index, sizeof a.index);
  }
}

struct LesserWins {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};
struct GreaterWins {
  template <class T>
  bool operator()(T a, T b) const {
    return a > b;
  }
};

template <class Wins>
Kernel locate_in(Form form) {
  switch (form) {
    case Form::kFloatInt: return locate<FloatIntPair, Wins>;
    case Form::kDoubleInt: return locate<DoubleIntPair, Wins>;
    case Form::kLongInt: return locate<LongIntPair, Wins>;
    case Form::kTwoInt: return locate<TwoIntPair, Wins>;
    case Form::kShortInt: return locate<ShortIntPair, Wins>;
    case Form::kLongDoubleInt: return locate<LongDoubleIntPair, Wins>;
    case Form::kTwoFloat: return locate<TwoFloatPair, Wins>;
    case Form::kTwoDouble: return locate<TwoDoublePair, Wins>;
    default: return nullptr;
  }
}

}  // namespace

Kernel location_kernel(Reduction reduction, Form form) {
  switch (reduction) {
    case Reduction::kMinLocation: return locate_in<LesserWins>(form);
    case Reduction::kMaxLocation: return locate_in<GreaterWins>(form);
    default: return nullptr;
  }
}

}  // namespace lintel::mpi
