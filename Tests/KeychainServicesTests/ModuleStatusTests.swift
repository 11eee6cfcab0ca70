// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Testing

/// The statuses of Apple's plug-in modules, whose numbers are consecutive.
///
/// This package returns only a few of them, for example from trust evaluations and signature verifications.
@Suite struct ModuleStatusTests {
    // swift-format-ignore
    private static let statuses: [OSStatus] = [
        errSecServiceNotAvailable, errSecInsufficientClientID, errSecDeviceReset, errSecDeviceFailed,
        errSecAppleAddAppACLSubject, errSecApplePublicKeyIncomplete, errSecAppleSignatureMismatch,
        errSecAppleInvalidKeyStartDate, errSecAppleInvalidKeyEndDate, errSecConversionError, errSecAppleSSLv2Rollback,
        errSecQuotaExceeded, errSecFileTooBig, errSecInvalidDatabaseBlob, errSecInvalidKeyBlob,
        errSecIncompatibleDatabaseBlob, errSecIncompatibleKeyBlob, errSecHostNameMismatch,
        errSecUnknownCriticalExtensionFlag, errSecNoBasicConstraints, errSecNoBasicConstraintsCA,
        errSecInvalidAuthorityKeyID, errSecInvalidSubjectKeyID, errSecInvalidKeyUsageForPolicy,
        errSecInvalidExtendedKeyUsage, errSecInvalidIDLinkage, errSecPathLengthConstraintExceeded, errSecInvalidRoot,
        errSecCRLExpired, errSecCRLNotValidYet, errSecCRLNotFound, errSecCRLServerDown, errSecCRLBadURI,
        errSecUnknownCertExtension, errSecUnknownCRLExtension, errSecCRLNotTrusted, errSecCRLPolicyFailed,
        errSecIDPFailure, errSecSMIMEEmailAddressesNotFound, errSecSMIMEBadExtendedKeyUsage, errSecSMIMEBadKeyUsage,
        errSecSMIMEKeyUsageNotCritical, errSecSMIMENoEmailAddress, errSecSMIMESubjAltNameNotCritical,
        errSecSSLBadExtendedKeyUsage, errSecOCSPBadResponse, errSecOCSPBadRequest, errSecOCSPUnavailable,
        errSecOCSPStatusUnrecognized, errSecEndOfData, errSecIncompleteCertRevocationCheck, errSecNetworkFailure,
        errSecOCSPNotTrustedToAnchor, errSecRecordModified, errSecOCSPSignatureError, errSecOCSPNoSigner,
        errSecOCSPResponderMalformedReq, errSecOCSPResponderInternalError, errSecOCSPResponderTryLater,
        errSecOCSPResponderSignatureRequired, errSecOCSPResponderUnauthorized, errSecOCSPResponseNonceMismatch,
        errSecCodeSigningBadCertChainLength, errSecCodeSigningNoBasicConstraints,
        errSecCodeSigningBadPathLengthConstraint, errSecCodeSigningNoExtendedKeyUsage, errSecCodeSigningDevelopment,
        errSecResourceSignBadCertChainLength, errSecResourceSignBadExtKeyUsage, errSecTrustSettingDeny,
        errSecInvalidSubjectName, errSecUnknownQualifiedCertStatement, errSecMobileMeRequestQueued,
        errSecMobileMeRequestRedirected, errSecMobileMeServerError, errSecMobileMeServerNotAvailable,
        errSecMobileMeServerAlreadyExists, errSecMobileMeServerServiceErr, errSecMobileMeRequestAlreadyPending,
        errSecMobileMeNoRequestPending, errSecMobileMeCSRVerifyFailure, errSecMobileMeFailedConsistencyCheck,
        errSecNotInitialized, errSecInvalidHandleUsage, errSecPVCReferentNotFound, errSecFunctionIntegrityFail,
        errSecInternalError, errSecMemoryError, errSecInvalidData, errSecMDSError, errSecInvalidPointer,
        errSecSelfCheckFailed, errSecFunctionFailed, errSecModuleManifestVerifyFailed, errSecInvalidGUID,
        errSecInvalidHandle, errSecInvalidDBList, errSecInvalidPassthroughID, errSecInvalidNetworkAddress,
        errSecCRLAlreadySigned, errSecInvalidNumberOfFields, errSecVerificationFailure, errSecUnknownTag,
        errSecInvalidSignature, errSecInvalidName, errSecInvalidCertificateRef, errSecInvalidCertificateGroup,
        errSecTagNotFound, errSecInvalidQuery, errSecInvalidValue, errSecCallbackFailed, errSecACLDeleteFailed,
        errSecACLReplaceFailed, errSecACLAddFailed, errSecACLChangeFailed, errSecInvalidAccessCredentials,
        errSecInvalidRecord, errSecInvalidACL, errSecInvalidSampleValue, errSecIncompatibleVersion,
        errSecPrivilegeNotGranted, errSecInvalidScope, errSecPVCAlreadyConfigured, errSecInvalidPVC,
        errSecEMMLoadFailed, errSecEMMUnloadFailed, errSecAddinLoadFailed, errSecInvalidKeyRef,
        errSecInvalidKeyHierarchy, errSecAddinUnloadFailed, errSecLibraryReferenceNotFound,
        errSecInvalidAddinFunctionTable, errSecInvalidServiceMask, errSecModuleNotLoaded, errSecInvalidSubServiceID,
        errSecAttributeNotInContext, errSecModuleManagerInitializeFailed, errSecModuleManagerNotFound,
        errSecEventNotificationCallbackNotFound, errSecInputLengthError, errSecOutputLengthError,
        errSecPrivilegeNotSupported, errSecDeviceError, errSecAttachHandleBusy, errSecNotLoggedIn,
        errSecAlgorithmMismatch, errSecKeyUsageIncorrect, errSecKeyBlobTypeIncorrect, errSecKeyHeaderInconsistent,
        errSecUnsupportedKeyFormat, errSecUnsupportedKeySize, errSecInvalidKeyUsageMask, errSecUnsupportedKeyUsageMask,
        errSecInvalidKeyAttributeMask, errSecUnsupportedKeyAttributeMask, errSecInvalidKeyLabel,
        errSecUnsupportedKeyLabel, errSecInvalidKeyFormat, errSecUnsupportedVectorOfBuffers, errSecInvalidInputVector,
        errSecInvalidOutputVector, errSecInvalidContext, errSecInvalidAlgorithm, errSecInvalidAttributeKey,
        errSecMissingAttributeKey, errSecInvalidAttributeInitVector, errSecMissingAttributeInitVector,
        errSecInvalidAttributeSalt, errSecMissingAttributeSalt, errSecInvalidAttributePadding,
        errSecMissingAttributePadding, errSecInvalidAttributeRandom, errSecMissingAttributeRandom,
        errSecInvalidAttributeSeed, errSecMissingAttributeSeed, errSecInvalidAttributePassphrase,
        errSecMissingAttributePassphrase, errSecInvalidAttributeKeyLength, errSecMissingAttributeKeyLength,
        errSecInvalidAttributeBlockSize, errSecMissingAttributeBlockSize, errSecInvalidAttributeOutputSize,
        errSecMissingAttributeOutputSize, errSecInvalidAttributeRounds, errSecMissingAttributeRounds,
        errSecInvalidAlgorithmParms, errSecMissingAlgorithmParms, errSecInvalidAttributeLabel,
        errSecMissingAttributeLabel, errSecInvalidAttributeKeyType, errSecMissingAttributeKeyType,
        errSecInvalidAttributeMode, errSecMissingAttributeMode, errSecInvalidAttributeEffectiveBits,
        errSecMissingAttributeEffectiveBits, errSecInvalidAttributeStartDate, errSecMissingAttributeStartDate,
        errSecInvalidAttributeEndDate, errSecMissingAttributeEndDate, errSecInvalidAttributeVersion,
        errSecMissingAttributeVersion, errSecInvalidAttributePrime, errSecMissingAttributePrime,
        errSecInvalidAttributeBase, errSecMissingAttributeBase, errSecInvalidAttributeSubprime,
        errSecMissingAttributeSubprime, errSecInvalidAttributeIterationCount, errSecMissingAttributeIterationCount,
        errSecInvalidAttributeDLDBHandle, errSecMissingAttributeDLDBHandle, errSecInvalidAttributeAccessCredentials,
        errSecMissingAttributeAccessCredentials, errSecInvalidAttributePublicKeyFormat,
        errSecMissingAttributePublicKeyFormat, errSecInvalidAttributePrivateKeyFormat,
        errSecMissingAttributePrivateKeyFormat, errSecInvalidAttributeSymmetricKeyFormat,
        errSecMissingAttributeSymmetricKeyFormat, errSecInvalidAttributeWrappedKeyFormat,
        errSecMissingAttributeWrappedKeyFormat, errSecStagedOperationInProgress, errSecStagedOperationNotStarted,
        errSecVerifyFailed, errSecQuerySizeUnknown, errSecBlockSizeMismatch, errSecPublicKeyInconsistent,
        errSecDeviceVerifyFailed, errSecInvalidLoginName, errSecAlreadyLoggedIn, errSecInvalidDigestAlgorithm,
        errSecInvalidCRLGroup, errSecCertificateCannotOperate, errSecCertificateExpired, errSecCertificateNotValidYet,
        errSecCertificateRevoked, errSecCertificateSuspended, errSecInsufficientCredentials, errSecInvalidAction,
        errSecInvalidAuthority, errSecVerifyActionFailed, errSecInvalidCertAuthority, errSecInvalidCRLAuthority,
        errSecInvalidCRLEncoding, errSecInvalidCRLType, errSecInvalidCRL, errSecInvalidFormType, errSecInvalidID,
        errSecInvalidIdentifier, errSecInvalidIndex, errSecInvalidPolicyIdentifiers, errSecInvalidTimeString,
        errSecInvalidReason, errSecInvalidRequestInputs, errSecInvalidResponseVector, errSecInvalidStopOnPolicy,
        errSecInvalidTuple, errSecMultipleValuesUnsupported, errSecNotTrusted, errSecNoDefaultAuthority,
        errSecRejectedForm, errSecRequestLost, errSecRequestRejected, errSecUnsupportedAddressType,
        errSecUnsupportedService, errSecInvalidTupleGroup, errSecInvalidBaseACLs, errSecInvalidTupleCredentials,
        errSecInvalidEncoding, errSecInvalidValidityPeriod, errSecInvalidRequestor, errSecRequestDescriptor,
        errSecInvalidBundleInfo, errSecInvalidCRLIndex, errSecNoFieldValues, errSecUnsupportedFieldFormat,
        errSecUnsupportedIndexInfo, errSecUnsupportedLocality, errSecUnsupportedNumAttributes,
        errSecUnsupportedNumIndexes, errSecUnsupportedNumRecordTypes, errSecFieldSpecifiedMultiple,
        errSecIncompatibleFieldFormat, errSecInvalidParsingModule, errSecDatabaseLocked, errSecDatastoreIsOpen,
        errSecMissingValue, errSecUnsupportedQueryLimits, errSecUnsupportedNumSelectionPreds,
        errSecUnsupportedOperator, errSecInvalidDBLocation, errSecInvalidAccessRequest, errSecInvalidIndexInfo,
        errSecInvalidNewOwner, errSecInvalidModifyMode, errSecMissingRequiredExtension,
        errSecExtendedKeyUsageNotCritical, errSecTimestampMissing, errSecTimestampInvalid, errSecTimestampNotTrusted,
        errSecTimestampServiceNotAvailable, errSecTimestampBadAlg, errSecTimestampBadRequest,
        errSecTimestampBadDataFormat, errSecTimestampTimeNotAvailable, errSecTimestampUnacceptedPolicy,
        errSecTimestampUnacceptedExtension, errSecTimestampAddInfoNotAvailable, errSecTimestampSystemFailure,
        errSecSigningTimeMissing, errSecTimestampRejection, errSecTimestampWaiting, errSecTimestampRevocationWarning,
        errSecTimestampRevocationNotification, errSecCertificatePolicyNotAllowed, errSecCertificateNameNotAllowed,
        errSecCertificateValidityPeriodTooLong, errSecCertificateIsCA, errSecCertificateDuplicateExtension,
    ]

    @Test func `each status has Apple's number`() {
        for (offset, status) in Self.statuses.enumerated() { #expect(status == -67_585 - OSStatus(offset)) }
        #expect(Self.statuses.last == -67_903)
        #expect(errSecInvaldCRLAuthority == errSecInvalidCRLAuthority)
        #expect(errSecInvalidTupleCredendtials == errSecInvalidTupleCredentials)
    }

    @Test func `a status that is never returned has its number as message`() {
        #expect(SecCopyErrorMessageString(errSecInvalidAttributeSalt, nil) as String? == "OSStatus -67752")
    }
}
