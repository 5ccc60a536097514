# Every budget that was asked for, beside each run. Its one line on standard output reports the finished run.
rule account:
    input:
        "results/runs/{run}/outcome.json",
    output:
        "results/runs/{run}/result.json",
    log:
        "results/runs/{run}/account.log",
    benchmark:
        "results/runs/{run}/account.tsv"
    conda:
        "../../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
        gpu=0,
    params:
        accountants=lambda wildcards: json.dumps(
            [choice.model_dump() for choice in accountants(wildcards)]
        ),
        name=lambda wildcards: RUNS[wildcards.run].name,
        code=lambda wildcards: CODES.account(accountants(wildcards)),
    shell:
        "OMP_NUM_THREADS={threads} "
        "python -m wassdp account --outcome {input:q} --accountants {params.accountants:q} "
        "--name {params.name:q} --out {output:q} 2> {log:q}"
