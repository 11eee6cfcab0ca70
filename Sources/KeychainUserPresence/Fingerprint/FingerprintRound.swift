// SPDX-License-Identifier: Apache-2.0

#if Fingerprint

/// The dialog between one complaint about a finger and the next.
struct FingerprintRound: Sendable {
    private let dialog: FingerprintDialog
    private let verification: FingerprintVerification
    private let place: PinentrySettings
    private let isCancelled: @Sendable () -> Bool
    private let complaints: [FingerprintVerification.Complaint]

    init(
        _ dialog: FingerprintDialog,
        _ verification: FingerprintVerification,
        at place: PinentrySettings,
        isCancelled: @escaping @Sendable () -> Bool
    ) {
        self.dialog = dialog
        self.verification = verification
        self.place = place
        self.isCancelled = isCancelled
        complaints = verification.complaints
    }

    /// Whether there is something new to tell the person.
    private var isOutdated: Bool { verification.complaints.count > complaints.count }

    private var isOver: Bool { isCancelled() || isOutdated || verification.outcome != nil }

    /// Shows the dialog until something is decided; `nil` where it is to be shown anew.
    func run() throws(FingerprintFailure) -> EnrolledFingers? {
        let failure: FingerprintFailure
        var isStopped = false
        do throws(PinentryFailure) {
            var pinentry = try Pinentry.start(content, place) { isOver }
            // Not before the person can read who asks.
            verification.start()
            try pinentry.confirm(fallbackTitle)
            failure = .fallback
        } catch {
            isStopped = error == .stopped
            failure = FingerprintFailure(error)
        }
        if isCancelled() { throw .cancelled }
        if let outcome = verification.outcome { return try outcome.get() }
        // The user who has answered meanwhile is not asked again.
        guard isStopped, isOutdated else { throw failure }
        return nil
    }

    private var fallbackTitle: String? {
        let isHidden = dialog.hidesFallbackAtFirst && !complaints.contains(.notRecognized)
        return isHidden ? nil : dialog.fallbackTitle
    }

    private var content: PinentryDialog {
        let words = [dialog.description, complaints.last?.rawValue, "Touch the fingerprint sensor."]
        return PinentryDialog(
            title: dialog.title,
            description: words.compactMap { $0 }.joined(separator: "\n\n"),
            prompt: "Fingerprint",
            // pinentry-tty has a key for no only where there is a title.
            cancelTitle: dialog.cancelTitle ?? "Cancel"
        )
    }
}
#endif
