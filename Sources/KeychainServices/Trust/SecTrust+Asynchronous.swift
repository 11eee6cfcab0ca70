// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The callback of ``SecTrustEvaluateAsyncWithError(_:_:_:)``.
///
/// Its arguments are the trust object, whether the certificate is trusted, and the error if not.
public typealias SecTrustWithErrorCallback = @Sendable (SecTrust, Bool, CFError?) -> Void

/// The callback of ``SecTrustEvaluateAsync(_:_:_:)``: the trust object and the result.
public typealias SecTrustCallback = @Sendable (SecTrust, SecTrustResultType) -> Void

/// Evaluates a trust object on a queue.
///
/// - Parameters:
///   - trust: The trust object.
///   - queue: The queue that evaluates and calls `result`.
///   - result: Called once, with the result of ``SecTrustEvaluateWithError(_:_:)``: an error if the certificate is not
///     trusted, otherwise `nil`.
/// - Returns: `errSecSuccess`; failures are passed to `result`.
///
/// Source: Apple, *SecTrustEvaluateAsyncWithError(_:_:_:)*.
@discardableResult
public func SecTrustEvaluateAsyncWithError(
    _ trust: SecTrust,
    _ queue: DispatchQueue,
    _ result: @escaping SecTrustWithErrorCallback
) -> OSStatus {
    queue.async {
        var error: CFError?
        let isTrusted = unsafe SecTrustEvaluateWithError(trust, &error)
        result(trust, isTrusted, error)
    }
    return errSecSuccess
}

/// Evaluates a trust object on a queue; deprecated by Apple.
///
/// Use ``SecTrustEvaluateAsyncWithError(_:_:_:)``.
///
/// - Parameters:
///   - trust: The trust object.
///   - queue: The queue that evaluates and calls `result`; `nil` for a system queue.
///   - result: Called once; with `otherError` if the evaluation failed, as it does without the package trait `Trust`.
/// - Returns: `errSecSuccess`; failures are passed to `result`.
///
/// Source: Apple, *SecTrustEvaluateAsync(_:_:_:)*.
@discardableResult
public func SecTrustEvaluateAsync(
    _ trust: SecTrust,
    _ queue: DispatchQueue?,
    _ result: @escaping SecTrustCallback
) -> OSStatus {
    (queue ?? .global()).async { result(trust, trust.answer().result) }
    return errSecSuccess
}

/// Evaluates a trust object; deprecated by Apple.
///
/// Use ``SecTrustEvaluateWithError(_:_:)``.
///
/// - Parameters:
///   - trust: The trust object.
///   - result: Receives the result, or `otherError` on failure. May be `nil`.
/// - Returns: `errSecSuccess`, even if the certificate is damaged or not trusted, which only `result` shows;
///   `errSecNotAvailable` if the system roots cannot be read, `errSecUnimplemented` without the trait
///   `Trust`.
///
/// Source: Apple, *SecTrustEvaluate(_:_:)*.
@discardableResult
public func SecTrustEvaluate(
    _ trust: SecTrust,
    _ result: UnsafeMutablePointer<SecTrustResultType>?
) -> OSStatus {
    let answer = trust.answer()
    unsafe result?.pointee = answer.result
    return answer.result == .otherError || answer.result == .invalid ? answer.status : errSecSuccess
}
