// SPDX-License-Identifier: Apache-2.0

/// Runs a closure with a temporary keychain, which is removed afterwards.
///
/// - Parameters:
///   - options: The options of the keychain and its calling application.
///   - body: The closure. It receives the keychain, which is also ``TemporaryKeychain/current`` during the
///     call.
/// - Returns: The result of `body`.
/// - Throws: Errors of `body`; ``TemporaryKeychainError`` if the keychain cannot be created, if
///   ``TemporaryKeychain/Options/wholeProcess`` is set while another keychain applies to the whole process,
///   or if a failure planned with ``TemporaryKeychain/failNext(_:times:in:)`` was not used.
public func withTemporaryKeychain<Result>(
    _ options: TemporaryKeychain.Options = .init(),
    _ body: (TemporaryKeychain) throws -> Result
) throws -> Result {
    let keychain = try TemporaryKeychain(options)
    defer { keychain.end() }
    let scope = Scope(keychain, hasProcess: options.wholeProcess)
    let lock = options.wholeProcess ? try ProcessScopeLock.tryAcquire() : nil
    defer { lock?.release() }
    let result = try scope.run { try body(keychain) }
    try keychain.faults.checkEachWasMet()
    return result
}

/// Runs an asynchronous closure with a temporary keychain; see the synchronous form.
///
/// If ``TemporaryKeychain/Options/wholeProcess`` is set, the call waits until no other keychain applies to
/// the whole process.
public func withTemporaryKeychain<Result>(
    _ options: TemporaryKeychain.Options = .init(),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (TemporaryKeychain) async throws -> Result
) async throws -> Result {
    let keychain = try TemporaryKeychain(options)
    defer { keychain.end() }
    let scope = Scope(keychain, hasProcess: options.wholeProcess)
    let lock = options.wholeProcess ? await ProcessScopeLock.acquire() : nil
    defer { lock?.release() }
    let result = try await scope.run { try await body(keychain) }
    try keychain.faults.checkEachWasMet()
    return result
}
