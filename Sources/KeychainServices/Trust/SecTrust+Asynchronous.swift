// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What ``SecTrustEvaluateAsyncWithError(_:_:_:)`` calls: the trust object, whether it is trusted, and if not, why.
public typealias SecTrustWithErrorCallback = @Sendable (SecTrust, Bool, CFError?) -> Void

/// What ``SecTrustEvaluateAsync(_:_:_:)`` calls: the trust object and the result.
public typealias SecTrustCallback = @Sendable (SecTrust, SecTrustResultType) -> Void

/// Evaluates a trust object on a queue.
///
/// - Parameters:
///   - trust: The trust object.
///   - queue: Where the work is done and `result` is called.
///   - result: Is called once, with what ``SecTrustEvaluateWithError(_:_:)`` answers: an error if the certificate is not
///     trusted, else `nil`.
/// - Returns: `errSecSuccess`: a failure is for `result`.
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

/// Evaluates a trust object on a queue; deprecated on Apple's platforms in favour of
/// ``SecTrustEvaluateAsyncWithError(_:_:_:)``.
///
/// - Parameters:
///   - trust: The trust object.
///   - queue: Where the work is done and `result` is called; `nil` stands for a queue of the system.
///   - result: Is called once; with `otherError` if the evaluation failed, as without the trait `Trust`.
/// - Returns: `errSecSuccess`: a failure is for `result`.
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

/// Evaluates a trust object; deprecated on Apple's platforms in favour of ``SecTrustEvaluateWithError(_:_:)``.
///
/// - Parameters:
///   - trust: The trust object.
///   - result: Receives the result, on failure `otherError`. Pass `nil` to do without.
/// - Returns: `errSecSuccess` also where the certificate is not trusted or damaged, which only `result` says;
///   `errSecNotAvailable` if the roots of the system cannot be read, `errSecUnimplemented` without the trait `Trust`.
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
