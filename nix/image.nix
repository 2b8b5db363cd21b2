# The sandbox as an OCI image, for registries, scanners and other runtimes. The harness itself uses the tree.
{ step, rootfs }:
step {
  name = "sandbox-image";
  script = ./builders/image.py;
  uses = [ "job" "listing" ];
  inputs = {
    name = "sandbox";
    inherit rootfs;
    layers = {
      "0-system" = [ ];
      "1-toolkit" = [ "usr/local/lib/python3.11/" ];
      "2-agent" = [ "opt/opencode/" ];
    };
    mounts = { tmp = "1777"; home = "1777"; workspace = "1777"; task = "755"; };
    config = {
      User = "1000:1000";
      WorkingDir = "/workspace";
      Cmd = [ "/bin/bash" ];
      Env = [
        "PATH=/opt/opencode/bin:/usr/local/bin:/usr/bin:/bin"
        "LANG=C.UTF-8"
        "TZ=UTC"
        "HOME=/home"
        "XDG_CONFIG_HOME=/opt/opencode/xdg-config"
      ];
    };
  };
}
