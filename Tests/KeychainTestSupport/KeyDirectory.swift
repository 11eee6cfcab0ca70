// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import KeychainModel

/// A temporary runtime directory for the cached keys of one test, removed on deallocation.
///
/// Tests do not share the kernel keyring, which distinguishes stores only by their identifier: copies of one
/// store would lock and unlock each other in all processes of the user.
package final class KeyDirectory: Sendable {
    package let url: URL

    package init() throws {
        // The directory is in memory, because the key cache refuses runtime directories on disk.
        url = URL(filePath: "/dev/shm/keychain-\(UUID())")
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Returns the location of a store whose keys are cached only in this directory.
    package func location(of store: URL, createsIfMissing: Bool = true) -> StoreLocation {
        var location = StoreLocation(directory: store.path, createsIfMissing: createsIfMissing)
        location.keyCacheLocations = [.runtimeDirectory(url.path)]
        return location
    }
}
