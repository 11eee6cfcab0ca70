// SPDX-License-Identifier: Apache-2.0

import Testing

/// All tests that use a sensor, run one after the other on one test machine.
@Suite(SensorMachine.isAvailable, .sensorMachine, .serialized) struct KeychainFingerprintTests {}
