// SPDX-License-Identifier: Apache-2.0

/// Runs a closure on a keychain of its own, which is gone afterwards, whatever became of the closure.
///
/// - Parameters:
///   - options: How the keychain is made, and for which application.
///   - body: What is run; it gets the keychain, which is also ``TemporaryKeychain/current`` for as long.
/// - Returns: What the closure returns.
/// - Throws: What the closure throws; ``TemporaryKeychainError`` where the keychain cannot be made, is to be that of the
///   whole process while another is, or where no call has met a failure that ``TemporaryKeychain/failNext(_:times:in:)``
///   planned.
public func withTemporaryKeychain<Result>(
    _ options: TemporaryKeychain.Options = .init(),
    _ body: (TemporaryKeychain) throws -> Result
) throws -> Result {
    let keychain = try TemporaryKeychain(options)
    defer { keychain.end() }
    let scope = Scope(keychain, hasProcess: options.wholeProcess)
    let turn = options.wholeProcess ? try ProcessTurn.takeIfFree() : nil
    defer { turn?.giveBack() }
    let result = try scope.run { try body(keychain) }
    try keychain.faults.checkEachWasMet()
    return result
}

/// Runs a closure that waits on a keychain of its own; see the form that does not.
///
/// One that is to be that of the whole process waits until no other is.
public func withTemporaryKeychain<Result>(
    _ options: TemporaryKeychain.Options = .init(),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (TemporaryKeychain) async throws -> Result
) async throws -> Result {
    let keychain = try TemporaryKeychain(options)
    defer { keychain.end() }
    let scope = Scope(keychain, hasProcess: options.wholeProcess)
    let turn = options.wholeProcess ? await ProcessTurn.take() : nil
    defer { turn?.giveBack() }
    let result = try await scope.run { try await body(keychain) }
    try keychain.faults.checkEachWasMet()
    return result
}
