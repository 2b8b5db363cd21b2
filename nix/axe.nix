# axe-core, one script that finds what keeps people from reading a page; tests run it in the browser.
{ lib, pins }:
lib.shell "axe" { package = pins.pin "npm" "axe-core"; } ''
  mkdir $out
  tar -x -z -f $package -O package/axe.min.js > $out/axe.min.js
''
