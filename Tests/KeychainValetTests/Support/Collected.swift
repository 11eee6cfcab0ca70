// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Elements collected by several threads.
final class Collected<Element: Sendable>: Sendable {
    private let content = Mutex<[Element]>([])

    var all: [Element] { content.withLock { $0 } }

    func append(_ element: Element) { content.withLock { $0.append(element) } }
}
