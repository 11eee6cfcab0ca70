// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTesting
import Testing

@Suite(.temporaryKeychain, .timeLimit(.minutes(10))) struct HeldCallTests {
    private func call(_ body: @escaping @Sendable () -> OSStatus) -> Task<OSStatus, Never> {
        Task(executorPreference: TemporaryKeychain.threads) { body() }
    }

    @Test func `other calls proceed while one is held`() async throws {
        let keychain = try TemporaryKeychain.current
        let held = keychain.holdNext(in: [.add])
        #expect(!held.hasArrived)
        let adding = call { Items.add("alice") }
        await held.arrival()
        #expect(held.hasArrived)
        #expect(Items.add("bob") == errSecSuccess)
        #expect(Items.status(of: "alice") == errSecItemNotFound)
        held.release()
        #expect(await adding.value == errSecSuccess)
        #expect(Items.status(of: "alice") == errSecSuccess)
    }

    @Test func `a held call sees changes made meanwhile`() async throws {
        let keychain = try TemporaryKeychain.current
        let added = keychain.holdNext(in: [.add])
        let adding = call { Items.add("alice") }
        await added.arrival()
        #expect(Items.add("alice") == errSecSuccess)
        added.release()
        #expect(await adding.value == errSecDuplicateItem)
        let read = keychain.holdNext(in: [.copy])
        let reading = call { Items.status(of: "alice") }
        await read.arrival()
        keychain.failNext(errSecInteractionNotAllowed)
        read.release()
        #expect(await reading.value == errSecInteractionNotAllowed)
    }

    @Test func `each handle holds one call, in order`() async throws {
        let keychain = try TemporaryKeychain.current
        let held = [keychain.holdNext(in: [.add]), keychain.holdNext()]
        let first = call { Items.add("alice") }
        await held[0].arrival()
        let second = call { Items.add("bob") }
        await held[1].arrival()
        held[1].release()
        #expect(await second.value == errSecSuccess)
        #expect(Items.status(of: "alice") == errSecItemNotFound)
        held[0].release()
        #expect(await first.value == errSecSuccess)
    }

    @Test func `a call released before it arrives does not wait`() async throws {
        let held = try TemporaryKeychain.current.holdNext()
        held.release()
        await held.arrival()
        held.release()
        #expect(Items.add("alice") == errSecSuccess)
        #expect(held.hasArrived)
    }

    @Test func `no call is held without a handle`() async throws {
        let keychain = try TemporaryKeychain.current
        _ = keychain.holdNext()
        #expect(Items.add("alice") == errSecSuccess)
        var held: TemporaryKeychain.HeldCall? = keychain.holdNext()
        let adding = call { Items.add("bob") }
        await held?.arrival()
        held = nil
        #expect(await adding.value == errSecSuccess)
    }

    @Test func `waiting for a held call can be cancelled`() async throws {
        let held = try TemporaryKeychain.current.holdNext()
        let waiting = Task { await held.arrival() }
        waiting.cancel()
        await waiting.value
        #expect(!held.hasArrived)
    }

    @Test func `a held call is released when its keychain ends`() async throws {
        var adding: Task<OSStatus, Never>?
        let held = try await withTemporaryKeychain { keychain in
            let held = keychain.holdNext()
            adding = call { Items.add("alice") }
            await held.arrival()
            return held
        }
        // The released call continues while the store is being removed, so its status is not checked.
        _ = await adding?.value
        #expect(held.hasArrived)
    }
}
