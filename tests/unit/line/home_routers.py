"""Small routers: each takes the text of its system by the documented grammar, keeps its state, and refuses the rest.

They are written from these sources: `run-openwrt.sh` of sqm-scripts 1.6 (OpenWrt); MikroTik's pages "Queues" and
"CAKE", and the fields of the collection community.routeros (RouterOS); `qos.xml.in` and `cake.py` of vyos-1x (VyOS);
the model `TrafficShaper.xml` 1.0.3 of OPNsense and its pages on the interface for programs.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable
from copy import deepcopy
from typing import ClassVar

RATE = r"[0-9]+"


class RefusedError(Exception):
    """A line that the system does not take."""


class OpenWrt:
    """`uci batch` for the file sqm."""

    OPTIONS: ClassVar = {
        "enabled": "[01]",
        "interface": r"[A-Za-z0-9_.-]{1,15}",
        "upload": RATE,
        "download": RATE,
        "qdisc": "cake|fq_codel|codel|pie|sfq",
        "script": r"(piece_of_cake|layer_cake|simplest|simplest_tbf|simple)\.qos",
        "linklayer": "none|ethernet|atm",
        "overhead": "-?[0-9]+",
        "tcMPU": RATE,
        "itarget": r"auto|default|[0-9]+(us|ms|s)",
        "etarget": r"auto|default|[0-9]+(us|ms|s)",
        "ingress_ecn": "ECN|NOECN",
        "egress_ecn": "ECN|NOECN",
        "eqdisc_opts": "[a-z0-9 -]+",
        "iqdisc_opts": "[a-z0-9 -]+",
        "qdisc_really_really_advanced": "[01]",
    }

    def __init__(self) -> None:
        self.state: dict[str, dict[str, str]] = {}
        self.kept: dict[str, dict[str, str]] = {}

    def paste(self, lines: Iterable[str]) -> None:
        """The lines of a shell: `uci batch`, single commands of uci, and the program's start."""
        batch = False
        for line in lines:
            if batch:
                batch = line != "END"
                if batch:
                    self._uci(line)
            elif line == "uci -q batch <<'END'":
                batch = True
            else:
                for command in line.split("; "):
                    if command.startswith("uci "):
                        self._uci(command.removeprefix("uci ").removeprefix("-q "))
                    elif not re.fullmatch(r"/etc/init\.d/sqm (enable|restart)", command):
                        raise RefusedError(line)

    def _uci(self, line: str) -> None:
        verb, _, rest = line.partition(" ")
        if verb == "commit" and rest == "sqm":
            self.kept = deepcopy(self.state)
        elif verb == "delete" and (found := re.fullmatch(r"sqm\.([a-z0-9_]+)", rest)):
            self.state.pop(found[1], None)
        elif verb == "set" and (found := re.fullmatch(r"sqm\.([a-z0-9_]+)='queue'", rest)):
            self.state.setdefault(found[1], {})
        elif verb == "set" and (found := re.fullmatch(r"sqm\.([a-z0-9_]+)\.(\w+)='([^']*)'", rest)):
            if found[2] not in self.OPTIONS or not re.fullmatch(self.OPTIONS[found[2]], found[3]):
                raise RefusedError(line)
            self.state[found[1]][found[2]] = found[3]
        else:
            raise RefusedError(line)


class RouterOS:
    """The terminal of RouterOS 7: menus, `add`, `remove`, `enable` and `disable` with `[find ...]`."""

    _TIME, _YES = r"[0-9]+(us|ms|s)", "yes|no"
    FIELDS: ClassVar = {
        "/queue type": {
            "name": "[a-z-]+",
            "kind": "pfifo|bfifo|red|sfq|pcq|codel|fq-codel|cake",
            "pfifo-limit": RATE,
            "sfq-perturb": RATE,
            "codel-limit": RATE,
            "codel-target": _TIME,
            "codel-interval": _TIME,
            "codel-ecn": _YES,
            "fq-codel-limit": RATE,
            "fq-codel-flows": RATE,
            "fq-codel-quantum": RATE,
            "fq-codel-target": _TIME,
            "fq-codel-interval": _TIME,
            "fq-codel-ecn": _YES,
            "cake-rtt": _TIME,
            "cake-ack-filter": "none|filter|aggressive",
            "cake-diffserv": "besteffort|diffserv3|diffserv4|diffserv8|precedence",
            "cake-flowmode": "flowblind|srchost|dsthost|hosts|flows|dual-srchost|dual-dsthost|triple-isolate",
            "cake-nat": _YES,
            "cake-wash": _YES,
        },
        "/queue simple": {
            "name": "[a-z-]+",
            "target": r"[A-Za-z0-9_.-]+",
            "max-limit": r"[0-9]+[kM]?/[0-9]+[kM]?",
            "queue": "[a-z-]+/[a-z-]+",
        },
    }

    def __init__(self) -> None:
        self.state: dict[str, list[dict[str, str]]] = {menu: [] for menu in self.FIELDS}
        self.state["/ip firewall filter"] = [{"action": "fasttrack-connection"}, {"action": "accept"}]

    def paste(self, lines: Iterable[str]) -> None:
        for line in lines:
            found = re.fullmatch(r"((?:/[a-z]+)(?: [a-z]+)*) (add|remove|enable|disable) (.*)", line)
            if not found or found[1] not in self.state:
                raise RefusedError(line)
            items, (menu, verb, rest) = self.state[found[1]], found.groups()
            if verb == "add":
                self._add(menu, rest, line)
                continue
            if not (find := re.fullmatch(r"\[find ([a-z-]+)(=|~)(.*)\]", rest)):
                raise RefusedError(line)
            name, how, value = find.groups()
            pattern = value.strip('"').replace("\\$", "$") if how == "~" else re.escape(value)
            matching = [item for item in items if re.search(pattern, item.get(name, ""))]
            for item in matching:
                if verb == "remove":
                    self._free(item, line)
                    items.remove(item)
                elif verb == "disable":
                    item["disabled"] = "yes"
                else:
                    item.pop("disabled", None)

    def _add(self, menu: str, rest: str, line: str) -> None:
        item = dict(part.split("=", 1) for part in shlex.split(rest))
        fields = self.FIELDS[menu]
        if any(name not in fields or not re.fullmatch(fields[name], value) for name, value in item.items()):
            raise RefusedError(line)
        prefixes = {name.rpartition("-")[0] for name in item if name not in ("name", "kind")}
        if menu == "/queue type" and not all(f"{prefix}-".startswith(f"{item['kind']}-") for prefix in prefixes):
            raise RefusedError(f"{line}: settings of another kind")
        if item["name"] in [other["name"] for other in self.state[menu]]:
            raise RefusedError(f"{line}: the name is there")
        if not {*item.get("queue", "").split("/")} - {""} <= {one["name"] for one in self.state["/queue type"]}:
            raise RefusedError(f"{line}: no such type")
        self.state[menu].append(item)

    def _free(self, item: dict[str, str], line: str) -> None:
        if any(item["name"] in one["queue"].split("/") for one in self.state["/queue simple"] if one is not item):
            raise RefusedError(f"{line}: in use")


class VyOS:
    """The configuration of VyOS: `set` and `delete` of paths, and what `commit` gives to tc."""

    _NAME = "[A-Za-z0-9][-_A-Za-z0-9]*"
    _RATE = "[0-9]+(bit|kbit|mbit|gbit|tbit)|[0-9]+%"
    _MODES = "blind|src-host|dst-host|host|flow|dual-src-host|dual-dst-host|triple-isolate"
    LEAVES: ClassVar = {
        f"qos policy cake {_NAME} bandwidth": _RATE,
        f"qos policy cake {_NAME} rtt": "[0-9]+",
        f"qos policy shaper {_NAME} bandwidth": _RATE,
        f"qos policy shaper {_NAME} default bandwidth": _RATE,
        f"qos policy shaper {_NAME} default queue-type": "fq-codel|fair-queue|drop-tail|priority|random-detect",
        f"qos policy shaper {_NAME} default target": "[0-9]+",
        f"qos policy shaper {_NAME} default interval": "[0-9]+",
        f"qos policy shaper {_NAME} default queue-limit": "[0-9]+",
        f"qos policy shaper {_NAME} default flows": "[0-9]+",
        f"qos policy shaper {_NAME} default codel-quantum": "[0-9]+",
        "qos interface [a-z]+[0-9]+ egress": _NAME,
        "interfaces (ethernet|pppoe) [a-z]+[0-9]+ redirect": "ifb[0-9]+",
        "interfaces input": "ifb[0-9]+",
    }
    # VyOS 1.4 has the look-up as one of several words of the isolation, later ones have a leaf of its own.
    OF_VERSION: ClassVar = {
        "1.4": {f"qos policy cake {_NAME} flow-isolation": f"{_MODES}|nat"},
        "1.5": {f"qos policy cake {_NAME} flow-isolation": _MODES, f"qos policy cake {_NAME}": "flow-isolation-nat"},
    }

    def __init__(self, version: str) -> None:
        self.leaves = {**self.LEAVES, **self.OF_VERSION[version]}
        self.version = version
        self.state: set[str] = set()
        self.refused: list[str] = []

    def paste(self, lines: Iterable[str]) -> None:
        for line in lines:
            verb, _, path = line.partition(" ")
            if line in ("configure", "commit; save; exit"):
                continue
            if verb == "delete":
                self.state = {one for one in self.state if one != path and not one.startswith(f"{path} ")}
            elif verb == "set":
                self._set(path, line)
            else:
                raise RefusedError(line)

    def _set(self, path: str, line: str) -> None:
        leaf, _, value = path.rpartition(" ")
        allowed = [values for pattern, values in self.leaves.items() if re.fullmatch(pattern, leaf)]
        if not any(re.fullmatch(values, value) for values in allowed):
            self.refused.append(line)
            return
        many = self.version == "1.4" and leaf.endswith("flow-isolation")
        if not many and value != "flow-isolation-nat":
            self.state = {one for one in self.state if one.rpartition(" ")[0] != leaf or one.endswith("-nat")}
        self.state.add(path)

    def tc(self, device: str) -> str:
        """The words that `cake.py` gives to tc for the policy of an interface."""
        policy = next(one.split()[-1] for one in self.state if one.startswith(f"qos interface {device} egress "))
        start = f"qos policy cake {policy} "
        settings = [one.removeprefix(start) for one in self.state if one.startswith(start)]
        words = {"dual-src-host": "dual-srchost", "dual-dst-host": "dual-dsthost", "nat": "nat"}
        isolation = [words[one.split()[-1]] for one in sorted(settings) if one.startswith("flow-isolation ")]
        isolation += ["nat"] if "flow-isolation-nat" in settings else []
        values = dict(one.split() for one in settings if not one.startswith("flow-isolation"))
        rtt = f" rtt {values['rtt']}ms" if "rtt" in values else ""
        return f"cake egress bandwidth {values['bandwidth']}{rtt} {' '.join(isolation)}"


class OPNsense:
    """The interface for programs of its shaper: each call is a path and a body of JSON."""

    _INT: ClassVar = {
        "bandwidth": (1, 10**9),
        "codel_target": (1, 10_000),
        "codel_interval": (1, 10_000),
        "fqcodel_quantum": (1, 65_535),
        "fqcodel_limit": (1, 65_535),
        "fqcodel_flows": (1, 65_535),
        "weight": (1, 100),
        "sequence": (1, 1_000_000),
    }
    FIELDS: ClassVar = {
        "Pipe": {
            "enabled": "[01]",
            "bandwidth": RATE,
            "bandwidthMetric": "bit|Kbit|Mbit|Gbit",
            "scheduler": "fifo|rr|qfq|fq_codel|fq_pie",
            "codel_ecn_enable": "[01]",
            **{name: RATE for name in _INT if name.startswith(("codel", "fqcodel"))},
            "description": ".{1,255}",
        },
        "Queue": {"enabled": "[01]", "pipe": ".+", "weight": RATE, "description": ".{1,255}"},
        "Rule": {
            "enabled": "[01]",
            "sequence": RATE,
            "interface": r"[a-z0-9]+",
            "proto": "ip|ip4|ip6|udp|tcp",
            "direction": "in|out",
            "target": ".+",
            "description": ".*",
        },
    }

    def __init__(self, kept: str = "") -> None:
        self.state: dict[str, dict[str, dict[str, str]]] = json.loads(kept or '{"Pipe": {}, "Queue": {}, "Rule": {}}')
        self.running = ""

    def call(self, path: str, body: str) -> str:
        """The answer to a call."""
        content = json.loads(body)
        if path == "service/reconfigure":
            self.running = self.dnctl()
            return '{"status":"ok"}'
        found = re.fullmatch(r"settings/(add|del|search)(Pipe|Queue|Rule)(s?)(?:/([0-9a-f-]+))?", path)
        if not found or (found[1] == "search") != bool(found[3]):
            raise RefusedError(path)
        verb, kind, _, uuid = found.groups()
        items = self.state[kind]
        if verb == "search":
            rows = [{"uuid": one, **item} for one, item in items.items()]
            rows = [row for row in rows if content["searchPhrase"] in row["description"]]
            return json.dumps({"total": len(rows), "rowCount": -1, "current": 1, "rows": rows})
        if verb == "del":
            if any(
                uuid in (one.get("pipe"), one.get("target")) for other in self.state.values() for one in other.values()
            ):
                raise RefusedError(f"{path}: in use")
            items.pop(uuid)
            return '{"result":"deleted"}'
        item = content[kind.lower()]
        self._check(kind, item, path)
        uuid = f"{sum(map(len, self.state.values())):08x}-0000-4000-8000-{len(items):012x}"
        items[uuid] = item
        return json.dumps({"result": "saved", "uuid": uuid})

    def _check(self, kind: str, item: dict[str, str], path: str) -> None:
        fields = self.FIELDS[kind]
        wrong = [name for name, value in item.items() if not re.fullmatch(fields.get(name, "(?!)"), value)]
        wrong += [
            name for name, (least, most) in self._INT.items() if name in item and not least <= int(item[name]) <= most
        ]
        if kind == "Queue" and item["pipe"] not in self.state["Pipe"]:
            wrong.append("pipe")
        if kind == "Rule" and item["target"] not in self.state["Queue"]:
            wrong.append("target")
        if wrong:
            raise RefusedError(f"{path}: {', '.join(wrong)}")

    def dnctl(self) -> str:
        """The pipes as dnctl gets them, with the directions of their rules."""
        rows = []
        for rule in self.state["Rule"].values():
            pipe = self.state["Pipe"][self.state["Queue"][rule["target"]]["pipe"]]
            target = f" target {pipe['codel_target']}" if "codel_target" in pipe else ""
            interval = f" interval {pipe['codel_interval']}" if "codel_interval" in pipe else ""
            ecn = " ecn" if pipe["codel_ecn_enable"] == "1" else " noecn"
            rate = f"bw {pipe['bandwidth']}{pipe['bandwidthMetric']}/s"
            rows.append(f"{rule['direction']}: pipe config {rate} type {pipe['scheduler']}{target}{interval}{ecn}")
        return "\n".join(rows)
