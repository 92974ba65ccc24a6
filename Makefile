# Each target is one step of .ci/run, which prints the commands it runs.
.PHONY: check test conformance race lint bench cover

check: ; .ci/run
test: ; .ci/run test
conformance: ; .ci/run conformance
race: ; .ci/run race
lint: ; .ci/run lint
bench: ; .ci/run bench
cover: ; .ci/run cover
