# broken-layers.sh FOLDER: the contract in ./pyproject.toml must report the import upwards in the package under FOLDER.
config=$PWD/pyproject.toml
cd "$1"
if report=$(lint-imports --no-cache "$config"); then
    echo "The import linter passed a package whose store imports run:" "$report" >&2
    exit 1
fi
case $report in
    *"harness.store is not allowed to import harness.run"*) ;;
    *)
        echo "The import linter didn't report that harness.store imports harness.run:" "$report" >&2
        exit 1
        ;;
esac
