// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The target that `FUZZ_TARGET` names.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        print("FUZZ_TARGET must be one of: " + FuzzTarget.all.map(\.name).joined(separator: " "))
        exit(2)
    }
    return target
}()

/// Called by libFuzzer, which contains `main`, with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // Copies the input into memory of exactly its size.
    target.run(Data(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
