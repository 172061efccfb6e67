"""Words of networks and of other tools that are no name here: a true sentence each, for ``sojourn explain``."""

from __future__ import annotations

from collections.abc import Mapping

from .names import plain_name

__all__ = ["GLOSSARY", "glossary"]

GLOSSARY: Mapping[str, str] = {
    # Tools.
    "mahimahi, mm-link": (
        'rate = { mahimahi = "FILE" } of a link reads a trace of it, and sojourn replay a log of mm-link'
    ),
    "tcpdump, wireshark, tshark, pcap, pcapng": (
        "sojourn replay reads captures (pcap, pcapng), and record.pcap = true with --out DIR writes one for each link"
    ),
    "dummynet, ipfw, pipe": (
        "rate, delay, loss and queue of a link are those of a pipe; sojourn gateway has them for real packets"
        " between two interfaces of Linux"
    ),
    "mininet, containernet": (
        "nodes and links of a scenario are its hosts and switches, without programs in them; sojourn gateway "
        "is for real hosts"
    ),
    "omnet, inet, opnet, htsim, gns3": (
        "its files are not read; [[node]], [[link]] and [[flow]] of a scenario say a network"
    ),
    "speedtest, rpm test, networkQuality": (
        "the table responsiveness has round trips per minute under load; sojourn line ranks queues by them"
    ),
    "openwrt, luci, sqm-scripts": "sojourn line prints the lines of tc that its scripts would run",
    "autorate, cake-autorate, sqm-autorate": (
        "a link of its own in front of the line, with `changes` of its rate; `changes` has no settings of a queue. "
        "cake has autorate_ingress, which follows the rate of arrivals"
    ),
    # Parts of Linux.
    "qdisc, queueing discipline, queuing discipline": (
        "a queue of a link: sojourn list queues; each command also takes a line of tc as a queue"
    ),
    "tc": "each command takes a line of tc, or the output of tc qdisc show, as a queue: --queue 'fq_codel target 3ms'",
    "sysctl": "--tcp takes its names: --tcp 'tcp_congestion_control=bbr tcp_ecn=1'",
    "ip route": "--tcp takes its words: --tcp 'initcwnd 20 rto_min 100ms'",
    "ifb, imq": (
        "a link here has a queue in each direction, and needs no device for the other: queue and reverse_queue"
    ),
    "ingress qdisc, clsact": (
        "a link here has a queue in each direction: queue and reverse_queue; police of a filter is the queue policer"
    ),
    "mq, mqprio, multiq": (
        "a link here has one queue in front of it, and no rings of a network card; give it the queue of one ring"
    ),
    "etf, taprio, cbs, tsn": "queues that send by a clock are not here; priority, token_bucket and htb are nearest",
    "plug, teql, blackhole": "it is not here: a link sends whenever a packet waits",
    "filter, classifier, u32, flower, bpf, basic": (
        "filters are not here: each class of htb, cbq, priority and others says which packets it takes, by "
        "flows, dscp, ecn, priority or size_max"
    ),
    "class, classid, default class": (
        'a class is a table in a queue such as htb: class = [{ dscp = "EF", rate = "2Mbit" }, {}]; the last '
        "class takes all other packets"
    ),
    "TSQ, tcp small queues": "packets do not wait in a sender's own queue here: there is nothing to keep short",
    "byte queue limits": ("a link takes one packet from its queue at a time; there is no ring of a device behind it"),
    "skb, truesize": "memory is counted in bytes of packets here; memory_limit has them",
    "NAPI, interrupt, irq": "a host takes a packet at its time; jitter of access is its random processing time",
    "conntrack, nat, masquerade": "each flow has its own hosts here, which is what cake's nat looks up",
    "fwmark, iptables, nftables, firewall": (
        "there is no firewall here; a flow has a codepoint (dscp), by which classes and cake's tins sort packets"
    ),
    # Links.
    "tunnel, GRE, IPIP, 6in4": (
        "a scenario has none; what it adds to each packet is `overhead` of a link, such as 24 bytes of GRE over IPv4. "
        "In a capture sojourn replay finds the flows inside of it, as Linux does"
    ),
    "VXLAN, L2TP": (
        "a scenario has none; what it adds to each packet is `overhead` of a link. In a capture a flow is that of the "
        "outer addresses and ports, as for Linux's queues"
    ),
    "wireguard, VPN, IPsec, OpenVPN": (
        "a tunnel is not here; what it adds to each packet is `overhead` of a link, such as 60 bytes of "
        "WireGuard over IPv4 (80 over IPv6); all flows in it have one 5-tuple outside"
    ),
    "pppoe, ppp": (
        'eight bytes of each packet: `overhead` of a link or of htb, and link_layer = "pppoe-ptm" and others of cake'
    ),
    "vlan, 802.1q, ether-vlan": (
        "four bytes of each frame, which `overhead` of a link counts; a capture with VLAN tags is read"
    ),
    "adsl, vdsl, dsl, dslam": (
        "`overhead` and `cells` of a link have the framing; sojourn line --link adsl or vdsl sets them"
    ),
    "docsis, cable modem": (
        "sojourn line --link docsis has the framing, and the preset docsis of pie the queue of a modem"
    ),
    "starlink, satellite, leo": (
        "delay of a link, with `changes` for handovers; sojourn line --rtt 600ms ranks queues for it"
    ),
    "lte, 5G, cellular, mobile": 'rate = { mahimahi = "FILE" } of a link replays when a cellular link could send',
    "handover, handoff": "`changes` of a link has new rates, delays and losses at given times",
    "fragment, fragmentation, MTU, pmtu": (
        "packets are not fragmented here: `packet` of a transport is their size; the MTU of a replay cuts "
        "large packets of a capture"
    ),
    "jumbo frame": 'packet = "9000B" of a transport',
    "bit error, BER, corruption": "loss of a link has the kind bit, a rate of errors for each bit",
    # netem.
    "duplicate, duplication": "packets are not duplicated here",
    "correlation": "netem's draws that depend on the one before are not here; losses in bursts are gilbert_elliott",
    "reorder, reordering": (
        "jitter of a link with reorder = true lets packets overtake each other; a share of packets that goes "
        "at once, netem's reorder, is not here"
    ),
    "gap": (
        "netem's reordering of each n-th packet is not here; jitter of a link with reorder = true lets packets overtake"
    ),
    "slot": (
        "netem's slots are not here; rate = { mahimahi = [...] } of a link sends at given moments, and a "
        "medium in turns"
    ),
    "distribution, paretonormal": "jitter of a link is uniform or exponential; tables of other laws are not here",
    # Words of the field.
    "policing, traffic policing": "the queue policer: packets beyond a rate and a burst are dropped at once",
    "shaping, traffic shaping, shaper": "cake with a bandwidth, token_bucket and htb shape: packets wait for tokens",
    "ECT(1)": ('the codepoint of scalable senders (L4S): ecn_codepoint = "ect1" of tcp, and identifier of dualpi2'),
    "ECT(0)": "the codepoint of classic senders that understand marks: ecn = true of tcp",
    "CE, congestion experienced": "a mark: queues set it with ecn = true; mark_ratio of the table queue counts them",
    "host, hosts, endpoint": (
        "[[node]] of a scenario names the hosts and routers of a graph; in a [dumbbell] each flow has two hosts of its "
        'own, whose processing time is jitter of access. cake shares a link among hosts: isolation = "hosts"'
    ),
    "host fairness, per-host fairness": (
        "isolation of cake, such as dual-srchost: hosts share first, then their flows; a host is a node of the scenario"
    ),
    "flow": (
        "packets with the same ends: a [[flow]] of a scenario is a group of them, and a 5-tuple of a capture is one"
    ),
    "5-tuple, five-tuple": "protocol, two addresses and two ports: the flow of a captured packet",
    "BDP, bandwidth-delay product": 'rate times round trip; limit = "2BDP" of a queue is twice that',
    "bufferbloat": "long waits in buffers that are larger than needed; sojourn line ranks queues against it",
    "mptcp, multipath": "it is not here: each flow has one path",
    "head of line blocking": (
        "data of TCP wait for a lost packet before them; completion times of transfers have it, delays of "
        "packets do not"
    ),
    "jitter buffer": "packets of a call that come after its deadline are late: late_fraction of the table quality",
    "GSO, TSO, GRO, LRO, segmentation offload": (
        "each packet is one frame here; --mtu of sojourn replay cuts the large ones of a capture"
    ),
    "pacing": "pacing = true of tcp spaces packets over the round trip, as fq and bbr of Linux do",
    "keepalive, nagle, cork": "a sender here sends what its application gives it",
    "thin stream": "an application such as voice or cbr over tcp; its small packets are not treated otherwise",
    "multicast, broadcast": "it is not here: a flow has one sender and one receiver",
    "routing, OSPF, BGP": "packets take the path of the least delay over [[link]]; it does not change",
    "ECMP, equal-cost, fat tree, leaf-spine, load balancing": (
        'ecmp = "linux_l4" of a graph spreads flows over equal paths by a hash; without it all take the one whose '
        "links come first in the file (docs/data-centre.md)"
    ),
    "dhcp, dns, arp": "it is not here: a scenario has flows alone, whose ends know each other",
    "IPv6, IPv4": "a packet here has a size and no address; of a capture both are read",
    "wmm, 802.11e, edca": "a medium here is 802.11 without classes of access",
}
"""Words with commas between them, and what they are here."""

_BY_WORD = {plain_name(word): text for words, text in GLOSSARY.items() for word in words.split(", ")}


def glossary(word: str) -> str:
    """The sentence about a word, whatever its case and signs; empty if there is none."""
    return _BY_WORD.get(plain_name(word), "")
