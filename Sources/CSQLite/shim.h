// SQLite for Swift: the library's header, and what Swift cannot import of it.
#ifndef RPCSHELL_CSQLITE_SHIM_H
#define RPCSHELL_CSQLITE_SHIM_H
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast that Swift does not import: the text is copied.
static inline int cs_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
  return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}
#endif
