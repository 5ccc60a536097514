# One job per run: its outcome is what the experiment itself found. Budgets come afterwards (account.smk). One rule for
# each phase, since they want other machines.
rule generate:
    input:
        manifests,
    output:
        "results/runs/{run}/outcome.json",
    log:
        "results/runs/{run}/run.log",
    wildcard_constraints:
        run=PLAN["patterns"]["generate"],
    conda:
        "../../envs/gpu.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
        gpu=0,
    params:
        code=lambda wildcards: JOBS[wildcards.run]["code"],
    shell:
        "WASSDP_RUNTIME={resources.runtime} WASSDP_BENCHMARK=results/runs/{wildcards.run}/benchmark.tsv OMP_NUM_THREADS={threads} "
        "python -m wassdp run {wildcards.run} --out {output:q} > {log:q} 2>&1"


use rule generate as train with:
    wildcard_constraints:
        run=PLAN["patterns"]["train"],
    resources:
        mem_mb=lambda wildcards, attempt: 6000 * attempt,
        runtime=lambda wildcards, attempt: 240 * attempt,
        # A profile that has GPUs asks for one: --set-resources train:gpu=1
        gpu=0,


use rule train as audit with:
    wildcard_constraints:
        run=PLAN["patterns"]["audit"],
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 240 * attempt,
        gpu=0,
