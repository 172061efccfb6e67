"""Two uploads of aioquic, with Reno and with CUBIC, share an uplink: who gets what, and how long do packets wait?

aioquic takes the time and the datagrams from its caller, so ten seconds take no ten seconds:

    pip install sojourn aioquic
    python uplink.py
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import StreamDataReceived
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import sojourn

HEADERS = 28
"""IPv4 and UDP, in bytes."""
SECONDS = 10.0
ALGORITHMS = ("reno", "cubic")


@dataclass
class Shown:
    """What a run has shown."""

    mbit_s: list[float]
    waits_ms: list[float] = field(repr=False)
    lost: int

    def wait_ms(self, part: float) -> float:
        """The wait that this part of the packets does not exceed."""
        return sorted(self.waits_ms)[int(part * (len(self.waits_ms) - 1))]


def certificate() -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    """One that is made for the occasion."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(x509.random_serial_number()).not_valid_before(datetime.now(UTC) - timedelta(days=1))
    return made.not_valid_after(datetime.now(UTC) + timedelta(days=1)).sign(key, hashes.SHA256()), key


def connections(algorithm: str) -> tuple[QuicConnection, QuicConnection]:
    """A client with this algorithm and its server."""
    made, key = certificate()
    ours = QuicConfiguration(is_client=True, verify_mode=ssl.CERT_NONE, congestion_control_algorithm=algorithm)
    client = QuicConnection(configuration=ours)
    theirs = QuicConfiguration(is_client=False, certificate=made, private_key=key)
    return client, QuicConnection(
        configuration=theirs, original_destination_connection_id=client.original_destination_connection_id
    )


def run(queue: str) -> Shown:
    """Upload for ten seconds over 5 Mbit/s and 40 ms."""
    there = sojourn.Bottleneck(queue, "5Mbit", "20ms")
    back = sojourn.Bottleneck("fifo", "50Mbit", "20ms")
    pairs = [connections(algorithm) for algorithm in ALGORITHMS]
    now, given, got, waits, lost = 0.0, [0, 0], [0, 0], [], 0
    # A server of aioquic has nowhere to send to before it has heard from its client.
    heard: set[int] = set()
    for client, _ in pairs:
        client.connect(("server", 1), now)
    while now < SECONDS:
        for flow, (client, server) in enumerate(pairs):
            while (event := server.next_event()) is not None:
                if isinstance(event, StreamDataReceived):
                    got[flow] += len(event.data)
            if given[flow] - got[flow] < 500_000:
                client.send_stream_data(0, bytes(100_000))
                given[flow] += 100_000
            for end, link in ((client, there), (server, back))[: 2 if flow in heard else 1]:
                if (timer := end.get_timer()) is not None and timer <= now:
                    end.handle_timer(now)
                for data, _ in end.datagrams_to_send(now):
                    link.send(now, len(data) + HEADERS, data, flow=flow)
        timers = [end.get_timer() for flow, pair in enumerate(pairs) for end in pair[: 2 if flow in heard else 1]]
        times = [time for time in (*timers, there.next_time(), back.next_time()) if time is not None]
        now = max(now, min(times))
        for packet in there.receive(now):
            waits.append(1000 * packet.waited)
            heard.add(packet.flow)
            pairs[packet.flow][1].receive_datagram(packet.payload, ("client", 1), now)
        for packet in back.receive(now):
            pairs[packet.flow][0].receive_datagram(packet.payload, ("server", 1), now)
        lost += len(there.lost())
    return Shown([8e-6 * size / SECONDS for size in got], waits, lost)


def main() -> None:
    """Print the table, and check what it says."""
    print(f"{'queue':16} {'reno':>7} {'cubic':>7} {'half wait':>10} {'p99':>9} {'lost':>5}")
    shown = {queue: run(queue) for queue in ("fifo:limit=100p", "codel", "fq_codel")}
    for queue, one in shown.items():
        reno, cubic = one.mbit_s
        half, p99 = one.wait_ms(0.5), one.wait_ms(0.99)
        print(f"{queue:16} {reno:7.2f} {cubic:7.2f} {half:7.1f} ms {p99:6.1f} ms {one.lost:5}")
    fifo, codel, fair = shown.values()
    # Half of the packets wait long in a FIFO of 100 packets, and as long as CoDel wants in CoDel. CUBIC takes more
    # than Reno there. A fair queue gives both the same.
    assert fifo.wait_ms(0.5) > 100
    assert codel.wait_ms(0.5) < 20
    assert codel.mbit_s[1] > 1.2 * codel.mbit_s[0]
    assert 0.8 < fair.mbit_s[0] / fair.mbit_s[1] < 1.25


if __name__ == "__main__":
    main()
