#pragma once
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo take any number of arguments of any type, which Swift
// can't call: these take one of one type each. The macros of the same name only check types.

static inline CURLcode hearth_curl_set_long(CURL *handle, CURLoption option, long value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode hearth_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode hearth_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode hearth_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode hearth_curl_set_list(
    CURL *handle, CURLoption option, struct curl_slist *value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode hearth_curl_set_reader(CURL *handle, curl_read_callback reader) {
    return (curl_easy_setopt)(handle, CURLOPT_READFUNCTION, reader);
}

static inline CURLcode hearth_curl_set_writer(CURL *handle, curl_write_callback writer) {
    return (curl_easy_setopt)(handle, CURLOPT_WRITEFUNCTION, writer);
}

static inline CURLcode hearth_curl_set_header_taker(CURL *handle, curl_write_callback taker) {
    return (curl_easy_setopt)(handle, CURLOPT_HEADERFUNCTION, taker);
}

static inline CURLcode hearth_curl_set_observer(CURL *handle, curl_debug_callback observer) {
    return (curl_easy_setopt)(handle, CURLOPT_DEBUGFUNCTION, observer);
}

static inline CURLcode hearth_curl_set_opener(CURL *handle, curl_opensocket_callback opener) {
    return (curl_easy_setopt)(handle, CURLOPT_OPENSOCKETFUNCTION, opener);
}

static inline CURLcode hearth_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return (curl_easy_getinfo)(handle, info, value);
}
