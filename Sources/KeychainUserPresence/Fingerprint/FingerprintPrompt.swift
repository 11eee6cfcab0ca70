// SPDX-License-Identifier: Apache-2.0

/// The text shown to the user while the sensor waits for a finger.
package struct FingerprintDialog: Sendable {
    package var title: String
    /// Which program is asking, and why.
    package var description: String
    package var cancelTitle: String?
    /// The title of the fallback button; `nil` for no button.
    package var fallbackTitle: String?
    /// Whether the fallback button appears only after a finger was not recognized.
    package var hidesFallbackAtFirst = false

    package init(title: String, description: String) {
        self.title = title
        self.description = description
    }
}

/// Prompts for a finger: shows a dialog while the sensor is active.
///
/// A recognized finger closes the dialog, and closing the dialog stops the sensor.
package struct FingerprintPrompt: Sendable {
    private let dialog: FingerprintDialog
    private let settings: FingerprintSettings
    private let pinentrySettings: PinentrySettings
    private let isCancelled: @Sendable () -> Bool

    package init(
        _ dialog: FingerprintDialog,
        _ settings: FingerprintSettings,
        pinentry pinentrySettings: PinentrySettings,
        isCancelled: @escaping @Sendable () -> Bool
    ) {
        self.dialog = dialog
        self.settings = settings
        self.pinentrySettings = pinentrySettings
        self.isCancelled = isCancelled
    }

    /// Queries the sensor for the enrolled fingers, without a prompt.
    ///
    /// - Throws: The failure of the query, such as `unavailable` if there is no sensor, or if this build lacks the
    ///   package trait `Fingerprint`.
    package static func enrolled(
        _ settings: FingerprintSettings = .current
    ) throws(FingerprintFailure) -> EnrolledFingers {
        #if Fingerprint
        return try FingerprintSensor.find(settings) { false }.enrolled
        #else
        throw .unavailable
        #endif
    }

    /// Prompts for a finger; returns the enrolled fingers after one of them is recognized.
    package func ask() throws(FingerprintFailure) -> EnrolledFingers {
        #if Fingerprint
        // All dialogs of this prompt share one timeout, which by default is shorter than that of the sensor.
        let timeout = Deadline(milliseconds: pinentrySettings.timeout * 1_000, by: pinentrySettings.now)
        let limit = settings.waitLimit ?? pinentrySettings.timeout * 1_000 + 60_000
        let verification = FingerprintVerification(settings, limit: limit)
        defer { verification.abandon() }
        while true {
            var pinentrySettings = pinentrySettings
            pinentrySettings.timeout = (Int(timeout.millisecondsLeft) + 999) / 1_000
            let round = FingerprintRound(
                dialog,
                verification,
                pinentry: pinentrySettings,
                isCancelled: isCancelled
            )
            if let enrolled = try round.run() { return enrolled }
        }
        #else
        throw .unavailable
        #endif
    }
}

extension FingerprintPrompt {
    /// Whether this build has the package trait `Fingerprint`.
    package static var isBuiltIn: Bool {
        #if Fingerprint
        true
        #else
        false
        #endif
    }
}
