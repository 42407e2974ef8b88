/* Preloaded: gives Open MPI's class of matched messages another size than in its headers, as in a
 * modified library. */
#include "opal_config.h"

#include "opal/class/opal_object.h"

/* missing in a process that is no rank */
extern opal_class_t ompi_message_t_class __attribute__((weak));

__attribute__((constructor)) static void enlarge(void) {
  if (&ompi_message_t_class != NULL) ompi_message_t_class.cls_sizeof += 8;
}
