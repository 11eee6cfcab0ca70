// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// What the command says of the store's directory, and where it says nothing of it.
@Suite struct StorePathTests {
    private static let unavailable = "No keychain is available. You may need to restart your computer."

    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    @Test(arguments: ["KEYCHAIN_HOME", "XDG_DATA_HOME", "HOME"])
    func `a directory that is not UTF-8 is refused, not repaired`(variable: String) throws {
        let result = try home.shell(
            """
            place="$HOME/caf$(printf '\\351')"
            unset KEYCHAIN_HOME
            \(variable)="$place" security add-generic-password -a me -s service -w secret
            """
        )
        #expect(result.code == 53)
        let lines = result.complaintsText.split(separator: "\n")
        #expect(lines.first?.contains("not UTF-8") == true)
        #expect(lines.last == "security: SecKeychainItemCreateFromContent (<default>): \(Self.unavailable)")
        let files = try home.shell(#"ls "$HOME" | grep -c caf"#)
        #expect(files.outputText == "0\n")
    }

    @Test func `control characters of the directory are escaped`() throws {
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
    func `an error of the environment does not name the directory`(setting: String) throws {
        for verb in ["find-generic-password -s service", "show-keychain-info", "lock-keychain"] {
            let result = try home.shell("\(setting) security \(verb)")
            #expect(result.code != 0)
            #expect(result.complaintsText.split(separator: "\n").count == 2)
            #expect(!result.complaintsText.contains(home.store))
        }
    }

    @Test func `a lock that another process holds is named`() throws {
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
