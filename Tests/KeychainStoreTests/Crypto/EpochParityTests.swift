// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// The parity that distinguishes cached keys of two consecutive lock epochs.
///
/// A lock or unlock, for example, starts a new lock epoch. Until the new epoch is committed to the database, the keys
/// of the current epoch and of the new one are cached side by side.
@Suite struct EpochParityTests {
    private let runtime: KeyDirectory
    private let keyCache: KeyCache
    private let keys = StoreKeys(.random())
    private let clock = LockClock(sinceStart: { 5 }, awake: { 5 }, start: { .zero })

    init() throws {
        runtime = try KeyDirectory()
        keyCache = KeyCache(locations: [.runtimeDirectory(runtime.url.path)], store: .random())
    }

    private func source(_ state: Bytes16) -> UnlockedKeySource {
        UnlockedKeySource(epoch: state, keyCache: keyCache, clock: clock)
    }

    /// The identifiers of two consecutive lock epochs.
    private func states() throws -> (Bytes16, Bytes16) {
        let key = try PasscodeDerivation.make(
            for: SecretBytes("canary"),
            cost: PasscodeCost(doublings: 4),
            with: keys
        )
        var page = LockPage(under: key)
        let first = page.epoch
        page.startEpoch()
        return (first, page.epoch)
    }

    private var opened: UnlockedClassKeys {
        UnlockedClassKeys(keys: [
            ClassKeyID(.whenUnlocked, .even): .random(), ClassKeyID(.afterFirstUnlock, .odd): .random(),
        ])
    }

    @Test func `the next epoch has the other parity`() throws {
        for _ in 0..<32 {
            let (first, next) = try states()
            #expect(EpochParity(first) != EpochParity(next))
        }
    }

    @Test func `an uncommitted unlock keeps the keys of the current epoch`() throws {
        let (first, next) = try states()
        try source(first).store(opened, settings: LockSettings(), with: keys)
        try source(next).store(opened, settings: LockSettings(), with: keys)
        for state in [first, next] {
            #expect(source(state).lockState(with: keys) == .unlocked)
            #expect(source(state).location(with: keys) == .runtimeFile)
        }
        keyCache.discardAll(except: next)
        #expect(source(first).lockState(with: keys) == .beforeFirstUnlock)
        #expect(source(next).lockState(with: keys) == .unlocked)
        keyCache.discardAll(except: nil)
        #expect(source(next).lockState(with: keys) == .beforeFirstUnlock)
    }

    @Test func `an uncommitted lock keeps unlocked classes unlocked`() throws {
        let (first, next) = try states()
        try source(first).store(opened, settings: LockSettings(), with: keys)
        try source(first).lock(to: next, with: keys)
        for state in [first, next] { #expect(source(state).lockState(with: keys) == .locked) }
    }

    @Test(.enabled(if: LockedStore.cacheLocations.contains(.kernelKeyring), "the kernel refuses its keyring"))
    func `the kernel itself removes an expired key`() throws {
        let kernel = KeyCache(locations: [.kernelKeyring], store: .random())
        defer { kernel.removeAll() }
        // The lookup accepts any bytes, so only the kernel, not a clock of this process, decides when the key
        // is gone.
        let location = { kernel.find(.unlocked, of: .even) { $0 }?.location }
        try kernel.put(Array("canary".utf8), in: .unlocked, of: .even, seconds: nil)
        #expect(location() == .kernelKeyring)
        try kernel.put(Array("canary".utf8), in: .unlocked, of: .even, seconds: 1)
        for _ in 0..<1_200 where location() != nil { usleep(50_000) }
        #expect(location() == nil)
    }
}
