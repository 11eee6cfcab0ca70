// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Whether what the user has proved satisfies an item's constraints.
///
/// A passcode is proved by a key. A finger is not: that one was recognized is what the caller says.
struct PersonCheck {
    private let access: ItemAccess
    private let finger: FingerEvidence
    /// The proof of the passcode; `nil` for one of another store, or of a passcode that was removed.
    private let proved: AccessControlKey?

    init(_ access: ItemAccess, _ credential: Credential, _ store: Bytes16) {
        self.access = access
        finger = credential.finger
        proved = credential.accessControlKey.flatMap { key in
            key.store == store && key.recipient.identifier == access.recipient ? key : nil
        }
    }

    private var control: AccessControl { access.control }

    /// The proof that opens the item; `nil` where the item is sealed under its class alone, and may be opened.
    func key() throws(StatusError) -> AccessControlKey? {
        var proofs = finger.proofs(boundTo: access.enrolled)
        if proved != nil { proofs.insert(.passcode) }
        let needsKey = access.wrapping.contains(.passcode)
        guard control.isSatisfied(by: proofs), proved != nil || !needsKey else { throw refusal }
        return needsKey ? proved : nil
    }

    /// What is missing.
    private var refusal: StatusError {
        var possible: UserProofs = [.passcode, .everyFinger]
        if finger.isExamined, finger.enrolled ?? .zero != access.enrolled { possible.remove(.fingerOfSet) }
        guard control.isSatisfied(by: possible) || !control.isSatisfied(by: [.passcode, .everyFinger]) else {
            return StatusError(.itemNotFound, .enrolledSetChanged)
        }
        possible.remove(.passcode)
        let suffices = control.isSatisfied(by: possible) && !access.wrapping.contains(.passcode)
        return suffices ? control.fingerNeeded : control.authenticationNeeded
    }
}
