// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Performs the operations of a keychain by sending messages to the daemon.
extension DaemonKeychain: KeychainBackend {
    /// Performs a request; `caller` is not used, because the daemon identifies the caller itself.
    package func perform(
        _ request: Request,
        for caller: Caller,
        with authentication: Authentication
    ) throws(StatusError) -> Response {
        guard
            case .response(let response) = try call(.perform(request, CallCredential()), with: authentication)
        else { throw Self.unexpected }
        return response
    }

    /// Performs changes in one transaction; the daemon receives all changes before it starts.
    ///
    /// With `skip`, an addition of an existing item is skipped, and `skip` receives the index of the addition.
    /// `progress` receives the number of changes that the transaction contains so far, before it is sent, and
    /// returns whether to continue. `undone` receives the number of changes that were made before the
    /// transaction failed.
    package func perform(
        together changes: [Request],
        with authentication: Authentication,
        skip: (@Sendable (Int) -> Void)?,
        progress: @Sendable (Int) -> Bool,
        undone: @Sendable (Int) -> Void
    ) throws(StatusError) {
        for completed in changes.indices where !progress(completed + 1) {
            throw StatusError(.userCanceled, .changesCanceled)
        }
        let transaction = DaemonCall.performTogether(changes, CallCredential(), skipsDuplicates: skip != nil)
        switch try call(limit: CallDeadline.longCall, transaction, with: authentication) {
        case .skipped(let numbers): for number in numbers { skip?(Int(number)) }
        case .undone(let completed, let error):
            undone(Int(completed))
            throw error
        default: throw Self.unexpected
        }
    }

    package func setPasscode(_ new: borrowing SecretBytes) throws(StatusError) { try send(.setPasscode, new) }

    package func changePasscode(
        from old: borrowing SecretBytes,
        to new: borrowing SecretBytes
    ) throws(StatusError) {
        let change = DaemonCall.changePasscode(from: SentSecret(copying: old), to: SentSecret(copying: new))
        _ = try call(limit: CallDeadline.longCall, change)
    }

    package func countItemsNeedingPasscode(_ passcode: borrowing SecretBytes) throws(StatusError) -> Int {
        try number(of: send(.countItemsNeedingPasscode, passcode))
    }

    package func removePasscode(_ old: borrowing SecretBytes) throws(StatusError) -> Int {
        try number(of: send(.removePasscode, old))
    }

    package func unlock(with passcode: borrowing SecretBytes) throws(StatusError) {
        try send(.unlock, passcode)
    }

    package func prove(_ passcode: borrowing SecretBytes) throws(StatusError) -> PasscodeProof {
        let check = DaemonCall.secret(.authenticate, SentSecret(copying: passcode))
        let (reply, epoch) = try callNumbered(limit: CallDeadline.longCall, check)
        guard case .number(let number) = reply else { throw Self.unexpected }
        return .kept(KeptKey(number, epoch, in: self))
    }

    package func lock() throws(StatusError) { _ = try call(.plain(.lock)) }

    package func set(_ settings: LockSettings) throws(StatusError) {
        _ = try call(.setLockSettings(settings))
    }

    /// Returns the reference and the version number of each item in the caller's groups.
    ///
    /// The version number changes with each change of the item.
    ///
    /// `groups` is not used, because the daemon determines the caller's groups itself.
    package func versions(in groups: [String]?) throws(StatusError) -> [ItemVersion] {
        guard case .versions(let versions) = try call(.plain(.versions)) else { throw Self.unexpected }
        return versions
    }

    /// Returns the number of items in the caller's groups.
    ///
    /// `groups` is not used, because the daemon determines the caller's groups itself.
    package func itemCount(in groups: [String]) throws(StatusError) -> UInt64 {
        guard case .number(let number) = try call(.plain(.itemCount)) else { throw Self.unexpected }
        return number
    }

    package func daemonStatus() throws(StatusError) -> DaemonStatus {
        guard case .daemon(let status) = try call(.plain(.daemonStatus)) else { throw Self.unexpected }
        return status
    }

    /// Checks every row of this user's store; the result names only access groups of this program.
    package func verification() throws(StatusError) -> StoreVerification {
        guard case .verification(let result) = try call(limit: CallDeadline.longCall, .plain(.verify)) else {
            throw Self.unexpected
        }
        return result
    }

    /// Makes new class keys, or continues a rotation that has begun.
    ///
    /// This call presents no passcode, so it can make new keys only if no passcode is set. The daemon encrypts the rows
    /// under the new keys in the background.
    package func beginKeyRotation() throws(StatusError) {
        let none = unsafe SecretBytes(count: 0) { _ in }
        try send(.beginKeyRotation, none)
    }

    /// Makes new class keys wrapped with the passcode, unless a rotation has begun; unlocks the keychain.
    package func beginKeyRotation(with passcode: borrowing SecretBytes) throws(StatusError) {
        try send(.beginKeyRotation, passcode)
    }

    package func rotationStatus() throws(StatusError) -> RotationStatus {
        guard case .rotation(let status) = try call(.plain(.keyRotation)) else { throw Self.unexpected }
        return status
    }

    /// Replaces the user's damaged store with a new one that has its valid rows; `dryRun` only counts them.
    package func repair(dryRun: Bool) throws(StatusError) -> RepairSummary {
        let call = DaemonCall.plain(dryRun ? .previewRepair : .repair)
        guard case .repair(let summary) = try self.call(limit: CallDeadline.longCall, call) else {
            throw Self.unexpected
        }
        return summary
    }

    package func trust(_ team: Team, passcode: borrowing SecretBytes) throws(StatusError) {
        _ = try call(
            limit: CallDeadline.longCall,
            .trustTeam(TeamFile.text(of: team), SentSecret(copying: passcode))
        )
    }

    package func stopTrusting(
        _ team: TeamIdentifier,
        passcode: borrowing SecretBytes
    ) throws(StatusError) {
        _ = try call(limit: CallDeadline.longCall, .removeTeam(team.text, SentSecret(copying: passcode)))
    }

    package func userTeams() throws(StatusError) -> [Team] {
        guard case .teams(let files) = try call(.plain(.userTeams)) else { throw Self.unexpected }
        return files.compactMap { try? TeamFile.parse(Array($0.utf8)) }
    }

    /// Lists the access groups of unsigned programs, or moves items into another group or to another team.
    ///
    /// - Throws: For example, `authenticationFailed` with the reason if the passcode is wrong or none is set;
    ///   `missingEntitlement` if the caller may not move the items of this group or team, or if it is not root and
    ///   names another user; `unimplemented` in the user service; `interactionNotAllowed` if the keychain is locked.
    package func adopt(
        _ operation: AdoptionCall.Operation,
        ofUser user: UInt32?,
        passcode: borrowing SecretBytes
    ) throws(StatusError) -> AdoptionReply {
        let call = AdoptionCall(operation, ofUser: user, SentSecret(copying: passcode))
        guard case .adoption(let reply) = try self.call(limit: CallDeadline.longCall, .adoption(call)) else {
            throw Self.unexpected
        }
        return reply
    }

    /// Permits this connection to add the items of an embedded store; an empty passcode stands for none.
    package func beginMigration(_ passcode: borrowing SecretBytes) throws(StatusError) {
        try send(.beginMigration, passcode)
    }

    /// Adds items with their dates, unless they exist; with `verifies`, only compares them.
    ///
    /// - Returns: The indexes of items that exist with other contents or, with `verifies`, that are missing.
    package func migrate(_ items: [NewItem], verifies: Bool) throws(StatusError) -> [Int] {
        let call = DaemonCall.migrate(items, verifies: verifies)
        guard case .skipped(let numbers) = try self.call(limit: CallDeadline.longCall, call) else {
            throw Self.unexpected
        }
        return numbers.map(Int.init)
    }

    package func endMigration() throws(StatusError) { _ = try call(.plain(.endMigration)) }

    static var unexpected: StatusError { StatusError(.notAvailable, .malformedMessage) }

    @discardableResult
    private func send(
        _ kind: DaemonCall.SecretCall,
        _ passcode: borrowing SecretBytes
    ) throws(StatusError) -> DaemonReply {
        try call(limit: CallDeadline.longCall, .secret(kind, SentSecret(copying: passcode)))
    }

    private func number(of reply: DaemonReply) throws(StatusError) -> Int {
        guard case .number(let number) = reply else { throw Self.unexpected }
        return Int(clamping: number)
    }
}
