# Shell scripts under our own busybox. Each begins by telling the harness where its parts are and by shutting the host out.
{ lib, files, parts }:
{
  # The script as text; BODY follows the environment.
  script = body: ''
    #!${lib.busybox} sh
    # Libraries and Python modules of the host stay out.
    unset LD_LIBRARY_PATH LD_PRELOAD LD_AUDIT PYTHONPATH PYTHONHOME
    # Python then reads no locale of the host, and works in UTF-8.
    export LC_ALL=C
    export OPENSSL_CONF=${files}/openssl.cnf
    # Whoever needs certificates of their own sets these.
    export SSL_CERT_FILE="''${SSL_CERT_FILE:-${files}/certificates.crt}"
    export SSL_CERT_DIR="''${SSL_CERT_DIR:-${files}/certificates.d}"
    export HARNESS_RUNTIME=${parts.runtime} HARNESS_ROOTFS=${parts.rootfs} HARNESS_PINS=${parts.pins} HARNESS_SQUASHFS=${parts.squashfs}
    ${body}'';

  # The same as an executable of its own, for `nix run`.
  app = name: text: {
    type = "app";
    program = "${lib.shell name { inherit text; } ''
      mkdir -p $out/bin
      printf '%s' "$text" > $out/bin/${name}
      chmod +x $out/bin/${name}
    ''}/bin/${name}";
  };
}
