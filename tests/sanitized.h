#pragma once
// Whether a test was compiled with the address or the thread sanitizer. Then measured time and
// memory are not those of the product, and everything takes longer.

#ifdef __has_feature
#define LINTEL_HAS_FEATURE(feature) __has_feature(feature)
#else
#define LINTEL_HAS_FEATURE(feature) 0
#endif

namespace lintel::testing {

#if defined(__SANITIZE_THREAD__) || LINTEL_HAS_FEATURE(thread_sanitizer)
inline constexpr bool kThreadSanitized = true;
#else
inline constexpr bool kThreadSanitized = false;
#endif

#if defined(__SANITIZE_ADDRESS__) || LINTEL_HAS_FEATURE(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = kThreadSanitized;
#endif

}  // namespace lintel::testing
