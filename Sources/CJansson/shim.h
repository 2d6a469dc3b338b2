// libjansson for Swift: the library's header, and twins of the inline functions and macros that Swift does not import.
#ifndef RPCSHELL_CJANSSON_SHIM_H
#define RPCSHELL_CJANSSON_SHIM_H
#include <jansson.h>

static inline void cj_decref(json_t *value) { json_decref(value); }
static inline json_type cj_typeof(const json_t *value) { return json_typeof(value); }

// What a message of the protocol must be: no duplicate members, U+0000 allowed in string values, any value at the top.
static inline size_t cj_decoding_flags(void) {
  return JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY;
}
#endif
