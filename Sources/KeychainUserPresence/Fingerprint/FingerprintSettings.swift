// SPDX-License-Identifier: Apache-2.0

package struct FingerprintSettings: Sendable {
    /// The bus of the fprintd service.
    package enum Bus: Hashable, Sendable {
        /// The system bus, or the one that `DBUS_SYSTEM_BUS_ADDRESS` names.
        case system
        case address(String)
        /// Behave as if there were no sensor.
        case none

        /// The bus address; `nil` for ``system`` and ``none``.
        var address: String? {
            guard case .address(let address) = self else { return nil }
            return address
        }
    }

    package var bus: Bus
    /// The time limit for finding the sensor and the enrolled fingers, in milliseconds.
    package var startLimit = 1_500
    /// The time limit for starting the sensor, in milliseconds.
    package var onLimit = 5_000
    /// How long the sensor waits for a finger, in milliseconds; `nil` for the dialog's timeout plus a minute.
    package var waitLimit: Int?
    /// The time limit for each of the two steps that stop the sensor, in milliseconds.
    package var offLimit = 1_000
    package var history: FingerprintHistory

    package init(bus: Bus, history: FingerprintHistory = FingerprintHistory()) {
        self.bus = bus
        self.history = history
    }

    /// Overrides the settings in tests.
    @TaskLocal package static var override: Self?

    private static let ofProcess = Self(bus: .system)
    private static let ofTest = Self(bus: .none)

    /// The settings in effect.
    ///
    /// If a test simulates the user and overrides no settings, there is no sensor.
    package static var current: Self {
        override ?? (PinentrySettings.current.simulatedUser == nil ? ofProcess : ofTest)
    }
}
