// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// Error messages that name the store's directory, and how they print it.
@Suite struct StorePathTests {
    private static let unavailable = "No keychain is available. You may need to restart your computer."

    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    @Test(arguments: ["KEYCHAIN_HOME", "XDG_DATA_HOME", "HOME"])
    func `a directory that is not UTF-8 is rejected, not repaired`(variable: String) throws {
        let result = try home.shell(
            """
            path="$HOME/caf$(printf '\\351')"
            unset KEYCHAIN_HOME
            \(variable)="$path" security add-generic-password -a me -s service -w secret
            """
        )
        #expect(result.code == 53)
        let lines = result.complaintsText.split(separator: "\n")
        #expect(lines.first?.contains("not UTF-8") == true)
        #expect(lines.last == "security: SecKeychainItemCreateFromContent (<default>): \(Self.unavailable)")
        let files = try home.shell(#"ls "$HOME" | grep -c caf"#)
        #expect(files.outputText == "0\n")
    }

    @Test func `control characters in the directory are escaped`() throws {
        let result = try home.shell(
            """
            export KEYCHAIN_HOME="$HOME/$(printf 'a\\033[2Jb')"
            security add-generic-password -a me -s service -w secret && chmod 755 "$KEYCHAIN_HOME"
            security show-keychain-info
            """
        )
        #expect(result.code == 53)
        #expect(result.complaintsText.contains("\(home.directory)/a\\033[2Jb: the store's directory is open"))
        #expect(!result.complaints.contains(0x1b))
    }

    @Test(arguments: ["KEYCHAIN_ENTITLEMENTS=/nonexistent", "KEYCHAIN_BACKEND=nonsense"])
    func `an error in the environment does not name the directory`(setting: String) throws {
        for verb in ["find-generic-password -s service", "show-keychain-info", "lock-keychain"] {
            let result = try home.shell("\(setting) security \(verb)")
            #expect(result.code != 0)
            #expect(result.complaintsText.split(separator: "\n").count == 2)
            #expect(!result.complaintsText.contains(home.store))
        }
    }

    @Test(arguments: ["find-generic-password -s first -w", "add-generic-password -a me -w secret -s second"])
    func `a database locked by another process is named in the first line`(verb: String) throws {
        #expect(try home.shell("security add-generic-password -a me -w secret -s first").code == 0)
        let database = open(home.store + "/keychain.db", O_RDWR | O_CLOEXEC)
        defer { close(database) }
        // The bytes of a database file that every reader locks, from SQLite's source:
        // https://sqlite.org/src/file/src/os.h
        var range = flock()
        (range.l_type, range.l_whence, range.l_start, range.l_len) =
            (Int16(F_WRLCK), Int16(SEEK_SET), 0x4000_0002, 510)
        let ownedByDescription: CInt = 37
        #expect(fcntl(database, ownedByDescription, &range) == 0)
        let result = try home.shell("security \(verb)")
        #expect(result.code == 53)
        let lines = result.complaintsText.split(separator: "\n")
        #expect(lines.count == 2)
        let start = "security: \(home.store): another process has held keychain.db for too long"
        #expect(lines.first?.hasPrefix(start) == true)
        #expect(lines.last?.hasPrefix("security: SecKeychain") == true)
    }

    @Test func `an item is found while another process is writing`() throws {
        #expect(try home.shell("security add-generic-password -a me -w secret -s first").code == 0)
        let lock = open(home.store + "/writer.lock", O_RDWR | O_CLOEXEC)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        let result = try home.shell("security find-generic-password -s first -w")
        #expect(result.outputText == "secret\n")
        #expect(result.complaintsText.isEmpty)
    }

    @Test func `a writer lock held by another process is named`() throws {
        let add = "security add-generic-password -a me -w secret -s"
        #expect(try home.shell("\(add) first").code == 0)
        let lock = open(home.store + "/writer.lock", O_RDWR | O_CLOEXEC)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        let result = try home.shell("\(add) second")
        #expect(result.code == 53)
        let lines = result.complaintsText.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("security: \(home.store): another process ") == true)
        #expect(lines.first?.contains("writer.lock") == true)
        #expect(flock(lock, LOCK_UN) == 0)
        #expect(try home.security("find-generic-password", "-s", "second").code == 44)
    }
}
