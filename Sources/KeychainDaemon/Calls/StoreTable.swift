// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainModel
import KeychainStore
import Synchronization

/// The users' stores, each of which is opened by its first call and closed when idle.
final class StoreTable: Sendable {
    private let service: ServerConfiguration.Service
    private let stores = Mutex<[uid_t: UserStore]>([:])
    /// How long a store stays open after its last call.
    private static let idleMilliseconds: UInt64 = 300_000

    /// The disk space reserved for reading and deleting on a full disk; `nil` in the user service.
    let reserve: DiskReserve?

    init(_ service: ServerConfiguration.Service) {
        self.service = service
        reserve =
            if case .system(let service) = service { DiskReserve(directory: service.state) } else { nil }
    }

    var isEmpty: Bool { stores.withLock { $0.values.allSatisfy { !$0.isOpen } } }

    /// Returns the store of a user; ``UserStore/use(creating:_:)`` opens it.
    func store(of user: uid_t) -> UserStore {
        stores.withLock { stores in
            if let store = stores[user] { return store }
            let store = UserStore(directory: directory(of: user), owner: isOfSystem ? user : nil)
            stores[user] = store
            return store
        }
    }

    var openCount: Int { stores.withLock { $0.values.count(where: \.isOpen) } }

    /// Returns the teams that a user trusts; none if the user has no store, or it cannot be read.
    func teams(of user: uid_t) -> [Team] {
        let store = store(of: user)
        do throws(StatusError) {
            return try store.use { keychain throws(StatusError) in try UserTeams.list(in: keychain) }
        } catch {
            return []
        }
    }

    private func directory(of user: uid_t) -> String {
        switch service {
        case .user(let directory): directory
        case .system(let service): service.directory(of: user)
        }
    }

    /// The free bytes on the file system of the stores; `max` if the system does not report them.
    var freeBytes: UInt64 {
        let directory =
            switch service {
            case .user(let directory): directory
            case .system(let service): service.state
            }
        var status = statvfs()
        guard unsafe statvfs(directory, &status) == 0, status.f_blocks > 0 else { return .max }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    var isOfSystem: Bool {
        if case .system = service { true } else { false }
    }

    func closeIdle() {
        let limit = SystemClock.milliseconds
        for store in stores.withLock({ Array($0.values) })
        where store.lastUse + Self.idleMilliseconds < limit {
            store.close()
        }
    }

    // MARK: Rotation of keys

    /// Continues the rotations of keys that were interrupted when the daemon ended.
    func resumeKeyRotations() {
        switch service {
        case .user: store(of: geteuid()).resumeKeyRotationAtStart()
        case .system(let service):
            for user in service.usersWithDirectory() { store(of: user).resumeKeyRotationAtStart() }
        }
    }

    /// Ends the rotations of keys after their current batches; waits for them until a deadline.
    func stopKeyRotations(until deadline: UInt64) {
        let rotations = stores.withLock { $0.values.map(\.rotation) }
        for rotation in rotations { rotation.stop() }
        while rotations.contains(where: \.status.isRunning), SystemClock.milliseconds < deadline {
            usleep(1_000)
        }
    }

    func closeAll() { for store in stores.withLock({ Array($0.values) }) { store.close() } }
}

/// The store of one user, with the results of its latest changes.
final class UserStore: Sendable {
    let results = ChangeResults()
    let rotation = KeyRotation()
    let directory: String
    private let keychain = Mutex<EmbeddedKeychain?>(nil)
    private let used = Atomic<UInt64>(SystemClock.milliseconds)

    /// The user whose name must be in the directory's file `owner`; `nil` in the user service.
    ///
    /// In the user service, the directory itself belongs to the user.
    private let owner: uid_t?

    init(directory: String, owner: uid_t?) {
        self.directory = directory
        self.owner = owner
    }

    var lastUse: UInt64 { used.load(ordering: .relaxed) }

    func noteUse() { used.store(SystemClock.milliseconds, ordering: .relaxed) }

    var isOpen: Bool { keychain.withLock { $0 != nil } }

    /// Closes the store as soon as no running call uses it; the next call opens it again.
    func close() { keychain.withLock { $0 = nil } }

    /// Calls the closure with the open store; if the files were replaced meanwhile, reopens it and repeats.
    func use<Result>(
        creating: Bool = false,
        _ body: (EmbeddedKeychain) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        noteUse()
        let opened = try open(creating: creating)
        do throws(StatusError) {
            return try body(opened)
        } catch {
            guard error.reason == .databaseReplaced else { throw error }
            keychain.withLock { if $0 === opened { $0 = nil } }
        }
        return try body(open(creating: creating))
    }

    private func open(creating: Bool) throws(StatusError) -> EmbeddedKeychain {
        try keychain.withLock { keychain throws(StatusError) in
            if let keychain { return keychain }
            let opened = try EmbeddedKeychain(at: location(creating: creating))
            keychain = opened
            return opened
        }
    }

    /// The location of the store, after a check that its directory was made for ``owner``.
    func location(creating: Bool) throws(StatusError) -> StoreLocation {
        if let owner { try StoreOwner.check(owner, of: directory, creating: creating) }
        var location = StoreLocation(directory: directory, createsIfMissing: creating)
        location.keyCacheLocations = SystemKeychain.keyCacheLocations()
        return location
    }
}
