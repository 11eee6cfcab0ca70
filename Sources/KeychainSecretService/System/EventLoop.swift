// SPDX-License-Identifier: Apache-2.0

#if SecretService
import CKeychainLinux
import Glibc
import KeychainClient
import KeychainModel
import Synchronization

/// Waits for messages, signals and ended prompts, on the main thread.
final class EventLoop {
    private let bus: Bus
    private let service: SecretService
    private let signals: CInt
    private let results: PromptResults
    private var login: LoginSignals?

    init(_ options: Options, signals: CInt) throws(StartFailure) {
        guard let bus = Bus(.session) else {
            throw StartFailure(sentence: "there is no session bus; set DBUS_SESSION_BUS_ADDRESS")
        }
        guard let results = PromptResults() else { throw StartFailure(sentence: "a pipe cannot be opened") }
        self.bus = bus
        self.signals = signals
        self.results = results
        service = SecretService(bus, ClientIdentifier(isShared: options.isShared)) {
            client,
            prompt,
            isUnlocked in
            results.add(PromptResult(client: client, prompt: prompt, isUnlocked: isUnlocked))
        }
        do throws(CallError) {
            try bus.match(
                "type='signal',sender='\(Bus.daemon)',interface='\(Bus.daemon)',member='NameOwnerChanged',arg2=''"
            )
        } catch {
            throw StartFailure(sentence: "the session bus does not answer")
        }
        if options.servesSecrets { try own(SecretService.name, options) }
        if options.servesPortal { try ownPortal(options) }
        login = LoginSignals()
        if login == nil {
            SecretServiceProgram.log("there is no system bus: locking the screen does not lock the keychain")
        } else if login?.isAvailable == false {
            SecretServiceProgram.log("logind is not running: locking the screen does not lock the keychain")
        }
    }

    /// Requests the bus name of the portal.
    ///
    /// A failure is only logged, because the Secret Service works without the portal; with the option `--portal-only`,
    /// it is an error.
    private func ownPortal(_ options: Options) throws(StartFailure) {
        do throws(StartFailure) {
            try own(Portal.name, options)
        } catch {
            guard options.servesSecrets else { throw error }
            SecretServiceProgram.log(error.sentence)
        }
    }

    private func own(_ name: String, _ options: Options) throws(StartFailure) {
        do throws(Bus.NameFailure) {
            try bus.own(name, replacing: options.replaces)
        } catch {
            switch error {
            case .held(let process):
                let program = NameOwner.program(of: process)
                let advice =
                    options.replaces
                    ? "it cannot be replaced: end it, and prevent it from starting again"
                    : "end it, or replace it with --replace"
                throw StartFailure(sentence: "\(program) already provides \(name); \(advice)")
            case .refused(let code):
                throw StartFailure(sentence: "the session bus refuses the name \(name) (error \(code))")
            }
        }
    }

    /// Serves until the bus ends, SIGTERM or SIGINT arrives, or another program takes `org.freedesktop.secrets`.
    func run() {
        SecretServiceProgram.log("ready")
        while handleMessages() {
            for result in results.take() {
                service.finish(result.prompt, of: result.client, isUnlocked: result.isUnlocked)
            }
            if login?.handle(lock: lock) == false { login = nil }
            var files = [
                pollfd(fd: bus.descriptor, events: bus.events, revents: 0),
                pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
                pollfd(fd: results.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: login?.descriptor ?? -1, events: login?.events ?? 0, revents: 0),
            ]
            // While sd-bus waited for replies, it may have queued other messages.
            guard unsafe poll(&files, nfds_t(files.count), bus.hasWaiting ? 0 : -1) >= 0 || errno == EINTR
            else {
                return
            }
            if files[1].revents != 0, [SIGTERM, SIGINT].contains(clinux_next_signal(signals)) { return }
        }
        bus.flush()
    }

    /// Answers the waiting messages; returns false if the bus has ended or another program has taken
    /// `org.freedesktop.secrets`.
    private func handleMessages() -> Bool {
        do throws(CallError) {
            while let message = try bus.next() {
                guard service.handle(message) else {
                    SecretServiceProgram.log("another program has taken the name")
                    return false
                }
            }
            return true
        } catch {
            SecretServiceProgram.log("the session bus has ended")
            return false
        }
    }

    private func lock() {
        do throws(CallError) {
            try service.lock()
        } catch {
            SecretServiceProgram.log("the keychain cannot be locked: \(error.message)")
        }
    }
}

struct PromptResult: Sendable {
    let client: String
    let prompt: String
    let isUnlocked: Bool
}

/// Passes the results of prompts from their threads to the main thread.
private final class PromptResults: Sendable {
    private let results = Mutex<[PromptResult]>([])
    /// The read end of a pipe, on which the main thread waits.
    let descriptor: CInt
    private let writing: CInt

    init?() {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (descriptor, writing) = (ends[0], ends[1])
    }

    func add(_ result: PromptResult) {
        results.withLock { $0.append(result) }
        var byte: UInt8 = 0
        _ = unsafe write(writing, &byte, 1)
    }

    func take() -> [PromptResult] {
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe read(descriptor, &bytes, bytes.count) > 0 {}
        return results.withLock { results in
            defer { results = [] }
            return results
        }
    }
}
#endif
