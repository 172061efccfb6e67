"""Settings that runs need to show an effect, beside those of the registry, and parameters without one in these runs."""

BESIDE = {
    "queues": {
        "psand: gentle_slope": 'above = "gentle"',
        "black: eviction": 'active_flows = "jackknife"',
        "black: match_over": 'active_flows = "virtual_match"',
        "black: gated": 'drop_function = "blended"; gate = "queue"',
        "black: gate red_sees": 'drop_function = "blended"',
        "black: refresh": 'blend = "pooled"; gated = "both"',
        "afc: match_over": 'active_flows = "virtual_match"',
        "afc: eviction": 'active_flows = "jackknife"',
        "afc: gate threshold": 'active_flows = "direct_bitmap"',
        "afc: gated": 'active_flows = "direct_bitmap"; gate = "queue"',
        "afc: red_sees rule": 'active_flows = "direct_bitmap"',
        "pi: design_flows design_rtt": 'a = "auto"; b = "auto"',
        "cbq: lending": "group = [{ share = 1 }, { share = 0.5, lender = 0 }]; "
        'class = [{ dscp = "EF", share = 0.2, lender = 1 }, { share = 0.8, lender = 1 }]',
        "cbq: turns": 'class = [{ dscp = "AF41", share = 0.2 }, { share = 0.8 }]',
        "choke: above": 'candidates = "one"',
        "csfq: k_c overflow_cut overflow_cut_most": 'role = "edge"',
        "diffserv: yellow_min_th yellow_max_p": 'role = "core"; averages = "rio_c"',
        "diffserv: max_p min_th": 'role = "core"',
        "diffserv: idles": 'idle_decay = "ns2"',
        "flow_queue: drop_batch": 'limit = "20p"',
        "fq_codel: drop_batch": 'limit = "20p"',
        "fq_codel: memory": 'memory_limit = "20000B"',
        "fq_codel: ce_mask": "ce_selector = 1",
        "fred: spare_short": 'count = "on"',
        "htb: r2q": 'class = [{ dscp = "AF41", rate = "500kbit", ceil = "3Mbit" }, { rate = "1Mbit", ceil = "3Mbit" }]',
        "hybrid_red: restart_run": "cut_once = true",
        "pi: b": "a = 3",
        "psand: above bottom coef gamma interval top": 'thresholds = "up"',
        "red_boston: hint_acts": 'count = "on"',
        "rio: in_above in_max_p": 'profile_mbit = [2]; in_max_th = "9p"; in_min_th = "2p"',
        "sch_ets: quanta queue strict": "priomap = [0, 0, 1, 0, 2]",
        "sch_fq: weights": "priomap = [0, 0, 1, 0, 2]; flow_limit = 1000",
        "sch_hhf: evict_timeout hh_limit non_hh_weight quantum": 'admit_bytes = "3000B"',
        "sch_sfb: db": 'rehash = "1s"; increment = 0.1; db = "200ms"',
        "sch_sfb: hz": 'rehash = "1s"; db = "500ms"',
        "sch_tbf: mtu peakrate": 'peakrate = "3Mbit"; rate = "1Mbit"; burst = "30kB"',
        "sfb: hold_time limiter": 'bin_full = "none"',
        "sfb: count_limited": 'bin_full = "none"; limiter = "hold"',
        "sfb: warm_up_time": 'bin_full = "none"',
        "sfb: penalty_burst penalty_rate": 'bin_full = "none"',
        "sfb: raise_limited": 'preset = "chatranon2004"',
        "sfq: depth flows quantum turn": 'full = "longest"',
        "wred: class_by": "class_min_th_packets = [2, 5, 9]",
        "wred: precedence": "class_min_th_packets = [2, 5, 9]",
    },
    "controls": {
        "illinois: theta": "w_thresh = 2",
        "prague: swing": "rate_below = 1000; transition = 0",
        "westwood: sample_min": 'filter = "plus"',
        "yeah: zeta": "q_max = 3",
    },
    "transports": {
        "tcp: pacing_avoidance pacing_slow_start": "pacing = true",
        "tcp: advertise": 'recovery = "rack"; tuning = true; receive_buffer = "8192B"',
        "tcp: receive_buffer": "tuning = true",
        "tcp: dsack": 'cut = "whole_window"',
        "tcp: ecn_codepoint ecn_fallback ecn_feedback ecn_retransmits": "ecn = true",
        "tcp: rate_reduction sack_delay sack_header": 'recovery = "sack"; details = "rfc"',
        "tcp: quick_acks tuning": "handshake = true",
        "tcp: dup_threshold limited_transmit rto_max rto_restart": 'recovery = "sack"',
    },
    "apps": {
        "trace: entry repeat": "times_s = [0, 1, 2]; sizes_bytes = [700]",
        "trace: sizes_bytes": "times_s = [0, 1, 2]",
        "trace: times_s": "sizes_bytes = [700]",
    },
}
"""By table of the registry: an entry or `*` for all, its parameters, and the settings that they need."""

GIVEN = {
    "queues": {
        "ce_mask": "3",
        "ce_threshold": '"1ms"',
        "cir_mbit": "[0.3]",
        "flows": "[0, 1]",
        "maxrate": '"2Mbit"',
        "peakrate": '"2Mbit"',
        "profile_mbit": "[0.3]",
        "red_min": '"3000B"',
        "tagged_flows": "[0, 1]",
        "thresholds": '"down"',
    },
    "controls": {},
    "transports": {},
    "apps": {},
    "losses": {},
}
"""By table: a value of a parameter that gives others an effect, where the registry names only those that take it."""

IDLE = {
    "queues": {
        "cake: wash": "no other link goes by the codepoint",
        "diffserv: class": "no other link goes by the class",
        "hop_by_hop: keeps duration goes_on": "there is no router before this one that a choke packet could reach",
        "policer: demoted_dscp": "no other link goes by the codepoint",
        "sch_ets: bands": "further bands have no packets",
        "sch_prio: bands": "further bands have no packets",
        "self_tuning_red: w_q_auto": "its automatic weight has a rule of its own",
    },
    "transports": {
        "tcp: ace_wrap": "marks beside lost acknowledgements are rare; unit tests have them",
        "tcp: xecn_lost_acks": "marks beside lost acknowledgements are rare; a unit test has them",
    },
}
"""Parameters without effect in these runs, and the reason."""

IDLE_IN = {
    "queues": {
        "afc preset = *: eviction p_r": "the cache has room for all flows, or nearly",
        "afc * = *: eviction": "the last two flows of the cache are rarely told apart by it",
        "black idle_decay = *: refresh": "the part is taken at the same packets here",
        "black preset = static: eviction": "the part that it shows in is not used",
        "cbq turns = *: lending": "the groups of the row lend alike then",
        "diffserv preset = *: target_delay yellow_min_th": "thresholds are given",
        "pie preset = *: rest": "the probability is never 0 for so long",
        "psand preset = *: gentle_slope target_delay": "thresholds are given, or it drops all above them",
        "psand thresholds = *: gentle_slope": "it drops all above the thresholds",
        "red preset = dctcp: above idle_decay max_p mean_packet spare_short": "one threshold, for the queue itself",
        "cared beta_kept = *: beta": "another factor is kept in its place",
        "rio preset = *: above count ecn in_min_th mark_max_p max_p spare_first spare_short": "few packets are In here",
        "rio preset = ns2: target_delay": "few packets are In here",
        "rio total_average = *: above count ecn mark_max_p max_p spare_first spare_short": "few packets are In here",
        "rio total_average = *: target_delay": "few packets are In here",
        "source_quench chosen = *: overflow": "dropped packets are those that find no room",
        "source_quench preset = rfc792: chosen ecn": "a fifo marks and chooses nothing",
        "wred preset = *: above class_max_th_packets max_th min_th spare_short target_delay": "classes have thresholds",
    },
}
"""The same in some modes: an entry, the setting of the mode (`*` is any), parameters, and the reason."""
