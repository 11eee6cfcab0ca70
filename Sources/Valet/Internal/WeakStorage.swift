// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The valets that are in use, one for each service.
final class WeakStorage<Value: AnyObject & Sendable>: Sendable {
    private struct Reference {
        weak var value: Value?
    }

    private struct State {
        var references: [Service: Reference] = [:]
        /// How many there may be before those that are gone are forgotten.
        var limit = 32
    }

    private let state = Mutex(State())

    /// The valet of a service: found or made, never by two threads at once.
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
