// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainSync

struct Options {
    private(set) var values: [String: [String]] = [:]
    private(set) var operands: [String] = []

    private static let flags: Set = ["json", "yes", "read-only", "admin", "once", "recovery-code", "force"]
    private static let withValue: Set = ["endpoint", "ca", "cert", "key", "user", "name"]

    init(_ arguments: some Sequence<String>) throws(Failure) {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else {
                operands.append(argument)
                continue
            }
            let name = String(argument.dropFirst(2))
            if Self.flags.contains(name) {
                values[name] = [""]
            } else if Self.withValue.contains(name), let value = rest.popFirst() {
                values[name, default: []].append(value)
            } else {
                throw .usage("unknown option, or one without its value: \(Output.plain(argument))")
            }
        }
    }

    func has(_ flag: String) -> Bool { values[flag] != nil }

    func value(_ name: String) -> String? { values[name]?.last }

    /// The name of this device: the value of `--name`, or the host name, or `device` if that cannot be read.
    var deviceName: String {
        if let name = value("name") { return name }
        var buffer = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "device" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns the configuration of etcd; with `--user`, reads the password from the first line of standard input.
    func configuration() throws(Failure) -> EtcdConfiguration {
        guard let endpoints = values["endpoint"] else {
            throw .usage("--endpoint is required, such as https://etcd.example.com:2379")
        }
        for endpoint in endpoints where !endpoint.hasPrefix("http://") && !endpoint.hasPrefix("https://") {
            throw .usage("an endpoint starts with https:// or http://: \(Output.plain(endpoint))")
        }
        var configuration = EtcdConfiguration(
            endpoints: endpoints.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        )
        configuration.certificateAuthority = value("ca").map(Self.absolute)
        configuration.certificate = value("cert").map(Self.absolute)
        configuration.key = value("key").map(Self.absolute)
        guard (configuration.certificate == nil) == (configuration.key == nil) else {
            throw .usage("--cert and --key belong together")
        }
        if let user = value("user") {
            configuration.user = user
            configuration.password = Self.readLine(hidden: true)
        }
        return configuration
    }

    /// Makes a path absolute, because the agent that reads the saved configuration starts in another directory.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let directory = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(directory) }
        return unsafe String(cString: directory) + "/" + path
    }

    /// Reads a line of standard input without echoing it if `hidden`; returns an empty string at the end of the input.
    static func readLine(hidden: Bool) -> String {
        var settings = termios()
        let isTerminal = unsafe hidden && isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &settings) == 0
        if isTerminal {
            var silent = settings
            silent.c_lflag &= ~tcflag_t(ECHO)
            unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        }
        defer { if isTerminal { unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) } }
        return Swift.readLine() ?? ""
    }
}
