// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel

/// Runs a program and exchanges Assuan lines with it over a socket.
///
/// Every wait has a time limit. All received data passes through one buffer, which is locked in memory and
/// erased when the connection ends.
@safe
struct AssuanConnection: ~Copyable {
    private let socket: CInt
    private let process: PromptProcess
    private let buffer: UnsafeMutableRawBufferPointer
    /// The range of the buffer with received bytes that have not been consumed.
    private var pending = 0..<0
    private var received = 0
    /// Whether the dialog is probably visible to the user.
    private var isShowing = false
    /// Whether the caller cancelled the dialog; polled several times a second while waiting.
    private let isCancelled: @Sendable () -> Bool

    /// The maximum number of bytes that the program may send, which is more than any dialog needs.
    private static let maximumBytes = 65_536
    /// How many times to check whether the program has exited, at intervals of 10 ms.
    ///
    /// While a dialog may be visible, there are four times as many checks, because closing it takes longer.
    private static let exitPolls = 25

    init(
        program: String,
        arguments: [String],
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(PinentryFailure) {
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .unavailable }
        defer { close(ends[1]) }
        guard let process = PromptProgram.start(program, arguments, on: ends[1]) else {
            close(ends[0])
            throw .noProgram
        }
        self.process = process
        self.isCancelled = isCancelled
        socket = ends[0]
        unsafe buffer = .allocate(byteCount: 4_096, alignment: 1)
        unsafe SecretBytes.pin(UnsafeRawBufferPointer(buffer))
    }

    deinit {
        close(socket)
        if let start = unsafe buffer.baseAddress { unsafe explicit_bzero(start, buffer.count) }
        unsafe buffer.deallocate()
        // The program must exit by itself to restore the terminal, so it is killed only as a last resort. While it
        // shows a dialog, it does not notice the closed input: SIGALRM, its timeout signal, makes it restore the
        // terminal or close the window. A signal sent before the program waits for the user is lost, so it is sent
        // repeatedly.
        if isShowing {
            process.end(by: SIGALRM, count: 4 * Self.exitPolls)
        } else {
            process.end(by: nil, count: Self.exitPolls)
        }
    }

    /// Sends a command that shows the dialog.
    mutating func show(_ line: [UInt8], until deadline: Deadline) throws(PinentryFailure) {
        isShowing = true
        try send(line, until: deadline)
    }

    func send(_ line: [UInt8], until deadline: Deadline) throws(PinentryFailure) {
        var sent = 0
        while sent < line.count {
            try wait(for: POLLOUT, until: deadline)
            let count = unsafe line.withUnsafeBytes { bytes in
                unsafe Glibc.send(
                    socket,
                    bytes.baseAddress.map { unsafe $0 + sent },
                    bytes.count - sent,
                    CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)
                )
            }
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { throw .unavailable }
            sent += count
        }
    }

    /// Reads the next line that is neither a comment nor a status line.
    mutating func reply(until deadline: Deadline) throws(PinentryFailure) -> AssuanReply {
        while true {
            let line = try line(until: deadline)
            let reply = unsafe AssuanReply(
                UnsafeRawBufferPointer(rebasing: buffer[line]),
                at: line.lowerBound
            )
            guard let reply else { throw .unavailable }
            switch reply {
            case .other: continue
            case .data: break
            case .ok, .failure, .unsupportedCharacters: isShowing = false
            }
            return reply
        }
    }

    /// Returns `first`, the previous data, followed by the unescaped data of the reply just read.
    func data(_ range: Range<Int>, after first: borrowing SecretBytes) throws(PinentryFailure) -> SecretBytes
    {
        let bytes = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[range])
        guard let count = unsafe Assuan.unescape(bytes) else { throw .unavailable }
        let own = first.count
        return unsafe SecretBytes(count: own + count) { target in
            unsafe first.withBytes { unsafe target.copyMemory(from: $0) }
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: target[own...])
            unsafe rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
    }

    private mutating func line(until deadline: Deadline) throws(PinentryFailure) -> Range<Int> {
        while true {
            if let end = unsafe buffer[pending].firstIndex(of: UInt8(ascii: "\n")) {
                let line = pending.lowerBound..<end
                pending = end + 1..<pending.upperBound
                guard line.count <= Assuan.maximumLineLength + 1 else { throw .unavailable }
                return line
            }
            guard pending.count <= Assuan.maximumLineLength else { throw .unavailable }
            makeRoom()
            try wait(for: POLLIN, until: deadline)
            let free = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[pending.upperBound...])
            let count = unsafe recv(socket, free.baseAddress, free.count, CInt(MSG_DONTWAIT))
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { throw .unavailable }
            received += count
            guard received <= Self.maximumBytes else { throw .unavailable }
            pending = pending.lowerBound..<pending.upperBound + count
        }
    }

    /// Moves the bytes not yet consumed to the front of the buffer.
    private mutating func makeRoom() {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[pending])
        unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<pending.count]).copyMemory(from: rest)
        pending = 0..<pending.count
    }

    private func wait(for event: CInt, until deadline: Deadline) throws(PinentryFailure) {
        while true {
            var file = pollfd(fd: socket, events: Int16(event), revents: 0)
            let left = deadline.millisecondsLeft
            let count = unsafe poll(&file, 1, min(left, 100))
            if count > 0 { return }
            if isCancelled() {
                // Data that arrived before the cancellation is still read.
                guard unsafe poll(&file, 1, 0) > 0 else { throw .stopped }
                return
            }
            if left == 0 { throw .timedOut }
            guard count == 0 || errno == EINTR else { throw .unavailable }
        }
    }
}
