// SPDX-License-Identifier: Apache-2.0

/// `set-key-partition-list`: accepted without effect, for signing scripts written for macOS.
struct SetPartitionList {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        try Keychains.useOperand(of: arguments)
        guard arguments.isVerbose else { return }
        Console.complain("partition lists have no effect: access groups decide which programs may use a key")
    }
}
