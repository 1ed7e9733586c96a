#pragma once
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

// A macro of macros, which Swift doesn't import.
enum { HEARTH_EVP_PKEY_PUBLIC_KEY = EVP_PKEY_PUBLIC_KEY };

// An OSSL_PARAM keeps the pointer to its name. Swift would pass a name given as a macro in a buffer
// that is gone after the call, so these make the parameter with a name that stays.

static inline OSSL_PARAM hearth_param_mac_digest(char *name) {
    return OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0);
}

static inline OSSL_PARAM hearth_param_group(char *name) {
    return OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, name, 0);
}

static inline OSSL_PARAM hearth_param_public_key(unsigned char *bytes, size_t count) {
    return OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, bytes, count);
}

// Numbers are in the machine's byte order.
static inline OSSL_PARAM hearth_param_rsa_modulus(unsigned char *number, size_t count) {
    return OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_RSA_N, number, count);
}

static inline OSSL_PARAM hearth_param_rsa_exponent(unsigned char *number, size_t count) {
    return OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_RSA_E, number, count);
}
