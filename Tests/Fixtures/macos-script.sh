#!/bin/bash
# Prepares a keychain, uses it and removes it again, with the calls that scripts for macOS make.
set -euo pipefail
PASS="hunter canary"
P12="archive canary"

openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj "/CN=Developer: Me" \
    -addext extendedKeyUsage=codeSigning 2>/dev/null
openssl pkcs12 -export -inkey key.pem -in cert.pem -name "Developer: Me" -out cert.p12 -passout "pass:$P12"

security create-keychain -p "$PASS" build.keychain
security set-keychain-settings -lut 21600 build.keychain
security unlock-keychain -p "$PASS" build.keychain
security list-keychains -d user -s build.keychain $(security list-keychains -d user | tr -d '"')
security default-keychain -d user -s build.keychain
basename "$(security default-keychain -d user | xargs)" | cut -d . -f 1
security import cert.p12 -P "$P12" -A -t cert -f pkcs12 -k build.keychain -T /usr/bin/codesign
security set-key-partition-list -S apple-tool:,apple: -s -k "$PASS" build.keychain >/dev/null
security find-identity -p codesigning build.keychain | grep -c 'Developer: Me'
security find-certificate -c Developer -p build.keychain | openssl x509 -noout -subject
security find-certificate -a -Z build.keychain | awk '/^SHA-1/ { print length($NF) }'

security add-generic-password -a me -s deploy -l Deployment -w 'old canary' build.keychain
security add-generic-password -U -a me -s deploy -w 'new "canary"' build.keychain
security find-generic-password -a me -s deploy -w build.keychain
security find-generic-password -ga me -s deploy build.keychain 2>&1 >/dev/null | sed -n 's/^password: //p'
security find-generic-password -s deploy | sed -n 's/^ *"acct"<blob>="\(.*\)"$/\1/p'
security add-internet-password -a me -s example.com -r htps -P 443 -w 'web canary'
security find-internet-password -a me -s example.com -r htps -w
security dump-keychain build.keychain | grep -c '^class: "genp"'
security delete-internet-password -a me -s example.com 2>&1 >/dev/null
security delete-generic-password -a me -s deploy 2>&1 >/dev/null
security find-generic-password -a me -s deploy -w 2>/dev/null || echo "code $?"
security error -25300
security lock-keychain build.keychain
security unlock-keychain -p wrong build.keychain 2>/dev/null || echo "code $?"
security default-keychain -s login.keychain
security delete-keychain build.keychain
security list-keychains -d user | grep -c build || true
