{
  description = "A hermetic, reproducible evaluation harness for models that work as agents";

  # No inputs: whatever is built stands in pins/, file by file.
  outputs = { self }:
    let
      system = "x86_64-linux";
      parts = import ./nix { source = self; inherit system; };
    in
    builtins.mapAttrs (_: value: { ${system} = value; }) parts;
}
