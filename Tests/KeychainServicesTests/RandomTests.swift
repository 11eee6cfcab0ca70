// SPDX-License-Identifier: Apache-2.0

import KeychainServices
import Testing

@Suite struct RandomTests {
    @Test(arguments: [0, 1, 7, 8, 9, 32, 1000])
    func `exactly the requested bytes are filled`(count: Int) {
        var bytes = [UInt8](repeating: 0, count: count + 8)
        // The probability that a random byte is zero in all 64 runs is 2 to the power of -512.
        var touched = [Bool](repeating: false, count: count)
        for _ in 0..<64 {
            #expect(SecRandomCopyBytes(kSecRandomDefault, count, &bytes) == errSecSuccess)
            for index in 0..<count where bytes[index] != 0 { touched[index] = true }
        }
        #expect(touched.allSatisfy { $0 })
        #expect(bytes[count...].allSatisfy { $0 == 0 })
    }

    @Test func `a negative count is rejected`() {
        var byte: UInt8 = 0
        #expect(SecRandomCopyBytes(kSecRandomDefault, -1, &byte) == errSecParam)
        #expect(byte == 0)
    }
}
