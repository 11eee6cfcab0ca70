// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc

/// An eventfd that wakes the thread which waits for events.
final class Alarm: Sendable {
    private let event = Descriptor(eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK)))

    var number: CInt { event.number }

    func ring() { _ = eventfd_write(number, 1) }

    func reset() {
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(number, &count)
    }
}
