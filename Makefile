# Needs Python 3.11 or newer, Rust and make; everything else is installed into .venv and target.

PYTHON  ?= python3
REPORTS ?= out
VENV   := .venv
BIN    := $(VENV)/bin
RUST   := Cargo.toml Cargo.lock $(shell find crates -name '*.rs' -o -name Cargo.toml)

# What the page of the laboratory is made of.
LAB    := $(shell find site/lab site/lab.py site/build-wasm python/sojourn/_rooms/showing/plots/palette.py -type f)
PAGE   := python/sojourn/_lab/index.html

# Stubs of the classes of queues, senders, sources and losses, for editors and type checkers.
STUBS  := python/sojourn/queues.pyi

.PHONY: help demo build quick lab site wheel check test test-rust test-crate test-wheel examples lint lint-rust lint-python format bench papers kernel generate docs release clean
.DELETE_ON_ERROR:

help:  ## Show what can be made.
	@sed -n 's/^\([a-z]*\):.*## /  make \1|/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-16s %s\n", $$1, $$2 }'

demo: build  ## Build Sojourn and check a published comparison against it: out/haider2005.html.
	@mkdir -p out
	@echo "Running the quick comparison, about half a minute; then open out/haider2005.html ..."
	$(BIN)/sojourn reproduce haider2005 --quick --report out/haider2005.html

build: $(VENV)/.built $(STUBS)  ## Build the core and install the package into .venv.

$(VENV)/.installed: requirements.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Sojourn needs Python 3.11 or newer; set PYTHON=...")'
	@echo "Step 1 of 2: installing Python packages into $(VENV). This takes half a minute to three minutes, and pip says nothing meanwhile ..."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
	@touch $@

$(VENV)/.built: $(VENV)/.installed pyproject.toml $(RUST)
	@echo "Step 2 of 2: compiling the core. This takes one to three minutes, longer on a busy machine ..."
	$(BIN)/maturin develop --release --locked
	@touch $@

quick: $(VENV)/.installed  ## Compile the core for work in progress: half a minute after a change of one law.
	$(BIN)/maturin develop --profile quick --locked

$(STUBS): $(VENV)/.built tools/stubs.py python/sojourn/_rooms/scenario/kinds.py python/sojourn/_rooms/scenario/descriptions.py
	$(BIN)/python tools/stubs.py

lab: $(PAGE)  ## Build the laboratory in the browser, if there is a compiler for WebAssembly.

# It needs no compiled core of the package: who only wants the page does not wait for one.
$(PAGE): $(LAB) $(RUST) | $(VENV)/.installed
	@echo "Compiling the laboratory for browsers. This takes half a minute to three minutes, longer on a busy machine ..."
	$(BIN)/python site/lab.py
	@test ! -e $@ || touch $@

site: build lab  ## Build the site: out/site/index.html. REPORTS=DIR has the works' reports, KEY.html, that it takes along (out/).
	@echo "Drawing the plots of all queues and building the site. This takes some minutes ..."
	$(BIN)/python site/build.py --reports $(REPORTS)

# With the compiler's llvm-tools the core in it is optimised by a profile of runs, which takes two more builds.
wheel: build lab  ## Make a wheel with scenarios, works, schema and laboratory in it: dist/.
	@echo "Packing the wheel ..."
	$(BIN)/python tools/pgo.py $(BIN)/maturin build --release --locked --out dist

# The wheel that the tests install: without that profile the core in it is the one that the build has compiled.
test-wheel: build lab
	$(BIN)/maturin build --release --locked --out target/wheels

release:  ## Make a release but for the upload: VERSION=0.2.0.
	$(BIN)/python tools/release.py "$(VERSION)"

# With `make --jobs 2` these run while the release build, which ends on one processor, is made.
test-rust:
	cargo test --workspace --locked
	cargo test --manifest-path examples/own_queue/Cargo.toml --target-dir target --config profile.test.opt-level=0

# The core, which `make check` tests.
CORE := --package sojourn-queues --package sojourn-senders --package sojourn-sim

check: build  ## Run the quick tests while you work: the form, the core's units, Python's units; less than a minute.
	cargo fmt --all --check
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	cargo test $(CORE) --lib --locked --quiet
	$(BIN)/pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder -m "not slow" tests/unit tests/form

# The stable crate as others get it: the packages of it and of the core below it have all that the compiler asks for, and its small face is
# without TOML and JSON. Only the dry run asks the registry. Cargo packs crates that need each other from 1.90 on.
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
PACKED  := $(CORE) --package sojourn-bottleneck
PACKAGES := target/package
test-crate: test-rust
	rm -rf $(PACKAGES)  # Files that have moved since would be compiled, too.
	cargo package $(PACKED) --locked --allow-dirty --quiet --no-verify
	for crate in $(PACKAGES)/*-$(VERSION).crate; do tar --extract --gzip --directory $(PACKAGES) --file $$crate; done
	cargo check --manifest-path $(PACKAGES)/sojourn-bottleneck-$(VERSION)/Cargo.toml --target-dir target --offline --quiet \
	  $(foreach part,queues senders sim,--config 'patch.crates-io.sojourn-$(part).path="$(PACKAGES)/sojourn-$(part)-$(VERSION)"')
	if [ -n "$$CI" ]; then cargo publish $(PACKED) --locked --allow-dirty --quiet --dry-run --no-verify; fi
	cargo test --package sojourn-bottleneck --no-default-features --test small_face --locked

STACKS := quinn smoltcp
# quiche compiles BoringSSL, which takes minutes, so that it is not among STACKS.
examples:  ## Test QUIC and TCP stacks, in Rust, C and Python, behind Sojourn's queues.
	for stack in $(STACKS) quiche; do \
	  cargo test --manifest-path examples/$$stack/Cargo.toml --target-dir target/examples --locked && \
	  cargo run --quiet --manifest-path examples/$$stack/Cargo.toml --target-dir target/examples --locked || exit 1; done
	cargo test --manifest-path examples/smoltcp/Cargo.toml --target-dir target/examples --locked --features old
	$(MAKE) --directory examples/c
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement examples/aioquic/requirements.txt
	$(BIN)/python examples/aioquic/uplink.py

# On two processors a third process has the tests that wait: `tests/helpers/order.py`.
test: build lab test-wheel test-crate  ## Run all tests.
	$(BIN)/pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder

lint: lint-rust lint-python  ## Check form, lints, types and stubs.

lint-rust:
	cargo fmt --all --check
	for crate in own_queue $(STACKS) quiche; do cargo fmt --manifest-path examples/$$crate/Cargo.toml --check || exit 1; done
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo clippy --manifest-path examples/own_queue/Cargo.toml --target-dir target --all-targets -- -D warnings
	$(PYTHON) tools/rust_docs.py

lint-python: build
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/stubtest sojourn._core sojourn.queues sojourn.transports sojourn.apps sojourn.losses
	$(BIN)/python tests/form/lines.py

format:  ## Put Rust and Python into form.
	cargo fmt --all
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: build  ## Measure ours and ns-2 on the same workload: evidence/speed/README.md.
	cargo build --release --locked --package sojourn-archive --example dumbbell --example queue_cost
	$(BIN)/python benchmarks/dumbbell/bench.py --write

papers: build  ## Check every paper in full, and all settings beside ns-2 and Linux; takes long.
	@mkdir -p out
	if command -v ns >/dev/null; then $(BIN)/python tests/peers/beside_ns2.py; fi
	if command -v ns >/dev/null; then $(BIN)/python tests/peers/single_runs.py; fi
	if command -v ns >/dev/null; then $(BIN)/python tests/peers/classes.py --write; fi
	if command -v ns >/dev/null; then $(BIN)/python tests/peers/explicit.py --seeds 20 --write; fi
	if command -v ns >/dev/null; then $(BIN)/python tests/peers/witness.py --write; fi
	$(BIN)/python tests/peers/xcp_parts.py --write
	$(BIN)/python tests/peers/linux/oracle.py measure
	$(BIN)/python tests/peers/linux/oracle.py compare --write
	$(BIN)/python tests/peers/linux/held_up.py --write
	$(BIN)/python tests/publications/beside_papers.py
	$(BIN)/python evidence/validation_page.py
	$(BIN)/python evidence/collected.py
	for tried in files texts recordings calls relations; do \
	  $(BIN)/python tests/fuzz/test_$$tried.py --seconds 3600 || exit 1; done
	for key in $$($(BIN)/sojourn reproduce --list --keys); do \
	  $(BIN)/sojourn reproduce $$key --full --report out/$$key.html || exit 1; done

ORACLE := evidence/linux/programs
kernel: build  ## Record anew what a real Linux 6.12 does with packets, compare, and write docs/linux.md; builds that kernel once.
	$(BIN)/python $(ORACLE)/record_fates.py
	$(BIN)/python $(ORACLE)/record_senders.py
	$(BIN)/python $(ORACLE)/linux_counts.py
	$(BIN)/python $(ORACLE)/host_shares.py
	$(BIN)/python $(ORACLE)/tin_shares.py
	$(BIN)/python $(ORACLE)/policed.py
	$(BIN)/python $(ORACLE)/short_flows.py
	$(BIN)/python $(ORACLE)/linux_runs.py
	$(BIN)/python $(ORACLE)/kernel_evaluate.py measure --anew
	$(BIN)/python $(ORACLE)/kernel_evaluate.py table --write docs/evaluate.md
	for part in known earlier fresh; do \
	  $(BIN)/python $(ORACLE)/kernel_loop.py ours --part $$part && \
	  $(BIN)/python $(ORACLE)/kernel_loop.py measure --anew --part $$part || exit 1; done
	$(BIN)/python $(ORACLE)/linux_page.py
	$(BIN)/python evidence/collected.py

generate: build  ## Write the tables in pages that derive from the registry.
	$(BIN)/python tools/generate.py

docs: build  ## Write the reference pages and the JSON Schema: out/reference.
	$(BIN)/python tools/generate.py --reference

clean:  ## Remove what was built.
	rm -rf $(VENV) target out
