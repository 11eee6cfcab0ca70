// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A pseudo-terminal on which a test plays the user.
package final class Terminal {
    package struct Unseen: Error { package let transcript: String }

    private let controller: Int32
    /// The program's end of the pseudo-terminal, kept open to read the settings after the program ended.
    private let tool: Int32
    /// The path of the program's end of the pseudo-terminal.
    package let name: String
    package private(set) var transcript = ""

    package init() throws {
        var (controller, tool): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 256)
        guard openpty(&controller, &tool, &name, nil, nil) == 0 else {
            throw ChildProcess.Failure(description: "openpty: \(errno)")
        }
        for descriptor in [controller, tool] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        (self.controller, self.tool) = (controller, tool)
        self.name = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        close(controller)
        close(tool)
    }

    package func type(_ text: String) {
        _ = text.withCString { write(controller, $0, strlen($0)) }
    }

    /// Reads output until a text has occurred this many times, for at most thirty seconds.
    package func wait(for text: String, times: Int = 1) throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while transcript.components(separatedBy: text).count <= times {
            guard ContinuousClock.now < deadline else { throw Unseen(transcript: transcript) }
            readAvailable(milliseconds: 100)
        }
    }

    package func drain() { while readAvailable(milliseconds: 50) {} }

    @discardableResult
    private func readAvailable(milliseconds: Int32) -> Bool {
        var wait = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
        guard poll(&wait, 1, milliseconds) == 1 else { return false }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(controller, &bytes, bytes.count)
        guard count > 0 else { return false }
        transcript += String(decoding: bytes[..<count], as: UTF8.self).replacing("\r\n", with: "\n")
        return true
    }

    /// Whether the terminal echoes input.
    ///
    /// The setting can be read at either end of a pseudo-terminal.
    package var echoes: Bool {
        var settings = termios()
        tcgetattr(controller, &settings)
        return settings.c_lflag & tcflag_t(ECHO) != 0
    }
}
