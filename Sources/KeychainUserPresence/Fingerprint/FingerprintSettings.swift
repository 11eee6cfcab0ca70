// SPDX-License-Identifier: Apache-2.0

/// How to reach the sensor, and what is remembered of it.
package struct FingerprintSettings: Sendable {
    /// Which bus the sensor's service is on.
    package enum Bus: Hashable, Sendable {
        /// The system's, which `DBUS_SYSTEM_BUS_ADDRESS` may name.
        case system
        case address(String)
        /// There is no sensor, whatever the machine has.
        case none

        /// `nil` for the system's own.
        var address: String? {
            guard case .address(let address) = self else { return nil }
            return address
        }
    }

    package var bus: Bus
    /// The milliseconds in which the service must have said what there is.
    package var startLimit = 1_500
    /// The milliseconds that switching the sensor on may take.
    package var onLimit = 5_000
    /// The milliseconds for which fingers are waited for; by default the dialog's patience and a minute.
    package var waitLimit: Int?
    /// The milliseconds that each of two steps of switching it off may take.
    package var offLimit = 1_000
    package var history: FingerprintHistory

    package init(bus: Bus, history: FingerprintHistory = FingerprintHistory()) {
        self.bus = bus
        self.history = history
    }

    /// What a test sets.
    @TaskLocal package static var override: Self?

    private static let ofProcess = Self(bus: .system)
    private static let ofTest = Self(bus: .none)

    /// Where a test plays the person, no finger of a real one counts.
    package static var current: Self {
        override ?? (PinentrySettings.current.person == nil ? ofProcess : ofTest)
    }
}
