# One run of Alemu 2004's "Topo_same" in ns-2, for psand.py:    ns ns2_psand.tcl more=25 coef=1 seed=3 ...
# Settings are key=value (below, with their defaults); the result is one line of JSON on stdout.
#
# ns-2 has no PSAND. Its law (algorithm 16) is small: each half second max_p is multiplied by a power of two ratios of RED's average. It is
# stepped from here, over ns-2's own RED on both directions of the bottleneck. ns-2 takes a min_th of 0 as "choose one", so it is 0.0001.
#   mean, variance, empty   of the queue, in packets, sampled each 10 ms (as in the thesis), without the packet in transmission
#   loss                    drops over arrivals
# trace=FILE writes what each arrival finds (ns-2's curq_, when it changes).

proc defaults {} {
	return { more 25 coef 1.75 gamma 1.5 top 0.75 packet 1600 delayed 0 w_q 0.0053191 duration 100 seed 1 trace {} }
}

array set setting [defaults]
foreach argument $argv {
	set pair [split $argument =]
	if {[llength $pair] != 2 || ![info exists setting([lindex $pair 0])]} {
		puts stderr "ns2_psand.tcl: cannot read '$argument'"
		exit 2
	}
	set setting([lindex $pair 0]) [lindex $pair 1]
}

# What these were until October 2004.
Agent/TCP set minrto_ 1
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false

set ns [new Simulator]
set starts [new RNG]
for {set i 0} {$i < $setting(seed)} {incr i} {
	$defaultRNG next-substream
	$starts next-substream
}
foreach name {s1 s2 r1 r2 s3} { set node($name) [$ns node] }
foreach {from to delay} {s1 r1 2ms s2 r1 3ms r2 s3 4ms} {
	$ns duplex-link $node($from) $node($to) 10Mb $delay DropTail
	$ns queue-limit $node($from) $node($to) 100000
	$ns queue-limit $node($to) $node($from) 100000
}
$ns duplex-link $node(r1) $node(r2) 1.5Mb 20ms RED

proc red {from to} {
	global ns node setting
	$ns queue-limit $node($from) $node($to) 35
	set queue [[$ns link $node($from) $node($to)] queue]
	foreach {key value} [list thresh_ 0.0001 maxthresh_ 20 linterm_ 10 mean_pktsize_ 1000 gentle_ true q_weight_ $setting(w_q)] {
		$queue set $key $value
	}
	return $queue
}
set forward [red r1 r2]
set backward [red r2 r1]

proc flow {from to window packet at} {
	global ns node setting
	set sink [expr {$setting(delayed) ? "TCPSink/Sack1/DelAck" : "TCPSink/Sack1"}]
	set sender [$ns create-connection TCP/Sack1 $node($from) $sink $node($to) 0]
	$sender set window_ $window
	$sender set packetSize_ $packet
	$ns at $at "[$sender attach-app FTP] start"
}
flow s1 s3 15 $setting(packet) [$starts uniform 0 0.01]
flow s3 s1 15 $setting(packet) [expr 1 + [$starts uniform 0 0.01]]
flow s2 s3 15 $setting(packet) [expr 3 + [$starts uniform 0 0.01]]
for {set i 0} {$i < $setting(more)} {incr i} { flow s1 s3 20 1000 [expr 3.5 + 0.1 * $i] }

# Equations 2.1 and 2.2.
proc step queue {
	global ns setting before
	set now [$queue set ave_]
	if {[info exists before($queue)] && $before($queue) > 0} {
		set factor [expr $setting(coef) * pow($now * $now / (10.0 * $before($queue)), $setting(gamma))]
		set max_p [expr [$queue set cur_max_p_] * $factor]
		$queue set cur_max_p_ [expr {$max_p > $setting(top) ? $setting(top) : $max_p < 0.01 ? 0.01 : $max_p}]
	}
	set before($queue) $now
	$ns at [expr [$ns now] + 0.5] "step $queue"
}
foreach queue [list $forward $backward] { $ns at 0.5 "step $queue" }

if {$setting(trace) != ""} {
	set file [open $setting(trace) w]
	$forward trace curq_
	$forward attach $file
}
set monitor [$ns monitor-queue $node(r1) $node(r2) ""]
set count 0
set sum 0.0
set squares 0.0
set empty 0
proc sample {} {
	global ns monitor count sum squares empty
	set waiting [$monitor set pkts_]
	incr count
	set sum [expr $sum + $waiting]
	set squares [expr $squares + $waiting * $waiting]
	incr empty [expr $waiting == 0]
	$ns at [expr [$ns now] + 0.01] sample
}
$ns at 0 sample
proc finish {} {
	global monitor count sum squares empty setting file
	if {$setting(trace) != ""} { close $file }
	set mean [expr $sum / $count]
	set variance [expr $squares / $count - $mean * $mean]
	set loss [expr double([$monitor set pdrops_]) / [$monitor set parrivals_]]
	puts "{\"mean\": $mean, \"variance\": $variance, \"empty\": [expr double($empty) / $count], \"loss\": $loss}"
	exit 0
}
$ns at $setting(duration) finish
$ns run
