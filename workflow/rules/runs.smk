# One job per run: its outcome is what the experiment itself found. Budgets come afterwards (account.smk).
rule generate:
    input:
        manifests,
    output:
        "results/runs/{run}/outcome.json",
    log:
        "results/runs/{run}/run.log",
    benchmark:
        "results/runs/{run}/benchmark.tsv"
    wildcard_constraints:
        run=ids("generate"),
    conda:
        "../../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
        gpu=0,
    params:
        spec=spec,
        code=code,
    shell:
        "OMP_NUM_THREADS={threads} "
        "python -m wassdp generate --spec {params.spec:q} --out {output:q} > {log:q} 2>&1"


rule train:
    input:
        manifests,
    output:
        "results/runs/{run}/outcome.json",
    log:
        "results/runs/{run}/run.log",
    benchmark:
        "results/runs/{run}/benchmark.tsv"
    wildcard_constraints:
        run=ids("train"),
    conda:
        "../../envs/gpu.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 6000 * attempt,
        runtime=lambda wildcards, attempt: 240 * attempt,
        # A profile that has GPUs asks for one: --set-resources train:gpu=1
        gpu=0,
    params:
        spec=spec,
        code=code,
    shell:
        "OMP_NUM_THREADS={threads} "
        "python -m wassdp train --spec {params.spec:q} --out {output:q} > {log:q} 2>&1"


rule audit:
    input:
        manifests,
    output:
        "results/runs/{run}/outcome.json",
    log:
        "results/runs/{run}/run.log",
    benchmark:
        "results/runs/{run}/benchmark.tsv"
    wildcard_constraints:
        run=ids("audit"),
    conda:
        "../../envs/gpu.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 240 * attempt,
        gpu=0,
    params:
        spec=spec,
        code=code,
    shell:
        "OMP_NUM_THREADS={threads} "
        "python -m wassdp audit --spec {params.spec:q} --out {output:q} > {log:q} 2>&1"
