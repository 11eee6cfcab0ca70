// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import KeychainUserPresence
import Testing

@Suite struct PinentryTests {
    private static let dialog = PinentryDialog(
        title: "title",
        description: "who\nand why",
        prompt: "Passcode:"
    )

    private static func ask(_ settings: PinentrySettings) -> Result<[UInt8], PinentryFailure> {
        Result { () throws(PinentryFailure) in
            var pinentry = try Pinentry.start(dialog, settings)
            return try pinentry.ask().withBytes { Array($0) }
        }
    }

    struct Answer: Sendable {
        let shell: String
        let bytes: [UInt8]
    }

    @Test(arguments: [
        Answer(shell: "echo 'D secret'; echo OK", bytes: Array("secret".utf8)),
        Answer(shell: "echo 'D 100%25%0a'; echo OK", bytes: Array("100%\n".utf8)),
        Answer(shell: "echo 'D one '; echo 'D two'; echo OK", bytes: Array("one two".utf8)),
        Answer(
            shell: "echo '# comment'; echo 'S STATUS x'; echo 'D %ff%00'; echo 'OK bye'",
            bytes: [255, 0]
        ),
        Answer(shell: "echo OK", bytes: []),
        Answer(shell: "printf 'D %0900d\\nOK\\n' 0", bytes: Array(repeating: UInt8(ascii: "0"), count: 900)),
    ])
    func `the answer is what the user typed`(answer: Answer) throws {
        let script = try ScriptedPinentry([.shell(answer.shell)])
        #expect(Self.ask(script.settings) == .success(answer.bytes))
    }

    struct Bad: Sendable {
        let name: String
        var greeting = "echo OK ready"
        var shell = "echo OK"
        let failure: PinentryFailure
    }

    // swift-format-ignore
    @Test(arguments: [
        Bad(name: "cancelled",           shell: "echo 'ERR 83886179 Operation cancelled <Pinentry>'", failure: .cancelled),
        Bad(name: "wholly cancelled",    shell: "echo 'ERR 83886278 fully'", failure: .cancelled),
        Bad(name: "timed out",           shell: "echo 'ERR 83886142 Timeout <Pinentry>'", failure: .timedOut),
        Bad(name: "no terminal",         shell: "echo 'ERR 83918950 Inappropriate ioctl for device'", failure: .unavailable),
        Bad(name: "error without a number", shell: "echo ERR", failure: .unavailable),
        Bad(name: "crashes when asked",  shell: "kill -9 $$", failure: .unavailable),
        Bad(name: "answers after a cancel", shell: "echo 'ERR 83886179 no'; echo 'D late'; echo OK", failure: .cancelled),
        Bad(name: "garbage",             shell: "head -c 3000 /dev/urandom; echo", failure: .unavailable),
        Bad(name: "a line without end",  shell: "head -c 200000 /dev/zero", failure: .unavailable),
        Bad(name: "comments without end", shell: "while echo '# more'; do :; done", failure: .unavailable),
        Bad(name: "data without end",    shell: "while printf 'D %0900d\\n' 0; do :; done", failure: .unavailable),
        Bad(name: "a malformed escape",  shell: "echo 'D a%2'; echo OK", failure: .unavailable),
        Bad(name: "asks back",           shell: "echo 'INQUIRE QUALITY x'", failure: .unavailable),
        Bad(name: "no greeting",         greeting: "exit 0", failure: .unavailable),
        Bad(name: "another greeting",    greeting: "echo hello", failure: .unavailable),
        Bad(name: "refuses",             greeting: "echo 'ERR 1 no'", failure: .unavailable),
        Bad(name: "crashes",             greeting: "kill -9 $$", failure: .unavailable),
    ])
    func `protocol violations and errors of the program are reported`(bad: Bad) throws {
        let script = try ScriptedPinentry([.shell(bad.shell)], greeting: bad.greeting)
        #expect(Self.ask(script.settings) == .failure(bad.failure), "\(bad.name)")
    }

    @Test func `a program that does not respond is stopped`() throws {
        let script = try ScriptedPinentry(greeting: "exec sleep 1000")
        var settings = script.settings
        settings.startLimit = 100
        #expect(Self.ask(settings) == .failure(.unavailable))
    }

    @Test func `a prompt times out if the user does not answer`() throws {
        let script = try ScriptedPinentry([.shell("exec sleep 1000")])
        var settings = script.settings
        settings.timeout = 0
        #expect(Self.ask(settings) == .failure(.timedOut))
        #expect(script.commands.contains("SETTIMEOUT 0"))
    }

    @Test func `cancelling does not wait for the user`() throws {
        let script = try ScriptedPinentry([.shell("exec sleep 1000")])
        let result = Result { () throws(PinentryFailure) in
            var pinentry = try Pinentry.start(Self.dialog, script.settings) { script.prompts > 0 }
            return try pinentry.ask().count
        }
        #expect(result == .failure(.stopped))
    }

    @Test func `no prompt is shown without a program, terminal or display`() throws {
        let script = try ScriptedPinentry()
        let obstacles: [(PinentrySettings, PinentryFailure)] = [
            (PinentrySettings(program: nil, display: ":0"), .forbidden),
            (PinentrySettings(program: script.path), .noTerminal),
            (PinentrySettings(program: "/nonexistent/pinentry", display: ":0"), .noProgram),
        ]
        for (settings, failure) in obstacles { #expect(Self.ask(settings) == .failure(failure)) }
        #expect(script.commands.isEmpty)
    }

    @Test func `the dialog shows the program, the reason and the last error`() throws {
        let script = try ScriptedPinentry([.passcode("one"), .passcode("two")])
        var settings = script.settings
        settings.terminal = "/dev/pts/7"
        settings.terminalType = "xterm"
        settings.locale = "de_DE.UTF-8"
        var dialog = Self.dialog
        dialog.cancelTitle = "No"
        var pinentry = try Pinentry.start(dialog, settings)
        #expect(try pinentry.ask().withBytes { Array($0) } == Array("one".utf8))
        #expect(try pinentry.ask(error: "wrong").withBytes { Array($0) } == Array("two".utf8))
        #expect(
            script.commands == [
                "OPTION no-grab", "OPTION ttyname=/dev/pts/7", "OPTION ttytype=xterm",
                "OPTION lc-ctype=de_DE.UTF-8", "OPTION lc-messages=de_DE.UTF-8", "SETTITLE title",
                "SETDESC who%0Aand why", "SETPROMPT Passcode:", "SETCANCEL No", "SETTIMEOUT 600", "GETPIN",
                "SETERROR wrong", "GETPIN",
            ]
        )
    }

    struct Press: Sendable {
        let shell: String
        var hasAction = true
        let failure: PinentryFailure?
    }

    @Test(arguments: [
        Press(shell: "echo OK", failure: nil),
        Press(shell: "echo OK", hasAction: false, failure: .cancelled),
        Press(shell: "echo 'ERR 83886179 Operation cancelled <Pinentry>'", failure: .cancelled),
        Press(shell: "echo 'ERR 83886194 Not confirmed <Pinentry>'", failure: .cancelled),
        Press(shell: "echo 'ERR 83886142 Timeout <Pinentry>'", failure: .timedOut),
        Press(shell: "kill -9 $$", failure: .unavailable),
    ])
    func `a dialog without an input field returns the button pressed`(press: Press) throws {
        let script = try ScriptedPinentry(presses: [.shell(press.shell)])
        var dialog = Self.dialog
        dialog.cancelTitle = "No"
        var failure: PinentryFailure?
        do throws(PinentryFailure) {
            var pinentry = try Pinentry.start(dialog, script.settings)
            try pinentry.confirm(press.hasAction ? "Yes" : nil)
        } catch {
            failure = error
        }
        #expect(failure == press.failure)
        let commands = press.hasAction ? ["SETOK Yes", "CONFIRM"] : ["SETOK No", "CONFIRM --one-button"]
        #expect(script.commands.suffix(2) == commands)
    }

    @Test func `retrying in ASCII counts against the start limit`() throws {
        // If the clock advances by 40 s, the program has used up the start limit of 30 s when it rejects the string, so
        // there is no retry.
        for (seconds, prompts) in [(40, 1), (0, 2)] {
            let refusal = ScriptedPinentry.Answer.shell("echo 'ERR 83886246 A locale function failed'")
            let script = try ScriptedPinentry([refusal, refusal])
            var settings = script.settings
            settings.startLimit = 30_000
            settings.now = { .now + .seconds(script.prompts > 0 ? seconds : 0) }
            #expect(Self.ask(settings) == .failure(.unavailable))
            #expect(script.prompts == prompts)
            #expect(script.commands.count { $0.hasPrefix("SETDESC") } == prompts)
        }
    }

    @Test func `a program that stalls after rejecting the text is stopped`() throws {
        let script = try ScriptedPinentry([
            .shell("echo 'ERR 83886246 A locale function failed'; exec sleep 1000")
        ])
        var settings = script.settings
        settings.startLimit = 300
        #expect(Self.ask(settings) == .failure(.unavailable))
        #expect(script.prompts <= 1)
    }

    @Test func `text that a program cannot show is retried once in ASCII`() throws {
        let refusal = ScriptedPinentry.Answer.shell("echo 'ERR 83886246 A locale function failed'")
        let script = try ScriptedPinentry([refusal, .passcode("one"), refusal, refusal])
        var dialog = Self.dialog
        dialog.description = "“who”"
        dialog.cancelTitle = "Nö"
        var pinentry = try Pinentry.start(dialog, script.settings)
        #expect(try pinentry.ask(error: "wröng").withBytes { Array($0) } == Array("one".utf8))
        #expect(
            script.commands.suffix(7) == [
                "GETPIN", "SETTITLE title", "SETDESC \"who\"", "SETPROMPT Passcode:", "SETCANCEL N?",
                "SETERROR wr?ng", "GETPIN",
            ]
        )
        // A rejected ASCII string is not sent again, because there is no simpler form of it.
        #expect(throws: PinentryFailure.unavailable) { _ = try pinentry.ask() }
        #expect(script.prompts == 3)
    }
}
