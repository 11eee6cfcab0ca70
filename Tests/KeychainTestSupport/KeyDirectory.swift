// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import KeychainModel

/// A runtime directory for the unlocked keys of one test, removed on deallocation.
///
/// The kernel keyring distinguishes stores only by identifier: copies of one store would lock and unlock each
/// other, in all the user's processes.
package final class KeyDirectory: Sendable {
    package let url: URL

    package init() throws {
        // It must be on a memory file system, like the real one.
        url = URL(filePath: "/dev/shm/keychain-\(UUID())")
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// A store whose unlocked keys are cached only in this directory.
    package func location(of store: URL, createsIfMissing: Bool = true) -> StoreLocation {
        var location = StoreLocation(directory: store.path, createsIfMissing: createsIfMissing)
        location.keyCacheLocations = [.runtimeDirectory(url.path)]
        return location
    }
}
