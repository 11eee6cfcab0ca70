// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient
import KeychainModel
import KeychainUserPresence

/// Checks the store: its files, lock state, rows and synchronization, and which program opens it.
struct StoreCheck {
    let progress: ProgressReport

    func findings() -> [Finding] {
        do throws(StatusError) {
            return try DaemonCheck.findings() + store()
        } catch {
            return [Finding("store", .problem, error)]
        }
    }

    private func store() -> [Finding] {
        do throws(StatusError) {
            let directory = try SystemKeychain.storeDirectory()
            guard try !SystemKeychain.hasDaemon() else { return served(at: directory) }
            guard SystemKeychain.hasStore(in: directory) else {
                let remedy = "security set or security create-keychain creates one"
                return [Self.missing(directory, remedy: remedy)]
            }
            return opened(at: directory)
        } catch {
            return [Finding("store", .problem, error)]
        }
    }

    /// Checks a store that this program opens; the files are checked even if the store cannot be opened.
    private func opened(at directory: String) -> [Finding] {
        let files = Self.files(in: directory)
        do throws(StatusError) {
            guard case .status(let status) = try SystemKeychain.perform(.status) else { return files }
            return [Self.summary(status, directory)] + files + Self.lock(status)
                + [Self.keyCache(status)] + Self.rotation() + [integrity()] + Self.expiry()
                + [try SynchronizationCheck.finding(of: directory, SystemKeychain.isSynchronized())]
        } catch {
            return [Finding("store", .problem, error)] + files
        }
    }

    /// Checks a store that the daemon serves.
    private func served(at directory: String) -> [Finding] {
        do throws(StatusError) {
            guard case .status(let status) = try SystemKeychain.perform(.status) else { return [] }
            let isOwn = try SystemKeychain.callerLevel() == .userService
            let files = isOwn ? Self.ofUserService(status) : Self.ofSystemService(status)
            return [Self.summary(status, "securityd at \(directory)")] + Self.lock(status) + files
                + Self.rotation() + [integrity()] + Self.expiry()
        } catch {
            guard error.reason == .storeMissing else { return [Finding("store", .problem, error)] }
            return [Self.missing("securityd at \(directory)", remedy: "security set creates one")]
        }
    }

    /// Checks the files, key cache and synchronization of the store that `securityd --user` serves.
    ///
    /// The files belong to this user. The daemon does not report their directory: it is the one that the environment
    /// selects, unless the daemon was started with another `KEYCHAIN_HOME`.
    private static func ofUserService(_ status: StoreStatus) -> [Finding] {
        do throws(StatusError) {
            let directory = try SystemKeychain.directoryOfEnvironment()
            let files = files(in: directory)
            do throws(StatusError) {
                let store = try SystemKeychain.storeOfEnvironment()
                guard store.identifier == status.store else {
                    throw StatusError(.noSuchKeychain, .storeMissing)
                }
                let synchronization = SynchronizationCheck.finding(of: directory, store.isSynchronized)
                return files + [keyCache(status), synchronization]
            } catch {
                guard error.reason == .storeMissing else {
                    return [Finding("store", .problem, error)] + files
                }
                let text = "not checked: securityd serves another keychain than the one in \(directory)"
                let remedy = "set KEYCHAIN_HOME to the directory with which securityd was started"
                return [Finding("files", .note, text, remedy: remedy), keyCache(status)]
            }
        } catch {
            return [Finding("files", .problem, error)]
        }
    }

    /// Checks the key cache of the store that `securityd --system` serves.
    ///
    /// The user's programs can read neither the store's files nor the state of its synchronization.
    private static func ofSystemService(_ status: StoreStatus) -> [Finding] {
        let unit = "keychain-sync@\(geteuid()).service"
        return [
            Finding(
                "files",
                .ok,
                "securityd has them in a directory of its own, and checks their permissions"
            ),
            status.keyCache == .deviceKeyOnly
                ? Finding("key cache", .ok, "no keys are cached, because no passcode is set")
                : keyCache(status),
            Finding(
                "synchronization",
                .note,
                "not checked: \(unit), if the administrator has started it, synchronizes this keychain",
                remedy: "systemctl status \(unit) shows its state"
            ),
        ]
    }

    private static func missing(_ store: String, remedy: String) -> Finding {
        Finding("store", .note, "\(store): there is no keychain yet", remedy: remedy)
    }

    private static func summary(_ status: StoreStatus, _ directory: String) -> Finding {
        let count = status.itemCount == 1 ? "1 item" : "\(status.itemCount) items"
        let text = "\(directory): format \(status.formatMajor).\(status.formatMinor), \(count)"
        guard status.isReadOnly else { return Finding("store", .ok, text) }
        return Finding(
            "store",
            .note,
            "\(text), read-only",
            remedy: "items can be read but not changed; check the permissions of the directory"
        )
    }

    // MARK: Files

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

    // MARK: Keys

    private static func lock(_ status: StoreStatus) -> [Finding] {
        switch status.lockState {
        case .noPasscode:
            let text = "no passcode is set: a copy of the directory can be read"
            return [Finding("lock", .note, text, remedy: "security set-keychain-password sets one")]
        case .locked, .beforeFirstUnlock:
            return [Finding("lock", .note, "locked", remedy: "security unlock-keychain unlocks it")]
        case .unlocked: return [Finding("lock", .ok, "unlocked")]
        }
    }

    /// Reports where unlocked keys are, or would be after an unlock.
    private static func keyCache(_ status: StoreStatus) -> Finding {
        let cache = status.keyCache == .deviceKeyOnly ? SystemKeychain.keyCacheOfThisUser() : status.keyCache
        switch cache {
        case .kernelKeyring, .deviceKeyOnly:
            return Finding("key cache", .ok, "the kernel's keyring stores the keys of an unlocked keychain")
        case .runtimeFile:
            return Finding(
                "key cache",
                .ok,
                "a file in the runtime directory stores the keys of an unlocked keychain; the kernel's keyring cannot be used"
            )
        case .thisProcess:
            return Finding(
                "key cache",
                status.lockState == .noPasscode ? .note : .problem,
                "neither the kernel's keyring nor XDG_RUNTIME_DIR can store keys",
                remedy: "set XDG_RUNTIME_DIR to a directory in memory that only this user can read"
            )
        }
    }

    /// Reports a rotation of keys that has begun and not ended.
    private static func rotation() -> [Finding] {
        guard (try? SystemKeychain.isRotatingKeys()) == true else { return [] }
        let text = "a rotation of keys was interrupted or is in progress: the former keys are still in use"
        return [Finding("keys", .note, text, remedy: "security rotate-keys continues it")]
    }

    // MARK: Items

    /// Verifies all rows, as `verify` does.
    private func integrity() -> Finding {
        do throws(StatusError) {
            return Self.integrity(try SystemKeychain.verifyRows(progress.receiver))
        } catch {
            return Finding("integrity", .problem, error)
        }
    }

    private static func integrity(_ result: StoreVerification) -> Finding {
        guard result.isIntact else {
            return Finding(
                "integrity",
                .problem,
                "damaged rows: \(result.damages.count); problems of the store: \(result.problems.count)",
                remedy:
                    "security verify lists them; security repair keeps the valid rows, and a copy of everything"
            )
        }
        guard result.locked == 0 else {
            let text = "intact rows: \(result.intact); locked rows, which were not checked: \(result.locked)"
            return Finding("integrity", .note, text, remedy: "security unlock-keychain unlocks them")
        }
        return Finding("integrity", .ok, "no row is damaged")
    }

    /// Counts the readable passwords that have expired or expire soon, without prompting the user.
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
                remedy: "security list --all --expired names the items that have expired"
            )
        ]
    }
}
