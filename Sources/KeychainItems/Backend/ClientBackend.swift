// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import KeychainClient
import KeychainModel
import KeychainUserPresence

/// The back end on Linux, which uses the process's keychain without the `SecItem` functions.
struct ClientBackend: ItemBackend {
    func perform(_ request: Request, in session: AuthenticationSession?) throws(StatusError) -> Response {
        do throws(StatusError) {
            guard let session else {
                return try ItemAuthentication.perform(request, with: AuthenticationOptions())
            }
            var call = ItemAuthentication(session.state)
            return try call.perform(request)
        } catch {
            throw Self.recorded(error)
        }
    }

    func perform(
        together changes: [Request],
        in session: AuthenticationSession?,
        progress: @Sendable (Int) -> Bool
    ) throws(StatusError) {
        do throws(StatusError) {
            var call = ItemAuthentication(in: session)
            try call.forChanges(changes).perform(together: changes, progress: progress)
        } catch {
            throw Self.recorded(error)
        }
    }

    /// Records a failure in the ``FailureLog``, unless the item was not found; returns the failure.
    private static func recorded(_ error: StatusError) -> StatusError {
        if error.status != .itemNotFound { FailureLog.record(error) }
        return error
    }

    var reachesOneGroup: Bool {
        guard let caller = try? SystemKeychain.caller() else { return false }
        return caller.accessGroups.count == 1 && !caller.reachesEveryGroup
    }

    var isBeforeFirstUnlock: Bool {
        guard case .status(let status)? = try? SystemKeychain.perform(.status) else { return false }
        return status.lockState == .beforeFirstUnlock
    }

    var defaultGroup: String? {
        guard let caller = try? SystemKeychain.caller() else { return nil }
        return caller.writableGroups.first { $0 != Caller.everyGroup } ?? caller.applicationIdentifier
    }
}

extension ItemAuthentication {
    fileprivate init(in session: AuthenticationSession?) {
        if let session { self.init(session.state) } else { self.init(AuthenticationOptions()) }
    }
}

extension Vault {
    /// The program's identifier, from its entitlements or its executable; "unnamed" if it cannot be determined.
    static var nameOfProgram: String {
        (try? SystemKeychain.caller().applicationIdentifier) ?? "unnamed"
    }

    static var systemBackend: any ItemBackend { ClientBackend() }
}
#endif
