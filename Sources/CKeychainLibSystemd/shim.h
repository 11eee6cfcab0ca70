// SPDX-License-Identifier: Apache-2.0
// The D-Bus client of libsystemd; included only if the trait Fingerprint is enabled.
#pragma once
#include <systemd/sd-bus.h>
