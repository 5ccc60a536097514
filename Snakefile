# Privacy measured, not claimed. `snakemake --cores N` computes what config.yaml lists;
# `--configfile workflow/presets/paper.yaml` everything at the papers' scale.
include: "workflow/Snakefile"
