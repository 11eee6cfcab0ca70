// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// Messages of an attacker to the daemon, as hexadecimal digits.
struct AttackMessages {
    private let group: String

    /// Creates messages about the victim's item in an access group.
    init(_ group: String) { self.group = group }

    private var attributes: Attributes {
        var attributes = Attributes()
        attributes[.account] = .string(AttackScene.account)
        attributes[.service] = .string("canary service")
        return attributes
    }

    /// The message that reads the victim's item.
    var copy: String {
        let filter = ItemFilter(itemClass: .genericPassword, attributes: attributes)
        return Self.text(.copy(CopyRequest(filter: filter, returning: .data)))
    }

    /// The message that adds another item to the victim's access group.
    var add: String {
        var item = NewItem(itemClass: .genericPassword, attributes: attributes, secret: nil)
        item.attributes[.account] = .string("attempt")
        item.attributes[.accessGroup] = .string(group)
        return Self.text(.add(item))
    }

    private static func text(_ request: Request) -> String {
        Hexadecimal.text(RawClient.request(.perform(request, CallCredential())).frames)
    }
}
