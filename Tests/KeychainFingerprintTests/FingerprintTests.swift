// SPDX-License-Identifier: Apache-2.0

import Testing

/// Everything that takes a sensor: one after the other on one machine.
@Suite(SensorMachine.isAvailable, .sensorMachine, .serialized) struct KeychainFingerprintTests {}
