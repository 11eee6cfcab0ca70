// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The items of another program's Secret Service, as `keychain-secret-service --export` writes them.
///
/// `security` has no D-Bus client: it starts `keychain-secret-service`, and reads this value from that program's
/// standard output.
package struct SecretServiceExport: Sendable, WireValue {
    package struct Item: Sendable, WireValue {
        /// The label of the collection.
        package let collection: String
        package let label: String
        package let attributes: [String: String]
        package let secret: SecretBuffer

        package init(
            collection: String,
            label: String,
            attributes: [String: String],
            secret: SecretBuffer
        ) {
            self.collection = collection
            self.label = label
            self.attributes = attributes
            self.secret = secret
        }
    }

    /// A collection or an item that was not read.
    package struct Rejection: Hashable, Sendable, WireValue {
        package let location: String
        package let reason: String

        package init(location: String, reason: String) {
            self.location = location
            self.reason = reason
        }
    }

    package var items: [Item] = []
    package var rejections: [Rejection] = []
    /// Why nothing was read; `nil` if the Secret Service has answered.
    package var problem: String?

    package init() {}
}

extension SecretServiceExport {
    package func encode(into writer: inout WireWriter) {
        writer.list(items)
        writer.list(rejections)
        writer.optional(problem)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        items = try reader.list()
        rejections = try reader.list()
        problem = try reader.optional()
    }
}

extension SecretServiceExport.Item {
    package func encode(into writer: inout WireWriter) {
        writer.string(collection)
        writer.string(label)
        writer.string(AttributeString.format(attributes))
        unsafe secret.withUnsafeBytes { unsafe writer.sized($0) }
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        collection = try reader.string()
        label = try reader.string()
        let text = try reader.string()
        guard let attributes = AttributeString.parse(text), AttributeString.format(attributes) == text else {
            throw WireReader.malformed
        }
        self.attributes = attributes
        var bytes = try reader.sized()
        secret = SecretBuffer(moving: &bytes)
    }
}

extension SecretServiceExport.Rejection {
    package func encode(into writer: inout WireWriter) {
        writer.string(location)
        writer.string(reason)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        location = try reader.string()
        reason = try reader.string()
    }
}
