// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A custom class for archives.
package final class Token: NSObject, NSSecureCoding {
    package static var supportsSecureCoding: Bool { true }

    package let text: String

    package init(_ text: String) { self.text = text }

    package init?(coder: NSCoder) {
        guard let text = coder.decodeObject(of: NSString.self, forKey: "text") else { return nil }
        self.text = text as String
    }

    package func encode(with coder: NSCoder) { coder.encode(NSString(string: text), forKey: "text") }
}
