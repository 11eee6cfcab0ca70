// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// `daemon-status`: the state of securityd, and the counts and latencies of its calls.
struct DaemonStatusReport {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        let status = try KeychainCalls.failing("daemon-status") { () throws(StatusError) in
            try SystemKeychain.runningDaemon().daemonStatus()
        }
        try Console.write(arguments.has("json") ? Self.json(status).text + "\n" : Self.lines(status))
        guard !status.auditWorks else { return }
        throw .message("securityd cannot write its audit log, and changes nothing", result: 1)
    }

    private static func service(_ status: DaemonStatus) -> String {
        status.isSystemService ? "system" : "user"
    }

    /// Which program asks for the passcode, and so sees it.
    private static func prompter(_ status: DaemonStatus) -> String { status.hasAgent ? "agent" : "programs" }

    private static func lines(_ status: DaemonStatus) -> String {
        var lines = [
            "process: \(status.process)", "version: \(BlobText.line(status.version))",
            "service: \(service(status))", "back end: store", "level: \(status.level.name)",
            "prompts by: \(prompter(status))",
            "uptime: \(status.uptimeSeconds) s", "audit log: \(status.auditWorks ? "written" : "failing")",
        ]
        lines += status.defects.map { "\(BlobText.line($0.name)): \(BlobText.line($0.problem))" }
        // The system service reports its activity, including the caller's own calls, only to root.
        if status.connections > 0 {
            lines += [
                "clients: \(status.connections)", "open keychains: \(status.openStores)",
                "refused connections: \(status.refusedConnections)", "calls: \(status.requests)",
                "failed calls: \(status.failures)",
            ]
        }
        for metrics in status.metrics {
            let mean = metrics.totalNanoseconds / max(metrics.calls, 1) / 1_000
            lines.append(
                "\(metrics.kind.name): \(metrics.calls) calls, \(metrics.failures) failed, mean \(mean) µs, "
                    + "99 % within \(metrics.microseconds(ofPart: 0.99)) µs, "
                    + "longest \(metrics.longestNanoseconds / 1_000) µs"
            )
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func json(_ status: DaemonStatus) -> JSONText {
        let number = { (value: UInt64) in JSONText.number(Int(clamping: value)) }
        let metrics = status.metrics.map { metrics in
            JSONText.object([
                ("kind", .string(metrics.kind.name)), ("calls", number(metrics.calls)),
                ("failures", number(metrics.failures)),
                ("totalMicroseconds", number(metrics.totalNanoseconds / 1_000)),
                ("longestMicroseconds", number(metrics.longestNanoseconds / 1_000)),
                ("p50Microseconds", number(metrics.microseconds(ofPart: 0.5))),
                ("p99Microseconds", number(metrics.microseconds(ofPart: 0.99))),
            ])
        }
        return .object([
            ("schemaVersion", .number(1)), ("process", .number(Int(status.process))),
            ("version", .string(status.version)), ("service", .string(service(status))),
            ("backEnd", .string("store")), ("level", .string(status.level.name)),
            ("promptsBy", .string(prompter(status))),
            ("uptimeSeconds", number(status.uptimeSeconds)), ("auditWorks", .boolean(status.auditWorks)),
            ("defects", .array(status.defects.map(defect))),
            ("clients", .number(Int(status.connections))),
            ("openKeychains", .number(Int(status.openStores))),
            ("refusedConnections", number(status.refusedConnections)), ("calls", number(status.requests)),
            ("failedCalls", number(status.failures)), ("metrics", .array(metrics)),
        ])
    }

    private static func defect(_ defect: TrustDefect) -> JSONText {
        .object([
            ("kind", .string(defect.kind == .file ? "file" : "group")), ("name", .string(defect.name)),
            ("reason", .string(defect.reason)),
        ])
    }
}
