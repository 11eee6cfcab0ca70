// SPDX-License-Identifier: Apache-2.0
// The part of OpenSSL that reads and writes PKCS #12; it is read only by those who enable the trait of that name.
#pragma once
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
