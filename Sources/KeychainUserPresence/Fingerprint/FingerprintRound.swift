// SPDX-License-Identifier: Apache-2.0

#if Fingerprint

/// One dialog, shown until the user acts or its message must change.
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

    /// Whether there is a new message for the user.
    private var isOutdated: Bool { verification.hints.count > hints.count }

    private var isOver: Bool { isCancelled() || isOutdated || verification.outcome != nil }

    /// Shows the dialog until there is an outcome; `nil` if it must be shown again.
    func run() throws(FingerprintFailure) -> EnrolledFingers? {
        let failure: FingerprintFailure
        var isStopped = false
        do throws(PinentryFailure) {
            var pinentry = try Pinentry.start(content, pinentrySettings) { isOver }
            // Start only once the user can read which program is asking.
            verification.start()
            try pinentry.confirm(fallbackTitle)
            failure = .fallback
        } catch {
            isStopped = error == .stopped
            failure = FingerprintFailure(error)
        }
        if isCancelled() { throw .cancelled }
        if let outcome = verification.outcome { return try outcome.get() }
        // A user who has answered meanwhile is not asked again.
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
