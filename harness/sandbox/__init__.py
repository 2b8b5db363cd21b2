"""The podman service, create spec, network, limits and reaper: one sandbox per attempt, gone whatever happens."""
