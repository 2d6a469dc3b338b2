// libpq for Swift: the library's header, and macros of it that Swift does not import.
#ifndef RPCSHELL_CPOSTGRES_SHIM_H
#define RPCSHELL_CPOSTGRES_SHIM_H
#include <libpq-fe.h>

// Five letters that say what kind of failure it is (SQLSTATE); NULL where the server did not say.
static inline const char *cp_state(const PGresult *result) { return PQresultErrorField(result, PG_DIAG_SQLSTATE); }
static inline const char *cp_message(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

// What the server remarks goes nowhere.
static inline void cp_ignore_notice(void *context, const char *message) {}
static inline void cp_ignore_notices(PGconn *connection) { PQsetNoticeProcessor(connection, cp_ignore_notice, NULL); }
#endif
