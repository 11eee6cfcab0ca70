// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient
import KeychainModel
import KeychainUserPresence

/// `doctor`: checks the store and what this program needs to use it; prints no secret and no attribute of an item.
struct Doctor {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        try Keychains.useOperand(of: arguments)
        let findings =
            [Self.program] + store() + Self.level() + Self.caller() + Self.prompts()
            + SecretServiceCheck.findings()
        if arguments.has("json") {
            let members: [(String, JSONText)] = [
                ("schemaVersion", .number(1)), ("findings", .array(findings.map(\.json))),
            ]
            try Console.write(JSONText.object(members).text + "\n")
        } else {
            try Console.write(findings.map(\.line).joined())
        }
        if findings.contains(where: { $0.level == .problem }) { throw .said(result: 1) }
    }

    private static var program: Finding {
        var traits: [String] = []
        #if Objects
        traits.append("Objects")
        #endif
        #if Trust
        traits.append("Trust")
        #endif
        #if PKCS12
        traits.append("PKCS12")
        #endif
        #if KeePass
        traits.append("KeePass")
        #endif
        #if Fingerprint
        traits.append("Fingerprint")
        #endif
        let list = traits.isEmpty ? "without traits" : "with the traits \(traits.joined(separator: ", "))"
        return Finding("program", .ok, "security \(Help.version), built \(list)")
    }

    // MARK: The store

    private func store() -> [Finding] {
        do throws(StatusError) {
            let directory = try SystemKeychain.storeDirectory()
            guard try !SystemKeychain.usesDaemon() else { return try Self.served(at: directory) }
            guard SystemKeychain.hasStore(in: directory) else {
                let remedy = "security set or security create-keychain creates one"
                return [Finding("store", .note, "\(directory): there is no keychain yet", remedy: remedy)]
            }
            let files = Self.files(in: directory)
            guard case .status(let status) = try SystemKeychain.perform(.status) else { return files }
            return [Self.summary(status, directory)] + files + Self.lock(status) + Self.rotation()
                + Self.expiry()
        } catch {
            return [Finding("store", .problem, error)]
        }
    }

    /// Checks a store that the daemon serves; this program cannot see the files of the store.
    private static func served(at directory: String) throws(StatusError) -> [Finding] {
        do throws(StatusError) {
            guard case .status(let status) = try SystemKeychain.perform(.status) else { return [] }
            return [Self.summary(status, "securityd at \(directory)")] + Self.lock(status)
        } catch {
            guard error.reason == .storeMissing else { throw error }
            let remedy = "security set creates one"
            return [
                Finding("store", .note, "securityd at \(directory): there is no keychain yet", remedy: remedy)
            ]
        }
    }

    private static func summary(_ status: StoreStatus, _ directory: String) -> Finding {
        let count = status.itemCount == 1 ? "1 item" : "\(status.itemCount) items"
        let text = "\(directory): format \(status.formatMajor).\(status.formatMinor), \(count)"
        guard status.isReadOnly else { return Finding("store", .ok, text) }
        return Finding(
            "store",
            .note,
            "\(text), read-only",
            remedy: "items can be found and not changed; check the permissions of the directory"
        )
    }

    /// Checks the owners and modes of the store's files.
    private static func files(in directory: String) -> [Finding] {
        let names = ["keychain.db", "keychain.db-wal", "keychain.db-shm", "device.key", "writer.lock"]
        let paths = [directory] + names.map { "\(directory)/\($0)" }
        let findings = paths.compactMap(finding)
        return findings.isEmpty ? [Finding("files", .ok, "only this user can read them")] : findings
    }

    /// The problem with a file; `nil` if it is private or missing.
    private static func finding(_ path: String) -> Finding? {
        var file = clinux_file()
        guard unsafe clinux_identify(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &file) == 0 else { return nil }
        guard file.owner == geteuid() else {
            return Finding("files", .problem, "\(path) belongs to another user")
        }
        guard file.mode & 0o077 != 0 else { return nil }
        return Finding(
            "files",
            .problem,
            "\(path) can be used by other users",
            remedy: "chmod go-rwx \(ShellText.quoted(path))"
        )
    }

    private static func lock(_ status: StoreStatus) -> [Finding] {
        switch status.lockState {
        case .noPasscode:
            return [
                Finding(
                    "lock",
                    .note,
                    "no passcode is set: a copy of the directory can be read",
                    remedy: "security set-keychain-password sets one"
                )
            ]
        case .locked, .beforeFirstUnlock:
            return [Finding("lock", .note, "locked", remedy: "security unlock-keychain unlocks it")]
        case .unlocked:
            guard status.keyCache == .thisProcess else { return [Finding("lock", .ok, "unlocked")] }
            return [
                Finding(
                    "lock",
                    .problem,
                    "neither the kernel's keyring nor XDG_RUNTIME_DIR can store keys",
                    remedy: "set XDG_RUNTIME_DIR to a directory in memory that only this user can read"
                )
            ]
        }
    }

    /// Reports a rotation of keys that has begun and not ended.
    private static func rotation() -> [Finding] {
        guard (try? SystemKeychain.isRotatingKeys()) == true else { return [] }
        let text = "a rotation of keys was interrupted or is in progress: the former keys are still in use"
        return [Finding("keys", .note, text, remedy: "security rotate-keys continues it")]
    }

    /// Counts the readable passwords that have expired or expire soon; non-interactive.
    private static func expiry() -> [Finding] {
        let (state, now) = (ContextState(), ItemExpiry.now())
        state.interactionNotAllowed = true
        let listing = Listing(.omitted, state)
        let classes: [ItemClass] = [.genericPassword, .internetPassword]
        let dates = classes.flatMap { (try? listing.passwords($0, withData: false)) ?? [] }.compactMap(
            \.expiry
        )
        let (past, soon) = (dates.count { $0.isPast(now) }, dates.count { $0.isSoon(now) })
        guard past + soon > 0 else { return [] }
        return [
            Finding(
                "expiry",
                .note,
                "expired passwords: \(past); expiring within 30 days: \(soon)",
                remedy: "security list --expired names the generic passwords that have expired"
            )
        ]
    }

    // MARK: This program

    /// The level at which the keychain identifies this program; no finding if the level is unknown.
    private static func level() -> [Finding] {
        do throws(StatusError) {
            let level = try SystemKeychain.callerLevel()
            return [Finding("level", .ok, "\(level.name): \(level.meaning)")]
        } catch {
            return []
        }
    }

    private static func caller() -> [Finding] {
        do throws(StatusError) {
            let caller = try SystemKeychain.caller()
            let groups = caller.accessGroups.joined(separator: ", ")
            guard !caller.accessGroups.isEmpty else {
                return [
                    Finding(
                        "access groups",
                        .problem,
                        "this program has none, so it can use no item",
                        remedy:
                            "list one under keychain-access-groups in the file that KEYCHAIN_ENTITLEMENTS names"
                    )
                ]
            }
            return [Finding("access groups", .ok, groups)] + otherGroups(caller)
        } catch {
            return [Finding("access groups", .problem, error)]
        }
    }

    /// Counts the items that this program cannot find, because they are in groups of other programs.
    private static func otherGroups(_ caller: Caller) -> [Finding] {
        guard let directory = try? SystemKeychain.storeDirectory(),
            SystemKeychain.hasStore(in: directory),
            case .status(let status)? = try? SystemKeychain.perform(.status),
            let own = try? SystemKeychain.ownItemCount(), own < status.itemCount
        else { return [] }
        return [
            Finding("access groups", .note, "items in groups of other programs: \(status.itemCount - own)")
        ]
    }

    /// Whether programs see the passcode that the user types for a daemon; no finding without a daemon.
    private static func agent() -> [Finding] {
        guard (try? SystemKeychain.usesDaemon()) == true,
            let status = try? SystemKeychain.runningDaemon().daemonStatus()
        else { return [] }
        if status.hasAgent {
            return [Finding("agent", .ok, "keychain-agent asks for the passcode: programs do not see it")]
        }
        let text = "programs ask for the passcode themselves, and see it"
        guard status.isSystemService else { return [Finding("agent", .note, text)] }
        let remedy = "install keychain-agent with set-group-ID, as Documentation/Daemon.md says"
        return [Finding("agent", .note, text, remedy: remedy)]
    }

    private static func prompts() -> [Finding] {
        var findings: [Finding] = []
        if let obstacle = PinentrySettings.current.obstacle {
            let reason: Reason = obstacle == .forbidden ? .promptForbidden : .promptWithoutTerminal
            findings.append(Finding("prompts", .note, StatusError(.interactionNotAllowed, reason)))
        } else {
            findings.append(Finding("prompts", .ok, "the user can be asked"))
        }
        findings += agent()
        let hasFingers = ItemAuthentication.hasFingerprints
        let text = hasFingers ? "fprintd recognizes fingers" : "this build does not support fingerprints"
        return findings + [Finding("fingerprints", .ok, text)]
    }
}
