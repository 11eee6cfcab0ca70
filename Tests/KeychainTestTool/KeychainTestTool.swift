// SPDX-License-Identifier: Apache-2.0

import CKeychainProbes
import Foundation
import Glibc
import KeychainControl
import KeychainServices
import KeychainStore
import KeychainUserPresence

/// A program that executes commands from standard input and answers each with one or more lines.
@main struct KeychainTestTool {
    static func main() {
        // A write waits up to a minute for the writer lock, because tests hold the lock while a loaded machine
        // starts processes.
        let wait = ProcessInfo.processInfo.environment["KEYCHAIN_TEST_WRITER_WAIT"].flatMap { Int64($0) }
        WriterLock.$deadline.withValue(wait ?? 60_000) {
            while let line = readLine() {
                var words = line.split(separator: " ").map(String.init)
                guard !words.isEmpty else { continue }
                let command = words.removeFirst()
                answer(to: command, words + ["", "", ""])
            }
        }
    }

    private static func answer(to command: String, _ words: [String]) {
        switch command {
        case "add": say("\(Item(words[0], group: words[2]).add(words[1]))")
        case "copy": say(Item(words[0]).copy())
        case "update": say("\(Item(words[0]).update(words[1]))")
        case "delete": say("\(Item(words[0]).delete())")
        case "group": say(Item(words[0]).group())
        case "cd": say("\(chdir(words[0]))")
        case "load": say(dlopen(words[0], RTLD_NOW) == nil ? "failed" : "loaded")
        case "bundle": say(Bundle.main.bundleIdentifier ?? "none")
        case "default-service": say(BundleIdioms.defaultService())
        case "signed-valet": say(BundleIdioms.signedValet())
        case "wrapper-defaults": say(BundleIdioms.wrapperDefaults())
        case "count": say("\(Item.count())")
        case "raw-key": say("\(Item.addRawKey())")
        case "fill": fill(words[0], Int(words[1]) ?? 0)
        case "race": race(words[0], Int(words[1]) ?? 0)
        case "work": work(words[0], Int(words[1]) ?? 0)
        case "threads": threads(words[0], Int(words[1]) ?? 0)
        case "fork": fork(words[0])
        case "fork-update": forkUpdate(words[0], words[1])
        case "fork-threads": forkThreads(words[0], Int(words[1]) ?? 0)
        case "protected": say("\(ProtectedItem(words[1], words[2]).status(of: words[0]))")
        case "constrained-key": say("\(ProtectedItem.makeKey(words[0]))")
        case "token-key": say("\(TokenKey(words[1]).status(of: words[0]))")
        case "prove": say(ProtectedItem.proveAndCopy(words[0]))
        case "unlock":
            control { () throws(KeychainControlError) in try KeychainControl.unlock(with: Passcode(words[0]))
            }
        case "entitle":
            control { () throws(KeychainControlError) in
                try KeychainControl.useEntitlements(KeychainEntitlements(accessGroups: [words[0]]))
            }
        case "lock": control { () throws(KeychainControlError) in try KeychainControl.lock() }
        case "delete-store":
            control { () throws(KeychainControlError) in try KeychainControl.delete() }
        case "state": state()
        case "failure": say(KeychainControl.lastFailure.map { "\($0.status) \($0)" } ?? "none")
        case "refuse-keyrings": say("\(refuse_keyrings(Int32(words[0]) ?? EPERM))")
        case "refuse-new-keys": say("\(refuse_new_keys(Int32(words[0]) ?? EDQUOT))")
        case "become": say("\(become_user(UInt32(words[0]) ?? .max))")
        case "fill-key-quota": say("\(fill_key_quota())")
        case "clear-keyring": say("\(clear_user_keyring())")
        case "new-session": say("\(join_new_session())")
        case "orphan": orphan(words[0], Int(words[1]) ?? 0)
        case "fingers": say(fingers())
        case "valet": say((try? ValetMigration.run(words)) ?? "failed")
        case "vault": say(VaultCommand.run(words))
        default: say("unknown")
        }
    }

    /// Returns the enrolled fingers or the error; the time limit is generous.
    private static func fingers() -> String {
        var settings = FingerprintSettings(bus: .system)
        settings.startLimit = 60_000
        do throws(FingerprintFailure) {
            return try FingerprintPrompt.enrolled(settings).fingers.joined(separator: " ")
        } catch {
            return "\(error)"
        }
    }

    private static func fill(_ prefix: String, _ count: Int) {
        for number in 0..<count {
            let status = Item("\(prefix)-\(number)").add("\(prefix)-\(number)")
            say(status == errSecSuccess ? "added \(prefix)-\(number)" : "failed \(status)")
        }
        say("done")
    }

    /// Adds items that other processes add at the same time, and prints those that this process added.
    private static func race(_ prefix: String, _ count: Int) {
        for number in 0..<count {
            switch Item("\(prefix)-\(number)").add("canary") {
            case errSecSuccess: say("won \(number)")
            case errSecDuplicateItem: break
            case let status: say("failed \(status)")
            }
        }
        say("done")
    }

    /// Adds, reads, updates and deletes items; prints unexpected results, and at the end a line with two numbers.
    ///
    /// The numbers are the count of the remaining items, and the milliseconds of the longest call.
    private static func work(_ prefix: String, _ count: Int) {
        var (left, longest) = (0, Duration.zero)
        func timed<Result>(_ expected: Result, _ call: () -> Result) where Result: Equatable {
            var result = expected
            longest = max(longest, ContinuousClock().measure { result = call() })
            if result != expected { say("failed \(result) instead of \(expected)") }
        }
        for number in 0..<count {
            let item = Item("\(prefix)-\(number)")
            timed(errSecSuccess) { item.add("canary one") }
            timed("0 canary one") { item.copy() }
            if number % 3 == 0 {
                timed(errSecSuccess) { item.update("canary two") }
                timed("0 canary two") { item.copy() }
            }
            if number % 4 == 0 {
                timed(errSecSuccess) { item.delete() }
                timed("\(errSecItemNotFound) ") { item.copy() }
            } else {
                left += 1
            }
        }
        say("done \(left) \(longest / .milliseconds(1))")
    }

    /// Calls `work` eight times, concurrently on at most one thread per processor.
    private static func threads(_ prefix: String, _ count: Int) {
        DispatchQueue.concurrentPerform(iterations: 8) { work("\(prefix)-\($0)", count) }
        say("joined")
    }

    /// Calls `fork`, which Swift makes unavailable because it is unsafe with threads.
    private static func forked() -> pid_t {
        guard let symbol = dlsym(nil, "fork") else { return -1 }
        return unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
    }

    /// Adds items in a forked child, which does not call `exec`, and whose parent has exited.
    private static func orphan(_ prefix: String, _ count: Int) {
        if forked() != 0 { _exit(0) }
        fill(prefix, count)
    }

    /// Reads an item and adds another in a forked child, which does not call `exec`; prints how the child ended.
    private static func fork(_ account: String) {
        let child = forked()
        if child == 0 {
            let sees = Item(account).copy().hasPrefix("0 ")
            let adds = Item("\(account)-child").add("canary") == errSecSuccess
            _exit(sees && adds ? 0 : 1)
        }
        sayEnding(of: child)
    }

    /// Updates an item here, then in a forked child; after each update, the other process reads the item.
    ///
    /// Before the child's update, this process reads the item repeatedly, so that it caches the result.
    private static func forkUpdate(_ account: String, _ secret: String) {
        var pipe: [CInt] = [-1, -1]
        guard Glibc.pipe(&pipe) == 0 else { return say("failed \(errno)") }
        defer { for end in pipe { close(end) } }
        var byte: UInt8 = 0
        let child = forked()
        if child == 0 {
            guard read(pipe[0], &byte, 1) == 1 else { _exit(1) }
            say(Item(account).copy())
            _exit(Item(account).update("\(secret)-child") == errSecSuccess ? 0 : 1)
        }
        say("\(Item(account).update(secret))")
        for _ in 0..<3 { _ = Item(account).copy() }
        guard write(pipe[1], &byte, 1) == 1 else { return say("failed \(errno)") }
        sayEnding(of: child)
        say(Item(account).copy())
    }

    /// Adds items on three threads of a forked child, which does not call `exec`; prints how the child ended.
    private static func forkThreads(_ prefix: String, _ count: Int) {
        let child = forked()
        if child == 0 {
            let ended = DispatchSemaphore(value: 0)
            let add = { @Sendable (thread: Int) in
                for number in 0..<count {
                    let status = Item("\(prefix)-\(thread)-\(number)").add("canary")
                    if status != errSecSuccess { _exit(1) }
                }
            }
            for thread in 1...2 {
                Thread.detachNewThread {
                    add(thread)
                    ended.signal()
                }
            }
            add(0)
            for _ in 1...2 { ended.wait() }
            _exit(0)
        }
        sayEnding(of: child)
    }

    private static func sayEnding(of child: pid_t) {
        var status: CInt = 0
        waitpid(child, &status, 0)
        say(status & 0x7f == 0 ? "child \(status >> 8)" : "killed \(status & 0x7f)")
    }

    private static func control(_ call: () throws(KeychainControlError) -> Void) {
        do throws(KeychainControlError) {
            try call()
            say("0")
        } catch {
            let wait = error.retryAfter.map { " retry after \($0.components.seconds) s" } ?? ""
            say("\(error.status)\(wait)")
        }
    }

    private static func state() {
        do throws(KeychainControlError) {
            let status = try KeychainControl.status()
            say("\(status.keyCache), \(status.lockState)")
        } catch {
            say("\(error.status)")
        }
    }

    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(1, bytes, bytes.count)
    }
}

struct Item {
    private let query: [String: Any]

    init(_ account: String, group: String = "") {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account,
            kSecAttrService as String: "canary service",
        ]
        if !group.isEmpty { query[kSecAttrAccessGroup as String] = group }
        self.query = query
    }

    func add(_ secret: String) -> OSStatus {
        let values = query.merging([kSecValueData as String: Data(secret.utf8)]) { $1 }
        return SecItemAdd(values as CFDictionary, nil)
    }

    func update(_ secret: String) -> OSStatus {
        SecItemUpdate(query as CFDictionary, [kSecValueData as String: Data(secret.utf8)] as CFDictionary)
    }

    func delete() -> OSStatus { SecItemDelete(query as CFDictionary) }

    func copy(with context: LAContext? = nil) -> String {
        var result: CFTypeRef?
        var asked = query.merging([kSecReturnData as String: true]) { $1 }
        asked[kSecUseAuthenticationContext as String] = context
        let status = SecItemCopyMatching(asked as CFDictionary, &result)
        return "\(status) \(String(decoding: result as? Data ?? Data(), as: UTF8.self))"
    }

    func group() -> String {
        var result: CFTypeRef?
        let asked = query.merging([kSecReturnAttributes as String: true]) { $1 }
        let status = SecItemCopyMatching(asked as CFDictionary, &result)
        return (result as? [String: Any])?[kSecAttrAccessGroup as String] as? String ?? "\(status)"
    }

    /// Adds a private key item whose value is no valid key.
    static func addRawKey() -> OSStatus {
        let item: [String: Any] = [
            kSecClass as String: kSecClassKey, kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
            kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
            kSecValueData as String: Data("canary".utf8),
        ]
        return SecItemAdd(item as CFDictionary, nil)
    }

    static func count() -> Int {
        var result: CFTypeRef?
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecMatchLimit as String: kSecMatchLimitAll,
            kSecReturnAttributes as String: true,
        ]
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        return status == errSecItemNotFound ? 0 : (result as? [Any])?.count ?? Int(status)
    }
}
