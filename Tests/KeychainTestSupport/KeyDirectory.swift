// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import KeychainModel

/// A runtime directory for the unlocked keys of one test, gone with the object.
///
/// The kernel's keyring knows stores by their identifiers alone: copies of one store would lock and unlock each other,
/// in every process of the user.
package final class KeyDirectory: Sendable {
    package let url: URL

    package init() throws {
        // It must be memory, as the real one is.
        url = URL(filePath: "/dev/shm/keychain-\(UUID())")
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// A store whose unlocked keys are here and nowhere else.
    package func location(of store: URL, createsIfMissing: Bool = true) -> StoreLocation {
        var location = StoreLocation(directory: store.path, createsIfMissing: createsIfMissing)
        location.keyCacheLocations = [.runtimeDirectory(url.path)]
        return location
    }
}
