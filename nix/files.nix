# Files that libraries would otherwise read from the host: certificates, OpenSSL's configuration, the locale C.UTF-8.
{ lib, pins }:
lib.shell "harness-files" { certificates = pins.pin "deb" "ca-certificates"; } ''
  mkdir -p $out/empty unpacked
  ar p $certificates data.tar.xz | unxz -c | tar -x -f - -C unpacked
  find unpacked/usr/share/ca-certificates -name '*.crt' | sort | xargs cat > $out/ca-certificates.crt
  : > $out/openssl.cnf
''
