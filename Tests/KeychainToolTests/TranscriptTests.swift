// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Runs the commands of the transcripts and compares their output.
///
/// With `RECORD_TRANSCRIPTS=1` the test writes the actual output to the transcripts, and fails.
@Suite struct TranscriptTests {
    private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Transcripts")

    static let names: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).filter {
            $0.hasSuffix(".txt")
        }
        .sorted()

    @Test(arguments: names)
    func `the output of each command is that of its transcript`(name: String) throws {
        let file = Self.directory.appendingPathComponent(name)
        let expected = Transcript(try String(contentsOf: file, encoding: .utf8))
        let performed = try expected.performed(in: try TemporaryHome())
        #expect(!expected.steps.isEmpty)
        for (expected, performed) in zip(expected.steps, performed.steps) {
            #expect(
                performed.outcome == expected.outcome,
                "$ \(expected.command)\n\(performed.outcome.joined(separator: "\n"))"
            )
        }
        if ProcessInfo.processInfo.environment["RECORD_TRANSCRIPTS"] == "1" {
            try performed.text.write(to: file, atomically: true, encoding: .utf8)
            Issue.record("the transcript was recorded; read it, and run the tests without RECORD_TRANSCRIPTS")
        }
    }

    @Test func `there are transcripts`() {
        #expect(Self.names.count > 5)
    }

    @Test(arguments: names)
    func `parsing and writing a transcript changes nothing`(name: String) throws {
        let text = try String(contentsOf: Self.directory.appendingPathComponent(name), encoding: .utf8)
        #expect(Transcript(text).text == text)
    }
}
