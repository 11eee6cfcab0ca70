// SPDX-License-Identifier: Apache-2.0

import Testing

/// All tests that use a simulated sensor, run one after another with the same services.
@Suite(SensorMachine.isAvailable, .sensorMachine, .serialized) struct KeychainFingerprintTests {}
