# The sandbox's root file system: shell, git, Python with an image toolkit, OpenCode. No perl, no set-user-id bits.
{ step, pins }:
step {
  name = "sandbox-rootfs";
  script = ./builders/rootfs.py;
  uses = [ "bytecode" "deb" "job" "listing" "tree" "wheel" ];
  inputs = {
    debs = pins.set "deb" "sandbox";
    wheels = pins.set "wheel" "sandbox";
    opencode = pins.pin "npm" "opencode-linux-x64";
    ripgrep = pins.pin "npm" "@vscode/ripgrep-linux-x64";
    plugins = builtins.listToAttrs (map
      (name: { inherit name; value = { tarball = pins.pin "npm" name; version = pins.version "npm" name; }; })
      (pins.names "npm" "plugin"));
    files = {
      "etc/nsswitch.conf" = "passwd: files\ngroup: files\nhosts: files\n";
      "etc/hosts" = "127.0.0.1 localhost\n::1 localhost\n";
      "etc/hostname" = "sandbox\n";
      # Empty, but there: podman mounts over some of them, and programs expect them.
      "etc/resolv.conf" = "";
      "etc/machine-id" = "";
      # The work tree belongs to another user than the one who asks.
      "etc/gitconfig" = "[safe]\n\tdirectory = *\n[user]\n\tname = user\n\temail = user@sandbox\n";
    };
    links = {
      "etc/mtab" = "../proc/mounts";
      "etc/localtime" = "../usr/share/zoneinfo/Etc/UTC";
      "usr/bin/awk" = "mawk";
      "usr/bin/python3" = "python3.11";
      "usr/bin/python" = "python3.11";
      "usr/bin/which" = "which.debianutils";
      "var/tmp" = "../tmp";
    };
  };
}
