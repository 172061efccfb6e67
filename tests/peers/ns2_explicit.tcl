# One dumbbell run of ns-2 with XCP, TFRC or RAP, for explicit.py:    ns ns2_explicit.tcl law=xcp flows=10 seed=3 ...
# Settings are key=value (below, with their defaults); the result is one line of JSON on stdout.
#
# Topology, delays, starts, units and metrics are those of ns2_dumbbell.tcl, with ordinary nodes. `flows` use the law,
# `sacks` further ones are SACK; round-trip times spread over each group by itself. The queue is XCP, RED or DropTail.
#   share     mean throughput of a flow of the law over that of a SACK flow (-1 without any), by the receivers' bytes
#   nearest   throughput of the law's flow with the shortest round trip over the mean of the law's
#   jain      Jain's index of the throughputs of the law's flows
# trace=FILE writes ns-2's trace of the forward bottleneck, and to FILE.control what XCP's router computes and when.

proc defaults {} {
	return {
		law xcp queue xcp flows 10 sacks 0 rate_mbit 20 access_mbit 1000 rtt_ms 80 rtt_spread 0 limit 200
		min 10 max 60 max_p 0.1 w_q 0.002 packet 1000 window 10000 start_spread 1 duration 60 warmup 20 seed 1
		trace {} fine 0
	}
}

array set setting [defaults]
foreach argument $argv {
	set pair [split $argument =]
	if {[llength $pair] != 2 || ![info exists setting([lindex $pair 0])]} {
		puts stderr "ns2_explicit.tcl: cannot read '$argument'"
		exit 2
	}
	set setting([lindex $pair 0]) [lindex $pair 1]
}

set ns [new Simulator]
set starts [new RNG]
for {set i 0} {$i < $setting(seed)} {incr i} {
	$defaultRNG next-substream
	$starts next-substream
}
array set kinds {xcp XCP red RED droptail DropTail}
set near [$ns node]
set far [$ns node]
set rate [expr $setting(rate_mbit) * 1e6]
set rtt [expr $setting(rtt_ms) * 1e-3]
if {$setting(queue) == "red"} {
	Queue/RED set bytes_ false
	Queue/RED set queue_in_bytes_ false
	Queue/RED set thresh_ $setting(min)
	Queue/RED set maxthresh_ $setting(max)
	Queue/RED set linterm_ [expr 1.0 / $setting(max_p)]
	Queue/RED set q_weight_ $setting(w_q)
	Queue/RED set gentle_ true
	Queue/RED set mean_pktsize_ $setting(packet)
}
$ns simplex-link $near $far $rate [expr $rtt / 4] $kinds($setting(queue))
$ns simplex-link $far $near $rate [expr $rtt / 4] DropTail
$ns queue-limit $near $far $setting(limit)
$ns queue-limit $far $near 100000
set link [$ns link $near $far]
set queue [$link queue]
if {$setting(queue) == "xcp"} { $queue set-link-capacity $rate }
set monitor [new QueueMonitor]
$monitor set-pkts-integrator [new Integrator]
$link attach-monitors [new SnoopQueue/In] [new SnoopQueue/Out] [new SnoopQueue/Drop] $monitor

proc hop {a b delay} {
	global ns setting
	$ns duplex-link $a $b [expr $setting(access_mbit) * 1e6] $delay DropTail
	$ns queue-limit $a $b 100000
	$ns queue-limit $b $a 100000
}

# Flow `i` of `count`; gives the receiver, whose bytes_ count what came.
proc make_flow {law i count} {
	global ns near far setting rtt starts
	set share [expr {$count > 1 ? 2.0 * $i / ($count - 1) - 1 : 0}]
	set delay [expr $rtt * (0.5 + $setting(rtt_spread) * $share) / 4]
	set source [$ns node]
	set sink [$ns node]
	hop $source $near $delay
	hop $far $sink $delay
	switch $law {
		xcp {
			set sender [new Agent/TCP/Reno/XCP]
			set receiver [new Agent/TCPSink/XCPSink]
		}
		tfrc {
			set sender [new Agent/TFRC]
			set receiver [new Agent/TFRCSink]
		}
		rap {
			set sender [new Agent/RAP]
			set receiver [new Agent/RAP]
			$sender set useFineGrain_ $setting(fine)
		}
		sack {
			set sender [new Agent/TCP/Sack1]
			set receiver [new Agent/TCPSink/Sack1]
		}
	}
	set at [$starts uniform 0 $setting(start_spread)]
	$ns attach-agent $source $sender
	$ns attach-agent $sink $receiver
	$ns connect $sender $receiver
	# What a sender adds to packetSize_; XCP's time stamps take 10 bytes.
	array set header {xcp 50 tfrc 32 sack 40 rap 0}
	$sender set packetSize_ [expr $setting(packet) - $header($law)]
	if {$law == "tfrc"} {
		$ns at $at "$sender start"
	} elseif {$law == "rap"} {
		$ns at 0 "$receiver listen"
		$ns at $at "$sender start"
		# It counts no bytes: what leaves for its host is counted.
		set counter [new QueueMonitor]
		[$ns link $far $sink] attach-monitors [new SnoopQueue/In] [new SnoopQueue/Out] [new SnoopQueue/Drop] $counter
		return $counter
	} else {
		$sender set fid_ $i
		$sender set window_ $setting(window)
		$ns at $at "$sender send -1"
	}
	return $receiver
}

set receivers {}
set others {}
for {set i 0} {$i < $setting(flows)} {incr i} { lappend receivers [make_flow $setting(law) $i $setting(flows)] }
for {set i 0} {$i < $setting(sacks)} {incr i} { lappend others [make_flow sack $i $setting(sacks)] }

# Bytes of payload and headers alike: all packets have one size.
proc came agents {
	set bytes {}
	foreach agent $agents {
		lappend bytes [$agent set [expr {[$agent info class] == "QueueMonitor" ? "bdepartures_" : "bytes_"}]]
	}
	return $bytes
}

proc counters {} {
	global ns monitor receivers others
	set integrator [$monitor get-pkts-integrator]
	$integrator newpoint [$ns now] [$integrator set lasty_]
	return [list [$integrator set sum_] [$monitor set parrivals_] [$monitor set bdepartures_] [$monitor set pdrops_] \
		[came $receivers] [came $others]]
}

proc growth {after before} {
	set grown {}
	foreach a $after b $before { lappend grown [expr double($a - $b)] }
	return $grown
}

proc mean values { return [expr ([join $values +]) / [llength $values]] }

proc finish {} {
	global setting before rate
	set after [counters]
	set interval [expr double($setting(duration) - $setting(warmup))]
	foreach {area arrivals bytes drops} [growth [lrange $after 0 3] [lrange $before 0 3]] break
	set law [growth [lindex $after 4] [lindex $before 4]]
	set sack [growth [lindex $after 5] [lindex $before 5]]
	set squares 0.0
	foreach value $law { set squares [expr $squares + $value * $value] }
	set jain [expr pow([mean $law], 2) * [llength $law] / $squares]
	set share [expr {[llength $sack] ? [mean $law] / [mean $sack] : -1.0}]
	puts [format {{"mean_queue": %.9g, "loss": %.9g, "utilisation": %.9g, "jain": %.9g, "share": %.9g, "nearest": %.9g}} \
		[expr $area / $interval] [expr $drops / $arrivals] [expr $bytes * 8 / ($rate * $interval)] $jain $share \
		[expr [lindex $law 0] / [mean $law]]]
	exit 0
}

if {$setting(trace) != ""} {
	$link trace $ns [open $setting(trace) w]
	if {$setting(queue) == "xcp"} { $queue attach [open $setting(trace).control w] }
}
$ns at $setting(warmup) { set before [counters] }
$ns at $setting(duration) finish
$ns run
