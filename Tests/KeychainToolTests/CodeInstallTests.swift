// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainTestSupport
import Testing

private let mountable: ConditionTrait = .enabled("mounting in a namespace of one's own needs root") {
    guard geteuid() == 0 else { return false }
    return try TemporaryHome().shell("unshare --mount true").code == 0
}

/// `codesign install` in a mount namespace with a temporary `/etc` and installation directory.
@Suite(mountable) struct CodeInstallTests {
    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        try home.run(
            "printf 'int main(void) { return 0; }' > \"$HOME/program.c\"; cc -o \"$HOME/program\" \"$HOME/program.c\""
        )
        let program = home.directory + "/program"
        let keys = TeamKeys(makingTeam: "Example", validUntil: 0)
        let signature = try keys.sign(
            OpenExecutable(program).digest(),
            SignedEntitlements(identifier: "program", accessGroups: [], applicationGroups: []),
            at: 1,
            expires: 0,
            isGroupLevelOnly: false
        )
        try Data(signature.bytes).write(to: URL(filePath: program + ".signature"))
        try Data(keys.file(group: "keychain-test").utf8)
            .write(to: URL(filePath: home.directory + "/" + TeamFile.name(of: keys.team)))
    }

    /// Runs the shell command `step`, installs the program, and then runs another shell command to check it.
    private func install(
        preparing step: String = "true",
        group: String = "keychain-test:x:64321:",
        shadow: String = "keychain-test:!::",
        mount options: String = "mode=755",
        then look: String = "true"
    ) throws -> ToolProcess.Result {
        try home.shell(
            """
            exec unshare --mount --propagation private sh -c '
            mkdir -p "$HOME/etc/keychain/teams.d" && chmod -R 755 "$HOME/etc" && cp -a /etc/ld.so* /etc/alternatives "$HOME/etc"
            cp /etc/passwd /etc/group "$HOME/etc" && echo "\(group)" >> "$HOME/etc/group"
            echo "\(shadow)" > "$HOME/etc/gshadow"
            cp "$HOME"/*.team "$HOME/etc/keychain/teams.d" && chmod 644 "$HOME/etc/keychain/teams.d"/*
            mount --bind "$HOME/etc" /etc && mount -t tmpfs -o \(options) none /usr/local || exit 99
            \(step) && security codesign install -d /usr/local "$HOME/program" && \(look)'
            """
        )
    }

    @Test func `an executable is installed with the team's group`() throws {
        let result = try install(
            then: "stat -c %a:%u:%g /usr/local/program && security codesign verify /usr/local/program"
        )
        #expect(result.code == 0, "\(result.complaintsText)")
        #expect(result.outputText.contains("\n2755:0:64321\n"))
        #expect(result.outputText.contains("/usr/local/program: valid, "))
    }

    @Test func `installing again replaces the executable`() throws {
        let result = try install(preparing: "security codesign install -d /usr/local \"$HOME/program\"")
        #expect(result.code == 0, "\(result.complaintsText)")
    }

    @Test(arguments: [
        ("chmod 777 /usr/local", "users other than root can write the directory"),
        ("chown 65534 /usr/local", "users other than root can write the directory"),
        ("printf x >> \"$HOME/program\"", "the executable has changed"),
        ("rm /etc/keychain/teams.d/*", "not trusted"),
        ("rm \"$HOME/program.signature\"", "not signed"),
        ("sed -i /group/d /etc/keychain/teams.d/*", "the team has no group"),
        ("cp \"$HOME/program.c\" \"$HOME/program\"", "not an ELF executable"),
        ("cc -o \"$HOME/program\" \"$HOME/program.c\" \"-Wl,-rpath,\\$ORIGIN\"", "($ORIGIN)"),
        ("cc -o \"$HOME/program\" \"$HOME/program.c\" -Wl,-rpath,/tmp", "library directory /tmp"),
    ])
    func `an executable that set-group-ID would not protect is refused`(step: String, message: String) throws
    {
        let result = try install(preparing: step, then: "ls /usr/local")
        #expect(result.code == (message == "not trusted" ? 3 : 1), "\(result.outputText)")
        #expect(result.complaintsText.contains(message), "\(result.complaintsText)")
    }

    @Test func `file capabilities are refused`() throws {
        guard access("/sbin/setcap", X_OK) == 0 else { try Test.cancel("this machine has no setcap") }
        let result = try install(preparing: "/sbin/setcap cap_net_raw+ep \"$HOME/program\"")
        #expect(result.complaintsText.contains("it has file capabilities"))
    }

    @Test func `a file system mounted nosuid is refused`() throws {
        let result = try install(mount: "mode=755,nosuid")
        #expect(result.code == 1)
        #expect(result.complaintsText.contains("mounted nosuid"))
    }

    @Test(arguments: [
        ("other:x:64321:", "keychain-test:!::", "it does not exist"),
        ("keychain-test:x:64321:root", "keychain-test:!::", "it has members"),
        ("keychain-test:x:64321:", "keychain-test:!::root", "it has members"),
        ("keychain-test:x:64321:", "keychain-test:!:root:", "it has members"),
        ("keychain-test:x:64321:", "keychain-test:hash::", "it has a password"),
        ("keychain-test:hash:64321:", "keychain-test:!::", "it has a password"),
        ("keychain-test:x:0:", "keychain-test:!::", "it is root"),
        ("keychain-test:x:65534:", "keychain-test:!::", "it is the primary group"),
    ])
    func `a group that a user can join is refused`(group: String, shadow: String, message: String) throws {
        let result = try install(group: group, shadow: shadow)
        #expect(result.code == 1)
        #expect(result.complaintsText.contains(message), "\(result.complaintsText)")
    }

    @Test func `a refused executable leaves no file behind`() throws {
        let result = try install(
            preparing: "printf x >> \"$HOME/program\"; trap \"ls -A /usr/local | wc -l\" EXIT; true"
        )
        #expect(result.code == 1)
        #expect(result.outputText == "0\n")
    }
}
