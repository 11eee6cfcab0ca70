// SPDX-License-Identifier: Apache-2.0

import KeychainModel
public import KeychainServices
import Synchronization

extension TemporaryKeychain {
    /// A `SecItem` function whose calls a test can hold or make fail.
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
    /// Each failing call uses up one planned fault; faults are used in the order in which they were planned. A
    /// call with an invalid dictionary fails with its own error and uses up no fault. A test fails at its end
    /// if fewer calls failed than planned, unless ``removeFaults()`` has removed the remaining faults.
    ///
    /// - Parameters:
    ///   - status: The status to return, such as `errSecInteractionNotAllowed`. With `errSecSuccess`, a call
    ///     does nothing and reports success.
    ///   - times: How many calls fail. With `Int.max` all calls fail, and the test fails if it makes no call.
    ///   - calls: The functions whose calls fail; by default all.
    public func failNext(_ status: OSStatus, times: Int = 1, in calls: Set<Call> = Set(Call.allCases)) {
        faults.append(status, times: times, in: calls)
    }

    /// Removes the planned faults that no call has used, and returns how many calls would still have failed.
    ///
    /// The number is 0 if every planned fault was used.
    @discardableResult
    public func removeFaults() -> Int { faults.removeAll() }
}

final class FaultPlan: Sendable {
    private struct Fault {
        let error: StatusError
        var left: Int
        /// Whether every call fails, rather than a number of calls.
        ///
        /// The fault then counts as used after one call.
        let isUnlimited: Bool
        var isUsed = false
        let calls: Set<TemporaryKeychain.Call>
    }

    private let faults = Mutex<[Fault]>([])
    private let gates = GateQueue()

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
            return faults.reduce(0) { sum, fault in
                let left = fault.isUnlimited && fault.isUsed ? 0 : fault.left
                return left > .max - sum ? .max : sum + left
            }
        }
    }

    func checkEachWasMet() throws(TemporaryKeychainError) {
        let count = faults.withLock { $0.count { !$0.isUnlimited || !$0.isUsed } }
        guard count == 0 else { throw .unusedFaults(count) }
    }

    /// Waits while the request is held, then throws the fault planned for it, if any.
    func apply(to request: Request) throws(StatusError) {
        if case .set = request { return try applyToSet() }
        if let call = request.call { try apply(to: call) }
    }

    /// Applies the planned faults to a `set` request as if it were an update, followed by an add if no item exists.
    ///
    /// A planned `errSecItemNotFound` for the update leads to an add, and a planned `errSecDuplicateItem` for
    /// the add to another update, at most eight times.
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
            faults[index].isUsed = true
            if faults[index].left == 0 { faults.remove(at: index) }
            throw error
        }
    }
}

extension Request {
    fileprivate var call: TemporaryKeychain.Call? {
        switch self {
        case .add, .addIdentity, .makeTokenKey: .add
        case .copy, .copyIdentities: .copy
        case .update, .updateEach, .set: .update
        case .delete, .deleteEach, .deleteIdentities: .delete
        case .status, .useTokenKey: nil
        }
    }
}
