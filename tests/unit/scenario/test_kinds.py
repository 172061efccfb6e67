"""Classes of queues, senders, sources and losses, which are made from the registry when they are first used."""

import ast
import copy
import dataclasses
import importlib.util
import inspect
import json
import pickle
import subprocess
import sys
import typing
from pathlib import Path

import pytest

from sojourn import Scenario, ScenarioError, _core, apps, losses, queues, transports
from sojourn._rooms.scenario.component import Queue
from sojourn._rooms.scenario.descriptions import class_name

ROOT = Path(__file__).resolve().parents[3]
REGISTRY = json.loads(_core.registry())
MODULES = [queues, transports, apps, losses]


@pytest.mark.parametrize(
    ("module", "base", "entry"),
    [
        *((queues, "Queue", entry) for entry in REGISTRY["queues"]),
        *((transports, "Transport", entry) for entry in REGISTRY["transports"]),
        *((transports, "Control", entry) for entry in REGISTRY["controls"]),
        *((apps, "App", entry) for entry in REGISTRY["apps"]),
        *((losses, "Loss", entry) for entry in REGISTRY["losses"]),
    ],
)
def test_every_kind_has_a_constructor_with_its_parameters(module, base, entry):
    made = getattr(module, class_name(base, entry["name"]))()

    assert made.to_dict() == {"kind": entry["name"]}
    fields = {field.name.rstrip("_") for field in dataclasses.fields(made)}
    assert fields - {"preset", "profile", "control"} == {parameter["name"] for parameter in entry["params"]}


def test_a_constructor_takes_only_its_own_parameters():
    with pytest.raises(
        ScenarioError, match=r"Red: there is no 'min_thh' here\n  allowed: .*\n  hint:    did you mean 'min_th'"
    ):
        queues.Red(min_thh="5p")


def test_help_shows_the_parameters_of_a_constructor():
    shown = inspect.signature(queues.Codel)

    names = ["preset", "limit", "target", "interval", "ecn", "ce_threshold", "mtu", "arithmetic"]
    assert list(shown.parameters) == names
    assert {parameter.kind for parameter in shown.parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    assert "duration" in inspect.signature(Scenario).parameters


@pytest.mark.slow
def test_a_module_makes_a_class_when_it_is_first_used():
    code = "from sojourn import queues; made = 'Red' in vars(queues); queues.Red(); print(made, 'Red' in vars(queues))"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "True"]


@pytest.mark.slow
def test_threads_that_use_a_class_at_once_get_the_same():
    code = (
        "import threading; from sojourn import queues\n"
        "got = []; gate = threading.Barrier(8)\n"
        "def use(): gate.wait(); got.append((queues.ReAred, queues.ReAred.__mro__))\n"
        "threads = [threading.Thread(target=use) for _ in range(8)]\n"
        "for one in threads: one.start()\n"
        "for one in threads: one.join()\n"
        "print(len(set(got)), got[0][0] is queues.ReAred)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["1", "True"]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_instances_are_values(module):
    for name in module.__all__:
        kind = getattr(module, name)
        made = kind(**{field.name: f"{place}p" for place, field in enumerate(dataclasses.fields(kind))})
        assert pickle.loads(pickle.dumps(made)) == made == copy.deepcopy(made) == dataclasses.replace(made)
        assert hash(made) == hash(copy.copy(made))
        assert eval(repr(made), {name: kind}) == made
        assert made != kind() or not dataclasses.fields(kind)
        assert pickle.loads(pickle.dumps(kind)) is kind
        assert kind.__match_args__ == ()
        assert kind.__module__ == module.__name__
        typing.get_type_hints(kind)


def test_a_value_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        queues.Red().limit = "5p"


def test_what_queues_share_is_inherited():
    assert issubclass(queues.Ared, queues.RedParameters)
    assert isinstance(queues.Ared(), Queue)
    assert "It has the attributes of :class:`RedParameters`" in " ".join(inspect.getdoc(queues.Red).split())


def test_the_docstring_says_unit_range_default_and_source():
    said = " ".join(inspect.getdoc(queues.Codel).split())

    assert said.startswith("CoDel (controlled delay). ")
    assert "Reference: RFC 8289" in said
    assert 'Allowed: a time such as "20ms", ' in said
    assert 'Default ``"5ms"``: ' in said


def test_modules_list_their_classes():
    for module in MODULES:
        assert module.__all__ == sorted(module.__all__)
        assert set(module.__all__) <= set(dir(module))
    everything = {}
    exec("from sojourn.queues import *", everything)
    assert everything["Red"] is queues.Red
    assert [name for name, _ in inspect.getmembers(losses, inspect.isclass)] == ["Bit", "GilbertElliott", "Uniform"]


def test_a_class_that_there_is_not_is_refused_with_the_nearest():
    with pytest.raises(AttributeError, match=r"no class 'Coddel' here\n  allowed: .*\n  hint:    did you mean 'Codel'"):
        _ = queues.Coddel
    with pytest.raises(ImportError, match="did you mean 'Fifo'"):
        from sojourn.queues import TailDrop  # noqa: F401
    assert not hasattr(queues, "__path__")


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_a_stub_says_what_the_classes_are(module):
    spec = importlib.util.spec_from_file_location("stubs", ROOT / "tools" / "stubs.py")
    stubs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stubs)

    tree = ast.parse(stubs.stub(module.__name__.rpartition(".")[2]))

    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    assert sorted(node.name for node in classes) == dir(module)
    for node in classes:
        kind = getattr(module, node.name)
        assert ast.get_docstring(node) == inspect.getdoc(kind)
        assert [base.id for base in node.bases] == [base.__name__ for base in kind.__bases__]
        declared = {
            part.target.id: ast.unparse(part.annotation) for part in node.body if isinstance(part, ast.AnnAssign)
        }
        assert declared == {name: ast.unparse(ast.parse(kind)) for name, kind in kind.__annotations__.items()}
