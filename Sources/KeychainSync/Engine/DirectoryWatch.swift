// SPDX-License-Identifier: Apache-2.0

#if Synchronization
import Dispatch
import Glibc

/// Calls a closure after files in a directory were created or written, or were moved into it.
final class DirectoryWatch: Sendable {
    // Dispatch sources are thread-safe.
    nonisolated(unsafe) private let source: any DispatchSourceRead
    private static let events = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO)

    /// Starts the watch; `nil` if the directory cannot be watched.
    init?(_ directory: String, _ body: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        guard unsafe inotify_add_watch(descriptor, directory, Self.events) >= 0 else {
            close(descriptor)
            return nil
        }
        unsafe source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: AgentThreads.queue)
        unsafe source.setEventHandler {
            var buffer = [UInt8](repeating: 0, count: 1 << 14)
            while unsafe read(descriptor, &buffer, buffer.count) > 0 {}
            body()
        }
        unsafe source.setCancelHandler { close(descriptor) }
        unsafe source.resume()
    }

    deinit { unsafe source.cancel() }
}
#endif
