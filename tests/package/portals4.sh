#!/usr/bin/env bash
# portals4.sh <stage> <library folder> <cc>: programs and configure scripts that look for Portals 4
# find it, and one process can use both APIs.
set -euo pipefail
stage=$1 libdir=$2 cc=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export PKG_CONFIG_PATH="$stage/$libdir/pkgconfig" LINTEL_INTERFACE=lo

# What a configure script tries: the header, and a symbol in -lportals.
printf '#include <portals4.h>\nint main(void) { return 0; }\n' > header.c
"$cc" -I"$stage/include" -c header.c
printf 'char PtlLEAppend(void);\nint main(void) { return PtlLEAppend(); }\n' > symbol.c
"$cc" symbol.c -L"$stage/$libdir" -lportals -o symbol
readelf -d symbol | grep -q 'libportals\.so\.4' \
  || { echo "a program that is linked with -lportals does not ask for libportals.so.4"; exit 1; }

# By pkg-config, and it runs: a put to itself.
cat > four.c <<'C'
#include <portals4.h>
#include <string.h>
#define OK(call) do { if ((call) != PTL_OK) return __LINE__; } while (0)
int four(void) {
  ptl_handle_ni_t ni;
  ptl_handle_eq_t eq;
  ptl_pt_index_t pt;
  ptl_handle_le_t le;
  ptl_handle_md_t md;
  ptl_process_t self;
  ptl_event_t event;
  char from[] = "from here", to[sizeof from] = "";
  ptl_le_t entry = {.start = to, .length = sizeof to, .ct_handle = PTL_CT_NONE,
                    .uid = PTL_UID_ANY, .options = PTL_LE_OP_PUT | PTL_LE_EVENT_LINK_DISABLE};
  ptl_md_t memory = {.start = from, .length = sizeof from, .options = PTL_MD_EVENT_SEND_DISABLE,
                     .eq_handle = PTL_EQ_NONE, .ct_handle = PTL_CT_NONE};
  OK(PtlInit());
  OK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL,
               &ni));
  OK(PtlEQAlloc(ni, 8, &eq));
  OK(PtlPTAlloc(ni, 0, eq, PTL_PT_ANY, &pt));
  OK(PtlLEAppend(ni, pt, &entry, PTL_PRIORITY_LIST, NULL, &le));
  OK(PtlMDBind(ni, &memory, &md));
  OK(PtlGetPhysId(ni, &self));
  OK(PtlPut(md, 0, sizeof from, PTL_NO_ACK_REQ, self, pt, 0, 0, NULL, 0));
  OK(PtlEQWait(eq, &event));
  if (event.type != PTL_EVENT_PUT || strcmp(from, to) != 0) return __LINE__;
  PtlFini();
  return 0;
}
C
cat > main4.c <<'C'
int four(void);
int main(void) { return four(); }
C
# shellcheck disable=SC2046  # its words are arguments
"$cc" main4.c four.c $(pkg-config --cflags --libs portals4) -o main4
./main4

# Two shared objects, each with its own API, used at the same time.
cat > three.c <<'C'
#include <portals3.h>
int three_start(void) {
  int most;
  ptl_handle_ni_t ni;
  int code = PtlInit(&most);
  return code != PTL_OK ? code : PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, 0, 0, &ni);
}
int three_works(void) {
  ptl_process_id_t id;
  ptl_handle_ni_t ni;
  int code = PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, 0, 0, &ni);
  return code != PTL_OK ? code : PtlGetId(ni, &id);
}
void three_end(void) { PtlFini(); }
C
"$cc" -shared -fPIC three.c $(pkg-config --cflags --libs lintel-portals3) -o libthree.so
"$cc" -shared -fPIC four.c $(pkg-config --cflags --libs portals4) -o libfour.so
cat > both.c <<'C'
int three_start(void);
int three_works(void);
void three_end(void);
int four(void);
int main(void) {
  if (three_start() != 0) return 101;
  if (four() != 0) return 102;
  if (three_works() != 0) return 103; /* the end of one leaves the other alone */
  three_end();
  return four() != 0 ? 104 : 0;
}
C
"$cc" both.c -L. -lthree -lfour -Wl,-rpath,"$work" -o both
./both
echo "Portals 4 is found, and lives beside Portals 3"
