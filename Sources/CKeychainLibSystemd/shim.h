// SPDX-License-Identifier: Apache-2.0
// The D-Bus client of libsystemd; included only with the package trait Fingerprint or SecretService.
#pragma once
#include <systemd/sd-bus.h>
