// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The valets in use, one per service.
final class WeakStorage<Value: AnyObject & Sendable>: Sendable {
    private struct Reference {
        weak var value: Value?
    }

    private struct State {
        var references: [Service: Reference] = [:]
        /// The number of entries at which the entries of released objects are removed.
        var limit = 32
    }

    private let state = Mutex(State())

    /// Returns the valet of a service, creating it if needed; thread-safe.
    func value(for service: Service, orMaking make: (Service) -> Value) -> Value {
        state.withLock { state in
            if let value = state.references[service]?.value { return value }
            let value = make(service)
            if state.references.count >= state.limit {
                state.references = state.references.filter { $0.value.value != nil }
                state.limit = max(32, 2 * state.references.count)
            }
            state.references[service] = Reference(value: value)
            return value
        }
    }
}
