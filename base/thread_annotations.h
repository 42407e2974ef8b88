#pragma once
// Attributes of clang's -Wthread-safety analysis; empty for other compilers.

#if defined(__clang__)
#define LINTEL_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define LINTEL_THREAD_ANNOTATION(x)
#endif

#define LINTEL_CAPABILITY(name) LINTEL_THREAD_ANNOTATION(capability(name))
#define LINTEL_SCOPED_CAPABILITY LINTEL_THREAD_ANNOTATION(scoped_lockable)
#define LINTEL_GUARDED_BY(x) LINTEL_THREAD_ANNOTATION(guarded_by(x))
#define LINTEL_REQUIRES(...) LINTEL_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define LINTEL_ACQUIRE(...) LINTEL_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define LINTEL_TRY_ACQUIRE(...) LINTEL_THREAD_ANNOTATION(try_acquire_capability(__VA_ARGS__))
#define LINTEL_RELEASE(...) LINTEL_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define LINTEL_ASSERT_CAPABILITY(x) LINTEL_THREAD_ANNOTATION(assert_capability(x))
#define LINTEL_EXCLUDES(...) LINTEL_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define LINTEL_RETURN_CAPABILITY(x) LINTEL_THREAD_ANNOTATION(lock_returned(x))
