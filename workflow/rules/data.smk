# Datasets: found in the data folder, in a mirror folder, or downloaded; checked, and described by a manifest.
rule dataset:
    output:
        "results/data/{dataset}.json",
    log:
        "results/data/{dataset}.log",
    retries: 1
    conda:
        "../../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
        network=1,
    params:
        code=lambda wildcards: PLAN["datasets"][wildcards.dataset],
    shell:
        "WASSDP_RUNTIME={resources.runtime} WASSDP_BENCHMARK=results/data/{wildcards.dataset}.tsv "
        "python -m wassdp data fetch {wildcards.dataset} --manifest {output:q} > {log:q} 2>&1"
