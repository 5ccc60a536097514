# Privacy measured, not claimed. `snakemake --cores N` computes what config.yaml lists;
# `--configfile workflow/presets/paper.yaml` everything at the papers' scale.
from snakemake.utils import min_version

min_version("9.0")


configfile: "config.yaml"


report: "workflow/report/landing.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/runs.smk"
include: "workflow/rules/account.smk"
include: "workflow/rules/collect.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        wanted(),
    localrule: True
