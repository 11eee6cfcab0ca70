// SPDX-License-Identifier: Apache-2.0

import Testing

/// The identities that `find-identity -v` lists: those valid today, and with the trait `Trust` only those with
/// a trusted issuer.
@Suite struct ValidIdentityTests {
    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        let making = try home.shell(
            """
            cd && mkdir ca && : > ca/index && echo 01 > ca/serial &&
            printf '%s\\n' '[ca]' 'default_ca=d' '[d]' 'database=ca/index' 'new_certs_dir=ca' 'serial=ca/serial' \
            'default_md=sha256' 'policy=p' '[p]' 'commonName=supplied' > ca.cnf
            for row in old:2020:2021 new:2020:2120 early:2120:2121; do
              IFS=: read -r name from to <<END
            $row
            END
              openssl ecparam -name prime256v1 -genkey -noout -out $name.key
              openssl req -new -key $name.key -subj /CN=$name -out $name.csr
              openssl ca -batch -config ca.cnf -selfsign -keyfile $name.key -in $name.csr -notext -out $name.pem \
                -startdate ${from}0101000000Z -enddate ${to}0101000000Z
              cat $name.key $name.pem | security import - || exit
            done 2>&1
            """
        )
        try #require(making.code == 0, "\(making.outputText)")
    }

    private func names(_ options: String) throws -> [String] {
        try home.shell("security find-identity \(options)").outputText.split(separator: "\n")
            .filter { $0.contains(") ") }
            .map { String($0.replacing(#/^ +\d+\) [0-9A-F]{40} /#, with: "")) }
    }

    #if Trust
    @Test func `a certificate without a chain to a system root is not valid`() throws {
        #expect(
            try names("") == [
                "\"early\" (CSSMERR_TP_CERT_NOT_VALID_YET)", "\"new\" (CSSMERR_TP_NOT_TRUSTED)",
                "\"old\" (CSSMERR_TP_CERT_EXPIRED)",
            ]
        )
        #expect(try names("-v") == [])
        for (name, title) in [("ssl-server", "SSL (server)"), ("ssl-client", "SSL (client)")] {
            #expect(try names("-p \(name)").count == 3)
            let output = try home.shell("security find-identity -p \(name)").outputText
            #expect(output.contains("Policy: \(title)\n"))
        }
    }
    #else
    @Test func `an expired certificate and one that is not valid yet are not valid`() throws {
        #expect(
            try names("") == [
                "\"early\" (CSSMERR_TP_CERT_NOT_VALID_YET)", "\"new\"", "\"old\" (CSSMERR_TP_CERT_EXPIRED)",
                "\"new\"",
            ]
        )
        #expect(try names("-v") == ["\"new\""])
    }
    #endif
}
