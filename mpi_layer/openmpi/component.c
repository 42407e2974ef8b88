// The entry points of the component: the version check, its priority, and its start.

#include <stdio.h>
#include <string.h>

#include "mpi_layer/openmpi/messages.h"
#include "mpi_layer/openmpi/mtl_lintel.h"

enum {
  kPriority = 10,        // below that of ob1, 20, which works on every machine
  kPriorityWanted = 50,  // with LINTEL_OPENMPI
};

static int priority = kPriority;

void lintel_say(const char* sentence) { fprintf(stderr, "lintel: Open MPI: %s\n", sentence); }

// Uses only MPI_Get_library_version(), which every series has. Nothing else of Open MPI may be used
// before.
static bool is_of_this_series(bool say) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  int major = -1;
  int minor = -1;
  if (MPI_Get_library_version(version, &length) == MPI_SUCCESS &&
      sscanf(version, "Open MPI v%d.%d", &major, &minor) == 2 && major == OMPI_MAJOR_VERSION &&
      minor == OMPI_MINOR_VERSION) {
    return true;
  }
  if (say) {
    char sentence[sizeof(version) + 160];
    snprintf(sentence, sizeof(sentence),
             "the component mca_mtl_lintel.so was built for Open MPI %d.%d and leaves this one "
             "alone, which says that it is %.*s",
             OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, (int)strcspn(version, ","), version);
    lintel_say(sentence);
  }
  return false;
}

static bool fits(bool say) {
  if (!is_of_this_series(say)) return false;
  if (series_layouts_agree()) return true;
  if (say)
    lintel_say(
        "the component mca_mtl_lintel.so leaves this Open MPI alone: its structures are not those "
        "of the headers that it was built with");
  return false;
}

static int register_parameters(void) {
  if (!fits(false)) return OPAL_SUCCESS;  // open_component() reports it
  priority = lintel_wanted() ? kPriorityWanted : kPriority;
  mca_base_component_var_register(
      &mca_mtl_lintel_component.mtl_version, "priority",
      "Priority of the component lintel; above that of pml ob1 with LINTEL_OPENMPI=1",
      MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_9, MCA_BASE_VAR_SCOPE_READONLY, &priority);
  return OPAL_SUCCESS;
}

static int open_component(void) { return fits(true) ? OPAL_SUCCESS : OPAL_ERR_NOT_AVAILABLE; }

static int close_component(void) {
  lintel_close();
  return OPAL_SUCCESS;
}

static int query(mca_base_module_t** module, int* own_priority) {
  *module = (mca_base_module_t*)&lintel_module;
  *own_priority = priority;
  return OPAL_SUCCESS;
}

static mca_mtl_base_module_t* start(LINTEL_SERIES_INIT_PARAMETERS) {
  LINTEL_SERIES_ANSWER_INIT;
  const char* problem = lintel_open((uint32_t)ompi_proc_world_size());
  if (problem != NULL) {
    lintel_say(problem);
    return NULL;
  }
  const char* card = lintel_card(&problem);
  int rc = OMPI_ERROR;
  if (card != NULL) {
    OPAL_MODEX_SEND(rc, LINTEL_SERIES_MODEX_SCOPE, &mca_mtl_lintel_component.mtl_version,
                    (void*)card, strlen(card) + 1);
    problem = "Open MPI does not take the address of this process for the others";
  }
  if (rc == OMPI_SUCCESS) return &lintel_module;
  lintel_say(problem);
  lintel_close();
  return NULL;
}

mca_mtl_base_component_2_0_0_t mca_mtl_lintel_component = {
    .mtl_version =
        {
            MCA_MTL_BASE_VERSION_2_0_0,
            .mca_component_name = "lintel",
            MCA_BASE_MAKE_VERSION(component, OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
                                  OMPI_RELEASE_VERSION),
            .mca_open_component = open_component,
            .mca_close_component = close_component,
            .mca_query_component = query,
            .mca_register_component_params = register_parameters,
        },
    .mtl_data = {.param_field = MCA_BASE_METADATA_PARAM_NONE},
    .mtl_init = start,
};
