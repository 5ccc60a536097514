# One job per run: its outcome is what the experiment itself found. Budgets come afterwards (account.smk).
rule generate:
    input:
        manifests,
    output:
        "results/runs/{run}/outcome.json",
    wildcard_constraints:
        run=ids("generate"),
    params:
        spec=spec,
        code=code,
    log:
        "results/runs/{run}/run.log",
    benchmark:
        "results/runs/{run}/benchmark.tsv"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
        gpu=0,
    conda:
        "../../envs/cpu.yaml"
    shell:
        "OMP_NUM_THREADS={threads} "
        "python -m wassdp generate --spec {params.spec:q} --out {output:q} > {log:q} 2>&1"


rule train:
    input:
        manifests,
    output:
        "results/runs/{run}/outcome.json",
    wildcard_constraints:
        run=ids("train"),
    params:
        spec=spec,
        code=code,
    log:
        "results/runs/{run}/run.log",
    benchmark:
        "results/runs/{run}/benchmark.tsv"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 6000 * attempt,
        runtime=lambda wildcards, attempt: 240 * attempt,
        # A profile that has GPUs asks for one: --set-resources train:gpu=1
        gpu=0,
    conda:
        "../../envs/gpu.yaml"
    shell:
        "OMP_NUM_THREADS={threads} "
        "python -m wassdp train --spec {params.spec:q} --out {output:q} > {log:q} 2>&1"


rule audit:
    input:
        manifests,
    output:
        "results/runs/{run}/outcome.json",
    wildcard_constraints:
        run=ids("audit"),
    params:
        spec=spec,
        code=code,
    log:
        "results/runs/{run}/run.log",
    benchmark:
        "results/runs/{run}/benchmark.tsv"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 240 * attempt,
        gpu=0,
    conda:
        "../../envs/gpu.yaml"
    shell:
        "OMP_NUM_THREADS={threads} "
        "python -m wassdp audit --spec {params.spec:q} --out {output:q} > {log:q} 2>&1"
