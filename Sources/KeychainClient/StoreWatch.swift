// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
package import KeychainModel
import KeychainStore

extension SystemKeychain {
    /// Returns the version of every item in the access groups of this process; empty without a store.
    package static func versions() throws(StatusError) -> [ItemVersion] {
        let caller = try caller()
        do throws(StatusError) {
            return try withKeychain { keychain throws(StatusError) in
                try keychain.versions(in: caller.reachesEveryGroup ? nil : caller.accessGroups)
            }
        } catch {
            guard error.reason == .storeMissing else { throw error }
            return []
        }
    }

    /// Calls the closure on a separate thread after each change of the store's files.
    ///
    /// Changes in quick succession cause one call. The closure is also called at the start and about once per
    /// second, in case inotify is unavailable or the store does not exist yet. The calls end when the closure
    /// returns `false`.
    package static func watch(_ body: @escaping @Sendable () -> Bool) {
        let directory = try? storeDirectory()
        // Start the watch before this function returns, so that no later change is missed.
        let files = FileWatch(directory)
        detach {
            files.watchIfNeeded(directory)
            while body() {
                files.wait(milliseconds: 1_000)
                files.watchIfNeeded(directory)
            }
            files.close()
        }
    }
}

/// An inotify instance that watches one directory.
private struct FileWatch: Sendable {
    private let descriptor: CInt
    private static let events = UInt32(
        IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF
    )

    init(_ directory: String?) {
        descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        watchIfNeeded(directory)
    }

    /// Adds a watch on the directory if it exists; adding it again has no effect.
    func watchIfNeeded(_ directory: String?) {
        guard descriptor >= 0, let directory else { return }
        _ = unsafe inotify_add_watch(descriptor, directory, Self.events)
    }

    /// Waits for a change, and then a little longer for changes that follow immediately.
    func wait(milliseconds: CInt) {
        guard descriptor >= 0 else {
            usleep(UInt32(milliseconds) * 1_000)
            return
        }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&request, 1, milliseconds) > 0 else { return }
        usleep(Self.pause)
        drain()
    }

    /// The additional time to wait after a change, in microseconds.
    private static let pause: UInt32 = 50_000

    private func drain() {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while unsafe read(descriptor, &buffer, buffer.count) > 0 {}
    }

    func close() { if descriptor >= 0 { _ = Glibc.close(descriptor) } }
}
