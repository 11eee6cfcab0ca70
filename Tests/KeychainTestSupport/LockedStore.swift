// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Glibc
package import KeychainModel
package import KeychainStore
import KeychainTesting

/// A temporary store, by default with a passcode, and a key cache; both are removed on deallocation.
package final class LockedStore {
    /// The location where a test caches unlocked keys.
    package enum CacheLocation: String, CaseIterable, Sendable {
        case kernelKeyring, runtimeDirectory
    }

    /// The key cache locations available on this machine; a container may not allow the kernel keyring.
    package static let cacheLocations: [CacheLocation] = {
        let kernel = KeyCache(locations: [.kernelKeyring], store: .zero)
        // A daemon selects the key cache itself.
        guard StoreDaemon.program == nil else {
            return [kernel.kind == .kernelKeyring ? .kernelKeyring : .runtimeDirectory]
        }
        return kernel.kind == .kernelKeyring ? CacheLocation.allCases : [.runtimeDirectory]
    }()

    package static let passcode = "canary-passcode"
    package static let cost = PasscodeCost(doublings: 4)

    private let directory: URL
    private let runtime: KeyDirectory
    package let cacheLocation: CacheLocation
    package let keychain: EmbeddedKeychain
    private let keyCache: KeyCache
    /// The locations of the key cache that the connection searches.
    package let keyCacheLocations: KeyCacheLocations

    /// The daemon that the programs of the test use; `nil` if they open the store themselves.
    private var daemon: StoreDaemon?

    package var store: URL { directory.appending(component: "store") }
    /// The directory for `XDG_RUNTIME_DIR` in programs of the test.
    package var runtimeDirectory: URL { runtime.url }

    package init(keysIn cacheLocation: CacheLocation, withPasscode: Bool = true) throws {
        self.cacheLocation = cacheLocation
        directory = FileManager.default.temporaryDirectory.appending(component: "keychain-\(UUID())")
        runtime = try KeyDirectory()
        try FileManager.default.createDirectory(
            at: directory,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        var location = runtime.location(of: directory.appending(component: "store"))
        if cacheLocation == .kernelKeyring { location.keyCacheLocations = [.kernelKeyring] }
        keychain = try EmbeddedKeychain(at: location)
        let status = try keychain.status()
        keyCacheLocations = location.keyCacheLocations
        keyCache = KeyCache(locations: location.keyCacheLocations, store: status.store)
        if withPasscode { try keychain.setPasscode(SecretBytes(Self.passcode), cost: Self.cost) }
        if StoreDaemon.program != nil {
            daemon = try StoreDaemon(serving: store, runtimeDirectory: runtime.url)
        }
    }

    package func status() throws -> StoreStatus { try keychain.status() }

    deinit {
        daemon?.end()
        restart()
        try? FileManager.default.removeItem(at: directory)
    }

    /// Adds an item without a value for each of these protection classes, such as `ak`.
    package func addItems(_ protection: [String], for caller: Caller) throws {
        for name in protection {
            var attributes = Attributes()
            attributes[.account] = .string("canary \(name)")
            attributes[.accessible] = .string(name)
            let item = NewItem(itemClass: .genericPassword, attributes: attributes, secret: nil)
            _ = try keychain.perform(.add(item), for: caller)
        }
    }

    /// Makes a user the owner of the store and the runtime directory; requires root.
    package func give(to user: UInt32) throws {
        for root in [directory, runtime.url] {
            let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path).map {
                root.appending(path: $0).path
            }
            for path in [root.path] + paths where chown(path, user, user) != 0 {
                throw ChildProcess.Failure(description: "chown: \(errno)")
            }
        }
    }

    /// Removes the store's files as `rm -r` would, and leaves its keys in the key cache.
    package func removeFiles() throws { try FileManager.default.removeItem(at: store) }

    /// Removes the cached keys, as a restart of the machine does.
    package func restart() { keyCache.removeAll() }

    package func start(groups: [String] = ["TEAM.app"]) throws -> ChildProcess {
        let child = try TestTool.start(over: store, groups: groups, environment: environment)
        if cacheLocation == .runtimeDirectory, try child.ask("refuse-keyrings \(EPERM)") != "0" {
            throw ChildProcess.Failure(description: "the kernel has no filters")
        }
        return child
    }

    package var environment: [String: String] {
        let variables = ["XDG_RUNTIME_DIR": runtime.url.path]
        guard let daemon else { return variables }
        return variables.merging(["KEYCHAIN_BACKEND": "daemon", "KEYCHAIN_SOCKET": daemon.socket]) { $1 }
    }
}

extension SecretBytes {
    package init(_ text: String) {
        var bytes = Array(text.utf8)
        self.init(moving: &bytes)
    }
}
