// SPDX-License-Identifier: Apache-2.0
// The parts of OpenSSL that read PKCS #12 files and encrypt the sessions of the Secret Service, a D-Bus interface.
// Included only with the package trait PKCS12 or SecretService.
#pragma once
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/dh.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
