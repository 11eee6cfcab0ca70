// SPDX-License-Identifier: Apache-2.0

/// Why a key could not be made or used: closed, so that it can hold nothing of the key.
package enum AsymmetricKeyError: Error, Hashable, Sendable {
    /// The bytes are no key of the kind.
    case malformedKey
}
