// SPDX-License-Identifier: Apache-2.0

import KeychainModel
public import KeychainServices
import Synchronization

extension TemporaryKeychain {
    /// A kind of call that can be made to fail.
    public enum Call: Sendable, Hashable, CaseIterable {
        /// `SecItemAdd`, and what else makes items, as a permanent `SecKeyCreateRandomKey`.
        case add
        /// `SecItemCopyMatching`.
        case copy
        /// `SecItemUpdate`.
        case update
        /// `SecItemDelete`.
        case delete
    }

    /// Makes the next calls answer with a status, and change nothing.
    ///
    /// A call whose dictionary is refused anyway does not count, and a test fails at its end if no call has met a fault as
    /// often as planned; ``removeFaults()`` takes back what is left. Several faults are met one after the other, in the
    /// order in which they were planned.
    ///
    /// - Parameters:
    ///   - status: The status, as `errSecInteractionNotAllowed`; with `errSecSuccess` a call says that it was carried out
    ///     and was not.
    ///   - times: How many calls fail; `Int.max` for all of them, of which there must be one.
    ///   - calls: Which calls these are; by default any.
    public func failNext(_ status: OSStatus, times: Int = 1, in calls: Set<Call> = Set(Call.allCases)) {
        faults.append(status, times: times, in: calls)
    }

    /// Takes back the faults that no call has met yet, and says how many there were.
    ///
    /// A test that counts on them to be met expects 0.
    @discardableResult
    public func removeFaults() -> Int { faults.removeAll() }
}

/// What the calls of a test are going to meet: gates, and then faults.
final class FaultPlan: Sendable {
    private struct Fault {
        let error: StatusError
        var left: Int
        /// Whether every call is to fail: then one is enough.
        let isForEver: Bool
        var isMet = false
        let calls: Set<TemporaryKeychain.Call>
    }

    private let faults = Mutex<[Fault]>([])
    private let gates = GateQueue()

    /// Has the next of some calls wait.
    func hold(_ calls: Set<TemporaryKeychain.Call>) -> Gate { gates.append(calls) }

    /// Lets go every call that waits, and has none wait from now on.
    func end() { gates.end() }

    func append(_ status: OSStatus, times: Int, in calls: Set<TemporaryKeychain.Call>) {
        guard times > 0 else { return }
        let error = StatusError(Status(rawValue: status))
        let fault = Fault(error: error, left: times, isForEver: times == .max, calls: calls)
        faults.withLock { $0.append(fault) }
    }

    func removeAll() -> Int {
        faults.withLock { faults in
            defer { faults = [] }
            return faults.reduce(0) { sum, fault in fault.left > .max - sum ? .max : sum + fault.left }
        }
    }

    /// Fails a test that has planned more faults than its calls have met.
    func checkEachWasMet() throws(TemporaryKeychainError) {
        let count = faults.withLock { $0.count { !$0.isForEver || !$0.isMet } }
        guard count == 0 else { throw .unmetFaults(count) }
    }

    /// Has a request wait, and fails it, where that is its turn.
    func meet(_ request: Request) throws(StatusError) {
        if case .set = request { return try meetSet() }
        if let call = request.call { try meet(call) }
    }

    /// A request that updates or else adds is both calls, again and again as others get in its way.
    private func meetSet() throws(StatusError) {
        for _ in 0..<8 {
            do throws(StatusError) {
                return try meet(.update)
            } catch {
                guard error.status == .itemNotFound else { throw error }
            }
            do throws(StatusError) {
                return try meet(.add)
            } catch {
                guard error.status == .duplicateItem else { throw error }
            }
        }
        throw StatusError(.duplicateItem)
    }

    private func meet(_ call: TemporaryKeychain.Call) throws(StatusError) {
        gates.take(for: call)?.pass()
        try faults.withLock { faults throws(StatusError) in
            guard let index = faults.firstIndex(where: { $0.calls.contains(call) }) else { return }
            let error = faults[index].error
            faults[index].left -= 1
            faults[index].isMet = true
            if faults[index].left == 0 { faults.remove(at: index) }
            throw error
        }
    }
}

extension Request {
    fileprivate var call: TemporaryKeychain.Call? {
        switch self {
        case .add, .addIdentity: .add
        case .copy, .copyIdentities: .copy
        case .update, .updateEach, .set: .update
        case .delete, .deleteEach, .deleteIdentities: .delete
        case .status: nil
        }
    }
}
