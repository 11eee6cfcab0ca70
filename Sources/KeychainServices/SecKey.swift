// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel

/// A key for signatures, encryption or agreement: half of a pair.
public final class SecKey: NSObject, ItemObject, @unchecked Sendable {
    static var itemClass: ItemClass { .key }
    var derivedAttributes: Attributes { Attributes() }
    var storedValue: Data { Data() }

    init?(stored value: Data, attributes: Attributes) { return nil }

    /// The public key of a certificate; `nil` where it is of a kind that is not supported.
    init?(subjectPublicKeyInfo: Data) { return nil }
}
