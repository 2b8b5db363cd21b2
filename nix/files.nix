# Files that OpenSSL would otherwise read from the host: certificates, and a configuration (an empty one).
{ lib, pins }:
lib.shell "harness-files" { certificates = pins.pin "deb" "ca-certificates"; } ''
  mkdir -p $out/certificates.d unpacked
  ar p $certificates data.tar.xz | unxz -c | tar -x -f - -C unpacked
  find unpacked/usr/share/ca-certificates -name '*.crt' | sort | xargs cat > $out/certificates.crt
  : > $out/openssl.cnf
''
