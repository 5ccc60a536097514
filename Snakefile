# Privacy measured, not claimed. `snakemake --cores N` computes what config.yaml lists;
# `--configfile workflow/presets/paper.yaml` everything at the papers' scale.
include: "workflow/Snakefile"


# What an included file makes by default is not what is made by default here.
rule default:
    default_target: True
    input:
        rules.all.input,
    localrule: True
