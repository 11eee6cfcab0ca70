// SPDX-License-Identifier: Apache-2.0

/// What the user reads who is to touch the sensor.
package struct FingerprintDialog: Sendable {
    package var title: String
    /// Who asks, and why.
    package var description: String
    package var cancelTitle: String?
    /// The title of the button for another way; `nil` for none.
    package var fallbackTitle: String?
    /// Whether that button waits for the first finger that is not recognized.
    package var hidesFallbackAtFirst = false

    package init(title: String, description: String) {
        self.title = title
        self.description = description
    }
}

/// The user and the sensor: the dialog ends with the right finger, the sensor's work with the dialog.
package struct FingerprintPrompt: Sendable {
    private let dialog: FingerprintDialog
    private let settings: FingerprintSettings
    private let place: PinentrySettings
    private let isCancelled: @Sendable () -> Bool

    package init(
        _ dialog: FingerprintDialog,
        _ settings: FingerprintSettings,
        at place: PinentrySettings,
        isCancelled: @escaping @Sendable () -> Bool
    ) {
        self.dialog = dialog
        self.settings = settings
        self.place = place
        self.isCancelled = isCancelled
    }

    /// The fingers that can be recognized; nobody is asked.
    ///
    /// - Throws: `unavailable` without the trait `Fingerprint`, or a sensor.
    package static func enrolled(
        _ settings: FingerprintSettings = .current
    ) throws(FingerprintFailure) -> EnrolledFingers {
        #if Fingerprint
        return try FingerprintSensor.find(settings) { false }.enrolled
        #else
        throw .unavailable
        #endif
    }

    /// Asks until a finger is recognized, and says who could have been.
    package func ask() throws(FingerprintFailure) -> EnrolledFingers {
        #if Fingerprint
        // One for all rounds, and it is the dialog that ends first.
        let patience = Deadline(milliseconds: place.patience * 1_000, by: place.now)
        let limit = settings.waitLimit ?? place.patience * 1_000 + 60_000
        let verification = FingerprintVerification(settings, limit: limit)
        defer { verification.abandon() }
        while true {
            var place = place
            place.patience = (Int(patience.millisecondsLeft) + 999) / 1_000
            let round = FingerprintRound(dialog, verification, at: place, isCancelled: isCancelled)
            if let enrolled = try round.run() { return enrolled }
        }
        #else
        throw .unavailable
        #endif
    }
}

extension FingerprintPrompt {
    /// Whether the trait `Fingerprint` was enabled when this was built.
    package static var isBuiltIn: Bool {
        #if Fingerprint
        true
        #else
        false
        #endif
    }
}
