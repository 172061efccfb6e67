"""Rows of the page "Coming from ns-2". Defaults of ns-2 are those of version 2.35."""

from .row import Row

_RED = "Parameters of RED"

ROWS = (
    Row(
        "`set ns [new Simulator]`, `$ns run`",
        "`command:sojourn run FILE`",
    ),
    Row(
        "`$ns duplex-link $a $b 10Mb 20ms RED`",
        '`[dumbbell]` with `link:rate = "10Mbit"`, `link:delay = "20ms"`, `link:queue = { kind = "red", preset = '
        '"ns2" }`; or `[[node]]` and `[[link]]`',
        "duplex-link simplex-link",
    ),
    Row(
        "`Queue/DropTail`",
        '`queue:{ kind = "fifo", preset = "ns2", limit = "50p" }`',
        "Queue/DropTail",
    ),
    Row(
        "`Queue/RED`",
        '`queue:{ kind = "red", preset = "ns2", mode = "bytes", limit = "50p" }` with `link:mean_packet = "500B"`: by '
        "default ns-2 counts bytes, in units of a mean packet of 500 bytes",
        "Queue/RED",
    ),
    Row(
        "`Queue/RED set adaptive_ 1`",
        '`queue:{ kind = "ared", preset = "ns2" }`',
        "adaptive_",
    ),
    Row(
        "`Queue/PI`, `Queue/REM`, `Queue/Vq`",
        '`queue:{ kind = "pi", preset = "ns2" }`, `queue:{ kind = "rem", preset = "ns2" }`, `queue:{ kind = "avq", '
        'preset = "ns2" }`',
        "Queue/PI Queue/REM Queue/Vq",
    ),
    Row(
        "`Queue/DRR`, `Queue/SFQ`, `Queue/CBQ`",
        '`queue:{ kind = "drr", preset = "ns2" }`, `queue:{ kind = "sfq", preset = "ns2" }`, `queue:{ kind = "cbq" }`',
        "Queue/DRR Queue/SFQ Queue/CBQ",
    ),
    Row(
        "`Queue/XCP`",
        '`queue:{ kind = "xcp" }`; the senders need `control:{ kind = "xcp", preset = "ns2" }`',
        "Queue/XCP",
    ),
    Row(
        "`Queue/dsRED/edge`, `/core`",
        '`queue:{ kind = "diffserv", preset = "ns2_edge" }`, `queue:{ kind = "diffserv", preset = "ns2" }`',
        "Queue/dsRED/edge Queue/dsRED/core",
    ),
    Row(
        "`Agent/TCP`, `Agent/TCP/Reno`, `/Newreno`, `/Sack1`",
        'in the same order: `transport:{ kind = "tcp", profile = "ns2", recovery = "tahoe" }`, `transport:{ kind = '
        '"tcp", profile = "ns2", recovery = "reno" }`, `transport:{ kind = "tcp", profile = "ns2", recovery = '
        '"newreno" }`, `transport:{ kind = "tcp", profile = "ns2", recovery = "sack" }`',
        "Agent/TCP Agent/TCP/Reno Agent/TCP/Newreno Agent/TCP/Sack1",
    ),
    Row(
        "`packetSize_ 1000` of TCP",
        '`transport:{ kind = "tcp", profile = "ns2", packet = "1040B", header = "40B" }`: on links ns-2 adds the 40 '
        "bytes of `tcpip_base_hdr_size_`",
        "packetSize_ tcpip_base_hdr_size_",
    ),
    Row(
        "`Agent/TCPSink/DelAck`",
        '`transport:{ kind = "tcp", profile = "ns2", ack_every = 2 }`',
        "Agent/TCPSink/DelAck",
    ),
    Row(
        "`Agent/UDP` with `Application/Traffic/CBR`, `rate_ 1Mb`, `packetSize_ 1000`",
        '`flow:transport = { kind = "udp", packet = "1000B" }` with `flow:app = { kind = "cbr", rate = "1Mbit", '
        'packet = "1000B" }`',
        "Agent/UDP Application/Traffic/CBR",
    ),
    Row(
        "`Application/FTP`",
        '`flow:app = "bulk"`',
        "Application/FTP",
    ),
    Row(
        "`Application/Traffic/Exponential`, `/Pareto`",
        '`flow:app = { kind = "on_off", preset = "ns2" }`, `flow:app = { kind = "on_off", preset = "ns2", law = '
        '"pareto" }`, over `flow:transport = "udp"`',
        "Application/Traffic/Exponential Application/Traffic/Pareto",
    ),
    Row(
        "`ErrorModel`, `rate_ 0.01`, `unit pkt`; `ErrorModel/TwoState`",
        '`link:loss = { kind = "uniform", probability = 0.01 }`; `link:loss = { kind = "gilbert_elliott" }`. '
        "`ErrorModel/Expo` has no counterpart: its states last a rounded exponential number of packets, and one more",
        "ErrorModel ErrorModel/TwoState ErrorModel/Expo",
    ),
    Row(
        "`ns-random 7`",
        "`option:--seed 7`, or `option:--seeds 20` for twenty runs",
        "ns-random",
    ),
    Row(
        "a monitor",
        'tables of results; `top:record = { queue = "10ms" }`',
        "monitor-queue",
    ),
    Row(
        "`$ns trace-queue`, `$ns trace-all`",
        "`command:sojourn export SCENARIO --as ns2 --out DIR`: lines with `+`, `-`, `d` and `r`",
    ),
    Row(
        "the packets of such a trace, sent through another queue",
        "`command:sojourn replay out.tr --link 2-3 --queue red,codel --rate 1.5Mbit`: it replays the packets that "
        "came to the link from node 2 to node 3",
    ),
    Row(
        "`thresh_`, `maxthresh_`",
        '`queue:{ kind = "red", min_th = "5p", max_th = "15p" }`',
        "thresh_ maxthresh_",
        part=_RED,
    ),
    Row(
        "`q_weight_`",
        "`name:w_q`",
        "q_weight_",
        part=_RED,
    ),
    Row(
        "`linterm_` 50",
        '`queue:{ kind = "red", max_p = 0.02 }`: `max_p` is 1/`linterm_`',
        "linterm_",
        part=_RED,
    ),
    Row(
        "`gentle_ true`, `gentle_ false`",
        '`queue:{ kind = "red", above = "gentle" }`, `queue:{ kind = "red", above = "strict" }`',
        "gentle_",
        part=_RED,
    ),
    Row(
        "`setbit_ true`",
        '`queue:{ kind = "red", preset = "ns2", ecn = true }`: it marks while the probability is below 0.1 '
        "(`mark_p_`), and drops packets above that",
        "setbit_ mark_p_",
        part=_RED,
    ),
    Row(
        "`queue_in_bytes_ true`, `bytes_ true`",
        '`queue:{ kind = "red", mode = "bytes" }`; `false` for both is `queue:{ kind = "red", mode = "packets" }`',
        "queue_in_bytes_ bytes_",
        part=_RED,
    ),
    Row(
        "`mean_pktsize_ 500`",
        '`link:mean_packet = "500B"`',
        "mean_pktsize_",
        part=_RED,
    ),
    Row(
        "`wait_ true`",
        '`queue:{ kind = "red", count = "wait" }`',
        "wait_",
        part=_RED,
    ),
)
