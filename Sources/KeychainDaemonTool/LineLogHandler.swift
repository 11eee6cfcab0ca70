// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging

/// Writes each message as a line to standard output: `securityd[PID]: MESSAGE KEY=VALUE …`.
///
/// If systemd reads the output, a line starts with its priority. Messages and values must not contain secrets or
/// attribute values.
struct LineLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    private static let isJournal = unsafe getenv("JOURNAL_STREAM") != nil

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }
            .sorted { $0.key < $1.key }
            .map { " \($0.key)=\(Self.plain("\($0.value)"))" }
        let priority = Self.isJournal ? "<\(Self.priority(event.level))>" : ""
        let line = "\(priority)securityd[\(getpid())]: \(event.message)\(fields.joined())\n"
        let bytes = Array(line.utf8)
        unsafe bytes.withUnsafeBytes { _ = unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }

    /// Replaces control characters, so that a value cannot start another line.
    private static func plain(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }
            )
        )
    }

    private static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .critical: 2
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug, .trace: 7
        }
    }
}
