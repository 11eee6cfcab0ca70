// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import KeychainModel
import Synchronization

/// Keeps sealed class keys where every process of the user finds them: in the first place that will have them, else in
/// this process alone.
///
/// It never gets a passcode, and it cannot read what it is given.
package struct KeyHolder: Sendable {
    private let places: [KeyHolderPlace]
    private let store: Bytes16

    package init(places: [KeyHolderPlace], store: Bytes16) {
        self.places = places
        self.store = store
    }

    /// The sealed keys of this process, for want of a better place.
    private static let own = Mutex<[String: Data]>([:])

    /// What the keys of a store are called: two stores never mix, and neither do keys of a lock state and of the next.
    private func name(_ slot: UnlockedKeys.Slot, _ turn: LockTurn) -> String {
        let digits = store.bytes.map { byte in
            let text = String(byte, radix: 16)
            return text.utf8.count == 1 ? "0" + text : text
        }
        return "lkc:\(digits.joined()):\(slot == .unlocked ? "A" : "C")\(turn.rawValue)"
    }

    /// Looks in every place until the closure takes what it is shown.
    func find<Result>(
        _ slot: UnlockedKeys.Slot,
        of turn: LockTurn,
        _ accept: (Data) -> Result?
    ) -> (found: Result, place: StoreStatus.KeyHolder)? {
        let name = name(slot, turn)
        for place in places {
            if let box = place.read(name), let found = accept(box) { return (found, place.kind) }
        }
        return Self.own.withLock { $0[name] }.flatMap(accept).map { ($0, .thisProcess) }
    }

    /// Puts sealed keys into the first place that will have them, and takes older ones out of the others.
    ///
    /// Those of the other turn stay: whoever reads the store before this change is durable needs them.
    ///
    /// - Throws: what is wrong with a place that is there and cannot be trusted: a file of another user, or one that
    ///   others can read.
    func put(
        _ box: Data,
        in slot: UnlockedKeys.Slot,
        of turn: LockTurn,
        seconds: UInt32?
    ) throws(StatusError) {
        let name = name(slot, turn)
        var isPut = false
        for place in places {
            // What is wrong with the present keys is said now, not when they are taken away.
            if !isPut { try place.inspect(self.name(slot, turn.other)) }
            if isPut { place.remove(name) } else { isPut = try place.put(box, name, seconds: seconds) }
        }
        Self.own.withLock { $0[name] = isPut ? nil : box }
    }

    /// Takes away what the closure says, which sees the box again: another process may have put a newer one.
    func remove(_ slot: UnlockedKeys.Slot, of turn: LockTurn, where isOver: (Data) -> Bool) {
        let name = name(slot, turn)
        for place in places {
            if let box = place.read(name), isOver(box) { place.remove(name, unfinished: false) }
        }
        removeOwn(slot, of: turn, where: isOver)
    }

    /// The same of what this process alone has.
    func removeOwn(_ slot: UnlockedKeys.Slot, of turn: LockTurn, where isOver: (Data) -> Bool) {
        let name = name(slot, turn)
        Self.own.withLock { if let box = $0[name], isOver(box) { $0[name] = nil } }
    }

    /// Takes away what needs the unlocked state, of every lock state.
    package func removeUnlocked() { remove(.unlocked) }

    func remove(_ slot: UnlockedKeys.Slot) { for turn in LockTurn.allCases { remove(slot, of: turn) } }

    private func remove(_ slot: UnlockedKeys.Slot, of turn: LockTurn) {
        let name = name(slot, turn)
        for place in places { place.remove(name) }
        Self.own.withLock { $0[name] = nil }
    }

    /// Takes away all keys but those of a lock state.
    package func retireAll(except state: Bytes16?) {
        for turn in LockTurn.allCases where turn != state.map(LockTurn.init) {
            for slot in UnlockedKeys.Slot.allCases { remove(slot, of: turn) }
        }
    }

    /// Forgets the keys of a store everywhere, as a restart of the machine does.
    package func removeAll() { for slot in UnlockedKeys.Slot.allCases { remove(slot) } }

    /// Where the next unlock will leave the keys, unless the kernel has no room for them.
    package var kind: StoreStatus.KeyHolder { places.first { $0.isAvailable }?.kind ?? .thisProcess }
}

/// Lock states take turns, so that the keys of one and of the next have a name each: the next can be prepared while the
/// present one still is what the store says.
package enum LockTurn: UInt8, CaseIterable, Sendable {
    case even, odd

    var other: Self { self == .even ? .odd : .even }

    init(_ state: Bytes16) { self = state.bytes[0] & 1 == 0 ? .even : .odd }
}

extension KeyHolderPlace {
    fileprivate var kind: StoreStatus.KeyHolder {
        switch self {
        case .kernelKeyring: .kernelKeyring
        case .runtimeDirectory: .runtimeFile
        }
    }

    fileprivate var isAvailable: Bool {
        switch self {
        case .kernelKeyring: KernelKeyring.isAvailable
        case .runtimeDirectory(let path): RuntimeFile.isAvailable(in: path)
        }
    }

    fileprivate func read(_ name: String) -> Data? {
        switch self {
        case .kernelKeyring: KernelKeyring.read(name)
        case .runtimeDirectory(let path): RuntimeFile.read(name, in: path)
        }
    }

    /// Answers whether the place has it now; one that is out of reach has not.
    fileprivate func put(_ box: Data, _ name: String, seconds: UInt32?) throws(StatusError) -> Bool {
        switch self {
        case .kernelKeyring: KernelKeyring.put(box, name, seconds: seconds)
        case .runtimeDirectory(let path): try RuntimeFile.put(box, name, in: path)
        }
    }

    /// - Throws: what is wrong with a file of the name.
    fileprivate func inspect(_ name: String) throws(StatusError) {
        switch self {
        case .kernelKeyring: break
        case .runtimeDirectory(let path): try RuntimeFile.inspect(name, in: path)
        }
    }

    /// Removes a box, and what processes that were killed have left of it unless others may be putting it just now.
    fileprivate func remove(_ name: String, unfinished: Bool = true) {
        switch self {
        case .kernelKeyring: KernelKeyring.remove(name)
        case .runtimeDirectory(let path): RuntimeFile.remove(name, in: path, unfinished: unfinished)
        }
    }
}

/// The file in the user's runtime directory, which is memory and goes with the session.
private enum RuntimeFile {
    private static let folder = "/keychain"
    private static let limit = 1_024

    /// The folder in a runtime directory that is what it should be.
    ///
    /// - Throws: what is wrong with one that cannot be trusted; `nil` where there is none, or it is a disk.
    private static func folder(
        of path: String,
        creating: Bool
    ) throws(StatusError) -> (PrivateDirectory)? {
        do throws(StatusError) {
            let runtime = try PrivateDirectory(path: path, creating: false)
            guard runtime.ask(KernelMemory.isInMemory) else { return nil }
            return try PrivateDirectory(path: path + folder, creating: creating)
        } catch {
            guard let reason = error.reason, isAbsence(reason) else { throw error }
            return nil
        }
    }

    /// Whether there is no such directory for this user, rather than one that cannot be trusted.
    private static func isAbsence(_ reason: Reason) -> Bool {
        [
            .directoryMissing, .directoryClosed, .pathTooLong, .notPermitted, .noSpace, .transferFailed,
            .systemCall,
        ].contains(reason)
    }

    static func isAvailable(in path: String) -> Bool { (try? folder(of: path, creating: true)) != nil }

    static func read(_ name: String, in path: String) -> Data? {
        guard let folder = try? folder(of: path, creating: false),
            let box = try? folder.read(name, atMost: limit)
        else { return nil }
        return box
    }

    static func put(_ box: Data, _ name: String, in path: String) throws(StatusError) -> Bool {
        guard let folder = try folder(of: path, creating: true) else { return false }
        try folder.put(name, contents: box)
        return true
    }

    static func inspect(_ name: String, in path: String) throws(StatusError) {
        guard let folder = try folder(of: path, creating: false) else { return }
        _ = try folder.inspect(name)
    }

    static func remove(_ name: String, in path: String, unfinished: Bool) {
        guard let folder = try? folder(of: path, creating: false) else { return }
        folder.remove(name)
        if unfinished { folder.removeUnfinished(name) }
    }
}
