#pragma once
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
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

// The digest of bytes in memory, without asking for memory: EVP_Digest does, twice. These functions are
// the ones that EVP calls in the end.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
static inline int hearth_sha256(const unsigned char *bytes, size_t count, unsigned char *digest) {
    SHA256_CTX context;
    return SHA256_Init(&context) && SHA256_Update(&context, bytes, count) &&
        SHA256_Final(digest, &context);
}
#pragma clang diagnostic pop

// Macros that Swift doesn't import.
static inline EVP_PKEY *hearth_generate_p256(void) { return EVP_EC_gen("P-256"); }

static inline long hearth_bio_contents(BIO *bio, char **bytes) {
    return BIO_get_mem_data(bio, bytes);
}

// Writes the name of a key's group with its terminator; 1 if it has one of less than that length.
static inline int hearth_group_name(const EVP_PKEY *key, char *name, size_t length) {
    return EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, name, length, NULL);
}

// Writes a public key as it is encoded: for a curve its point.
static inline int hearth_public_key(
    const EVP_PKEY *key, unsigned char *bytes, size_t length, size_t *written
) {
    return EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, bytes, length, written);
}
