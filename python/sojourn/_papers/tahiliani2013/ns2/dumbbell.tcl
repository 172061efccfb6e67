# One run of Tahiliani 2013's dumbbell (figures 3.1 and 4.3) in ns-2, for tests/peers/witness.py:    ns dumbbell.tcl law=ared flows=30 seed=3 ...
# All senders are SACK: ns-2 has no TCP Surathkal.
# Settings are key=value (below, with their defaults); the result is one line of JSON on stdout.
#
# law      ared (ns-2's own), re_ared, fared, cared: RED, whose max_p a clock changes each half second as the thesis's algorithms 2 to 4 say
# flows    long flows, which start within `spread` seconds
# load     rise or fall: two flows, one in reverse if back=1, and 20 that start at 25 s, or stop then
# size     packetSize_, to which ns-2 adds 40 B; of it `payload` counts
# w_q      0 is ns-2's automatic weight for `mean` bytes; wait=0 spaces marks as Adaptive RED's paper does
#
# loss, throughput    drops over arrivals at the bottleneck; payload in bit/s
# with load           least, late, enters, empty as in E3.5.toml: of the average from 25 s on
# with from > 0       least, most, cov of both windows, mean and sd of the average, from then on

array set setting {
	law ared flows 2 load none back 1 rate 10e6 delay 40ms buffer 50 size 1040 payload 1000 mean 1000 w_q 0
	min 0 max 0 wait 1 ecn 1 duration 100 spread 0.01 from 0 seed 1
}
foreach argument $argv {
	lassign [split $argument =] key value
	if {![info exists setting($key)]} { puts stderr "dumbbell.tcl: there is no setting '$key'"; exit 2 }
	set setting($key) $value
}
proc at {key} { return $::setting($key) }

Agent/TCP set ecn_ [at ecn]
Agent/TCP set packetSize_ [at size]
Agent/TCP set window_ 1000
foreach {name value} [list adaptive_ [expr {[at law] == "ared"}] mean_pktsize_ [at mean] setbit_ [at ecn] bytes_ 0 queue_in_bytes_ 0 \
	thresh_ [at min] maxthresh_ [at max] q_weight_ [at w_q] targetdelay_ 0.005 wait_ [at wait] bottom_ 0] {
	Queue/RED set $name $value
}

set ns [new Simulator]
set starts [new RNG]
for {set i 0} {$i < [at seed]} {incr i} { $defaultRNG next-substream; $starts next-substream }
set r1 [$ns node]; set r2 [$ns node]
$ns duplex-link $r1 $r2 [at rate] [at delay] RED
$ns queue-limit $r1 $r2 [at buffer]
$ns queue-limit $r2 $r1 [at buffer]
set queue [[$ns link $r1 $r2] queue]
set monitor [$ns monitor-queue $r1 $r2 ""]

# ---- Flows.

proc flow {from to start {stop 0}} {
	global ns tcp
	set n [llength [array names tcp]]
	set ends {}
	foreach router [list $from $to] {
		set end [$ns node]
		$ns duplex-link $end $router 10Mb 2ms DropTail
		$ns queue-limit $end $router 100000
		lappend ends $end
	}
	set tcp($n) [new Agent/TCP/Sack1]
	set sink [new Agent/TCPSink/Sack1]
	$ns attach-agent [lindex $ends 0] $tcp($n)
	$ns attach-agent [lindex $ends 1] $sink
	$ns connect $tcp($n) $sink
	set ftp [new Application/FTP]
	$ftp attach-agent $tcp($n)
	$ns at [expr $start + [$::starts uniform 0 [at spread]]] "$ftp start"
	if {$stop > 0} { $ns at $stop "$ftp stop" }
}

set forward [at flows]
for {set n 0} {$n < [at flows]} {incr n} { flow $r1 $r2 0 }
if {[at load] != "none"} {
	if {[at back]} { flow $r2 $r1 0 }
	for {set n 0} {$n < 20} {incr n} {
		if {[at load] == "rise"} { flow $r1 $r2 [expr 25 + 0.1 * $n] } else { flow $r1 $r2 [expr 0.1 * $n] 25 }
	}
}

# ---- The laws of chapter 3, by a clock: `r` is how far below the target the average is, `s` how far above.

set min [expr {[at min] > 0 ? [at min] : max(5.0, 0.005 * [at rate] / (8.0 * [at mean]) / 2)}]
set max [expr {[at max] > 0 ? [at max] : 3 * $min}]
set bottom [expr min(0.01, 80000.0 / [at rate])]
array set laws {re_ared {0.48 0.52 0.17 0.25} fared {0.48 0.52 0.0385 0.042} cared {0.4 0.6 0.17 0.25}}
proc adapt {} {
	global queue min max bottom laws ns
	lassign $laws([at law]) from to down up
	set low [expr $min + $from * ($max - $min)]; set high [expr $min + $to * ($max - $min)]
	set average [$queue set ave_]; set max_p [$queue set cur_max_p_]
	# CARED: the average rises where the queue is longer than it.
	set gentle [expr {[at law] == "cared" && (([$queue set curq_] > $average) == ($average < $low))}]
	if {$average < $low && $max_p > $bottom} {
		set factor [expr {$gentle ? 0.9 : 1 - $down * ($low - $average) / ($low - $min)}]
		$queue set cur_max_p_ [expr $max_p * $factor]
	} elseif {$average > $high && $max_p < 0.5} {
		set step [expr {$gentle ? min(0.01, 0.25 * $max_p) : $up * $max_p * ($average - $high) / $high}]
		$queue set cur_max_p_ [expr $max_p + $step]
	}
	$ns at [expr [$ns now] + 0.5] adapt
}
if {[at law] != "ared"} { $ns at 0.5 adapt }

# ---- What is measured.

set averages {}; set windows {}; set backlog {}
proc sample {} {
	global ns queue averages windows backlog tcp monitor
	lappend averages [$queue set ave_]
	lappend backlog [$monitor set pkts_]
	foreach n [array names tcp] { lappend windows [$tcp($n) set cwnd_] }
	$ns at [expr [$ns now] + $::every] sample
}
set begin [expr {[at load] != "none" ? 25 : [at from]}]
set every [expr {[at load] != "none" ? 0.1 : 0.5}]
if {$begin > 0} { $ns at $begin sample }

proc of {values} {
	set sum 0; set squares 0
	foreach value $values { set sum [expr $sum + $value]; set squares [expr $squares + $value * $value] }
	set mean [expr double($sum) / [llength $values]]
	return [list $mean [expr sqrt(max(0, $squares / [llength $values] - $mean * $mean))]]
}

proc done {} {
	global tcp monitor averages windows backlog forward
	set bits 0
	for {set n 0} {$n < $forward} {incr n} { set bits [expr $bits + 8.0 * [at payload] * ([$tcp($n) set ack_] + 1)] }
	set found [list loss [expr double([$monitor set pdrops_]) / [$monitor set parrivals_]] throughput [expr $bits / [at duration]]]
	if {[at load] != "none"} {
		set enters 25.0
		for {set i [llength $averages]} {[incr i -1] >= 20} {} {
			if {[lindex $averages $i] >= 9 && [lindex $averages $i] <= 11} { set enters [expr 0.1 * $i] }
		}
		set empty [llength [lsearch -all -integer -exact [lrange $backlog 0 150] 0]]
		lappend found least [lindex [lsort -real $averages] 0] late [lindex [of [lrange $averages 150 end]] 0]
		lappend found enters $enters empty [expr $empty / 151.0]
	} elseif {[at from] > 0} {
		lassign [of $averages] mean sd
		set sorted [lsort -real $windows]
		lappend found mean $mean sd $sd least [lindex $sorted 0] most [lindex $sorted end]
		lappend found cov [expr [lindex [of $windows] 1] / [lindex [of $windows] 0]]
	}
	set parts {}
	foreach {name value} $found { lappend parts "\"$name\": $value" }
	puts "{[join $parts {, }]}"
	exit 0
}
$ns at [at duration] done
$ns run
