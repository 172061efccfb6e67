# One run of Alemu 2004's "Topo_same" (figure 2.2) in ns-2, for tests/peers/witness.py:    ns topo_same.tcl law=psand more=25 seed=3 ...
# Settings are key=value (below, with their defaults); the result is one line of JSON on stdout.
#
# law      red, ared (Floyd's), feng (Feng's Adaptive RED), psand (its law stepped over ns-2's RED), rem, avq; both directions have it
# more     additional flows, one each 0.1 s from `begin` on
# packet   of the basic flows, more_packet of the others; headers=1 puts ns-2's 40 B on top
# delayed  whether receivers acknowledge every second packet
# min      0 is 0.0001: ns-2 takes a min_th of 0 as "choose one"
# start    first max_p
# slope    initial: ns-2's, whose gentle part begins at the first max_p; it has no other
# precise  1: half of a window of 13 packets is 6.5, as in ns-2 since January 2006; 0: it is 6
# also     further variables of ns-2's classes: Agent/TCP:singledup_:0,Queue/RED:mean_pktsize_:500
#
# AQS, VQS      mean and variance of the queue, in packets, sampled each 10 ms, without the packet in transmission
# empty, near15, high, full     shares of the samples with X = 0, 5 < X <= 15, 25 < X <= 35, X = 35
# found         share of the arrivals that find the queue empty (RED's curq_, where there is one)
# PLR, LU       drops over arrivals, use of the link
# WAQS          mean of RED's average from 60 s on
# settling      seconds from 52 s on until that average is at 11 packets or less for a second

array set setting {
	law psand more 25 packet 1000 more_packet 1000 headers 0 delayed 0 min 0 max 20 start 0.1 coef 1.75 gamma 1.5 top 0.75
	above gentle w_q 0.0053191 limit 35 minrto 1 target 10 begin 3.5 duration 100 seed 1 precise 0 also ""
}
foreach argument $argv {
	lassign [split $argument =] key value
	if {![info exists setting($key)]} { puts stderr "topo_same.tcl: there is no setting '$key'"; exit 2 }
	set setting($key) $value
}
set kinds {red RED ared RED feng RED psand RED rem REM avq Vq}
if {![dict exists $kinds $setting(law)]} { puts stderr "topo_same.tcl: there is no law '$setting(law)'"; exit 2 }

# As they were in 2004, and as ns-2's test of Adaptive RED has them.
Agent/TCP set minrto_ $setting(minrto)
Agent/TCP set rtxcur_init_ 6.0
Agent/TCP set precisionReduce_ $setting(precise)
Agent/TCP set useHeaders_ $setting(headers)
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/REM set gamma_ 0.001
Queue/REM set phi_ 1.1
Queue/REM set pbo_ $setting(target)
Queue/Vq set gamma_ 1
Queue/Vq set mean_pktsize_ 1000
Queue/Vq set queue_in_bytes_ true

foreach one [split $setting(also) ,] {
	lassign [split $one :] class variable value
	$class set $variable $value
}

set ns [new Simulator]
set starts [new RNG]
for {set i 0} {$i < $setting(seed)} {incr i} { $defaultRNG next-substream; $starts next-substream }
foreach name {S1 S2 R1 R2 S3} { set node($name) [$ns node] }
foreach {from to delay} {S1 R1 2ms S2 R1 3ms R2 S3 4ms} {
	$ns duplex-link $node($from) $node($to) 10Mb $delay DropTail
	$ns queue-limit $node($from) $node($to) 100000
	$ns queue-limit $node($to) $node($from) 100000
}
$ns duplex-link $node(R1) $node(R2) 1.5Mb 20ms [dict get $kinds $setting(law)]

proc bottleneck {from to} {
	global ns node setting kinds
	$ns queue-limit $node($from) $node($to) $setting(limit)
	set queue [[$ns link $node($from) $node($to)] queue]
	if {[dict get $kinds $setting(law)] != "RED"} { return $queue }
	set values [list thresh_ [expr {$setting(min) > 0 ? $setting(min) : 0.0001}] maxthresh_ $setting(max) linterm_ [expr 1.0 / $setting(start)]]
	lappend values mean_pktsize_ 1000 gentle_ [expr {$setting(above) == "gentle"}] q_weight_ $setting(w_q)
	if {$setting(law) == "ared"} { lappend values adaptive_ 1 alpha_ 0.01 beta_ 0.9 }
	if {$setting(law) == "feng"} { lappend values adaptive_ 1 feng_adaptive_ 1 alpha_ 3 beta_ 2 }
	foreach {key value} $values { $queue set $key $value }
	return $queue
}
set forward [bottleneck R1 R2]
set backward [bottleneck R2 R1]

proc flow {from to window packet at} {
	global ns node setting
	set sink [expr {$setting(delayed) ? "TCPSink/Sack1/DelAck" : "TCPSink/Sack1"}]
	set sender [$ns create-connection TCP/Sack1 $node($from) $sink $node($to) 0]
	$sender set window_ $window
	$sender set packetSize_ $packet
	$ns at $at "[$sender attach-app FTP] start"
}
flow S1 S3 15 $setting(packet) [$starts uniform 0 0.01]
flow S3 S1 15 $setting(packet) [expr 1 + [$starts uniform 0 0.01]]
flow S2 S3 15 $setting(packet) [expr 3 + [$starts uniform 0 0.01]]
for {set i 0} {$i < $setting(more)} {incr i} { flow S1 S3 20 $setting(more_packet) [expr $setting(begin) + 0.1 * $i] }

# Algorithm 16: each half second max_p is multiplied by a power of two ratios of RED's average.
proc step queue {
	global ns setting before
	set now [$queue set ave_]
	if {[info exists before($queue)] && $before($queue) > 0} {
		set factor [expr $setting(coef) * pow($now * $now / (10.0 * $before($queue)), $setting(gamma))]
		set max_p [expr [$queue set cur_max_p_] * $factor]
		$queue set cur_max_p_ [expr {min($setting(top), max(0.01, $max_p))}]
	}
	set before($queue) $now
	$ns at [expr [$ns now] + 0.5] "step $queue"
}
if {$setting(law) == "psand"} { foreach queue [list $forward $backward] { $ns at 0.5 "step $queue" } }

set monitor [$ns monitor-queue $node(R1) $node(R2) ""]
array set count {all 0 empty 0 near15 0 high 0 full 0}
set sum 0.0
set squares 0.0
proc sample {} {
	global ns monitor count sum squares
	set waiting [$monitor set pkts_]
	set sum [expr $sum + $waiting]
	set squares [expr $squares + $waiting * $waiting]
	incr count(all)
	incr count(empty) [expr $waiting == 0]
	incr count(near15) [expr $waiting > 5 && $waiting <= 15]
	incr count(high) [expr $waiting > 25]
	incr count(full) [expr $waiting >= 35]
	$ns at [expr [$ns now] + 0.01] sample
}
$ns at 0 sample

# RED's average, each 0.1 s.
set averages {}
set below -1
set settled -1
proc watch {} {
	global ns forward averages below settled
	set now [$ns now]
	set average [$forward set ave_]
	if {$now > 60} { lappend averages $average }
	if {$now > 52 && $settled < 0} {
		if {$average > 11} { set below -1 } elseif {$below < 0} { set below $now }
		if {$below >= 0 && $now >= $below + 1} { set settled [expr $below - 52] }
	}
	$ns at [expr $now + 0.1] watch
}

set found ""
if {[dict get $kinds $setting(law)] == "RED"} {
	$ns at 0 watch
	set found [open found w+]
	$forward trace curq_
	$forward attach $found
}
proc finish {} {
	global monitor count sum squares setting found averages settled
	set AQS [expr $sum / $count(all)]
	set result "{\"AQS\": $AQS, \"VQS\": [expr $squares / $count(all) - $AQS * $AQS]"
	foreach name {empty near15 high full} { append result ", \"$name\": [expr double($count($name)) / $count(all)]" }
	if {$found != ""} {
		flush $found
		seek $found 0
		set lines [split [string trim [read $found]] \n]
		set none 0
		foreach line $lines { if {[lindex $line 2] == 0} { incr none } }
		append result ", \"found\": [expr double($none) / [llength $lines]]"
		append result ", \"WAQS\": [expr ([join $averages +]) / [llength $averages]]"
		append result ", \"settling\": [expr {$settled < 0 ? $setting(duration) - 52 : $settled}]"
	}
	append result ", \"PLR\": [expr double([$monitor set pdrops_]) / [$monitor set parrivals_]]"
	puts "$result, \"LU\": [expr 8.0 * [$monitor set bdepartures_] / 1.5e6 / $setting(duration)]}"
	exit 0
}
$ns at $setting(duration) finish
$ns run
