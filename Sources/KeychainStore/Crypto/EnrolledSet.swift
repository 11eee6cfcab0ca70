// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

extension Bytes32 {
    /// Computes the digest of an enrolled finger set, which changes with each enrollment and removal.
    ///
    /// The digest covers the user, the sensor and the sorted names of the fingers. The length of each name precedes it.
    package init(fingers: [String], of user: UInt32, at sensor: String) {
        var message = ByteWriter(capacity: 256)
        message.append("fingers")
        message.append(user)
        for part in [sensor] + fingers.sorted() {
            message.append(UInt32(clamping: part.utf8.count))
            message.append(part)
        }
        self.init(digestOf: message.bytes)
    }
}
