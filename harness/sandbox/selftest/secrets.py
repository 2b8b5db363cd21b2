"""Which values of an environment are secrets, told by their names."""

import re
from collections.abc import Mapping

NAMES = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)


def of_environment(env: Mapping[str, str]) -> tuple[str, ...]:
    """The values of variables such as POLICY_API_KEY."""
    return tuple(value for name, value in env.items() if value and NAMES.search(name))
