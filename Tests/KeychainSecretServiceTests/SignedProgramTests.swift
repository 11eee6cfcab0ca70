// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// Programs with a signature of a team that the user trusts have the groups of the signature.
@Suite(SecretServiceMachine.isAvailable) struct SignedProgramTests {
    /// Creates a code signing team, trusts it, and signs two of three copies of secret-tool with one access group.
    private static let preparation = """
        set -e
        cd "$HOME"
        umask 077
        printf 'canary-keys\\n' >passcode
        "$0" set-keychain-password -p "$1"
        "$0" codesign create-team --name Canary -o team.keys --passcode-fd 3 3<passcode
        team=$(basename *.team .team)
        "$0" team trust "$team.team"
        cat >groups.plist <<END
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict>
        <key>keychain-access-groups</key><array><string>$team.shared</string></array>
        </dict></plist>
        END
        for name in one two three; do
            cp /usr/bin/secret-tool $name
            printf $name >>$name
            chmod 755 $name
        done
        for name in one two; do
            "$0" codesign sign -s team.keys -i com.example.$name -e groups.plist --passcode-fd 3 $name 3<passcode
        done
        """

    @Test func `programs with a common access group share items`() throws {
        let answers = [ScriptedPinentry.Answer](
            repeating: .passcode(SecretServiceMachine.passcode),
            count: 10
        )
        let pinentry = try ScriptedPinentry(answers)
        let machine = try SecretServiceMachine(["KEYCHAIN_PINENTRY": pinentry.path])
        let prepared = try machine.run(
            "/bin/sh",
            ["-c", Self.preparation, SecretServiceMachine.path("security"), SecretServiceMachine.passcode]
        )
        try #require(prepared.ending == .exited(0), "\(prepared.text)")
        let service = try machine.start()
        let program = { (name: String) in machine.directory.appending(component: name).path }
        let secret = Canary.make("password")
        let stored = try machine.run(program("one"), ["store", "--label=L", "a", "1"], input: secret)
        #expect(stored.ending == .exited(0), "\(stored.text)")
        #expect(try machine.run(program("two"), ["lookup", "a", "1"]).text == secret)
        #expect(try machine.run(program("three"), ["lookup", "a", "1"]).ending == .exited(1))
        // A changed executable loses its signature's groups.
        let changed = try FileHandle(forWritingTo: machine.directory.appending(component: "two"))
        try changed.seekToEnd()
        try changed.write(contentsOf: Data("changed".utf8))
        try changed.close()
        #expect(try machine.run(program("two"), ["lookup", "a", "1"]).ending == .exited(1))
        _ = try machine.stop(service)
    }
}
