// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// Runs each fuzz target on its corpus, without the fuzzer.
///
/// An ordinary run takes at most 40 random files of each corpus, a thorough run all files.
@Suite(.searchedKeychain) struct CorpusTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fuzz/Corpus").standardizedFileURL

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `a target processes its corpus without a crash`(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let folder = Self.folder.appending(component: name)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        let sorted = files.sorted { $0.lastPathComponent < $1.lastPathComponent }
        for file in Sampling.some(40, of: sorted, for: "corpus of \(name)") {
            target.run(try Data(contentsOf: file))
        }
        target.run(Data())
    }

    @Test func `each folder of the corpus has a target`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
    }
}
