// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainSync
import KeychainTestSupport
import Synchronization
import Testing

/// A device in this process: a store of its own, and an agent that the test runs step by step.
final class Device: Sendable {
    let keychain: EmbeddedKeychain
    let client: EtcdClient
    let agent: SyncAgent
    let circle: Circle
    let configuration: EtcdConfiguration
    let directory: String
    let clock: ClockSkew

    /// The directory in which unlocked keys are cached for other processes; `nil` if they are not cached.
    let keyDirectory: KeyDirectory?

    private static let caller = Caller(applicationIdentifier: "group", accessGroups: ["group"])

    /// Creates a device; with a key directory, other processes can use the keys that this one unlocks.
    init(
        _ server: EtcdServer,
        over transport: (any EtcdTransport)? = nil,
        keyDirectory: KeyDirectory? = nil,
        in path: String? = nil
    ) throws {
        directory =
            path ?? FileManager.default.temporaryDirectory.appending(path: "device-\(UUID().uuidString)").path
        let skewed = ClockSkew()
        self.keyDirectory = keyDirectory
        let store = URL(filePath: directory)
        let location = keyDirectory?.location(of: store) ?? StoreLocation(directory: directory)
        keychain = try EmbeddedKeychain(at: location, clock: skewed.seconds)
        configuration = server.configuration
        let used: any EtcdTransport = if let transport { transport } else { try server.transport() }
        client = EtcdClient(server.configuration, over: used, deadlines: EtcdServer.deadlines)
        agent = SyncAgent(keychain, over: client, clock: skewed.milliseconds)
        circle = Circle(keychain, over: client, clock: skewed.milliseconds)
        clock = skewed
    }

    func end() async {
        await client.shutdown()
        try? FileManager.default.removeItem(atPath: directory)
    }

    func join(_ other: Device, as role: MemberRole = .member) async throws {
        try await join(other, with: other.circle.invite(as: role))
    }

    func join(_ other: Device, with invitation: OpenInvitation) async throws {
        async let joined: Void = circle.join(invitation.code, named: "second", configuration) {
            try? await Task.sleep(for: .milliseconds(20))
            return true
        }
        while true {
            if let request = try await other.circle.request(for: invitation) {
                try await other.circle.accept(request, of: invitation)
                break
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        try await joined
    }

    private func filter(_ account: String, comment: String? = nil) -> ItemFilter {
        var attributes = Attributes()
        if let comment { attributes[.comment] = .string(comment) }
        attributes[.account] = .string(account)
        attributes[.service] = .string("service")
        var filter = ItemFilter(itemClass: .genericPassword, attributes: attributes)
        filter.synchronizable = .any
        return filter
    }

    func add(
        _ account: String,
        _ value: String,
        synchronizable: Bool = true,
        protection: ProtectionClass = .afterFirstUnlock,
        comment: String? = nil
    ) throws {
        var attributes = filter(account, comment: comment).attributes
        attributes[.accessible] = .string(protection.name)
        if synchronizable { attributes[.synchronizable] = .number(1) }
        let item = NewItem(
            itemClass: .genericPassword,
            attributes: attributes,
            secret: SecretBuffer(Array(value.utf8))
        )
        _ = try keychain.perform(.add(item), for: Self.caller)
    }

    /// Changes the value of an item, and attributes if given; with `comment`, only if it has this comment.
    func update(
        _ account: String,
        _ value: String,
        _ changes: [Attribute: AttributeValue] = [:],
        comment: String? = nil
    ) throws {
        var attributes = Attributes()
        for (attribute, value) in changes { attributes[attribute] = value }
        let request = UpdateRequest(
            filter: filter(account, comment: comment),
            attributes: attributes,
            secret: SecretBuffer(Array(value.utf8))
        )
        _ = try keychain.perform(.update(request), for: Self.caller)
    }

    func update(_ account: String, _ changes: [Attribute: AttributeValue]) throws {
        var attributes = Attributes()
        for (attribute, value) in changes { attributes[attribute] = value }
        let request = UpdateRequest(filter: filter(account), attributes: attributes)
        _ = try keychain.perform(.update(request), for: Self.caller)
    }

    /// Deletes an item; with `comment`, only if it has this comment.
    func delete(_ account: String, comment: String? = nil) throws {
        let request = DeleteRequest(filter: filter(account, comment: comment))
        _ = try keychain.perform(.delete(request), for: Self.caller)
    }

    func value(_ account: String) throws -> String? {
        let request = CopyRequest(filter: filter(account), returning: .data)
        do throws(StatusError) {
            guard case .items(let items) = try keychain.perform(.copy(request), for: Self.caller) else {
                return nil
            }
            return items.first?.secret.map { String(decoding: $0.bytes, as: UTF8.self) }
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return nil
        }
    }

    func reference(_ account: String) throws -> PersistentReference? {
        let request = CopyRequest(filter: filter(account), returning: .persistentReference)
        guard case .items(let items) = try keychain.perform(.copy(request), for: Self.caller) else {
            return nil
        }
        return items.first?.reference
    }

    /// Waits until a condition holds; returns false if it does not within a minute.
    static func waits(until condition: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<3_000 {
            if try await condition() { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    /// The contents of the files in the store's directory, except shared memory (`-shm`).
    var files: [String: Data] {
        get throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
                .filter { !$0.hasSuffix("-shm") }
            return Dictionary(
                uniqueKeysWithValues: names.map {
                    ($0, FileManager.default.contents(atPath: directory + "/" + $0) ?? Data())
                }
            )
        }
    }

    var conflicts: [String] {
        get throws {
            try SyncStore(keychain).conflicts().compactMap { $0.item?.value }
                .map { String(decoding: $0.bytes, as: UTF8.self) }
        }
    }
}

final class ClockSkew: Sendable {
    private let difference = Mutex<Int64>(0)

    /// Sets by how many milliseconds the clock differs from the system's; negative if it is slow.
    func set(_ milliseconds: Int64) { difference.withLock { $0 = milliseconds } }

    var milliseconds: @Sendable () -> UInt64 {
        { UInt64(max(0, Int64(SystemTime.milliseconds()) + self.difference.withLock { $0 })) }
    }

    var seconds: @Sendable () -> Double {
        { Double(self.milliseconds()) / 1_000 - 978_307_200 }
    }
}
