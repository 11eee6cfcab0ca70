// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// Checks how the keychain identifies this program, and which access groups the program has.
enum CallerCheck {
    private static let topic = "access groups"

    static func findings() -> [Finding] { level() + entitlements() + groups() }

    /// Reports the level, which is how reliably the keychain identifies this program; no finding if it is unknown.
    private static func level() -> [Finding] {
        do throws(StatusError) {
            let level = try SystemKeychain.callerLevel()
            return [Finding("level", .ok, "\(level.name): \(level.meaning)")]
        } catch {
            return []
        }
    }

    /// Reports the file that lists the access groups; no finding unless this program opens the store itself.
    private static func entitlements() -> [Finding] {
        guard (try? SystemKeychain.callerLevel()) == .embedded else { return [] }
        let path = SystemKeychain.entitlementsPath
        let text = path ?? "no file: the name of the executable is the access group"
        return [Finding("entitlements", .ok, text)]
    }

    private static func groups() -> [Finding] {
        do throws(StatusError) {
            let caller = try SystemKeychain.caller()
            let groups = caller.accessGroups.joined(separator: ", ")
            guard !caller.accessGroups.isEmpty else {
                let text = "this program has no access group, so it cannot use any item"
                let remedy =
                    "list one under keychain-access-groups in the file that KEYCHAIN_ENTITLEMENTS names"
                return [Finding(topic, .problem, text, remedy: remedy)]
            }
            return [Finding(topic, .ok, groups)] + otherGroups(caller)
        } catch {
            return [Finding(topic, .problem, error)]
        }
    }

    /// Counts the items that this program cannot find, because they are in groups of other programs.
    private static func otherGroups(_ caller: Caller) -> [Finding] {
        guard let directory = try? SystemKeychain.storeDirectory(),
            SystemKeychain.hasStore(in: directory),
            case .status(let status)? = try? SystemKeychain.perform(.status),
            let own = try? SystemKeychain.ownItemCount(), own < status.itemCount
        else { return [] }
        return [Finding(topic, .note, "items in groups of other programs: \(status.itemCount - own)")]
    }
}
