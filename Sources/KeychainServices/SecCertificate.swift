// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel

/// An X.509 certificate.
public final class SecCertificate: NSObject, ItemObject, @unchecked Sendable {
    static var itemClass: ItemClass { .certificate }
    var derivedAttributes: Attributes { Attributes() }
    var storedValue: Data { Data() }

    init?(stored value: Data, attributes: Attributes) { return nil }
}
