// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient
import KeychainModel
import KeychainStore
import Synchronization

/// Whether a connection may add the items of another store.
enum MigrationPermission: Sendable {
    case none
    /// The client has sent the store's passcode, or has set one in a store without a passcode.
    case byPasscode
    /// The store had no passcode, and either no items or an unfinished migration.
    ///
    /// The permission ends when a passcode is set, or a day after the migration began.
    case untilPasscode
}

/// Adds the items of an embedded store to a user's store, in all access groups.
///
/// If the store has a passcode, the connection must present it. A store without one must have no items, or its
/// directory must contain the file `migration`, which marks an unfinished migration that a later connection may
/// complete within a day.
struct Migration {
    private let store: UserStore
    private let session: Session

    init(_ store: UserStore, _ session: Session) {
        self.store = store
        self.session = session
    }

    private static let caller = Caller(
        applicationIdentifier: "keychain.migration",
        accessGroups: [Caller.everyGroup]
    )

    /// The file that marks an unfinished migration into a store without a passcode.
    ///
    /// Its modification time is the time when the migration began.
    private var marker: String { store.directory + "/migration" }
    private static let markerSeconds = 86_400

    /// The access groups of items that only the daemon makes, and trusts: the user's teams, and private halves of keys.
    private static let ownGroups: [AttributeValue?] = [
        .string(UserTeams.accessGroup), .string(KeyToken.privateGroup),
    ]

    /// Whether an unfinished migration may be completed.
    private var isUnfinished: Bool {
        var status = stat()
        guard unsafe lstat(marker, &status) == 0 else { return false }
        let now = Int(SystemClock.unixMilliseconds / 1_000)
        return (now - Self.markerSeconds...now).contains(status.st_mtim.tv_sec)
    }

    /// Creates the file ``marker``, or sets its modification time to the present.
    private func markUnfinished() throws(StatusError) {
        let file = Descriptor(
            unsafe open(marker, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        )
        guard file.number >= 0, futimens(file.number, nil) == 0 else {
            throw StatusError(.notAvailable, .systemCall, code: errno)
        }
    }

    /// Permits this connection to migrate items.
    ///
    /// If the store has a passcode, the given one must be right, and unlocks the store. If the store has none, the
    /// given passcode becomes that of the store, unless it is empty.
    ///
    /// - Throws: `authenticationFailed` with `migrationRefused` if the store has items, but neither a passcode nor a
    ///   migration that began less than a day ago; the errors of a wrong passcode; `notAvailable` with `systemCall` if
    ///   the file `migration` cannot be created.
    func begin(_ passcode: borrowing SecretBytes) throws(StatusError) {
        let given = SecretBytes(copying: passcode)
        let isGiven = given.count > 0
        var (permission, starts) = (isGiven ? MigrationPermission.byPasscode : .untilPasscode, false)
        try store.use(creating: true) { keychain throws(StatusError) in
            let status = try keychain.status()
            if status.passcodeIsSet {
                permission = .byPasscode
                _ = try keychain.authenticate(with: given)
                try keychain.unlock(with: given)
            } else if status.itemCount > 0, !isUnfinished {
                throw StatusError(.authenticationFailed, .migrationRefused)
            } else if isGiven {
                try keychain.setPasscode(given)
            } else {
                starts = status.itemCount == 0
            }
        }
        // Set the time of the file `migration` only if the store has no items. If a call that continues a migration
        // also set it, a program could keep the permission for more than a day.
        if starts { try markUnfinished() }
        session.migration.withLock { $0 = permission }
    }

    func end() throws(StatusError) {
        try store.use { keychain throws(StatusError) in try checkPermission(in: keychain) }
        unsafe unlink(marker)
        session.migration.withLock { $0 = .none }
    }

    private func checkPermission(in keychain: EmbeddedKeychain) throws(StatusError) {
        let isPermitted =
            switch session.migration.withLock({ $0 }) {
            case .none: false
            case .byPasscode: true
            case .untilPasscode: isUnfinished ? try !keychain.status().passcodeIsSet : false
            }
        guard isPermitted else { throw StatusError(.authenticationFailed, .migrationRefused) }
    }

    /// Adds the items that do not exist yet, in one transaction; with `verifies`, adds nothing.
    ///
    /// - Throws: For example, `authenticationFailed` with `migrationRefused` if this connection has no permission, or
    ///   if an item is in an access group that only the daemon uses.
    /// - Returns: The indexes of items that exist with other contents or, with `verifies`, that are missing.
    func add(_ items: [NewItem], verifies: Bool) throws(StatusError) -> [UInt32] {
        try store.use { keychain throws(StatusError) in
            try checkPermission(in: keychain)
            guard items.allSatisfy({ !Self.ownGroups.contains($0.attributes[.accessGroup]) }) else {
                throw StatusError(.authenticationFailed, .migrationRefused)
            }
            var different: [UInt32] = []
            var missing: [Request] = []
            for (index, item) in items.enumerated() {
                switch try state(of: item, in: keychain) {
                case .equal: continue
                case .different: different.append(UInt32(index))
                case .missing where verifies: different.append(UInt32(index))
                case .missing:
                    var new = item
                    new.keepsDates = true
                    new.returning = []
                    missing.append(.add(new))
                }
            }
            if !missing.isEmpty {
                try keychain.perform(together: missing, for: Self.caller, with: credential) { _ in true }
            }
            return different
        }
    }

    private enum State {
        case missing, equal, different
    }

    private var credential: Credential { session.credential(CallCredential()) }

    /// Compares an item with the item in the store that has the same primary key.
    private func state(of item: NewItem, in keychain: EmbeddedKeychain) throws(StatusError) -> State {
        var filter = ItemFilter(itemClass: item.itemClass, attributes: Attributes())
        filter.synchronizable = .exactly(item.attributes[.synchronizable] == .number(1))
        for rule in ItemSchema.of(item.itemClass).unique where rule.attribute != .synchronizable {
            filter.attributes[rule.attribute] = item.attributes[rule.attribute] ?? rule.initial
        }
        // An item with an access control cannot be read here, so its attributes and its value are not compared.
        let returning: ReturnKeys = item.accessControl?.isConstrained == true ? [] : [.attributes, .data]
        do throws(StatusError) {
            let search = CopyRequest(filter: filter, limit: .one, returning: returning)
            guard case .items(let found) = try keychain.perform(.copy(search), for: Self.caller),
                let existing = found.first
            else { return .missing }
            return returning.isEmpty || isEqual(item, existing) ? .equal : .different
        } catch {
            if error.status == .itemNotFound { return .missing }
            // The item exists, and the credential that its access control requires is missing.
            if error.status == .authenticationNeeded, returning.isEmpty { return .equal }
            throw error
        }
    }

    private func isEqual(_ item: NewItem, _ existing: FoundItem) -> Bool {
        guard item.secret?.bytes == existing.secret?.bytes else { return false }
        return item.attributes.entries.allSatisfy { entry in
            let traits = ItemSchema.of(item.itemClass)[entry.attribute]?.traits ?? []
            return traits.contains(.computed) || existing.attributes[entry.attribute] == entry.value
        }
    }
}
