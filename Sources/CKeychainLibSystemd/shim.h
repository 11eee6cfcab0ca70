// SPDX-License-Identifier: Apache-2.0
// The D-Bus client of libsystemd; it is read only by those who enable the trait Fingerprint.
#pragma once
#include <systemd/sd-bus.h>
