#pragma once
#include <sodium/core.h>
#include <sodium/crypto_pwhash_argon2id.h>
