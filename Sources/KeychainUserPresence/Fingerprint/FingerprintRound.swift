// SPDX-License-Identifier: Apache-2.0

#if Fingerprint

/// Shows one dialog of a fingerprint prompt.
///
/// It ends when the user acts, the sensor reports a result, the caller cancels or the text must change.
struct FingerprintRound: Sendable {
    private let dialog: FingerprintDialog
    private let verification: FingerprintVerification
    private let pinentrySettings: PinentrySettings
    private let isCancelled: @Sendable () -> Bool
    private let hints: [FingerprintVerification.Hint]

    init(
        _ dialog: FingerprintDialog,
        _ verification: FingerprintVerification,
        pinentry pinentrySettings: PinentrySettings,
        isCancelled: @escaping @Sendable () -> Bool
    ) {
        self.dialog = dialog
        self.verification = verification
        self.pinentrySettings = pinentrySettings
        self.isCancelled = isCancelled
        hints = verification.hints
    }

    /// Whether there is a message about a finger that the dialog does not show yet.
    private var isOutdated: Bool { verification.hints.count > hints.count }

    private var isOver: Bool { isCancelled() || isOutdated || verification.outcome != nil }

    /// Shows the dialog; returns the enrolled fingers after a match, `nil` to show a new dialog.
    func run() throws(FingerprintFailure) -> EnrolledFingers? {
        let failure: FingerprintFailure
        var isStopped = false
        do throws(PinentryFailure) {
            var pinentry = try Pinentry.start(content, pinentrySettings) { isOver }
            // Start the sensor only now that the dialog names the program.
            verification.start()
            try pinentry.confirm(fallbackTitle)
            failure = .fallback
        } catch {
            isStopped = error == .stopped
            failure = FingerprintFailure(error)
        }
        if isCancelled() { throw .cancelled }
        if let outcome = verification.outcome { return try outcome.get() }
        // If the user has pressed a button meanwhile, do not show another dialog.
        guard isStopped, isOutdated else { throw failure }
        return nil
    }

    private var fallbackTitle: String? {
        let isHidden = dialog.hidesFallbackAtFirst && !hints.contains(.notRecognized)
        return isHidden ? nil : dialog.fallbackTitle
    }

    private var content: PinentryDialog {
        let words = [dialog.description, hints.last?.rawValue, "Touch the fingerprint sensor."]
        return PinentryDialog(
            title: dialog.title,
            description: words.compactMap { $0 }.joined(separator: "\n\n"),
            prompt: "Fingerprint",
            // pinentry-tty accepts "no" only if the cancel button has a title.
            cancelTitle: dialog.cancelTitle ?? "Cancel"
        )
    }
}
#endif
