// SPDX-License-Identifier: Apache-2.0

/// An attribute of an item; the store contains the raw values, which are never reused.
package enum Attribute: UInt8, CaseIterable, Sendable {
    case accessGroup = 1
    case synchronizable = 2
    case multiUser = 3
    case syncViewHint = 4
    case tokenID = 5
    case sharingGroup = 6
    case creationDate = 7
    case modificationDate = 8
    case label = 9
    case alias = 10
    case accessible = 11
    case accessControl = 12
    case sha1 = 13
    case tombstone = 14
    case uuid = 15
    case sysBound = 16
    case pcsServiceIdentifier = 17
    case pcsPublicKey = 18
    case pcsPublicIdentity = 19
    case account = 20
    case service = 21
    case generic = 22
    case description = 23
    case comment = 24
    case creator = 25
    case type = 26
    case scriptCode = 27
    case isInvisible = 28
    case isNegative = 29
    case hasCustomIcon = 30
    case dataProtected = 31
    case securityDomain = 32
    case server = 33
    case `protocol` = 34
    case authenticationType = 35
    case port = 36
    case path = 37
    case inetExtraNotes = 38
    case inetExtraHistory = 39
    case inetExtraClientDefined0 = 40
    case inetExtraClientDefined1 = 41
    case inetExtraClientDefined2 = 42
    case inetExtraClientDefined3 = 43
    case certificateType = 44
    case issuer = 45
    case serialNumber = 46
    case certificateEncoding = 47
    case subject = 48
    case subjectKeyID = 49
    case publicKeyHash = 50
    case keyClass = 51
    case applicationLabel = 52
    case applicationTag = 53
    case keySizeInBits = 54
    case effectiveKeySize = 55
    case startDate = 56
    case endDate = 57
    case isPermanent = 58
    case isPrivate = 59
    case isModifiable = 60
    case isSensitive = 61
    case wasAlwaysSensitive = 62
    case isExtractable = 63
    case wasNeverExtractable = 64
    case canEncrypt = 65
    case canDecrypt = 66
    case canDerive = 67
    case canSign = 68
    case canVerify = 69
    case canSignRecover = 70
    case canVerifyRecover = 71
    case canWrap = 72
    case canUnwrap = 73
    case tokenOID = 74
    case deriveSyncID = 75
    case appClip = 76
}

extension Attribute {
    /// The four-character key of the attribute in items' dictionaries.
    package var name: String {
        switch self {
        case .accessGroup: "agrp"
        case .synchronizable: "sync"
        case .multiUser: "musr"
        case .syncViewHint: "vwht"
        case .tokenID: "tkid"
        case .sharingGroup: "ggrp"
        case .creationDate: "cdat"
        case .modificationDate: "mdat"
        case .label: "labl"
        case .alias: "alis"
        case .accessible: "pdmn"
        case .accessControl: "accc"
        case .sha1: "sha1"
        case .tombstone: "tomb"
        case .uuid: "UUID"
        case .sysBound: "sysb"
        case .pcsServiceIdentifier: "pcss"
        case .pcsPublicKey: "pcsk"
        case .pcsPublicIdentity: "pcsi"
        case .account: "acct"
        case .service: "svce"
        case .generic: "gena"
        case .description: "desc"
        case .comment: "icmt"
        case .creator: "crtr"
        case .type: "type"
        case .scriptCode: "scrp"
        case .isInvisible: "invi"
        case .isNegative: "nega"
        case .hasCustomIcon: "cusi"
        case .dataProtected: "prot"
        case .securityDomain: "sdmn"
        case .server: "srvr"
        case .protocol: "ptcl"
        case .authenticationType: "atyp"
        case .port: "port"
        case .path: "path"
        case .inetExtraNotes: "binn"
        case .inetExtraHistory: "bini"
        case .inetExtraClientDefined0: "bin0"
        case .inetExtraClientDefined1: "bin1"
        case .inetExtraClientDefined2: "bin2"
        case .inetExtraClientDefined3: "bin3"
        case .certificateType: "ctyp"
        case .issuer: "issr"
        case .serialNumber: "slnr"
        case .certificateEncoding: "cenc"
        case .subject: "subj"
        case .subjectKeyID: "skid"
        case .publicKeyHash: "pkhh"
        case .keyClass: "kcls"
        case .applicationLabel: "klbl"
        case .applicationTag: "atag"
        case .keySizeInBits: "bsiz"
        case .effectiveKeySize: "esiz"
        case .startDate: "sdat"
        case .endDate: "edat"
        case .isPermanent: "perm"
        case .isPrivate: "priv"
        case .isModifiable: "modi"
        case .isSensitive: "sens"
        case .wasAlwaysSensitive: "asen"
        case .isExtractable: "extr"
        case .wasNeverExtractable: "next"
        case .canEncrypt: "encr"
        case .canDecrypt: "decr"
        case .canDerive: "drve"
        case .canSign: "sign"
        case .canVerify: "vrfy"
        case .canSignRecover: "snrc"
        case .canVerifyRecover: "vyrc"
        case .canWrap: "wrap"
        case .canUnwrap: "unwp"
        case .tokenOID: "toid"
        case .deriveSyncID: "dspk"
        case .appClip: "clip"
        }
    }

    /// The four-character names as integers, indexed by raw value.
    ///
    /// This array is faster to search than a dictionary of strings, and cheaper to create at process start.
    private static let codes: [UInt32] = [0] + allCases.map { code(of: $0.name) ?? 0 }

    private static func code(of name: String) -> UInt32? {
        guard name.utf8.count == 4 else { return nil }
        return name.utf8.reduce(0) { $0 << 8 | UInt32($1) }
    }

    package init?(name: String) {
        guard let code = Self.code(of: name), let number = Self.codes.firstIndex(of: code) else { return nil }
        self.init(rawValue: UInt8(clamping: number))
    }
}
