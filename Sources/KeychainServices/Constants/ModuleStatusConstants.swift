// SPDX-License-Identifier: Apache-2.0

// MARK: Module statuses

// Statuses of Apple's plug-in modules for keys, certificates, revocation lists and time stamps. No function
// of KeychainServices returns them, and ``SecCopyErrorMessageString(_:_:)`` has no message for them; they
// exist for code that lists their names. `StatusConstants.swift` contains the statuses that functions return.

/// The client ID is incorrect; never returned here.
public let errSecInsufficientClientID: OSStatus = -67586
/// The device was reset; never returned here.
public let errSecDeviceReset: OSStatus = -67587
/// The device failed; never returned here.
public let errSecDeviceFailed: OSStatus = -67588
/// Adding an application to an access control list (ACL) failed; never returned here.
public let errSecAppleAddAppACLSubject: OSStatus = -67589
/// The public key is incomplete; never returned here.
public let errSecApplePublicKeyIncomplete: OSStatus = -67590
/// The signature does not match; never returned here.
public let errSecAppleSignatureMismatch: OSStatus = -67591
/// The start date of the key is invalid; never returned here.
public let errSecAppleInvalidKeyStartDate: OSStatus = -67592
/// The end date of the key is invalid; never returned here.
public let errSecAppleInvalidKeyEndDate: OSStatus = -67593
/// Converting a value failed; never returned here.
public let errSecConversionError: OSStatus = -67594
/// An attacker may have downgraded the connection to SSL 2; never returned here.
public let errSecAppleSSLv2Rollback: OSStatus = -67595
/// The quota was exceeded; never returned here.
public let errSecQuotaExceeded: OSStatus = -67596
/// The file is too big; never returned here.
public let errSecFileTooBig: OSStatus = -67597
/// The database contains an invalid record; never returned here.
public let errSecInvalidDatabaseBlob: OSStatus = -67598
/// The database contains an invalid key; never returned here.
public let errSecInvalidKeyBlob: OSStatus = -67599
/// The database contains a record in an incompatible format; never returned here.
public let errSecIncompatibleDatabaseBlob: OSStatus = -67600
/// The database contains a key in an incompatible format; never returned here.
public let errSecIncompatibleKeyBlob: OSStatus = -67601
/// A critical extension is unknown; never returned here.
public let errSecUnknownCriticalExtensionFlag: OSStatus = -67603
/// The certificate has no basic constraints; never returned here.
public let errSecNoBasicConstraints: OSStatus = -67604
/// The basic constraints do not mark the certificate as a CA; never returned here.
public let errSecNoBasicConstraintsCA: OSStatus = -67605
/// Invalid authority key ID; never returned here.
public let errSecInvalidAuthorityKeyID: OSStatus = -67606
/// Invalid subject key ID; never returned here.
public let errSecInvalidSubjectKeyID: OSStatus = -67607
/// The key usage does not permit the purpose of the policy; never returned here.
public let errSecInvalidKeyUsageForPolicy: OSStatus = -67608
/// The key identifiers do not link a certificate to its issuer; never returned here.
public let errSecInvalidIDLinkage: OSStatus = -67610
/// The path length constraint was exceeded; never returned here.
public let errSecPathLengthConstraintExceeded: OSStatus = -67611
/// The root or anchor certificate is invalid; never returned here.
public let errSecInvalidRoot: OSStatus = -67612
/// The CRL has expired; never returned here.
public let errSecCRLExpired: OSStatus = -67613
/// The CRL is not valid yet; never returned here.
public let errSecCRLNotValidYet: OSStatus = -67614
/// The CRL was not found; never returned here.
public let errSecCRLNotFound: OSStatus = -67615
/// The CRL server is down; never returned here.
public let errSecCRLServerDown: OSStatus = -67616
/// The URI of the certificate revocation list (CRL) is invalid; never returned here.
public let errSecCRLBadURI: OSStatus = -67617
/// Unknown certificate extension; never returned here.
public let errSecUnknownCertExtension: OSStatus = -67618
/// Unknown CRL extension; never returned here.
public let errSecUnknownCRLExtension: OSStatus = -67619
/// The CRL is not trusted; never returned here.
public let errSecCRLNotTrusted: OSStatus = -67620
/// The CRL does not satisfy the policy; never returned here.
public let errSecCRLPolicyFailed: OSStatus = -67621
/// The issuing distribution point of a CRL is invalid; never returned here.
public let errSecIDPFailure: OSStatus = -67622
/// The certificate does not contain the email address; never returned here.
public let errSecSMIMEEmailAddressesNotFound: OSStatus = -67623
/// The extended key usage does not permit S/MIME; never returned here.
public let errSecSMIMEBadExtendedKeyUsage: OSStatus = -67624
/// The key usage does not permit S/MIME; never returned here.
public let errSecSMIMEBadKeyUsage: OSStatus = -67625
/// The key usage is not marked as critical; never returned here.
public let errSecSMIMEKeyUsageNotCritical: OSStatus = -67626
/// The certificate contains no email address; never returned here.
public let errSecSMIMENoEmailAddress: OSStatus = -67627
/// The subject alternative name is not marked as critical; never returned here.
public let errSecSMIMESubjAltNameNotCritical: OSStatus = -67628
/// The extended key usage does not permit TLS; never returned here.
public let errSecSSLBadExtendedKeyUsage: OSStatus = -67629
/// The OCSP response is malformed; never returned here.
public let errSecOCSPBadResponse: OSStatus = -67630
/// The OCSP request is malformed; never returned here.
public let errSecOCSPBadRequest: OSStatus = -67631
/// The OCSP service is unavailable; never returned here.
public let errSecOCSPUnavailable: OSStatus = -67632
/// The OCSP server does not know the certificate; never returned here.
public let errSecOCSPStatusUnrecognized: OSStatus = -67633
/// The end of the data was reached; never returned here.
public let errSecEndOfData: OSStatus = -67634
/// Network failure; never returned here.
public let errSecNetworkFailure: OSStatus = -67636
/// The OCSP response has no chain to an anchor; never returned here.
public let errSecOCSPNotTrustedToAnchor: OSStatus = -67637
/// The record was modified; never returned here.
public let errSecRecordModified: OSStatus = -67638
/// The signature of the OCSP response is invalid; never returned here.
public let errSecOCSPSignatureError: OSStatus = -67639
/// The signer of the OCSP response was not found; never returned here.
public let errSecOCSPNoSigner: OSStatus = -67640
/// The OCSP server received a malformed request; never returned here.
public let errSecOCSPResponderMalformedReq: OSStatus = -67641
/// The OCSP server had an internal error; never returned here.
public let errSecOCSPResponderInternalError: OSStatus = -67642
/// The OCSP server is busy: try again later; never returned here.
public let errSecOCSPResponderTryLater: OSStatus = -67643
/// The OCSP server requires a signed request; never returned here.
public let errSecOCSPResponderSignatureRequired: OSStatus = -67644
/// The OCSP server rejected the request as unauthorized; never returned here.
public let errSecOCSPResponderUnauthorized: OSStatus = -67645
/// The nonce of the OCSP response does not match the request; never returned here.
public let errSecOCSPResponseNonceMismatch: OSStatus = -67646
/// A certificate chain for code signing has the wrong length; never returned here.
public let errSecCodeSigningBadCertChainLength: OSStatus = -67647
/// A certificate for code signing has no basic constraints; never returned here.
public let errSecCodeSigningNoBasicConstraints: OSStatus = -67648
/// A path length constraint for code signing is wrong; never returned here.
public let errSecCodeSigningBadPathLengthConstraint: OSStatus = -67649
/// A certificate for code signing has no extended key usage; never returned here.
public let errSecCodeSigningNoExtendedKeyUsage: OSStatus = -67650
/// The code is signed for development only; never returned here.
public let errSecCodeSigningDevelopment: OSStatus = -67651
/// A certificate chain for resource signing has the wrong length; never returned here.
public let errSecResourceSignBadCertChainLength: OSStatus = -67652
/// The extended key usage does not permit resource signing; never returned here.
public let errSecResourceSignBadExtKeyUsage: OSStatus = -67653
/// A trust setting denies trust; never returned here.
public let errSecTrustSettingDeny: OSStatus = -67654
/// Invalid subject name; never returned here.
public let errSecInvalidSubjectName: OSStatus = -67655
/// A statement of the qualified certificate is unknown; never returned here.
public let errSecUnknownQualifiedCertStatement: OSStatus = -67656
/// The MobileMe request was queued; never returned here.
public let errSecMobileMeRequestQueued: OSStatus = -67657
/// The MobileMe request was redirected; never returned here.
public let errSecMobileMeRequestRedirected: OSStatus = -67658
/// The MobileMe server had an error; never returned here.
public let errSecMobileMeServerError: OSStatus = -67659
/// The MobileMe server is not available; never returned here.
public let errSecMobileMeServerNotAvailable: OSStatus = -67660
/// The item already exists on the MobileMe server; never returned here.
public let errSecMobileMeServerAlreadyExists: OSStatus = -67661
/// The MobileMe service had an error; never returned here.
public let errSecMobileMeServerServiceErr: OSStatus = -67662
/// A MobileMe request is already pending; never returned here.
public let errSecMobileMeRequestAlreadyPending: OSStatus = -67663
/// No MobileMe request is pending; never returned here.
public let errSecMobileMeNoRequestPending: OSStatus = -67664
/// Verifying a MobileMe certificate signing request failed; never returned here.
public let errSecMobileMeCSRVerifyFailure: OSStatus = -67665
/// A consistency check of MobileMe failed; never returned here.
public let errSecMobileMeFailedConsistencyCheck: OSStatus = -67666
/// A function was called before the modules were initialized; never returned here.
public let errSecNotInitialized: OSStatus = -67667
/// The handle is not for this type of service; never returned here.
public let errSecInvalidHandleUsage: OSStatus = -67668
/// The calling module is not on the list of authorized callers; never returned here.
public let errSecPVCReferentNotFound: OSStatus = -67669
/// The address of a function is outside the verified module; never returned here.
public let errSecFunctionIntegrityFail: OSStatus = -67670
/// Internal error; never returned here.
public let errSecInternalError: OSStatus = -67671
/// Memory error; never returned here.
public let errSecMemoryError: OSStatus = -67672
/// The Module Directory Service had an error; never returned here.
public let errSecMDSError: OSStatus = -67674
/// Invalid pointer; never returned here.
public let errSecInvalidPointer: OSStatus = -67675
/// The self-check of a module failed; never returned here.
public let errSecSelfCheckFailed: OSStatus = -67676
/// The function failed; never returned here.
public let errSecFunctionFailed: OSStatus = -67677
/// Verifying the manifest of a module failed; never returned here.
public let errSecModuleManifestVerifyFailed: OSStatus = -67678
/// Invalid GUID; never returned here.
public let errSecInvalidGUID: OSStatus = -67679
/// Invalid handle; never returned here.
public let errSecInvalidHandle: OSStatus = -67680
/// The list of databases is invalid; never returned here.
public let errSecInvalidDBList: OSStatus = -67681
/// The number of a module-specific function is invalid; never returned here.
public let errSecInvalidPassthroughID: OSStatus = -67682
/// Invalid network address; never returned here.
public let errSecInvalidNetworkAddress: OSStatus = -67683
/// The CRL is already signed; never returned here.
public let errSecCRLAlreadySigned: OSStatus = -67684
/// Invalid number of fields; never returned here.
public let errSecInvalidNumberOfFields: OSStatus = -67685
/// A verification failed; never returned here.
public let errSecVerificationFailure: OSStatus = -67686
/// Unknown tag; never returned here.
public let errSecUnknownTag: OSStatus = -67687
/// Invalid signature; never returned here.
public let errSecInvalidSignature: OSStatus = -67688
/// Invalid name; never returned here.
public let errSecInvalidName: OSStatus = -67689
/// Invalid certificate reference; never returned here.
public let errSecInvalidCertificateRef: OSStatus = -67690
/// Invalid certificate group; never returned here.
public let errSecInvalidCertificateGroup: OSStatus = -67691
/// The tag was not found; never returned here.
public let errSecTagNotFound: OSStatus = -67692
/// Invalid query; never returned here.
public let errSecInvalidQuery: OSStatus = -67693
/// Invalid value; never returned here.
public let errSecInvalidValue: OSStatus = -67694
/// The callback failed; never returned here.
public let errSecCallbackFailed: OSStatus = -67695
/// Deleting an access control list (ACL) failed; never returned here.
public let errSecACLDeleteFailed: OSStatus = -67696
/// Replacing an ACL failed; never returned here.
public let errSecACLReplaceFailed: OSStatus = -67697
/// Adding an ACL failed; never returned here.
public let errSecACLAddFailed: OSStatus = -67698
/// Changing an ACL failed; never returned here.
public let errSecACLChangeFailed: OSStatus = -67699
/// Invalid access credentials; never returned here.
public let errSecInvalidAccessCredentials: OSStatus = -67700
/// Invalid record; never returned here.
public let errSecInvalidRecord: OSStatus = -67701
/// Invalid ACL; never returned here.
public let errSecInvalidACL: OSStatus = -67702
/// A sample in the access credentials is invalid; never returned here.
public let errSecInvalidSampleValue: OSStatus = -67703
/// Incompatible version; never returned here.
public let errSecIncompatibleVersion: OSStatus = -67704
/// The privilege was not granted; never returned here.
public let errSecPrivilegeNotGranted: OSStatus = -67705
/// Invalid scope; never returned here.
public let errSecInvalidScope: OSStatus = -67706
/// Pointer validation checking (PVC) is already configured; never returned here.
public let errSecPVCAlreadyConfigured: OSStatus = -67707
/// The setting for pointer validation checking (PVC) is invalid; never returned here.
public let errSecInvalidPVC: OSStatus = -67708
/// Loading an elective module manager failed; never returned here.
public let errSecEMMLoadFailed: OSStatus = -67709
/// Unloading an elective module manager failed; never returned here.
public let errSecEMMUnloadFailed: OSStatus = -67710
/// Loading an add-in module failed; never returned here.
public let errSecAddinLoadFailed: OSStatus = -67711
/// Invalid key hierarchy; never returned here.
public let errSecInvalidKeyHierarchy: OSStatus = -67713
/// Unloading an add-in module failed; never returned here.
public let errSecAddinUnloadFailed: OSStatus = -67714
/// The library reference was not found; never returned here.
public let errSecLibraryReferenceNotFound: OSStatus = -67715
/// The function table of an add-in module is invalid; never returned here.
public let errSecInvalidAddinFunctionTable: OSStatus = -67716
/// Invalid service mask; never returned here.
public let errSecInvalidServiceMask: OSStatus = -67717
/// The module is not loaded; never returned here.
public let errSecModuleNotLoaded: OSStatus = -67718
/// The ID of a part of a service is invalid; never returned here.
public let errSecInvalidSubServiceID: OSStatus = -67719
/// The context of the operation lacks an attribute; never returned here.
public let errSecAttributeNotInContext: OSStatus = -67720
/// Initializing the module manager failed; never returned here.
public let errSecModuleManagerInitializeFailed: OSStatus = -67721
/// The module manager was not found; never returned here.
public let errSecModuleManagerNotFound: OSStatus = -67722
/// No callback for event notifications was found; never returned here.
public let errSecEventNotificationCallbackNotFound: OSStatus = -67723
/// The length of the input is wrong; never returned here.
public let errSecInputLengthError: OSStatus = -67724
/// The length of the output is wrong; never returned here.
public let errSecOutputLengthError: OSStatus = -67725
/// The privilege is not supported; never returned here.
public let errSecPrivilegeNotSupported: OSStatus = -67726
/// Device error; never returned here.
public let errSecDeviceError: OSStatus = -67727
/// The handle of an attached module is in use; never returned here.
public let errSecAttachHandleBusy: OSStatus = -67728
/// The user is not logged in; never returned here.
public let errSecNotLoggedIn: OSStatus = -67729
/// The algorithm does not match the key or the operation; never returned here.
public let errSecAlgorithmMismatch: OSStatus = -67730
/// The usage of the key does not permit the operation; never returned here.
public let errSecKeyUsageIncorrect: OSStatus = -67731
/// The type of the stored key is wrong; never returned here.
public let errSecKeyBlobTypeIncorrect: OSStatus = -67732
/// The header of the key is inconsistent; never returned here.
public let errSecKeyHeaderInconsistent: OSStatus = -67733
/// Unsupported key format; never returned here.
public let errSecUnsupportedKeyFormat: OSStatus = -67734
/// Unsupported key size; never returned here.
public let errSecUnsupportedKeySize: OSStatus = -67735
/// Invalid key usage mask; never returned here.
public let errSecInvalidKeyUsageMask: OSStatus = -67736
/// Unsupported key usage mask; never returned here.
public let errSecUnsupportedKeyUsageMask: OSStatus = -67737
/// Invalid key attribute mask; never returned here.
public let errSecInvalidKeyAttributeMask: OSStatus = -67738
/// Unsupported key attribute mask; never returned here.
public let errSecUnsupportedKeyAttributeMask: OSStatus = -67739
/// Invalid key label; never returned here.
public let errSecInvalidKeyLabel: OSStatus = -67740
/// Unsupported key label; never returned here.
public let errSecUnsupportedKeyLabel: OSStatus = -67741
/// Invalid key format; never returned here.
public let errSecInvalidKeyFormat: OSStatus = -67742
/// Unsupported vector of buffers; never returned here.
public let errSecUnsupportedVectorOfBuffers: OSStatus = -67743
/// The vector of input buffers is invalid; never returned here.
public let errSecInvalidInputVector: OSStatus = -67744
/// The vector of output buffers is invalid; never returned here.
public let errSecInvalidOutputVector: OSStatus = -67745
/// The context of the operation is invalid; never returned here.
public let errSecInvalidContext: OSStatus = -67746
/// Invalid algorithm; never returned here.
public let errSecInvalidAlgorithm: OSStatus = -67747
/// The key attribute is invalid; never returned here.
public let errSecInvalidAttributeKey: OSStatus = -67748
/// The key attribute is missing; never returned here.
public let errSecMissingAttributeKey: OSStatus = -67749
/// The initialization vector attribute is invalid; never returned here.
public let errSecInvalidAttributeInitVector: OSStatus = -67750
/// The initialization vector attribute is missing; never returned here.
public let errSecMissingAttributeInitVector: OSStatus = -67751
/// The salt attribute is invalid; never returned here.
public let errSecInvalidAttributeSalt: OSStatus = -67752
/// The salt attribute is missing; never returned here.
public let errSecMissingAttributeSalt: OSStatus = -67753
/// The padding attribute is invalid; never returned here.
public let errSecInvalidAttributePadding: OSStatus = -67754
/// The padding attribute is missing; never returned here.
public let errSecMissingAttributePadding: OSStatus = -67755
/// The random number attribute is invalid; never returned here.
public let errSecInvalidAttributeRandom: OSStatus = -67756
/// The random number attribute is missing; never returned here.
public let errSecMissingAttributeRandom: OSStatus = -67757
/// The seed attribute is invalid; never returned here.
public let errSecInvalidAttributeSeed: OSStatus = -67758
/// The seed attribute is missing; never returned here.
public let errSecMissingAttributeSeed: OSStatus = -67759
/// The passphrase attribute is invalid; never returned here.
public let errSecInvalidAttributePassphrase: OSStatus = -67760
/// The passphrase attribute is missing; never returned here.
public let errSecMissingAttributePassphrase: OSStatus = -67761
/// The key length attribute is invalid; never returned here.
public let errSecInvalidAttributeKeyLength: OSStatus = -67762
/// The key length attribute is missing; never returned here.
public let errSecMissingAttributeKeyLength: OSStatus = -67763
/// The block size attribute is invalid; never returned here.
public let errSecInvalidAttributeBlockSize: OSStatus = -67764
/// The block size attribute is missing; never returned here.
public let errSecMissingAttributeBlockSize: OSStatus = -67765
/// The output size attribute is invalid; never returned here.
public let errSecInvalidAttributeOutputSize: OSStatus = -67766
/// The output size attribute is missing; never returned here.
public let errSecMissingAttributeOutputSize: OSStatus = -67767
/// The rounds attribute is invalid; never returned here.
public let errSecInvalidAttributeRounds: OSStatus = -67768
/// The rounds attribute is missing; never returned here.
public let errSecMissingAttributeRounds: OSStatus = -67769
/// Invalid algorithm parameters; never returned here.
public let errSecInvalidAlgorithmParms: OSStatus = -67770
/// Missing algorithm parameters; never returned here.
public let errSecMissingAlgorithmParms: OSStatus = -67771
/// The label attribute is invalid; never returned here.
public let errSecInvalidAttributeLabel: OSStatus = -67772
/// The label attribute is missing; never returned here.
public let errSecMissingAttributeLabel: OSStatus = -67773
/// The key type attribute is invalid; never returned here.
public let errSecInvalidAttributeKeyType: OSStatus = -67774
/// The key type attribute is missing; never returned here.
public let errSecMissingAttributeKeyType: OSStatus = -67775
/// The mode attribute is invalid; never returned here.
public let errSecInvalidAttributeMode: OSStatus = -67776
/// The mode attribute is missing; never returned here.
public let errSecMissingAttributeMode: OSStatus = -67777
/// The effective bits attribute is invalid; never returned here.
public let errSecInvalidAttributeEffectiveBits: OSStatus = -67778
/// The effective bits attribute is missing; never returned here.
public let errSecMissingAttributeEffectiveBits: OSStatus = -67779
/// The start date attribute is invalid; never returned here.
public let errSecInvalidAttributeStartDate: OSStatus = -67780
/// The start date attribute is missing; never returned here.
public let errSecMissingAttributeStartDate: OSStatus = -67781
/// The end date attribute is invalid; never returned here.
public let errSecInvalidAttributeEndDate: OSStatus = -67782
/// The end date attribute is missing; never returned here.
public let errSecMissingAttributeEndDate: OSStatus = -67783
/// The version attribute is invalid; never returned here.
public let errSecInvalidAttributeVersion: OSStatus = -67784
/// The version attribute is missing; never returned here.
public let errSecMissingAttributeVersion: OSStatus = -67785
/// The prime attribute is invalid; never returned here.
public let errSecInvalidAttributePrime: OSStatus = -67786
/// The prime attribute is missing; never returned here.
public let errSecMissingAttributePrime: OSStatus = -67787
/// The base attribute is invalid; never returned here.
public let errSecInvalidAttributeBase: OSStatus = -67788
/// The base attribute is missing; never returned here.
public let errSecMissingAttributeBase: OSStatus = -67789
/// The subprime attribute is invalid; never returned here.
public let errSecInvalidAttributeSubprime: OSStatus = -67790
/// The subprime attribute is missing; never returned here.
public let errSecMissingAttributeSubprime: OSStatus = -67791
/// The iteration count attribute is invalid; never returned here.
public let errSecInvalidAttributeIterationCount: OSStatus = -67792
/// The iteration count attribute is missing; never returned here.
public let errSecMissingAttributeIterationCount: OSStatus = -67793
/// The attribute with the database handle is invalid; never returned here.
public let errSecInvalidAttributeDLDBHandle: OSStatus = -67794
/// The attribute with the database handle is missing; never returned here.
public let errSecMissingAttributeDLDBHandle: OSStatus = -67795
/// The access credentials attribute is invalid; never returned here.
public let errSecInvalidAttributeAccessCredentials: OSStatus = -67796
/// The access credentials attribute is missing; never returned here.
public let errSecMissingAttributeAccessCredentials: OSStatus = -67797
/// The public key format attribute is invalid; never returned here.
public let errSecInvalidAttributePublicKeyFormat: OSStatus = -67798
/// The public key format attribute is missing; never returned here.
public let errSecMissingAttributePublicKeyFormat: OSStatus = -67799
/// The private key format attribute is invalid; never returned here.
public let errSecInvalidAttributePrivateKeyFormat: OSStatus = -67800
/// The private key format attribute is missing; never returned here.
public let errSecMissingAttributePrivateKeyFormat: OSStatus = -67801
/// The symmetric key format attribute is invalid; never returned here.
public let errSecInvalidAttributeSymmetricKeyFormat: OSStatus = -67802
/// The symmetric key format attribute is missing; never returned here.
public let errSecMissingAttributeSymmetricKeyFormat: OSStatus = -67803
/// The wrapped key format attribute is invalid; never returned here.
public let errSecInvalidAttributeWrappedKeyFormat: OSStatus = -67804
/// The wrapped key format attribute is missing; never returned here.
public let errSecMissingAttributeWrappedKeyFormat: OSStatus = -67805
/// An operation in several steps has not ended yet; never returned here.
public let errSecStagedOperationInProgress: OSStatus = -67806
/// An operation in several steps has not started yet; never returned here.
public let errSecStagedOperationNotStarted: OSStatus = -67807
/// The size of the result of a query is unknown; never returned here.
public let errSecQuerySizeUnknown: OSStatus = -67809
/// The block size does not match; never returned here.
public let errSecBlockSizeMismatch: OSStatus = -67810
/// The parts of the public key are inconsistent; never returned here.
public let errSecPublicKeyInconsistent: OSStatus = -67811
/// Verifying the device failed; never returned here.
public let errSecDeviceVerifyFailed: OSStatus = -67812
/// Invalid login name; never returned here.
public let errSecInvalidLoginName: OSStatus = -67813
/// The user is already logged in; never returned here.
public let errSecAlreadyLoggedIn: OSStatus = -67814
/// Invalid digest algorithm; never returned here.
public let errSecInvalidDigestAlgorithm: OSStatus = -67815
/// Invalid CRL group; never returned here.
public let errSecInvalidCRLGroup: OSStatus = -67816
/// The certificate cannot be used for the operation; never returned here.
public let errSecCertificateCannotOperate: OSStatus = -67817
/// The certificate was revoked; never returned here.
public let errSecCertificateRevoked: OSStatus = -67820
/// The certificate was suspended; never returned here.
public let errSecCertificateSuspended: OSStatus = -67821
/// Insufficient credentials; never returned here.
public let errSecInsufficientCredentials: OSStatus = -67822
/// Invalid action; never returned here.
public let errSecInvalidAction: OSStatus = -67823
/// Invalid authority; never returned here.
public let errSecInvalidAuthority: OSStatus = -67824
/// An action of the verification failed; never returned here.
public let errSecVerifyActionFailed: OSStatus = -67825
/// Invalid certificate authority; never returned here.
public let errSecInvalidCertAuthority: OSStatus = -67826
/// Invalid CRL authority; never returned here.
public let errSecInvalidCRLAuthority: OSStatus = -67827
/// Deprecated spelling of `errSecInvalidCRLAuthority`.
public let errSecInvaldCRLAuthority: OSStatus = errSecInvalidCRLAuthority
/// Invalid CRL encoding; never returned here.
public let errSecInvalidCRLEncoding: OSStatus = -67828
/// Invalid CRL type; never returned here.
public let errSecInvalidCRLType: OSStatus = -67829
/// Invalid CRL; never returned here.
public let errSecInvalidCRL: OSStatus = -67830
/// Invalid form type; never returned here.
public let errSecInvalidFormType: OSStatus = -67831
/// Invalid ID; never returned here.
public let errSecInvalidID: OSStatus = -67832
/// Invalid identifier; never returned here.
public let errSecInvalidIdentifier: OSStatus = -67833
/// Invalid index; never returned here.
public let errSecInvalidIndex: OSStatus = -67834
/// Invalid policy identifiers; never returned here.
public let errSecInvalidPolicyIdentifiers: OSStatus = -67835
/// Invalid time string; never returned here.
public let errSecInvalidTimeString: OSStatus = -67836
/// Invalid reason; never returned here.
public let errSecInvalidReason: OSStatus = -67837
/// Invalid request inputs; never returned here.
public let errSecInvalidRequestInputs: OSStatus = -67838
/// Invalid response vector; never returned here.
public let errSecInvalidResponseVector: OSStatus = -67839
/// The condition for ending the verification early is invalid; never returned here.
public let errSecInvalidStopOnPolicy: OSStatus = -67840
/// A tuple of the trust policy is invalid; never returned here.
public let errSecInvalidTuple: OSStatus = -67841
/// Multiple values of an attribute are not supported; never returned here.
public let errSecMultipleValuesUnsupported: OSStatus = -67842
/// There is no default certificate authority; never returned here.
public let errSecNoDefaultAuthority: OSStatus = -67844
/// The form of the trust policy was rejected; never returned here.
public let errSecRejectedForm: OSStatus = -67845
/// A certificate request was lost; never returned here.
public let errSecRequestLost: OSStatus = -67846
/// A certificate request was rejected; never returned here.
public let errSecRequestRejected: OSStatus = -67847
/// Unsupported address type; never returned here.
public let errSecUnsupportedAddressType: OSStatus = -67848
/// Unsupported service; never returned here.
public let errSecUnsupportedService: OSStatus = -67849
/// Invalid tuple group; never returned here.
public let errSecInvalidTupleGroup: OSStatus = -67850
/// The base access control lists (ACLs) are invalid; never returned here.
public let errSecInvalidBaseACLs: OSStatus = -67851
/// Invalid tuple credentials; never returned here.
public let errSecInvalidTupleCredentials: OSStatus = -67852
/// Deprecated spelling of `errSecInvalidTupleCredentials`.
public let errSecInvalidTupleCredendtials: OSStatus = errSecInvalidTupleCredentials
/// Invalid encoding; never returned here.
public let errSecInvalidEncoding: OSStatus = -67853
/// Invalid validity period; never returned here.
public let errSecInvalidValidityPeriod: OSStatus = -67854
/// The requester is invalid; never returned here.
public let errSecInvalidRequestor: OSStatus = -67855
/// The request descriptor is invalid; never returned here.
public let errSecRequestDescriptor: OSStatus = -67856
/// Invalid bundle info; never returned here.
public let errSecInvalidBundleInfo: OSStatus = -67857
/// Invalid CRL index; never returned here.
public let errSecInvalidCRLIndex: OSStatus = -67858
/// A field has no values; never returned here.
public let errSecNoFieldValues: OSStatus = -67859
/// Unsupported field format; never returned here.
public let errSecUnsupportedFieldFormat: OSStatus = -67860
/// Unsupported index info; never returned here.
public let errSecUnsupportedIndexInfo: OSStatus = -67861
/// Unsupported locality; never returned here.
public let errSecUnsupportedLocality: OSStatus = -67862
/// Unsupported number of attributes; never returned here.
public let errSecUnsupportedNumAttributes: OSStatus = -67863
/// Unsupported number of indexes; never returned here.
public let errSecUnsupportedNumIndexes: OSStatus = -67864
/// Unsupported number of record types; never returned here.
public let errSecUnsupportedNumRecordTypes: OSStatus = -67865
/// A field was specified more than once; never returned here.
public let errSecFieldSpecifiedMultiple: OSStatus = -67866
/// Incompatible field format; never returned here.
public let errSecIncompatibleFieldFormat: OSStatus = -67867
/// Invalid parsing module; never returned here.
public let errSecInvalidParsingModule: OSStatus = -67868
/// The database is locked; never returned here.
public let errSecDatabaseLocked: OSStatus = -67869
/// The data store is already open; never returned here.
public let errSecDatastoreIsOpen: OSStatus = -67870
/// Missing value; never returned here.
public let errSecMissingValue: OSStatus = -67871
/// Unsupported query limits; never returned here.
public let errSecUnsupportedQueryLimits: OSStatus = -67872
/// The number of conditions of a query is not supported; never returned here.
public let errSecUnsupportedNumSelectionPreds: OSStatus = -67873
/// Unsupported operator; never returned here.
public let errSecUnsupportedOperator: OSStatus = -67874
/// The location of the database is invalid; never returned here.
public let errSecInvalidDBLocation: OSStatus = -67875
/// Invalid access request; never returned here.
public let errSecInvalidAccessRequest: OSStatus = -67876
/// Invalid index info; never returned here.
public let errSecInvalidIndexInfo: OSStatus = -67877
/// Invalid new owner; never returned here.
public let errSecInvalidNewOwner: OSStatus = -67878
/// The mode of a modification is invalid; never returned here.
public let errSecInvalidModifyMode: OSStatus = -67879
/// Missing required extension; never returned here.
public let errSecMissingRequiredExtension: OSStatus = -67880
/// The extended key usage is not marked as critical; never returned here.
public let errSecExtendedKeyUsageNotCritical: OSStatus = -67881
/// The time stamp is missing; never returned here.
public let errSecTimestampMissing: OSStatus = -67882
/// The time stamp is invalid; never returned here.
public let errSecTimestampInvalid: OSStatus = -67883
/// The time stamp is not trusted; never returned here.
public let errSecTimestampNotTrusted: OSStatus = -67884
/// The time stamp service is not available; never returned here.
public let errSecTimestampServiceNotAvailable: OSStatus = -67885
/// The time stamp authority does not support the algorithm; never returned here.
public let errSecTimestampBadAlg: OSStatus = -67886
/// The time stamp request is invalid; never returned here.
public let errSecTimestampBadRequest: OSStatus = -67887
/// The format of the data for the time stamp is invalid; never returned here.
public let errSecTimestampBadDataFormat: OSStatus = -67888
/// The time source of the time stamp authority is not available; never returned here.
public let errSecTimestampTimeNotAvailable: OSStatus = -67889
/// The time stamp authority does not accept the policy; never returned here.
public let errSecTimestampUnacceptedPolicy: OSStatus = -67890
/// The time stamp authority does not accept the extension; never returned here.
public let errSecTimestampUnacceptedExtension: OSStatus = -67891
/// The additional information for the time stamp is not available; never returned here.
public let errSecTimestampAddInfoNotAvailable: OSStatus = -67892
/// The time stamp authority had a system failure; never returned here.
public let errSecTimestampSystemFailure: OSStatus = -67893
/// The signing time is missing; never returned here.
public let errSecSigningTimeMissing: OSStatus = -67894
/// The time stamp request was rejected; never returned here.
public let errSecTimestampRejection: OSStatus = -67895
/// The time stamp request is waiting; never returned here.
public let errSecTimestampWaiting: OSStatus = -67896
/// The certificate of the time stamp authority will be revoked soon; never returned here.
public let errSecTimestampRevocationWarning: OSStatus = -67897
/// The certificate of the time stamp authority was revoked; never returned here.
public let errSecTimestampRevocationNotification: OSStatus = -67898
/// The certificate may not be used with the policy; never returned here.
public let errSecCertificatePolicyNotAllowed: OSStatus = -67899
/// The certificate may not contain the name; never returned here.
public let errSecCertificateNameNotAllowed: OSStatus = -67900
/// The validity period of the certificate is too long; never returned here.
public let errSecCertificateValidityPeriodTooLong: OSStatus = -67901
/// The certificate to verify is a CA certificate; never returned here.
public let errSecCertificateIsCA: OSStatus = -67902
/// The certificate contains an extension twice; never returned here.
public let errSecCertificateDuplicateExtension: OSStatus = -67903
