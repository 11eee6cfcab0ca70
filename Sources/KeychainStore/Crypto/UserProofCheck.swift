// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Checks whether the user's proofs satisfy an item's constraints.
///
/// The access control key proves the passcode. A recognized finger is reported by the client without proof.
struct UserProofCheck {
    private let access: ItemAccess
    private let finger: FingerEvidence
    /// The credential's access control key, which proves the passcode.
    ///
    /// It is `nil` if the credential has none, or has the key of another store or of a removed passcode.
    private let proved: AccessControlKey?

    init(_ access: ItemAccess, _ credential: Credential, _ store: Bytes16) {
        self.access = access
        finger = credential.finger
        proved = credential.accessControlKey.flatMap { key in
            key.store == store && key.recipient.identifier == access.recipient ? key : nil
        }
    }

    private var control: AccessControl { access.control }

    /// Returns the access control key, if it must unwrap the item's own key; otherwise `nil`.
    ///
    /// - Throws: `authenticationNeeded`, or `itemNotFound` with `enrolledSetChanged`.
    func key() throws(StatusError) -> AccessControlKey? {
        var proofs = finger.proofs(boundTo: access.enrolled)
        if proved != nil { proofs.insert(.passcode) }
        let needsKey = access.wrapping.contains(.passcode)
        guard control.isSatisfied(by: proofs), proved != nil || !needsKey else { throw refusal }
        return needsKey ? proved : nil
    }

    /// The error if the proofs do not satisfy the constraints.
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
