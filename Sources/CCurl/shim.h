// libcurl for Swift: the library's header, and twins of its variadic functions, which Swift does not import.
#ifndef RPCSHELL_CCURL_SHIM_H
#define RPCSHELL_CCURL_SHIM_H
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

static inline CURLcode cc_set_text(CURL *transfer, CURLoption option, const char *value) {
  return curl_easy_setopt(transfer, option, value);
}
static inline CURLcode cc_set_number(CURL *transfer, CURLoption option, long value) {
  return curl_easy_setopt(transfer, option, value);
}
static inline CURLcode cc_set_list(CURL *transfer, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(transfer, option, value);
}
// What is posted, and where a failure is put into words: both must stay until the transfer has ended.
static inline void cc_set_body(CURL *transfer, const void *bytes, size_t count) {
  curl_easy_setopt(transfer, CURLOPT_POST, 1L);
  curl_easy_setopt(transfer, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  curl_easy_setopt(transfer, CURLOPT_POSTFIELDS, bytes);
}
static inline void cc_set_error_text(CURL *transfer, char *text) {
  curl_easy_setopt(transfer, CURLOPT_ERRORBUFFER, text);
}

// Takes what comes in: the bytes, 1, their number, and `context`; returns that number, or cc_sink_end() to end the transfer.
typedef size_t (*cc_sink)(char *bytes, size_t one, size_t count, void *context);
static inline size_t cc_sink_end(void) { return (size_t)-1; }
static inline void cc_set_sinks(CURL *transfer, cc_sink headers, cc_sink body, void *context) {
  curl_easy_setopt(transfer, CURLOPT_HEADERFUNCTION, headers);
  curl_easy_setopt(transfer, CURLOPT_HEADERDATA, context);
  curl_easy_setopt(transfer, CURLOPT_WRITEFUNCTION, body);
  curl_easy_setopt(transfer, CURLOPT_WRITEDATA, context);
}

static inline long cc_status(CURL *transfer) {
  long status = 0;
  curl_easy_getinfo(transfer, CURLINFO_RESPONSE_CODE, &status);
  return status;
}
// Seconds from now, whether the server gave seconds or a date; 0 where it gave neither.
static inline long long cc_retry_after(CURL *transfer) {
  curl_off_t seconds = 0;
  curl_easy_getinfo(transfer, CURLINFO_RETRY_AFTER, &seconds);
  return (long long)seconds;
}
// Where a Location leads to, as a whole URL that lives as long as the transfer; NULL where there is none.
static inline const char *cc_redirect(CURL *transfer) {
  char *url = NULL;
  curl_easy_getinfo(transfer, CURLINFO_REDIRECT_URL, &url);
  return url;
}
#endif
