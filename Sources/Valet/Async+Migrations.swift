// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension BlockingCalls {
    /// Runs `body` with a query on another thread, to which the query is transferred.
    fileprivate static func run(
        with query: sending [String: AnyHashable],
        _ body: @Sendable ([String: AnyHashable]) throws -> Void
    ) async throws {
        nonisolated(unsafe) let query = query
        try await run { try unsafe body(query) }
    }
}

/// Asynchronous migrations; closures passed to them run on the thread of the migration.
extension Valet.Async {
    /// The asynchronous form of ``Valet/migrateObjects(matching:compactMap:)``.
    public func migrateObjects(
        matching query: sending [String: AnyHashable],
        compactMap:
            @escaping @Sendable (MigratableKeyValuePair<AnyHashable>) throws -> MigratableKeyValuePair<
                String
            >?
    ) async throws {
        try await BlockingCalls.run(with: query) {
            try valet.migrateObjects(matching: $0, compactMap: compactMap)
        }
    }

    /// The asynchronous form of ``Valet/migrateObjects(matching:removeOnCompletion:progress:)``.
    public func migrateObjects(
        matching query: sending [String: AnyHashable],
        removeOnCompletion: Bool,
        progress: Progress = Progress(totalUnitCount: 0)
    ) async throws {
        try await BlockingCalls.run(with: query) {
            try valet.migrateObjects(matching: $0, removeOnCompletion: removeOnCompletion, progress: progress)
        }
    }

    /// The asynchronous form of ``Valet/migrateObjects(from:compactMap:)``.
    public func migrateObjects(
        from source: Valet,
        compactMap:
            @escaping @Sendable (MigratableKeyValuePair<AnyHashable>) throws -> MigratableKeyValuePair<
                String
            >?
    ) async throws {
        try await BlockingCalls.run { try valet.migrateObjects(from: source, compactMap: compactMap) }
    }

    /// The asynchronous form of ``Valet/migrateObjects(from:removeOnCompletion:progress:)``.
    public func migrateObjects(
        from source: Valet,
        removeOnCompletion: Bool,
        progress: Progress = Progress(totalUnitCount: 0)
    ) async throws {
        try await BlockingCalls.run {
            try valet.migrateObjects(from: source, removeOnCompletion: removeOnCompletion, progress: progress)
        }
    }

    /// The asynchronous form of ``Valet/migrateObjectsFromAlwaysAccessibleValet(removeOnCompletion:)``.
    public func migrateObjectsFromAlwaysAccessibleValet(removeOnCompletion: Bool) async throws {
        try await BlockingCalls.run {
            try valet.migrateObjectsFromAlwaysAccessibleValet(removeOnCompletion: removeOnCompletion)
        }
    }

    /// The asynchronous form of ``Valet/migrateObjectsFromAlwaysAccessibleThisDeviceOnlyValet(removeOnCompletion:)``.
    public func migrateObjectsFromAlwaysAccessibleThisDeviceOnlyValet(
        removeOnCompletion: Bool
    ) async throws {
        try await BlockingCalls.run {
            try valet.migrateObjectsFromAlwaysAccessibleThisDeviceOnlyValet(
                removeOnCompletion: removeOnCompletion
            )
        }
    }

    #if os(macOS)
    /// The asynchronous form of ``Valet/migrateObjectsFromPreCatalina()``.
    public func migrateObjectsFromPreCatalina() async throws {
        try await BlockingCalls.run { try valet.migrateObjectsFromPreCatalina() }
    }
    #endif
}

extension SecureEnclaveValet.Async {
    /// The asynchronous form of ``SecureEnclaveValet/migrateObjects(matching:removeOnCompletion:progress:)``.
    public func migrateObjects(
        matching query: sending [String: AnyHashable],
        removeOnCompletion: Bool,
        progress: Progress = Progress(totalUnitCount: 0)
    ) async throws {
        try await BlockingCalls.run(with: query) {
            try valet.migrateObjects(matching: $0, removeOnCompletion: removeOnCompletion, progress: progress)
        }
    }

    /// The asynchronous form of ``SecureEnclaveValet/migrateObjects(from:removeOnCompletion:)``.
    public func migrateObjects(from source: Valet, removeOnCompletion: Bool) async throws {
        try await BlockingCalls.run {
            try valet.migrateObjects(from: source, removeOnCompletion: removeOnCompletion)
        }
    }

    /// The asynchronous form of ``SecureEnclaveValet/migrateObjectsFromSinglePromptSecureEnclaveValet(removeOnCompletion:)``.
    public func migrateObjectsFromSinglePromptSecureEnclaveValet(removeOnCompletion: Bool) async throws {
        try await BlockingCalls.run {
            try valet.migrateObjectsFromSinglePromptSecureEnclaveValet(removeOnCompletion: removeOnCompletion)
        }
    }
}

extension SinglePromptSecureEnclaveValet.Async {
    /// The asynchronous form of ``SinglePromptSecureEnclaveValet/migrateObjects(matching:removeOnCompletion:progress:)``.
    public func migrateObjects(
        matching query: sending [String: AnyHashable],
        removeOnCompletion: Bool,
        progress: Progress = Progress(totalUnitCount: 0)
    ) async throws {
        try await BlockingCalls.run(with: query) {
            try valet.migrateObjects(matching: $0, removeOnCompletion: removeOnCompletion, progress: progress)
        }
    }

    /// The asynchronous form of ``SinglePromptSecureEnclaveValet/migrateObjects(from:removeOnCompletion:)``.
    public func migrateObjects(from source: Valet, removeOnCompletion: Bool) async throws {
        try await BlockingCalls.run {
            try valet.migrateObjects(from: source, removeOnCompletion: removeOnCompletion)
        }
    }
}
