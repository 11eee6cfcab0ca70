// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What several threads have collected.
final class Collected<Element: Sendable>: Sendable {
    private let content = Mutex<[Element]>([])

    var all: [Element] { content.withLock { $0 } }

    func append(_ element: Element) { content.withLock { $0.append(element) } }
}
