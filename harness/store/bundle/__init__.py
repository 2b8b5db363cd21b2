"""A bundle: everything that a machine without a network needs, as one tar file. The same contents give the same bytes.

::

    hermetic-harness/
      install                  the installer, a shell script; it begins with what stands in this bundle
      cache/                   a binary cache of Nix
        nix-cache-info         which store it is for
        realisations/          empty; Nix would make it, and could not on a medium that is read-only
        HASH.narinfo           of one store path: digest and size of its NAR, and what it refers to
        nar/HASH.nar.zst       the NAR, in frames of 16 MiB
      data/NAME/...            installed data sets, where they were asked for
      bundle.json              the same facts for programs
      SHA256SUMS               of every other file, as sha256sum writes and checks it, in the order of their names

No deriver, no signature, no time, no owner and no address is in it: a bundle follows from the contents of its store
paths and of the data, and from the releases of the harness and of zstd, which are among those store paths.
"""
