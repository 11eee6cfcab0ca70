// SPDX-License-Identifier: Apache-2.0

import KeychainModel
public import KeychainServices
import Synchronization

extension TemporaryKeychain {
    /// A kind of call that can be made to fail.
    public enum Call: Sendable, Hashable, CaseIterable {
        /// `SecItemAdd`, and other functions that add items, such as a permanent `SecKeyCreateRandomKey`.
        case add
        /// `SecItemCopyMatching`.
        case copy
        /// `SecItemUpdate`.
        case update
        /// `SecItemDelete`.
        case delete
    }

    /// Makes the next calls fail with a status, without changing anything.
    ///
    /// A call whose dictionary is invalid fails with its own error and uses up no fault. A test fails at its
    /// end if fewer calls failed than planned; ``removeFaults()`` removes the remaining faults. Faults are
    /// used in the order in which they were planned.
    ///
    /// - Parameters:
    ///   - status: The status to return, such as `errSecInteractionNotAllowed`. With `errSecSuccess` a call
    ///     claims success without doing anything.
    ///   - times: How many calls fail; `Int.max` for all of them, at least one.
    ///   - calls: The kinds of call that fail; by default all.
    public func failNext(_ status: OSStatus, times: Int = 1, in calls: Set<Call> = Set(Call.allCases)) {
        faults.append(status, times: times, in: calls)
    }

    /// Removes the faults that no call has used, and returns their number.
    ///
    /// A test that requires all faults to be used expects 0.
    @discardableResult
    public func removeFaults() -> Int { faults.removeAll() }
}

/// The planned behavior of the test's calls: held calls first, then faults.
final class FaultPlan: Sendable {
    private struct Fault {
        let error: StatusError
        var left: Int
        /// Whether every call fails.
        ///
        /// A single one then satisfies the test.
        let isUnlimited: Bool
        var isMet = false
        let calls: Set<TemporaryKeychain.Call>
    }

    private let faults = Mutex<[Fault]>([])
    private let gates = GateQueue()

    /// Holds the next call of these kinds.
    func hold(_ calls: Set<TemporaryKeychain.Call>) -> Gate { gates.append(calls) }

    /// Releases every held call and holds no more.
    func end() { gates.end() }

    func append(_ status: OSStatus, times: Int, in calls: Set<TemporaryKeychain.Call>) {
        guard times > 0 else { return }
        let error = StatusError(Status(rawValue: status))
        let fault = Fault(error: error, left: times, isUnlimited: times == .max, calls: calls)
        faults.withLock { $0.append(fault) }
    }

    func removeAll() -> Int {
        faults.withLock { faults in
            defer { faults = [] }
            return faults.reduce(0) { sum, fault in fault.left > .max - sum ? .max : sum + fault.left }
        }
    }

    /// Throws if calls used fewer faults than planned.
    func checkEachWasMet() throws(TemporaryKeychainError) {
        let count = faults.withLock { $0.count { !$0.isUnlimited || !$0.isMet } }
        guard count == 0 else { throw .unmetFaults(count) }
    }

    /// Waits if the request is held, then throws its planned fault if there is one.
    func apply(to request: Request) throws(StatusError) {
        if case .set = request { return try applyToSet() }
        if let call = request.call { try apply(to: call) }
    }

    /// Treats a set request as an update call and an add call, and retries like concurrent writers.
    private func applyToSet() throws(StatusError) {
        for _ in 0..<8 {
            do throws(StatusError) {
                return try apply(to: .update)
            } catch {
                guard error.status == .itemNotFound else { throw error }
            }
            do throws(StatusError) {
                return try apply(to: .add)
            } catch {
                guard error.status == .duplicateItem else { throw error }
            }
        }
        throw StatusError(.duplicateItem)
    }

    private func apply(to call: TemporaryKeychain.Call) throws(StatusError) {
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
