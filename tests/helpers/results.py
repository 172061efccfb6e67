"""Results of tests of a line, with invented numbers, as each tool writes them; ``PLANTED`` marks what is private."""

from __future__ import annotations

IPERF3 = {
    "start": {"test_start": {"protocol": "TCP", "num_streams": 4, "reverse": 0, "omit": 0, "duration": 12}},
    "intervals": [
        {
            "streams": [{"rtt": 231_000, "start": second, "end": second + 1}] * 4,
            "sum": {"start": second, "end": second + 1, "bits_per_second": 18_900_000, "retransmits": 3},
        }
        for second in range(12)
    ],
    "end": {"sum_received": {"bits_per_second": 18_800_000, "seconds": 12.0}, "sum_sent": {"retransmits": 36}},
}
OOKLA = {
    "type": "result",
    "ping": {"latency": 12.1, "jitter": 0.4, "low": 11.8, "high": 13.0},
    "download": {"bandwidth": 11_900_000, "elapsed": 10_000, "latency": {"iqm": 31.0, "low": 14.0, "high": 40.0}},
    "upload": {"bandwidth": 2_360_000, "elapsed": 10_000, "latency": {"iqm": 168.1, "low": 15.0, "high": 275.0}},
    "isp": "PLANTED-ISP",
    "interface": {"macAddr": "PLANTED-MAC", "externalIp": "PLANTED-IP"},
}
NETWORK_QUALITY = {
    "base_rtt": 21.5,
    "dl_throughput": 93_000_000,
    "ul_throughput": "17400000",
    "responsiveness": 236.0,
    "dl_flows": 12,
    "ul_flows": 12,
    "il_tcp_handshake_443": [21, 22],
    "lud_foreign_tcp_handshake_443": [190, 255, 270],
    "lud_self_h2_req_resp": [230, 290],
    "test_endpoint": "PLANTED-HOST",
}
CLOUDFLARE = {
    "download": 92_000_000,
    "upload": 17_800_000,
    "latency": 22.4,
    "jitter": 2.1,
    "downLoadedLatency": 120.3,
    "upLoadedLatency": 190.8,
    "packetLoss": 0.002,
}
MACH = {
    "unloaded_latency_ms": 21.0,
    "jitter_ms": 2.0,
    "download": {"throughput": 91_000_000, "loaded_latency_ms": 40.0, "rpm": 1500},
    "upload": {"throughput": 17_500_000, "loaded_latency_ms": 215.0, "rpm": 279},
}
LIBRESPEED = [
    {
        "server": {"name": "PLANTED-HOST"},
        "client": {"ip": "PLANTED-IP"},
        "bytes_sent": 22_500_000,
        "bytes_received": 118_000_000,
        "ping": 21.3,
        "jitter": 1.1,
        "upload": 17.9,
        "download": 93.2,
        "share": "",
    }
]
SPEEDTEST_CLI = {
    "download": 93_200_000.0,
    "upload": 17_900_000.0,
    "ping": 21.3,
    "server": {"host": "PLANTED-HOST"},
    "bytes_sent": 22_500_000,
    "bytes_received": 118_000_000,
    "client": {"ip": "PLANTED-IP"},
}
IRTT = {
    "config": {"params": {"interval": 20_000_000, "length": 60}},
    "round_trips": [
        {"seqno": 0, "lost": "false", "delay": {"rtt": 30_100_000, "send": 15_200_000, "receive": 14_900_000}},
        {"seqno": 1, "lost": "true_up"},
    ],
}
TYPED = """
# Waveform's page
tool = Waveform
download = 93.2 Mbit/s
upload = 17.9 Mbit/s
idle = 22 ms
under download = +28 ms
under upload = 220 ms
"""
PINGS = {
    "linux.txt": "64 bytes from 192.0.2.1: icmp_seq=7 ttl=57 time=30.1 ms\n64 bytes from 192.0.2.1: icmp_seq=8 ttl=57 "
    "time=31.4 ms\n",
    "stamped.txt": "[1793527200.123456] 64 bytes from PLANTED-HOST (192.0.2.1): icmp_seq=7 ttl=57 time=30.1 ms\n",
    "windows.txt": "Reply from 192.0.2.1: bytes=32 time=31ms TTL=57\nReply from 192.0.2.1: bytes=32 time=30ms TTL=57\n",
    "german.txt": "Antwort von 192.0.2.1: Bytes=32 Zeit=30ms TTL=57\n",
    "fping.txt": "192.0.2.1 : [0], 64 bytes, 30.1 ms (30.1 avg, 0% loss)\n",
    "quiet.txt": "3 packets transmitted, 3 received, 0% packet loss, time 2003ms\nrtt min/avg/max/mdev = "
    "30.1/31.0/32.4/0.3 ms\n",
    "mac.txt": "round-trip min/avg/max/stddev = 30.1/31.0/32.4/0.3 ms\n",
}
