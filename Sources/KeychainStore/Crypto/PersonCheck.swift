// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Whether what a person has proved satisfies an item's constraints, and which key opens it then.
///
/// A passcode is proved by a key. A finger is not: whoever holds the unlocked keys could open what a finger opens, and
/// that one was recognized is what the caller says.
struct PersonCheck {
    private let access: ItemAccess
    private let finger: FingerEvidence
    /// `nil` for a proof of another store.
    private let proved: AccessControlKey?

    init(_ access: ItemAccess, _ credential: Credential, _ store: Bytes16) {
        self.access = access
        finger = credential.finger
        proved = credential.accessControlKey.flatMap { $0.store == store ? $0 : nil }
    }

    private var control: AccessControl { access.control }

    /// The key that opens the item.
    func key(_ heldKey: () -> AccessControlKey?) throws(StatusError) -> AccessControlKey {
        var proofs = finger.proofs(boundTo: access.enrolled)
        if let key = try provedKey() {
            proofs.insert(.passcode)
            if control.isSatisfied(by: proofs) { return key }
        }
        guard let held = heldKey() else { throw refusal(heldFits: nil) }
        let isRight = fits(held)
        if isRight, control.isSatisfied(by: proofs) { return held }
        throw refusal(heldFits: isRight)
    }

    private func fits(_ key: AccessControlKey) -> Bool { key.recipient.identifier == access.recipient }

    /// The key to which the passcode leads; `nil` for a proof of a passcode that was removed, which proves nothing.
    private func provedKey() throws(StatusError) -> AccessControlKey? {
        guard let proved else { return nil }
        if fits(proved) { return proved }
        let finger = try proved.fingerKey()
        return fits(finger) ? finger : nil
    }

    /// What is missing; `heldFits` says whether the held key opens the item, if there is one.
    private func refusal(heldFits fits: Bool?) -> StatusError {
        var possible: PersonProofs = [.passcode, .everyFinger]
        if finger.isExamined, finger.enrolled ?? .zero != access.enrolled { possible.remove(.fingerOfSet) }
        guard control.isSatisfied(by: possible) || !control.isSatisfied(by: [.passcode, .everyFinger]) else {
            return StatusError(.itemNotFound, .enrolledSetChanged)
        }
        possible.remove(.passcode)
        guard control.isSatisfied(by: possible) else { return control.authenticationNeeded }
        if fits == nil, !control.isSatisfied(by: .passcode) {
            return StatusError(.interactionNotAllowed, .fingerKeyAbsent)
        }
        return fits == true ? control.fingerNeeded : control.authenticationNeeded
    }
}
