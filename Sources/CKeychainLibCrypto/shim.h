// SPDX-License-Identifier: Apache-2.0
// The part of OpenSSL that reads and writes PKCS #12; included only if the trait PKCS12 is enabled.
#pragma once
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
