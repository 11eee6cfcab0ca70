// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel
import KeychainUserPresence
import Synchronization

/// For how long a keychain is that of the calls: a test, or the part of one that runs as another application.
struct Scope: Sendable {
    let keychain: TemporaryKeychain
    private let connection: KeychainConnection
    private let number = Scope.newNumber.add(1, ordering: .relaxed).newValue
    /// Whether the calls of the whole process go with it: what a test has, its parts have.
    private let hasProcess: Bool

    @TaskLocal private static var ofTask: Scope?
    /// The scopes that have the calls of the process; the last has them now.
    ///
    /// Parts of a test that run at once as other applications end in any order.
    private static let ofProcess = Mutex<[Scope]>([])
    private static let newNumber = Atomic<Int>(0)

    static var current: Scope? { ofTask ?? ofProcess.withLock { $0.last } }

    /// Whether the test that is running here has the calls of the whole process.
    static var taskHasProcess: Bool { ofTask?.hasProcess == true }

    init(_ keychain: TemporaryKeychain, as caller: Caller? = nil, hasProcess: Bool = false) {
        self.keychain = keychain
        self.hasProcess = hasProcess || Self.taskHasProcess
        let faults = keychain.faults
        connection = KeychainConnection(
            reopening: keychain.store.keychain,
            caller: caller ?? keychain.caller
        ) { request throws(StatusError) in try faults.meet(request) }
    }

    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        if hasProcess { takeProcess() }
        defer { if hasProcess { giveProcessBack() } }
        return try Self.$ofTask.withValue(self) {
            try PinentrySettings.$override.withValue(keychain.person.settings) {
                try SystemKeychain.$override.withValue(connection, operation: body)
            }
        }
    }

    func run<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        if hasProcess { takeProcess() }
        defer { if hasProcess { giveProcessBack() } }
        return try await Self.$ofTask.withValue(self) {
            try await PinentrySettings.$override.withValue(keychain.person.settings) {
                try await SystemKeychain.$override.withValue(connection, operation: body)
            }
        }
    }

    /// Takes the calls of those threads and tasks, too, that belong to no test.
    private func takeProcess() { Self.change { $0.append(self) } }

    /// Gives them to the scope that took them last among those that have not ended.
    private func giveProcessBack() { Self.change { $0.removeAll { $0.number == number } } }

    private static func change(_ body: (inout [Scope]) -> Void) {
        ofProcess.withLock { scopes in
            body(&scopes)
            SystemKeychain.overrideInProcess(scopes.last?.connection)
            PinentrySettings.overrideInProcess(scopes.last?.keychain.person.settings)
        }
    }
}
