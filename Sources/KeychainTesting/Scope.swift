// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel
import KeychainUserPresence
import Synchronization

/// A test or a `withApplication` body, during which calls use a temporary keychain.
struct Scope: Sendable {
    let keychain: TemporaryKeychain
    private let connection: KeychainConnection
    private let number = Scope.newNumber.add(1, ordering: .relaxed).newValue
    /// Whether the scope applies to the whole process; if so, the scopes nested in it do too.
    private let hasProcess: Bool

    @TaskLocal private static var ofTask: Scope?
    /// The scopes that apply to the whole process; calls use the last one.
    ///
    /// A scope is removed from any position, because concurrent `withApplication` bodies end in any order.
    private static let ofProcess = Mutex<[Scope]>([])
    private static let newNumber = Atomic<Int>(0)

    static var current: Scope? { ofTask ?? ofProcess.withLock { $0.last } }

    /// Whether the scope of the current task applies to the whole process.
    static var taskHasProcess: Bool { ofTask?.hasProcess == true }

    init(_ keychain: TemporaryKeychain, as caller: Caller? = nil, hasProcess: Bool = false) {
        self.keychain = keychain
        self.hasProcess = hasProcess || Self.taskHasProcess
        let (faults, caller) = (
            keychain.faults, keychain.store.serviceCaller ?? caller ?? keychain.caller
        )
        let interceptor = { @Sendable (request: Request) throws(StatusError) in
            try faults.apply(to: request)
        }
        connection =
            keychain.store.daemon.map {
                KeychainConnection(daemon: $0.client(for: caller), caller: caller, interceptor: interceptor)
            }
            ?? KeychainConnection(
                reopening: keychain.store.keychain,
                caller: caller,
                interceptor: interceptor
            )
    }

    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        if hasProcess { takeProcess() }
        defer { if hasProcess { giveProcessBack() } }
        return try Self.$ofTask.withValue(self) {
            try PinentrySettings.$override.withValue(keychain.user.settings) {
                try SystemKeychain.with(connection, body)
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
            try await PinentrySettings.$override.withValue(keychain.user.settings) {
                try await SystemKeychain.with(connection, body)
            }
        }
    }

    /// Applies the scope to threads and tasks that belong to no test.
    private func takeProcess() { Self.change { $0.append(self) } }

    /// Removes the scope, so that the last of the remaining process scopes applies.
    private func giveProcessBack() { Self.change { $0.removeAll { $0.number == number } } }

    private static func change(_ body: (inout [Scope]) -> Void) {
        ofProcess.withLock { scopes in
            body(&scopes)
            SystemKeychain.overrideInProcess(scopes.last?.connection)
            PinentrySettings.overrideInProcess(scopes.last?.keychain.user.settings)
        }
    }
}
