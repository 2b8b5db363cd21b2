"""A run on a cluster with Slurm: what a job asks for, the scripts, which shards are left, and what runs in a job.

Slurm is the scheduler; nothing here decides when or where a job runs. `knobs` is what a site sets, `size` what a job
asks for, `script` the texts, `shards` what is left of a run, `client` Slurm's own commands, `job` what a job runs,
`nodes` the doctor on each node.
"""
